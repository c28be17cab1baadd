// What a page gives a frame, and what a frame tells its page. Types alone.

import type { Ailment } from "./heartbeat.js";
import type { FrameMessage } from "./frame-limits.js";
import type { Kind } from "./frame-state.js";

export type Theme = "light" | "dark";

export interface Gesture {
  /** Whether a person clicked or typed in this frame just now, by the page's own knowledge. */
  gesture: boolean;
}

/** What the page is told. Ids are the page's own; those in messages are ignored. */
export interface FrameEvents {
  ready?(): void;
  /** Something was shown: {rev, frame, ms, blank, width, height}. */
  rendered?(message: FrameMessage): void;
  /** {rev, frame, phase, code?, message, cell?, line?, column?, component_stack?} */
  error?(message: FrameMessage): void;
  /** {kind, name, text, payload, visibility, rev}; the page chooses the id. */
  action?(message: FrameMessage & Gesture): void;
  /** A request of the artifact: callTool, readFile, writeFile, autoSend, autoSendCancel. The promise is its answer. */
  call?(method: string, params: unknown, about: Gesture): Promise<unknown>;
  /** A value of `usePersistedState`. */
  state?(key: string, value: unknown): void;
  /** A link to another place: only http, https and mailto. */
  open?(url: string, about: Gesture): void;
  /** A file that the artifact offers. */
  download?(name: string, file: Blob, about: Gesture): void;
  /** How a whole revision looks: {rev, frame, sights, looked, ms}. */
  layout?(message: FrameMessage): void;
  /** {rev, level, text, dropped?} */
  log?(message: FrameMessage): void;
  /** The frame gives its process back no more, floods the page, or grows without end. It is still there: `remove()` it. */
  frozen?(why: Ailment): void;
  /** No runtime answered: the sandbox's address does not lead to our server. Told as `frozen` where this is missing. */
  unreachable?(): void;
  /** The frame left its document; it has been removed. `again` says whether a fresh one was mounted. */
  left?(again: boolean): void;
  height?(pixels: number): void;
}

export interface FrameOptions {
  container: HTMLElement;
  /** `http://{label}.localhost:4401`. */
  sandbox: string;
  /** Path of the document, below `/frame/`; shown to nobody. */
  artifact: string;
  kind: Kind;
  title?: string;
  theme: Theme;
  locale?: string;
  /** Values of `usePersistedState`. */
  state?: Record<string, unknown>;
  /** The height before anything is known, and of content that is as tall as its frame. */
  firstHeight?: number;
  leastHeight?: number;
  mostHeight?: number;
  /** Fill the container instead of following the content. */
  fill?: boolean;
  on: FrameEvents;
}
