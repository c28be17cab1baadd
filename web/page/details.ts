// Below an interface, closed until somebody wants it: what it printed.

import type { ConsoleLog } from "./console-log.js";
import { el, setText } from "./dom.js";

/** Lines that are shown; the newest go to whoever mends it, and all are in the browser's own console. */
const LINES_SHOWN = 100;

export class Details {
  readonly element: HTMLDetailsElement;
  #count = el("span", { class: "details-count" });
  #lines = el("ol", { class: "console", "aria-label": "Console", tabindex: 0 });
  #shown = "";

  constructor() {
    this.element = el("details", { class: "card-details", hidden: true }, el("summary", {}, "Console", this.#count), this.#lines);
    this.element.addEventListener("toggle", () => this.#end());
  }

  update(log: ConsoleLog): void {
    const key = JSON.stringify([log.lines.length, log.lines.at(-1), log.dropped]);
    if (key === this.#shown) return;
    this.#shown = key;
    const lines = log.lines.reduce((sum, line) => sum + line.times, 0) + log.dropped;
    this.element.hidden = lines === 0;
    setText(this.#count, counted(lines));
    const more = log.dropped + Math.max(0, log.lines.length - LINES_SHOWN);
    this.#lines.replaceChildren(
      ...(more > 0 ? [el("li", { class: "console-more" }, `${counted(more)} not kept`)] : []),
      ...log.lines
        .slice(-LINES_SHOWN)
        .map(({ level, text, times }) =>
          el("li", { "data-level": level }, el("span", { class: "console-text" }, text), times > 1 && el("span", { class: "console-times" }, `× ${times}`)),
        ),
    );
    this.#end();
  }

  /** The newest line is the one that is looked for. */
  #end(): void {
    if (this.element.open) this.#lines.scrollTop = this.#lines.scrollHeight;
  }
}

function counted(count: number): string {
  return `${count.toLocaleString("en")} line${count === 1 ? "" : "s"}`;
}
