// What was found about an interface, for a person: a quiet count in its header, and behind it the list. What was mended
// without a model stands apart: it needs nobody.

import type { Diagnostic, Severity } from "./api.js";
import { el, icon, setText } from "./dom.js";
import type { Revision } from "./model.js";

const NAMES: Record<Severity, string> = { error: "Error", warning: "Warning", hint: "Hint" };
const ORDER: Severity[] = ["error", "warning", "hint"];
/** Codes of what the renderer mended by itself begin so. */
const MENDED = "repaired-";

/** All that is known of a revision: what was thrown, read in its source and measured in its layout; each once, the worst first; what was mended by itself at the end. */
export function known({ diagnostics, report }: Revision): Diagnostic[] {
  const thrown = (report?.errors ?? []).map(
    ({ phase, message, line, column }): Diagnostic => ({
      code: phase,
      severity: phase === "resource" ? "warning" : "error",
      phase: "runtime",
      message,
      line,
      column,
      end_line: line,
      end_column: column + 1,
    }),
  );
  const once = new Map([...thrown, ...diagnostics, ...(report?.findings ?? [])].map((finding) => [`${finding.line} ${finding.message}`, finding]));
  const rank = (finding: Diagnostic): number => (isMended(finding) ? ORDER.length : ORDER.indexOf(finding.severity));
  return [...once.values()].sort((a, b) => rank(a) - rank(b) || a.line - b.line);
}

function isMended(finding: Diagnostic): boolean {
  return finding.code.startsWith(MENDED);
}

export class Findings {
  /** Opens and closes the list. */
  readonly badge: HTMLButtonElement;
  readonly panel: HTMLElement;
  #count = el("span");
  #open = el("ol", { class: "findings", "aria-label": "Findings" });
  #mended = el("ol", { class: "findings" });
  #group: HTMLElement;
  #show: (finding: Diagnostic) => void;
  #key = "";

  /** `show` leads to a finding's line. */
  constructor(show: (finding: Diagnostic) => void) {
    this.#show = show;
    this.badge = el("button", { type: "button", class: "findings-badge", "aria-expanded": "false", hidden: true, onclick: () => this.#toggle() }, icon("flag"), this.#count);
    this.#group = el("section", { class: "findings-mended" }, el("h4", {}, "Mended by itself"), this.#mended);
    this.panel = el("div", { class: "card-findings", hidden: true }, this.#open, this.#group);
  }

  update(findings: Diagnostic[]): void {
    const key = JSON.stringify(findings);
    if (key === this.#key) return;
    this.#key = key;
    const [mended, open] = [findings.filter(isMended), findings.filter((finding) => !isMended(finding))];
    this.badge.hidden = findings.length === 0;
    if (findings.length === 0) this.#close();
    this.badge.dataset["severity"] = open[0]?.severity ?? "mended";
    setText(this.#count, String(open.length || mended.length));
    const label = [...ORDER.map((severity) => counted(open.filter((finding) => finding.severity === severity).length, NAMES[severity].toLowerCase())), mended.length > 0 && `${mended.length} mended by itself`].filter(Boolean).join(", ");
    this.badge.title = label;
    this.badge.setAttribute("aria-label", `Findings: ${label}`);
    this.#open.hidden = open.length === 0;
    this.#group.hidden = mended.length === 0;
    this.#open.replaceChildren(...open.map((finding) => this.#item(finding, NAMES[finding.severity])));
    this.#mended.replaceChildren(...mended.map((finding) => this.#item(finding, "Mended")));
  }

  #item(finding: Diagnostic, kind: string): HTMLElement {
    return el(
      "li",
      { "data-severity": isMended(finding) ? "mended" : finding.severity },
      el("span", { class: "finding-kind" }, kind),
      finding.line > 0
        ? el("button", { type: "button", class: "finding-at", onclick: () => this.#show(finding) }, `Line ${finding.line}`)
        : el("span", { class: "finding-at" }),
      el("span", { class: "finding-text" }, finding.message),
      finding.help && el("span", { class: "finding-help" }, finding.help),
    );
  }

  #toggle(): void {
    this.panel.hidden = !this.panel.hidden;
    this.badge.setAttribute("aria-expanded", String(!this.panel.hidden));
  }

  #close(): void {
    this.panel.hidden = true;
    this.badge.setAttribute("aria-expanded", "false");
  }
}

function counted(count: number, what: string): string {
  return count === 0 ? "" : `${count} ${what}${count === 1 ? "" : "s"}`;
}
