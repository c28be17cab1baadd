// What stands in a sandbox's place until it shows something.

import { el } from "./dom.js";

export class Cover {
  readonly element = el("div", { class: "card-cover" }, el("span", { class: "bones", "aria-hidden": "true" }, el("i"), el("i"), el("i"), el("i")));

  show(over: boolean): void {
    this.element.hidden = over;
  }
}
