// What stands in a sandbox's place until it shows something, or when it was stopped.

import { el, icon } from "./dom.js";

export class Cover {
  readonly element = el("div", { class: "card-cover" });
  #again: () => void;
  #key = "";

  constructor(again: () => void) {
    this.#again = again;
  }

  /** `stopped` says why nothing runs; empty when something does. */
  show(stopped: string, painted: boolean): void {
    this.element.hidden = painted && stopped === "";
    const key = stopped || "bones";
    if (key === this.#key) return;
    this.#key = key;
    if (stopped === "") this.element.replaceChildren(el("span", { class: "bones", "aria-hidden": "true" }, el("i"), el("i"), el("i"), el("i")));
    else this.element.replaceChildren(el("p", {}, stopped), el("button", { type: "button", class: "button", onclick: this.#again }, icon("reload"), "Start again"));
  }
}
