// The inline structure of Markdown: code, emphasis, links, hard breaks. Pure; never fails; linear but for nesting.

import type { Inline } from "./markdown.js";

const MAX_DEPTH = 6;
/** How far a closing mark is looked for, in UTF-16 units: hostile text costs no more than this for each mark. */
const REACH = 4000;
const AUTOLINK = /^https?:\/\/[^\s<>"'`\])}]+[^\s<>"'`\])}.,;:!?]/;

export function parseInline(text: string, depth = 0): Inline[] {
  const out: Inline[] = [];
  const looked = new Map<string, number>();
  let plain = "";
  const flush = (): void => {
    if (plain !== "") out.push({ type: "text", text: plain });
    plain = "";
  };
  let at = 0;
  while (at < text.length) {
    const found = depth < MAX_DEPTH ? inlineAt(text, at, depth, looked) : undefined;
    if (found) {
      flush();
      out.push(found.node);
      at = found.next;
    } else if (text[at] === "\\" && /[\\`*_{}[\]()#+\-.!|~>]/.test(text[at + 1] ?? "")) {
      plain += text[at + 1];
      at += 2;
    } else {
      plain += text[at];
      at += 1;
    }
  }
  flush();
  return out;
}

interface Found {
  node: Inline;
  next: number;
}

function inlineAt(text: string, at: number, depth: number, looked: Map<string, number>): Found | undefined {
  switch (text[at]) {
    case "`":
      return code(text, at);
    case "*":
    case "_":
    case "~":
      return emphasis(text, at, depth, looked);
    case "[":
      return link(text, at, depth);
    case "h": {
      if (/\w/.test(text[at - 1] ?? "")) return undefined;
      const href = text.startsWith("http", at) ? AUTOLINK.exec(text.slice(at, at + 2000))?.[0] : undefined;
      return href ? { node: { type: "link", href, children: [{ type: "text", text: href }] }, next: at + href.length } : undefined;
    }
    case "\n": {
      const hard = text.endsWith("  ", at) && text.slice(at - 2, at) === "  ";
      return { node: hard || text[at - 1] === "\\" ? { type: "break" } : { type: "text", text: "\n" }, next: at + 1 };
    }
    default:
      return undefined;
  }
}

function code(text: string, at: number): Found | undefined {
  let ticks = 1;
  while (text[at + ticks] === "`") ticks += 1;
  const mark = "`".repeat(ticks);
  for (let end = text.indexOf(mark, at + ticks); end >= 0 && end < at + REACH; end = text.indexOf(mark, end + 1)) {
    if (text[end + ticks] === "`" || text[end - 1] === "`") continue;
    const body = text.slice(at + ticks, end).replaceAll("\n", " ");
    const trimmed = body.startsWith(" ") && body.endsWith(" ") && body.trim() !== "" ? body.slice(1, -1) : body;
    return { node: { type: "code", text: trimmed }, next: end + ticks };
  }
  return undefined;
}

/** `looked` says for each mark up to where no end of it was found, so that no stretch is searched twice. */
function emphasis(text: string, at: number, depth: number, looked: Map<string, number>): Found | undefined {
  const mark = text[at]!;
  const double = text[at + 1] === mark;
  if (mark === "~" && !double) return undefined;
  // `snake_case` is a word, not emphasis.
  if (mark === "_" && /\w/.test(text[at - 1] ?? "")) return undefined;
  const width = double ? 2 : 1;
  const fence = mark.repeat(width);
  if (/\s/.test(text[at + width] ?? " ")) return undefined;
  const from = Math.max(at + width, looked.get(fence) ?? 0);
  for (let end = text.indexOf(fence, from); end >= 0 && end < at + REACH; end = text.indexOf(fence, end + 1)) {
    if (end === at + width || /\s/.test(text[end - 1]!) || text[end - 1] === "\\") continue;
    if (mark === "_" && /\w/.test(text[end + width] ?? "")) continue;
    if (width === 1 && (text[end + 1] === mark || text[end - 1] === mark)) continue;
    const type = mark === "~" ? "del" : double ? "strong" : "em";
    return { node: { type, children: parseInline(text.slice(at + width, end), depth + 1) }, next: end + width };
  }
  looked.set(fence, Math.max(from, at + REACH));
  return undefined;
}

function link(text: string, at: number, depth: number): Found | undefined {
  const near = text.slice(at, at + REACH);
  const close = near.indexOf("](");
  if (close < 0 || near.slice(1, close).includes("[")) return undefined;
  const end = near.indexOf(")", close);
  if (end < 0) return undefined;
  const href = near.slice(close + 2, end).trim().split(/\s/)[0] ?? "";
  if (!/^(https?:|mailto:)/i.test(href)) return undefined;
  return { node: { type: "link", href, children: parseInline(near.slice(1, close), depth + 1) }, next: at + end + 1 };
}
