// The kinds that are no modules: HTML, SVG and Markdown.
//
// HTML goes through the document's own streaming parser, so each script runs once, in order, and `DOMContentLoaded` and
// `load` fire. It is written up to the first address that is not known yet: what stands after a script must not be there
// before it. A later text is morphed in when its scripts are the same; otherwise it needs a fresh realm, and the host is
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
    if (text !== old || !grows) return whenResolved(() => replaceDocument(old));
    tellWritten();
  } else {
    writeMore();
    // The last frame is told when all of it was written and has loaded.
    if (!latest!.complete) tellWritten();
  }
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

/** How long the document waits for a script or a style sheet, and for an image. Registries answer within seconds or not at all. */
const HOLD_MS = 20_000;
const HOLD_ASSET_MS = 1_200;
/** Scripts and style sheets that the document went on without. */
const missed = new Set<string>();
let heldAt = -1;
let heldSince = 0;
let holdTimer = 0;

/** Whether the document still waits for the address at `at`. */
const mayHold = (at: number, key: string): boolean => {
  if (heldAt !== at) {
    heldAt = at;
    heldSince = now();
  }
  const left = (key.startsWith("asset:") ? HOLD_ASSET_MS : HOLD_MS) - (now() - heldSince);
  if (left <= 0) {
    if (!key.startsWith("asset:")) missed.add(key);
    return false;
  }
  clearTimer(holdTimer);
  holdTimer = setTimer(writeMore, left + 1);
  return true;
};

const documentMayGoOn = () => {
  if (kind === "html" && writing === "open") soon(writeMore);
  const waiting = resolvedWaiters;
  resolvedWaiters = [];
  for (const tell of waiting) tell();
};

/** The text that can be written now, tokens replaced; `written` moves past it. */
const nextText = (): string => {
  let out = "";
  for (;;) {
    TOKEN.lastIndex = written;
    const found = TOKEN.exec(text);
    out += text.slice(written, found ? found.index : text.length);
    written = found ? found.index : text.length;
    if (!found) return out;
    const key = keyOf(found[1]);
    const address = resolved(key) ?? (mayHold(found.index, key) ? null : resolvedNow(key));
    if (address === null) return out;
    out += address;
    written = found.index + found[0].length;
  }
};

const writeMore = () => {
  if (writing === "closed") return;
  if (writing === "before") {
    documentOpen(D);
    writing = "open";
    afterOpening();
  }
  const more = nextText();
  if (more) documentWrite(D, more);
  showTheme();
  showStyle();
  if (latest!.complete && written === text.length) {
    documentClose(D);
    writing = "closed";
    whenLoaded(tellWhole);
  }
};

/** What went wrong while the document was written: a script runs once, so the last frame would not know of it. */
let early: Dict[] = [];
let toldWhole = false;

/** Whether an error is only told with the last frame: before that has loaded, nobody could say that nothing else is there. */
const keptForTheEnd = (fields: Dict): boolean => {
  if (kind !== "html" || toldWhole) return false;
  if (early.length < ERRORS_A_FRAME) early.push(fields);
  return latest?.complete === true;
};

const tellWhole = () => {
  toldWhole = true;
  for (const fields of early) send("error", { ...fields, rev: shown.rev, frame: shown.frame });
  early = [];
  tellWritten();
};

/** Longest wait for the document's `load`: one image that hangs must not keep the rest from being told. */
const LOAD_PATIENCE_MS = 4_000;

const whenLoaded = (then: () => void) => {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    soon(then);
  };
  if (D.readyState === "complete") return once();
  listen(W, "load", once, { once: true });
  setTimer(once, LOAD_PATIENCE_MS);
};

let resolvedWaiters: Array<() => void> = [];
const RESOLVE_PATIENCE_MS = 4_000;

/** Runs `then` when every address of the text is known, or after some seconds. */
const whenResolved = (then: () => void) => {
  const since = now();
  const look = () => {
    if (allResolved(text) || now() - since >= RESOLVE_PATIENCE_MS) then();
    else {
      resolvedWaiters.push(look);
      setTimer(documentMayGoOn, RESOLVE_PATIENCE_MS - (now() - since) + 1);
    }
  };
  look();
};

/** `document.open` removed every listener, and the head with its styles. */
const afterOpening = () => {
  listenForErrors();
  listenForLeaving();
  listenForFragments();
  listen(D, "DOMContentLoaded", runCompiled);
};

/** Scripts that were compiled before they came here run when the document was read, in order, as compilers in pages do it. */
const runCompiled = () => {
  for (const source of Array.from(D.querySelectorAll('script[type="ui4a/compiled"]'))) {
    const script = createElementOf(D, "script");
    if (source.hasAttribute("data-module")) script.type = "module";
    for (const { name, value } of Array.from(source.attributes)) {
      if (name !== "type" && name !== "data-module") script.setAttribute(name, value);
    }
    setText(script, source.textContent);
    source.replaceWith(script);
  }
};

const scriptsOf = (source: Document) =>
  writeJson(Array.from(source.querySelectorAll("script"), (script) => [script.type, script.src, script.textContent]));

const replaceDocument = (old: string) => {
  const parser = new DOMParser();
  const next = parser.parseFromString(withAddresses(text), "text/html");
  const before = parser.parseFromString(withAddresses(old), "text/html");
  if (writing !== "closed" || scriptsOf(next) !== scriptsOf(before)) return askRemount("the document's scripts changed");
  written = text.length;
  morph(D.body, next.body, before.body);
  const styles = (of: Document) => Array.from(of.head.querySelectorAll("style,link[rel=stylesheet]"));
  const [were, are] = [styles(before), styles(next)];
  const mine = Array.from(D.head.querySelectorAll("style:not([id^=ui4a]),link[rel=stylesheet]"));
  // What scripts added to the head stays; what the source had is replaced where it changed.
  for (const style of were) if (!are.some((other) => other.isEqualNode(style))) mine.find((shownStyle) => shownStyle.isEqualNode(style))?.remove();
  for (const style of are) if (!were.some((other) => other.isEqualNode(style))) D.head.append(D.importNode(style, true));
  if (next.title !== before.title) D.title = next.title;
  showTheme();
  showStyle();
  tellWritten();
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
  setText(sheet, kind === "html" && styleText !== "" ? baseStyle + styleText : styleText);
};

const MARKDOWN = "$ui4a/ui/markdown";

const diagramFault = (message: string, line: number) =>
  report("render", new Error(message), { code: "diagram", place: line > 0 ? { cell: "document", line, column: 1 } : null });

/** SVG and Markdown are shown by React, so that they share frames, errors and size with modules. */
const textContent = (): unknown => {
  const source = withAddresses(text);
  if (kind === "svg") return create("div", { className: "ui4a-svg", dangerouslySetInnerHTML: { __html: source } });
  const View = entries[MARKDOWN]?.state === "ready" ? entries[MARKDOWN].module?.MarkdownDocument : null;
  if (!View) return create("div", { className: "ui4a-plain" }, text);
  const diagrams = entries.mermaid?.state === "ready" ? (entries.mermaid.module?.default ?? entries.mermaid.module) : null;
  return create(View, { text: source, theme: themeName, mermaid: diagrams, onFault: diagramFault });
};
