// The line above an interface that says what is being done about what is wrong with it, and what a person can do: stop it,
// try again, go on with what was cut off.

import { el, icon, setText } from "./dom.js";
import type { Artifact, Mending, Revision } from "./model.js";
import { isOutside } from "./model.js";
import { fails } from "./standing.js";

/** What can be asked of whoever wrote the artifact; absent where nobody can be. */
export interface MendActions {
  stop(): Promise<unknown>;
  again(): Promise<unknown>;
  goOn(): Promise<unknown>;
}

interface Line {
  state: "running" | "mended" | "failed" | "cut";
  text: string;
  /** More, behind the text: what was wrong. */
  about?: string;
  button?: { label: string; act(): Promise<unknown> };
}

const GIVEN_UP: Record<string, string> = {
  "same-error": "Not mended: the same fault is still there",
  "same-source": "Not mended: the model wrote the same again",
  "no-module": "Not mended: the answer held no interface",
  "cut-off": "Not mended: the answer was cut off at the length limit",
  "rounds-used": "Not mended after two rounds",
  "budget-used": "Not mended: the token budget is used up (repair_tokens)",
  "turn-failed": "Not mended: the model could not be asked",
  stopped: "Mending was stopped",
  interrupted: "Mending was interrupted: the program was stopped",
};

export class MendingLine {
  readonly element: HTMLElement;
  #text = el("p", { class: "mending-text" });
  #mark = el("span", { class: "mending-mark", "aria-hidden": "true" });
  #button = el("button", { type: "button", class: "button" });
  #actions: MendActions | undefined;
  #act: (() => Promise<unknown>) | undefined;
  #key = "";

  constructor(actions: MendActions | undefined) {
    this.#actions = actions;
    this.#button.addEventListener("click", () => void this.#clicked());
    this.element = el("div", { class: "card-mending", role: "status", hidden: true }, this.#mark, this.#text, this.#button);
  }

  /** Says how `artifact` stands; `running` when its turn or its mending runs now. `instead` is the revision that is shown
   *  because the newest one is no better. Answers whether it says anything. */
  update(artifact: Artifact, running: boolean, instead: number | undefined): boolean {
    const line = lineOf(artifact, this.#actions, running);
    this.element.hidden = line === undefined;
    if (!line) return false;
    if (instead !== undefined) line.text = `${line.text.replace(/\.$/, "")}. Revision ${instead} is shown.`;
    const key = JSON.stringify(line);
    this.#act = line.button?.act;
    if (key === this.#key) return true;
    this.#key = key;
    this.element.dataset["state"] = line.state;
    this.#mark.replaceChildren(...(line.state === "mended" ? [icon("check")] : []));
    this.#text.replaceChildren(el("strong", {}, line.text), line.about ? el("span", {}, line.about) : "");
    this.#button.hidden = !line.button;
    this.#button.disabled = false;
    setText(this.#button, line.button?.label ?? "");
    return true;
  }

  async #clicked(): Promise<void> {
    if (!this.#act) return;
    this.#button.disabled = true;
    try {
      await this.#act();
    } catch (error) {
      this.#button.disabled = false;
      this.#text.append(el("span", { class: "mending-error" }, error instanceof Error ? error.message : String(error)));
    }
  }
}

function lineOf(artifact: Artifact, actions: MendActions | undefined, running: boolean): Line | undefined {
  const newest = artifact.revisions.get(artifact.newest);
  if (!newest) return undefined;
  const { mending } = artifact;
  const button = (label: string, act: keyof MendActions): Line["button"] => actions && !isOutside(newest) ? { label, act: () => actions[act]() } : undefined;
  if (mending?.state === "running") {
    return line("running", mending.looking ? "Looking at what was mended" : `Mending, round ${mending.round} of ${mending.rounds}`, mending.reason, button("Stop", "stop"));
  }
  if (running) return undefined; // its turn says what happens
  if (newest.closed && newest.truncated && mending?.outcome !== "stopped" && mending?.outcome !== "interrupted") {
    const text = newest.source.trim() === "" ? "The answer ended before the interface began." : "The answer ended before the interface was whole.";
    return line("cut", text, "", button("Continue", "goOn"));
  }
  if (mending?.state === "ended") return ended(mending, newest, button("Try again", "again"));
  return newest.closed && fails(newest) && !isOutside(newest) ? line("failed", "It does not work.", wrong(newest), button("Mend it", "again")) : undefined;
}

function ended(mending: Mending, newest: Revision, again: Line["button"]): Line {
  if (mending.outcome === "mended") return line("mended", mending.rounds === 1 ? "Mended." : `Mended in ${mending.rounds} rounds.`, `It was: ${mending.reason}`);
  const standing = fails(newest) || newest.truncated ? "" : ". What is shown may still fail";
  return line("failed", `${GIVEN_UP[mending.outcome ?? ""] ?? "Not mended"}${standing}`, mending.reason, again);
}

/** What is known to be wrong with a revision, in its first sentence. */
export function wrong({ diagnostics, report }: Revision): string {
  const found = diagnostics.find(({ severity }) => severity === "error") ?? report?.errors[0];
  if (found) return `${found.line > 0 ? `Line ${found.line}: ` : ""}${found.message}`;
  return report?.status === "blank" ? "It runs, but shows nothing." : "";
}

function line(state: Line["state"], text: string, about: string, button?: Line["button"]): Line {
  return { state, text, ...(about && { about }), ...(button && { button }) };
}
