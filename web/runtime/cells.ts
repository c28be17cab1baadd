// The artifact's code, one cell a top-level statement, on one scope object.
//
// Owns the cells' texts, which of them must run, and the values that outlive a run (`$k`). A cell is an inline classic
// script with a `sourceURL`, so positions are exact and nothing is left in the module map. A cell runs again when its text
// changed, when it failed, or when it looked at an import that has since arrived.

const texts: Dict<string> = dict();
const ran: Dict<string> = dict();
let order: string[] = [];
let styleText = "";

const scope: Dict = dict();
interface Kept {
  /** The cell that made it. */
  cell: string;
  hash: string;
  value: Any;
  provisional: boolean;
}
const kept: Dict<Kept> = dict();

interface Evaluation {
  cell: string;
  called: boolean;
  failed: boolean;
  touched: number;
}
let current: Evaluation | null = null;
const evaluating = () => current !== null;

const failed = new Set<string>();
/** Cells that hold something made from an import that is not there yet, and so must run again. */
const provisional = new Set<string>();

touched = () => {
  if (current) current.touched += 1;
};

/** By specifier, the cells that looked at it while they ran. */
const lookers: Dict<Set<string>> = dict();

looked = (specifier) => {
  if (current) (lookers[specifier] ??= new Set()).add(current.cell);
};

/** What was made from a module that another took the place of is made again from that. */
replaced = (specifier) => {
  const cells = lookers[specifier];
  if (!cells) return;
  for (const cell of cells) if (texts[cell] !== undefined) provisional.add(cell);
  for (const name in kept) if (cells.has(kept[name].cell)) kept[name].provisional = true;
};

/** The scope while imports are pending: it notices who uses a provisional value. */
const watchedScope: Any = new Proxy(scope, {
  get: (target, key) => {
    if (current && typeof key === "string" && provisional.has(key)) current.touched += 1;
    return target[key as string];
  },
});

const keep = (name: string, hash: string, make: (argument?: unknown) => unknown, argument?: unknown) => {
  const old = kept[name];
  if (old && old.hash === hash && !old.provisional) return old.value;
  const before = current?.touched ?? 0;
  const value = make(argument);
  kept[name] = { cell: current?.cell ?? "", hash, value, provisional: (current?.touched ?? 0) > before };
  return value;
};

define(W, "__u", {
  value: (cell: string, body: Any) => {
    if (current === null || current.cell !== cell || current.called) return;
    current.called = true;
    try {
      body(pendingCount > 0 ? watchedScope : scope, table, component, keep);
    } catch (error) {
      current.failed = true;
      // What comes of an import that is missing for now, or of a name that is still to be written, is not a mistake: a cell
      // that failed runs again at each frame, the last one included.
      if (current.touched === 0 && isSettled()) report("module", error, { place: placeOf((error as Any)?.stack) ?? { cell, line: 1, column: 1 } });
    }
  },
});

const evaluate = (cell: string) => {
  const evaluation: Evaluation = { cell, called: false, failed: false, touched: 0 };
  const script = createElementOf(D, "script");
  const text = `__u(${writeJson(cell)},function($,$i,$c,$k){"use strict";\n${texts[cell]}\n})\n//# sourceURL=${CELL_URL}${encodeURIComponent(cell)}`;
  setText(script, text);
  current = evaluation;
  try {
    appendChildOf(D.head, script);
    removeElement(script);
  } finally {
    current = null;
  }
  ran[cell] = texts[cell];
  if (evaluation.failed || !evaluation.called) failed.add(cell);
  else failed.delete(cell);
  if (evaluation.touched > 0) provisional.add(cell);
  else provisional.delete(cell);
};

/** Runs what must run, in order. */
const evaluateChanged = () => {
  for (const cell of order) {
    if (texts[cell] !== undefined && (ran[cell] !== texts[cell] || failed.has(cell) || provisional.has(cell))) evaluate(cell);
  }
};

const patchText = (old: string, patch: Any): string | null => {
  const { keep_start: start, insert, keep_end: end } = patch;
  if (typeof insert !== "string" || !(start >= 0) || !(end >= 0) || start + end > old.length) return null;
  return old.slice(0, start) + insert + old.slice(old.length - end);
};

/** Applies the patches of a frame. False when one does not fit: then the whole must be sent again. */
const applyCells = (message: Dict): boolean => {
  for (const patch of own(message, "cells") ?? []) {
    const next = patchText(texts[patch.cell] ?? "", patch);
    if (next === null) return false;
    texts[patch.cell] = next;
  }
  const nextOrder = own(message, "order");
  if (Array.isArray(nextOrder)) {
    const stays = new Set(nextOrder);
    for (const cell of order) if (!stays.has(cell)) forgetCell(cell);
    order = nextOrder;
  }
  return true;
};

/** The cell that says which components are unfinished: it is there while there may be some. */
const UNFINISHED = "$unfinished";

const forgetCell = (cell: string) => {
  if (cell === UNFINISHED) unfinished = [];
  delete texts[cell];
  delete ran[cell];
  delete scope[cell];
  delete kept[cell];
  delete components[cell];
  failed.delete(cell);
  provisional.delete(cell);
};

const applyStyle = (message: Dict): boolean => {
  const patch = own(message, "css");
  if (!patch) return true;
  let next = patchText(styleText, patch);
  for (const edit of own(message, "css_then") ?? []) if (next !== null) next = patchText(next, edit);
  if (next === null) return false;
  styleText = next;
  showStyle();
  return true;
};
