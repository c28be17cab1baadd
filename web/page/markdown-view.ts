// Shows streaming Markdown: elements of blocks that did not change stay, so selections and scrolling stay too.

import { el, setChildren } from "./dom.js";
import { type Block, type Inline, parseKeyed } from "./markdown.js";
import { parseInline } from "./markdown-inline.js";

export class MarkdownView {
  readonly element: HTMLElement;
  #shown: { source: string; node: Node }[] = [];
  #text = "";

  constructor(className = "prose") {
    this.element = el("div", { class: className });
  }

  update(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#shown = parseKeyed(text).map(({ source, block }, at) => {
      const before = this.#shown[at];
      return before?.source === source ? before : { source, node: blockNode(block) };
    });
    setChildren(this.element, this.#shown.map((shown) => shown.node));
  }
}

function blockNode(block: Block): Node {
  switch (block.type) {
    case "paragraph":
      return el("p", {}, ...inline(block.text));
    case "heading":
      // The page's own headings are h1 and h2: a model's begin at h3.
      return el(`h${Math.min(block.level + 2, 6)}` as "h3", {}, ...inline(block.text));
    case "code":
      return el("pre", { tabindex: 0 }, el("code", { "data-language": block.language || undefined }, block.text));
    case "quote":
      return el("blockquote", {}, ...block.blocks.map(blockNode));
    case "rule":
      return el("hr");
    case "list": {
      const items = block.items.map((item) => {
        const [only] = item;
        const tight = item.length === 1 && only?.type === "paragraph";
        return el("li", {}, ...(tight ? inline(only.text) : tightFirst(item)));
      });
      return block.ordered ? el("ol", { start: block.start === 1 ? undefined : block.start }, ...items) : el("ul", {}, ...items);
    }
    case "table": {
      const row = (tag: "th" | "td", cells: string[]): HTMLElement =>
        el("tr", {}, ...cells.map((text, at) => el(tag, { "data-align": block.align[at] }, ...inline(text))));
      return el(
        "div",
        { class: "prose-table", tabindex: 0, role: "region", "aria-label": "Table" },
        el("table", {}, el("thead", {}, row("th", block.header)), el("tbody", {}, ...block.rows.map((cells) => row("td", cells)))),
      );
    }
  }
}

function tightFirst(item: Block[]): Node[] {
  const [first, ...rest] = item;
  if (first?.type !== "paragraph") return item.map(blockNode);
  return [el("span", {}, ...inline(first.text)), ...rest.map(blockNode)];
}

function inline(text: string): Node[] {
  return parseInline(text).map(inlineNode);
}

function inlineNode(node: Inline): Node {
  switch (node.type) {
    case "text":
      return document.createTextNode(node.text);
    case "code":
      return el("code", {}, node.text);
    case "break":
      return el("br");
    case "link":
      return el("a", { href: node.href, target: "_blank", rel: "noopener noreferrer nofollow" }, ...node.children.map(inlineNode));
    default:
      return el(node.type, {}, ...node.children.map(inlineNode));
  }
}
