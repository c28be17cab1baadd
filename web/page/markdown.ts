// The block structure of the Markdown that models write in prose: paragraphs, headings, lists, quotes, fences, tables, rules.
// A pure parser into a small tree; `markdown-view.ts` makes elements of it. Raw HTML is text here. Never fails.

export type Inline =
  | { type: "text"; text: string }
  | { type: "code"; text: string }
  | { type: "break" }
  | { type: "strong" | "em" | "del"; children: Inline[] }
  | { type: "link"; href: string; children: Inline[] };

export type Block =
  | { type: "paragraph"; text: string }
  | { type: "heading"; level: number; text: string }
  | { type: "code"; language: string; text: string }
  | { type: "quote"; blocks: Block[] }
  | { type: "list"; ordered: boolean; start: number; items: Block[][] }
  | { type: "table"; header: string[]; align: string[]; rows: string[][] }
  | { type: "rule" };

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+|$)(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const TABLE_RULE = /^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$/;
const MAX_DEPTH = 8;

/** Lines of a block, and where the next begins. */
interface Taken {
  block: Block;
  next: number;
}

export function parseBlocks(text: string, depth = 0): Block[] {
  return parseLines(text.split("\n"), depth).map((taken) => taken.block);
}

/** The top-level blocks with the source of each, so that a view can keep the elements of those that did not change. */
export function parseKeyed(text: string): { source: string; block: Block }[] {
  const lines = text.split("\n");
  let from = 0;
  return parseLines(lines, 0).map(({ block, next }) => {
    const source = lines.slice(from, next).join("\n");
    from = next;
    return { source, block };
  });
}

function parseLines(lines: string[], depth: number): Taken[] {
  const blocks: Taken[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]!.trim() === "") {
      at += 1;
      continue;
    }
    const taken = takeBlock(lines, at, depth);
    blocks.push(taken);
    at = taken.next;
  }
  return blocks;
}

function takeBlock(lines: string[], at: number, depth: number): Taken {
  const line = lines[at]!;
  const fence = FENCE.exec(line);
  if (fence) return takeFence(lines, at, fence[1]!, fence[2]!.trim());
  const heading = HEADING.exec(line);
  if (heading) return { block: { type: "heading", level: heading[1]!.length, text: heading[2]! }, next: at + 1 };
  if (RULE.test(line)) return { block: { type: "rule" }, next: at + 1 };
  if (depth < MAX_DEPTH && QUOTE.test(line)) return takeQuote(lines, at, depth);
  if (depth < MAX_DEPTH && ITEM.test(line)) return takeList(lines, at, depth);
  if (line.includes("|") && TABLE_RULE.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-")) return takeTable(lines, at);
  let next = at + 1;
  while (next < lines.length && !startsBlock(lines[next]!)) next += 1;
  return { block: { type: "paragraph", text: lines.slice(at, next).join("\n").trim() }, next };
}

function startsBlock(line: string): boolean {
  if (line.trim() === "" || FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line)) return true;
  const item = ITEM.exec(line);
  // A number in running text, "in the year\n1984. …", does not begin a list.
  return item !== null && item[4] !== "" && (/^[-*+]$/.test(item[2]!) || /^1[.)]$/.test(item[2]!));
}

function takeFence(lines: string[], at: number, mark: string, language: string): Taken {
  const body: string[] = [];
  let next = at + 1;
  for (; next < lines.length; next += 1) {
    const closing = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(lines[next]!);
    if (closing && closing[1]![0] === mark[0] && closing[1]!.length >= mark.length) {
      next += 1;
      break;
    }
    body.push(lines[next]!);
  }
  return { block: { type: "code", language, text: body.join("\n") }, next };
}

function takeQuote(lines: string[], at: number, depth: number): Taken {
  const body: string[] = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const quoted = QUOTE.exec(lines[next]!);
    if (quoted) body.push(quoted[1]!);
    else if (!startsBlock(lines[next]!)) body.push(lines[next]!);
    else break;
  }
  return { block: { type: "quote", blocks: parseBlocks(body.join("\n"), depth + 1) }, next };
}

function takeList(lines: string[], at: number, depth: number): Taken {
  const first = ITEM.exec(lines[at]!)!;
  const ordered = /\d/.test(first[2]!);
  const items: Block[][] = [];
  let next = at;
  while (next < lines.length) {
    const head = ITEM.exec(lines[next]!);
    if (!head || /\d/.test(head[2]!) !== ordered || RULE.test(lines[next]!)) break;
    const indent = head[1]!.length + head[2]!.length + Math.min(Math.max(head[3]!.length, 1), 4);
    const body = [head[4]!];
    next += 1;
    for (; next < lines.length; next += 1) {
      const line = lines[next]!;
      if (line.trim() === "") {
        // A blank line belongs to the item only if what follows is indented into it.
        const after = lines.slice(next + 1).find((text) => text.trim() !== "");
        if (after === undefined || leading(after) < Math.min(indent, 2)) break;
        body.push("");
      } else if (leading(line) >= Math.min(indent, 2)) body.push(line.slice(Math.min(leading(line), indent)));
      else if (!startsBlock(line) && !ITEM.test(line) && body.at(-1) !== "") body.push(line);
      else break;
    }
    items.push(parseBlocks(body.join("\n"), depth + 1));
    while (next < lines.length && lines[next]!.trim() === "" && ITEM.test(lines[next + 1] ?? "")) next += 1;
  }
  return { block: { type: "list", ordered, start: ordered ? Number.parseInt(first[2]!, 10) : 1, items }, next };
}

function leading(line: string): number {
  return line.length - line.trimStart().length;
}

function takeTable(lines: string[], at: number): Taken {
  const header = cells(lines[at]!);
  const align = cells(lines[at + 1]!).map((rule) =>
    rule.endsWith(":") ? (rule.startsWith(":") ? "center" : "right") : "left",
  );
  const rows: string[][] = [];
  let next = at + 2;
  for (; next < lines.length && lines[next]!.includes("|"); next += 1) {
    const row = cells(lines[next]!);
    rows.push(header.map((_, column) => row[column] ?? ""));
  }
  return { block: { type: "table", header, align, rows }, next };
}

function cells(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}
