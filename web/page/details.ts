// Below an interface, closed until somebody wants it: what was measured of its layout, and what it printed.

import type { Diagnostic } from "./api.js";
import type { ConsoleLog } from "./console-log.js";
import { el, setText } from "./dom.js";

/** Lines that are shown; the rest is in the log and in the browser's own console. */
const LINES_SHOWN = 100;

export class Details {
  readonly element: HTMLDetailsElement;
  #summary = el("span", { class: "details-count" });
  #findings = el("ol", { class: "findings", "aria-label": "Layout" });
  #console = el("ol", { class: "console", "aria-label": "Console", tabindex: 0 });
  #show: (finding: Diagnostic) => void;
  #shown = "";

  /** `show` leads to a finding's line. */
  constructor(show: (finding: Diagnostic) => void) {
    this.#show = show;
    this.element = el(
      "details",
      { class: "card-details", hidden: true },
      el("summary", {}, "Details", this.#summary),
      this.#findings,
      this.#console,
    );
    this.element.addEventListener("toggle", () => this.#end());
  }

  update(findings: Diagnostic[], log: ConsoleLog): void {
    const key = JSON.stringify([findings, log.lines.length, log.lines.at(-1), log.dropped]);
    if (key === this.#shown) return;
    this.#shown = key;
    const lines = log.lines.reduce((sum, line) => sum + line.times, 0) + log.dropped;
    this.element.hidden = findings.length === 0 && lines === 0;
    setText(this.#summary, [counted(findings.length, "layout finding"), counted(lines, "console line")].filter(Boolean).join(" · "));
    this.#findings.hidden = findings.length === 0;
    this.#findings.replaceChildren(...findings.map((finding) => this.#finding(finding)));
    this.#console.hidden = lines === 0;
    const more = log.dropped + Math.max(0, log.lines.length - LINES_SHOWN);
    this.#console.replaceChildren(
      ...(more > 0 ? [el("li", { class: "console-more" }, `${counted(more, "line")} not kept`)] : []),
      ...log.lines
        .slice(-LINES_SHOWN)
        .map(({ level, text, times }) =>
          el("li", { "data-level": level }, el("span", { class: "console-text" }, text), times > 1 && el("span", { class: "console-times" }, `× ${times}`)),
        ),
    );
    this.#end();
  }

  #finding(finding: Diagnostic): HTMLElement {
    return el(
      "li",
      { "data-severity": finding.severity },
      el("span", { class: "finding-kind" }, finding.severity === "error" ? "Error" : "Warning"),
      finding.line > 0 && el("button", { type: "button", class: "finding-at", onclick: () => this.#show(finding) }, `Line ${finding.line}`),
      el("span", { class: "finding-text" }, finding.message),
      finding.help && el("span", { class: "finding-help" }, finding.help),
    );
  }

  /** The newest line is the one that is looked for. */
  #end(): void {
    if (this.element.open) this.#console.scrollTop = this.#console.scrollHeight;
  }
}

function counted(count: number, what: string): string {
  return count === 0 ? "" : `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}
