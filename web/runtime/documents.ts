// The kinds that are no modules: HTML, SVG and Markdown.
//
// HTML goes through the document's own streaming parser, so each script runs once, in order, and `DOMContentLoaded` and
// `load` fire. A later text is morphed in when its scripts are the same; otherwise it needs a fresh realm, and the host is
// asked for a new frame.

let kind: "tsx" | "html" | "svg" | "markdown" = "tsx";
let text = "";
let written = 0;
let writing: "before" | "open" | "closed" = "before";
const baseStyle: string = elementById(D, "ui4a-base")?.textContent ?? "";

const documentKnowsThemes = () => /prefers-color-scheme|color-scheme|data-theme|\.dark\b|\bdark:/.test(text);

const takeText = (patch: Any) => {
  const old = text;
  if (patch) {
    const next = patchText(text, patch);
    if (next === null) return askRemount("a patch of the text does not fit");
    text = next;
  }
  if (kind !== "html") return scheduleRender();
  if (latest!.rev !== shown.rev || latest!.frame !== shown.frame) forgetReports();
  shown = { rev: latest!.rev, frame: latest!.frame, complete: latest!.complete };
  const grows = text.startsWith(old.slice(0, written));
  if (writing === "closed" || !grows) {
    if (text !== old || !grows) replaceDocument(old);
  } else {
    writeMore();
  }
  tellWritten();
};

const TELL_PAUSE_MS = 100;
let telling = false;

/** A document may come in hundreds of pieces a second: not each is told, but the last is. */
const tellWritten = () => {
  if (telling) return;
  telling = true;
  const tell = () => {
    telling = false;
    tellRendered(latest!);
  };
  if (latest!.complete) soon(tell);
  else setTimer(tell, TELL_PAUSE_MS);
};

const writeMore = () => {
  if (writing === "before") {
    documentOpen(D);
    writing = "open";
    afterOpening();
  }
  const more = text.slice(written);
  written = text.length;
  if (more) documentWrite(D, more);
  showTheme();
  showStyle();
  if (latest!.complete) {
    documentClose(D);
    writing = "closed";
  }
};

/** `document.open` removed every listener, and the head with its styles. */
const afterOpening = () => {
  listenForErrors();
  listenForLeaving();
};

const scriptsOf = (source: Document) =>
  writeJson(Array.from(source.querySelectorAll("script"), (script) => [script.type, script.src, script.textContent]));

const replaceDocument = (old: string) => {
  const parser = new DOMParser();
  const next = parser.parseFromString(text, "text/html");
  const before = parser.parseFromString(old, "text/html");
  if (writing !== "closed" || scriptsOf(next) !== scriptsOf(before)) return askRemount("the document's scripts changed");
  written = text.length;
  morph(D.body, next.body, before.body);
  for (const style of D.head.querySelectorAll("style:not([id^=ui4a])")) style.remove();
  for (const style of next.head.querySelectorAll("style,link[rel=stylesheet]")) D.head.append(D.importNode(style, true));
  showTheme();
  showStyle();
};

/** Makes `shownNode` what `next` says, but leaves alone what the source did not change: scripts may have. */
const morph = (shownNode: Element, next: Element, before: Element) => {
  for (const { name, value } of Array.from(next.attributes)) if (before.getAttribute(name) !== value) shownNode.setAttribute(name, value);
  for (const { name } of Array.from(before.attributes)) if (!next.hasAttribute(name)) shownNode.removeAttribute(name);
  const [nexts, befores] = [Array.from(next.childNodes), Array.from(before.childNodes)];
  const shownNodes = Array.from(shownNode.childNodes);
  // Children that a script added stand after those of the source, or in between: pair by position as long as they match.
  nexts.forEach((child, at) => {
    const [was, is] = [befores[at], shownNodes[at]];
    if (was && child.isEqualNode(was)) return;
    if (is && was && is.nodeName === child.nodeName && was.nodeName === child.nodeName) {
      if (child.nodeType === 1) morph(is as Element, child as Element, was as Element);
      else is.nodeValue = child.nodeValue;
    } else {
      const fresh = D.importNode(child, true);
      if (is && was) is.replaceWith(fresh);
      else shownNode.insertBefore(fresh, is ?? null);
    }
  });
  for (let at = nexts.length; at < befores.length; at += 1) shownNodes[at]?.remove();
};

/** The artifact's style sheet. In a written document it comes with the base styles, and only when there is one. */
const showStyle = () => {
  let sheet = elementById(D, "ui4a-artifact");
  if (!sheet) {
    if (!D.head || styleText === "") return;
    sheet = createElementOf(D, "style");
    sheet.id = "ui4a-artifact";
    insertBeforeOf(D.head, sheet, D.head.firstChild);
  }
  setText(sheet, kind === "html" ? baseStyle + styleText : styleText);
};

/** SVG and Markdown are shown by React, so that they share frames, errors and size with modules. */
const textContent = (): unknown => {
  if (kind === "svg") return create("div", { className: "ui4a-svg", dangerouslySetInnerHTML: { __html: text } });
  const Markdown = entries["$ui4a/ui"]?.state === "ready" ? entries["$ui4a/ui"].module?.Markdown : null;
  return Markdown ? create(Markdown, null, text) : create("div", { className: "ui4a-plain" }, text);
};
