// What goes wrong in the artifact, with its place in the compiled cell.
//
// Owns the reports and their limits. Positions are those of the cell's compiled text, from 1; who holds the source maps
// turns them into the model's source. One error is told once a frame.

type ErrorPhase = "module" | "render" | "effect" | "handler" | "promise" | "resource";

const CELL_URL = "ui4a-cell:///";
const ERRORS_A_FRAME = 20;
const mayReport = bucket(20, 40);
let reported: Dict<boolean> = dict();
let reportedCount = 0;
/** The frame whose code runs now. */
let shown = { rev: 0, frame: 0, complete: false };

const forgetReports = () => {
  reported = dict();
  reportedCount = 0;
};

interface Place {
  cell: string;
  line: number;
  column: number;
}

/** The first place in a cell that a stack names. The line of the wrapper before the cell's text is not counted. */
const placeOf = (stack: unknown): Place | null => {
  const found = /ui4a-cell:\/\/\/([^\s:?#]+):(\d+):(\d+)/.exec(String(stack ?? ""));
  return found ? { cell: decodeURIComponent(found[1]), line: Number(found[2]) - 1, column: Number(found[3]) } : null;
};

/** Messages speak of the compiled lookups; the reader wrote plain names. */
const readable = (message: string) =>
  message
    .replace(/Failed to execute 'appendChild' on 'Node': /, "")
    .replace(/\(0\s*,\s*([^()]+)\)/g, "$1")
    .replace(/\$i\[(?:"|')[^"']*(?:"|')\]\.(\w+)/g, "$1")
    .replace(/\$i\.[\w$]+\.(\w+)/g, "$1")
    .replace(/(?<![\w$])\$\.([\w$]+)/g, "$1");

const report = (phase: ErrorPhase, error: unknown, more: { code?: string; stack?: string; place?: Place | null } = {}) => {
  if (error instanceof Pending) return;
  const message = readable(messageOf(error));
  const place = more.place ?? placeOf((error as Any)?.stack) ?? placeOf(more.stack);
  const key = `${phase} ${message} ${place?.cell} ${place?.line}`;
  if (reported[key] || reportedCount >= ERRORS_A_FRAME || !mayReport()) return;
  reported[key] = true;
  reportedCount += 1;
  const fields = dict();
  fields.rev = shown.rev;
  fields.frame = shown.frame;
  fields.phase = phase;
  fields.message = message;
  if (more.code) fields.code = more.code;
  if (place) Object.assign(fields, place);
  if (more.stack) fields.component_stack = more.stack.slice(0, 4000);
  if (!keptForTheEnd(fields)) send("error", fields);
};

/** Lines of a written script count from its own start: the script's text says where that is. */
const placeInDocument = (line: number, column: number): Place | null => {
  const inline = Array.from(D.querySelectorAll("script:not([src])"));
  const script = D.currentScript ?? (inline.length === 1 ? inline[0] : null);
  const at = script?.textContent ? text.indexOf(script.textContent) : -1;
  if (at < 0) return null;
  const before = text.slice(0, at);
  const first = before.split("\n").length;
  return { cell: "document", line: first + line - 1, column: line === 1 ? column + at - (before.lastIndexOf("\n") + 1) : column };
};

const RESIZE_LOOP = /^ResizeObserver loop/;

const onWindowError = (event: Event) => {
  const target = event.target as Any;
  if (target && target !== W && target.nodeType === 1) {
    const address = String(target.src || target.href || target.data || "").replace(/^about:invalid#/, "").slice(0, 300);
    return report("resource", `<${target.localName}> could not load ${address || "its source"}`);
  }
  const { message, filename, lineno, colno, error } = event as ErrorEvent;
  if (RESIZE_LOOP.test(message)) return;
  let place = placeOf(error?.stack) ?? placeOf(`${filename}:${lineno}:${colno}`);
  // A cell that does not parse has no `sourceURL` yet.
  if (!place && evaluating()) place = { cell: current!.cell, line: Math.max(1, lineno - 1), column: colno };
  if (!place && kind === "html" && !filename && lineno) place = placeInDocument(lineno, colno);
  const phase: ErrorPhase = evaluating() ? "module" : "handler";
  report(phase, error ?? message, { place });
};

const onRejection = (event: PromiseRejectionEvent) => report("promise", event.reason);

const listenForErrors = () => {
  listen(W, "error", onWindowError, true);
  listen(W, "unhandledrejection", onRejection, true);
};
