// The bar above an artifact: its title, how it stands, its revisions and its buttons.

import { el, icon, iconButton, setText } from "./dom.js";
import { cardMenu } from "./card-menu.js";
import type { Artifact, Status } from "./model.js";

const STATUS_TEXT: Record<Status | "stopped", string> = {
  mending: "Mending",
  writing: "Writing",
  rendering: "Rendering",
  ready: "Ready",
  repaired: "Repaired",
  failed: "Failed",
  interrupted: "Interrupted",
  stopped: "Stopped",
};

export interface HeaderActions {
  source(): void;
  large(): void;
  reload(): void;
  copy(): Promise<void>;
  revision(rev: number): void;
  /** Stops it, and shows what is known of it. */
  safe(): void;
}

export class CardHeader {
  readonly element: HTMLElement;
  readonly largeButton: HTMLButtonElement;
  #title: HTMLElement;
  #status = el("span", { class: "chip", role: "status" });
  #revisions: HTMLSelectElement;
  #source: HTMLButtonElement;
  #copy: HTMLButtonElement;
  #menu: HTMLDetailsElement;

  /** `findings` opens what was found about it. `exportable`: whether the server has the artifact, so that it can be downloaded. */
  constructor(artifact: Artifact, titleId: string, exportable: boolean, findings: HTMLElement, actions: HeaderActions) {
    this.#title = el("h3", { class: "card-title", id: titleId });
    this.#revisions = el("select", {
      class: "card-revisions",
      "aria-label": "Revision",
      hidden: true,
      onchange: () => actions.revision(Number(this.#revisions.value)),
    });
    this.#source = iconButton("code", "Source", actions.source, { "aria-pressed": "false" });
    this.#copy = iconButton("copy", "Copy source", () => void this.#copied(actions.copy()), { "data-minor": true });
    this.largeButton = iconButton("expand", "Larger view", actions.large);
    this.#menu = cardMenu(artifact, exportable, actions.safe);
    this.element = el(
      "header",
      { class: "card-header" },
      this.#title,
      this.#status,
      findings,
      el("span", { class: "card-space" }),
      this.#revisions,
      this.#source,
      this.#copy,
      iconButton("reload", "Reload", actions.reload),
      this.#menu,
      this.largeButton,
    );
  }

  update(artifact: Artifact, shown: number, status: Status | "stopped", large: boolean, source: boolean): void {
    const revision = artifact.revisions.get(artifact.newest);
    setText(this.#title, revision?.title || "Untitled");
    this.#title.title = revision?.title ?? "";
    setText(this.#status, STATUS_TEXT[status]);
    this.#status.dataset["status"] = status;
    this.#source.setAttribute("aria-pressed", String(source));
    const label = large ? "Close larger view" : "Larger view";
    if (this.largeButton.title !== label) {
      this.largeButton.title = label;
      this.largeButton.setAttribute("aria-label", label);
      this.largeButton.replaceChildren(icon(large ? "close" : "expand"));
    }
    const count = artifact.revisions.size;
    this.#revisions.hidden = count < 2;
    if (this.#revisions.options.length !== count) {
      this.#revisions.replaceChildren(
        ...[...artifact.revisions.keys()].sort((a, b) => b - a).map((rev) => el("option", { value: rev }, `Revision ${rev}`)),
      );
    }
    if (this.#revisions.value !== String(shown)) this.#revisions.value = String(shown);
  }

  async #copied(copying: Promise<void>): Promise<void> {
    let label = "Copied";
    try {
      await copying;
      this.#copy.replaceChildren(icon("check"));
    } catch {
      label = "The browser did not allow copying";
    }
    this.#copy.title = label;
    this.#copy.setAttribute("aria-label", label);
    setTimeout(() => {
      this.#copy.replaceChildren(icon("copy"));
      this.#copy.title = "Copy source";
      this.#copy.setAttribute("aria-label", "Copy source");
    }, 1600);
  }
}
