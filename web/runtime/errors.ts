// What goes wrong in the artifact, with its place in the compiled cell.
//
// Owns the reports and their limits. Positions are those of the cell's compiled text, from 1; who holds the source maps
// turns them into the model's source. One error is told once a frame.

type ErrorPhase = "module" | "render" | "effect" | "handler" | "promise" | "resource";

const CELL_URL = "ui4a-cell:///";
// Ten frames are V8's own choice: what a library calls back may lie deeper than that.
(Error as Any).stackTraceLimit = 60;
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
  const found = /ui4a-cell:\/\/\/([^\s:?#]+):(\d+):(\d+)/.exec(typeof stack === "string" ? stack : "");
  if (!found) return null;
  try {
    return { cell: decodeURIComponent(found[1]), line: Number(found[2]) - 1, column: Number(found[3]) };
  } catch {
    return null; // an address that model code made up
  }
};

/** The stack of what was thrown, and of what caused it. Reading it may run model code, which may throw. */
const stackText = (error: unknown): string => {
  try {
    const { stack, cause } = (error ?? {}) as Any;
    return `${typeof stack === "string" ? stack : ""}\n${typeof cause?.stack === "string" ? cause.stack : ""}`;
  } catch {
    return "";
  }
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
  if (error instanceof EndlessLoop) endlessTold = now();
  const message = readable(messageOf(error));
  const place = more.place ?? placeOf(stackText(error)) ?? placeOf(more.stack) ?? placeInStack(stackText(error), message);
  const code = more.code || codeOf(error);
  const key = `${phase} ${message} ${place?.cell} ${place?.line}`;
  if (reported[key] || reportedCount >= ERRORS_A_FRAME || !mayReport()) return;
  reported[key] = true;
  reportedCount += 1;
  const fields = dict();
  fields.rev = shown.rev;
  fields.frame = shown.frame;
  fields.phase = phase;
  fields.message = message;
  if (code) fields.code = code;
  if (place) Object.assign(fields, place);
  if (more.stack) fields.component_stack = more.stack.slice(0, 4000);
  if (!keptForTheEnd(fields)) send("error", fields);
};

/**
 * Lines of a written script count from its own start: the script's text says where that is. Which script it was is known
 * while it runs; later it is the only one whose line there holds what the message speaks of.
 */
const placeInDocument = (line: number, column: number, message: string): Place | null => {
  if (kind !== "html" || !(line > 0)) return null;
  const running = D.currentScript;
  const scripts = running ? [running] : Array.from(D.querySelectorAll("script:not([src])"));
  const found = /'([\w$]+)'|(?:^|\s)([\w$]+) is not\b/.exec(message);
  const words = found ? (found[1] ?? found[2]) : message.replace(/^(Uncaught )?\w*Error: /, "");
  const places: [Place, string][] = [];
  for (const script of scripts) {
    const body = script.textContent ?? "";
    const at = body ? text.indexOf(body) : -1;
    const written = body.split("\n")[line - 1];
    if (at < 0 || written === undefined || (line > 1 && column > written.length + 1)) continue;
    const before = text.slice(0, at);
    const first = before.split("\n").length;
    places.push([{ cell: "document", line: first + line - 1, column: line === 1 ? column + at - (before.lastIndexOf("\n") + 1) : column }, written]);
  }
  const telling = places.length > 1 ? places.filter(([, written]) => written.includes(words)) : places;
  return telling.length === 1 ? telling[0][0] : null;
};

/** A stack's first place in the written document itself. */
const placeInStack = (stack: string, message: string): Place | null => {
  const found = /(?:<anonymous>|\/frame\/[^\s:)]*):(\d+):(\d+)/.exec(stack);
  return found ? placeInDocument(Number(found[1]), Number(found[2]), message) : null;
};

const RESIZE_LOOP = /^ResizeObserver loop/;

const onWindowError = (event: Event) => {
  const target = event.target as Any;
  if (target && target !== W && target.nodeType === 1) {
    const written = target.getAttribute("src") ?? target.getAttribute("href") ?? target.getAttribute("data");
    const address = String(written || target.currentSrc || "").replace(/^about:invalid#/, "").slice(0, 300);
    return report("resource", `<${target.localName}> could not load ${address || "its source"}`, { stack: stackOf(fiberOf(target)) });
  }
  const { message, filename, lineno, colno, error } = event as ErrorEvent;
  if (RESIZE_LOOP.test(message)) return;
  let place = placeOf(error?.stack) ?? placeOf(`${filename}:${lineno}:${colno}`);
  // A cell that does not parse has no `sourceURL` yet.
  if (!place && evaluating()) place = { cell: current!.cell, line: Math.max(1, lineno - 1), column: colno };
  if (!place && (!filename || /\/frame\//.test(filename))) place = placeInDocument(lineno, colno, message);
  const stack = handled && kind !== "html" ? stackOf(fiberOf(handled)) : undefined;
  // A written script that is still running has thrown itself, or in what it called.
  const running = evaluating() || (kind === "html" && D.currentScript !== null);
  report(running ? "module" : "handler", error ?? message, { place, stack });
};

const onRejection = (event: PromiseRejectionEvent) => report("promise", event.reason);

const listenForErrors = () => {
  listen(W, "error", onWindowError, true);
  listen(W, "unhandledrejection", onRejection, true);
  listenForHandled();
};
