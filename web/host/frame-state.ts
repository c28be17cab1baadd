// The whole of what an artifact shows, built up from patches, and the patch from what a frame was sent to what there is.
//
// Knows nothing of frames or pages. Lengths are UTF-16 units, which is how JavaScript counts.

export type Kind = "tsx" | "html" | "svg" | "markdown";

export interface TextPatch {
  keep_start: number;
  insert: string;
  keep_end: number;
}
export interface CellPatch extends TextPatch {
  cell: string;
}

/** The patch fields of an `artifact.frame` event. Those of a text lie at the top. */
export interface FramePatch extends Partial<TextPatch> {
  cells?: CellPatch[];
  order?: string[];
  css?: TextPatch;
  /** Further edits of the style sheet, each on what the one before it made. */
  css_then?: TextPatch[];
}

/** An `artifact.frame` event. */
export interface FrameEvent extends FramePatch {
  rev: number;
  frame: number;
  complete: boolean;
}

export interface FrameState {
  cells: Record<string, string>;
  order: string[];
  text: string;
  css: string;
}

export const emptyState = (): FrameState => ({ cells: Object.create(null), order: [], text: "", css: "" });

export function patchText(old: string, { keep_start, insert, keep_end }: TextPatch): string | null {
  if (keep_start + keep_end > old.length) return null;
  return old.slice(0, keep_start) + insert + old.slice(old.length - keep_end);
}

export function diffText(old: string, next: string): TextPatch {
  const most = Math.min(old.length, next.length);
  let start = 0;
  while (start < most && old.charCodeAt(start) === next.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < most - start && old.charCodeAt(old.length - 1 - end) === next.charCodeAt(next.length - 1 - end)) end += 1;
  return { keep_start: start, insert: next.slice(start, next.length - end), keep_end: end };
}

/** `state` after `patch`, or null when the patch does not fit it. */
export function applyPatch(state: FrameState, patch: FramePatch): FrameState | null {
  const next: FrameState = { ...state, cells: Object.assign(Object.create(null), state.cells) };
  for (const { cell, ...edit } of patch.cells ?? []) {
    const text = patchText(next.cells[cell] ?? "", edit);
    if (text === null) return null;
    next.cells[cell] = text;
  }
  if (patch.order) {
    next.order = patch.order;
    const stays = new Set(patch.order);
    for (const cell of Object.keys(next.cells)) if (!stays.has(cell)) delete next.cells[cell];
  }
  if (typeof patch.insert === "string") {
    const text = patchText(next.text, patch as TextPatch);
    if (text === null) return null;
    next.text = text;
  }
  for (const edit of patch.css ? [patch.css, ...(patch.css_then ?? [])] : []) {
    const css = patchText(next.css, edit);
    if (css === null) return null;
    next.css = css;
  }
  return next;
}

/** The patch that turns `old` into `next`; null when they are the same. */
export function diffState(old: FrameState, next: FrameState): FramePatch | null {
  const patch: FramePatch = {};
  const cells = next.order
    .filter((cell) => (old.cells[cell] ?? "") !== (next.cells[cell] ?? ""))
    .map((cell) => ({ cell, ...diffText(old.cells[cell] ?? "", next.cells[cell] ?? "") }));
  if (cells.length > 0) patch.cells = cells;
  if (old.order.length !== next.order.length || old.order.some((cell, at) => cell !== next.order[at])) patch.order = next.order;
  if (old.text !== next.text) Object.assign(patch, diffText(old.text, next.text));
  if (old.css !== next.css) patch.css = diffText(old.css, next.css);
  return Object.keys(patch).length > 0 ? patch : null;
}
