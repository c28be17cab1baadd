// An artifact's source as it is written, with line numbers and the findings about it.

import type { Diagnostic } from "./api.js";
import { el, setText } from "./dom.js";

const SEVERITY = { error: "Error", warning: "Warning", hint: "Hint" } as const;

export class SourceView {
  readonly element: HTMLElement;
  #code = el("code");
  #gutter = el("span", { class: "source-gutter", "aria-hidden": "true" });
  #mark = el("span", { class: "source-mark", hidden: true });
  #scroller: HTMLElement;
  #list = el("ol", { class: "findings", "aria-label": "Findings" });
  #text = document.createTextNode("");
  #lines = 0;
  #shown = "";

  constructor() {
    this.#code.append(this.#text);
    this.#scroller = el(
      "pre",
      { class: "source", tabindex: 0, "aria-label": "Source" },
      this.#mark,
      this.#gutter,
      this.#code,
    );
    this.element = el("div", { class: "source-view" }, this.#list, this.#scroller);
  }

  update(source: string, diagnostics: Diagnostic[], writing: boolean): void {
    const atEnd = this.#scroller.scrollTop + this.#scroller.clientHeight > this.#scroller.scrollHeight - 24;
    if (source.startsWith(this.#text.data)) this.#text.appendData(source.slice(this.#text.data.length));
    else this.#text.data = source;
    const lines = source.split("\n").length;
    if (lines !== this.#lines) {
      this.#gutter.textContent = Array.from({ length: lines }, (_, at) => at + 1).join("\n");
      this.#lines = lines;
      this.#mark.hidden = true;
    }
    if (writing && atEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#findings(diagnostics);
  }

  #findings(diagnostics: Diagnostic[]): void {
    const key = JSON.stringify(diagnostics);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#list.hidden = diagnostics.length === 0;
    this.#list.replaceChildren(
      ...diagnostics.map((finding) =>
        el(
          "li",
          { "data-severity": finding.severity },
          el("span", { class: "finding-kind" }, SEVERITY[finding.severity] ?? "Note"),
          finding.line > 0 &&
            el("button", { type: "button", class: "finding-at", onclick: () => this.show(finding) }, `Line ${finding.line}:${finding.column}`),
          el("span", { class: "finding-text" }, finding.message),
          finding.help && el("span", { class: "finding-help" }, finding.help),
        ),
      ),
    );
  }

  /** Leads to a finding's lines. */
  show(finding: Diagnostic): void {
    const height = Number.parseFloat(getComputedStyle(this.#code).lineHeight) || 20;
    const top = Number.parseFloat(getComputedStyle(this.#scroller).paddingTop) || 0;
    this.#mark.hidden = false;
    this.#mark.style.top = `${top + (finding.line - 1) * height}px`;
    this.#mark.style.height = `${Math.max(1, finding.end_line - finding.line + 1) * height}px`;
    this.#scroller.scrollTo({ top: Math.max(0, (finding.line - 4) * height) });
    setText(this.#mark, "");
    this.#scroller.focus();
  }
}
