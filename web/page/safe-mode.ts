// An interface that is not run: why, what is known of it, its source, and the ways on. Opened by hand, or because the
// revision froze before: a page that is loaded again must not freeze again.

import type { Report } from "./api.js";
import { el, icon, setText } from "./dom.js";
import { known } from "./findings.js";
import type { Revision } from "./model.js";
import { SourceView } from "./source-view.js";

export interface SafeActions {
  run(): void;
  /** Asks whoever wrote it for a fix; absent where nobody can be asked. */
  fix: ((text: string) => Promise<void>) | undefined;
}

export class SafeMode {
  readonly element: HTMLElement;
  #reason = el("p", { class: "safe-reason" });
  #fixed = el("p", { class: "safe-note", role: "status" });
  #fix: HTMLButtonElement;
  #source = new SourceView();
  #revision: Revision | undefined;
  #actions: SafeActions;

  constructor(actions: SafeActions) {
    this.#actions = actions;
    this.#fix = el("button", { type: "button", class: "button", onclick: () => void this.#ask() }, "Ask for a fix");
    this.element = el(
      "section",
      { class: "safe", "aria-label": "Not running", hidden: true },
      el("h4", { class: "safe-title" }, "Not running"),
      this.#reason,
      el(
        "div",
        { class: "safe-actions" },
        el("button", { type: "button", class: "button", "data-kind": "primary", onclick: () => actions.run() }, icon("reload"), "Run it"),
        actions.fix && this.#fix,
        this.#fixed,
      ),
      this.#source.element,
    );
  }

  /** `reason` says why nothing runs; empty when something does. */
  show(reason: string, revision: Revision): void {
    this.element.hidden = reason === "";
    if (reason === "") return;
    if (this.#revision !== revision) {
      this.#fix.disabled = false;
      setText(this.#fixed, "");
    }
    this.#revision = revision;
    setText(this.#reason, reason);
    // That it froze is the reason already.
    this.#source.update(revision.source, known(revision).filter((finding) => finding.code !== "freeze"), false);
  }

  async #ask(): Promise<void> {
    const { fix } = this.#actions;
    if (!fix || !this.#revision) return;
    this.#fix.disabled = true;
    try {
      await fix(request(this.#revision, this.#reason.textContent ?? ""));
      setText(this.#fixed, "Asked. The next revision takes its place.");
    } catch (error) {
      this.#fix.disabled = false;
      setText(this.#fixed, error instanceof Error ? error.message : String(error));
    }
  }
}

/** Whether the sandbox of a revision had to be stopped. */
export function froze(report: Report | undefined): boolean {
  return report?.errors.some((error) => error.code === "frozen") ?? false;
}

/** At most so many findings are told: those who mend it look at the source themselves. */
const TOLD = 5;

function request(revision: Revision, reason: string): string {
  const found = known(revision)
    .filter((finding) => finding.severity === "error")
    .slice(0, TOLD)
    .map((finding) => `${finding.line > 0 ? `Line ${finding.line}: ` : ""}${finding.message}`);
  return [`Please mend “${revision.title || "this interface"}”. ${reason}`, ...new Set(found)].join("\n");
}
