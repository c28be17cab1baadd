// Makes reports of what a sandbox says about its frames: one for each frame that was shown, again when something was thrown later.
// Knows nothing of the server.

import type { FrameMessage } from "../host/frame-host.js";
import type { Report, ReportError } from "./api.js";

/** Milliseconds in which a blank frame may still show something, and in which what threw may still show the rest. */
const PATIENCE = 1200;
const FATAL = new Set(["module", "render", "effect"]);
const ERRORS_AT_MOST = 20;

interface Sight {
  blank: boolean;
  width: number;
  height: number;
  ms: number;
  pending: number;
}

export class Reports {
  #send: (report: Report, settled: boolean) => void;
  #rev = 0;
  #frame = 0;
  #errors: ReportError[] = [];
  #fatal = false;
  #sight: Sight | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `settled` is false while imports are still on their way: what is missing may yet come. */
  constructor(send: (report: Report, settled: boolean) => void) {
    this.#send = send;
  }

  rendered(message: FrameMessage): void {
    this.#at(message);
    const again = this.#sight !== undefined;
    this.#sight = {
      blank: message["blank"] === true,
      width: count(message["width"]),
      height: count(message["height"]),
      ms: count(message["ms"]),
      pending: count(message["pending"]),
    };
    const settled = this.#sight.pending === 0;
    clearTimeout(this.#timer);
    if (!this.#sight.blank || (again && settled)) this.#tell(settled);
    // While modules are on their way nothing is blank yet: the sandbox looks again when they have come.
    else if (settled) this.#timer = setTimeout(() => this.#tell(true), PATIENCE);
  }

  error(message: FrameMessage): void {
    this.#at(message);
    if (this.#errors.length >= ERRORS_AT_MOST) return;
    const phase = text(message["phase"], 20);
    const error: ReportError = { phase, message: text(message["message"], 2000), line: count(message["line"]), column: count(message["column"]) };
    if (message["cell"]) error.cell = text(message["cell"], 200);
    if (message["component_stack"]) error.component_stack = text(message["component_stack"], 4000);
    this.#errors.push(error);
    // A name that a package does not export is a stand-in: the rest renders.
    if (FATAL.has(phase) && message["code"] !== "unknown-export") this.#fatal = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tell(true), this.#sight && !this.#sight.blank ? 50 : PATIENCE);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #at(message: FrameMessage): void {
    const [rev, frame] = [count(message["rev"]), count(message["frame"])];
    if (rev === this.#rev && frame === this.#frame) return;
    clearTimeout(this.#timer);
    this.#rev = rev;
    this.#frame = frame;
    this.#errors = [];
    this.#fatal = false;
    this.#sight = undefined;
  }

  #tell(settled: boolean): void {
    const sight = this.#sight ?? { blank: true, width: 0, height: 0, ms: 0, pending: 0 };
    this.#send(
      {
        rev: this.#rev,
        frame: this.#frame,
        status: this.#fatal ? "error" : sight.blank ? "blank" : "rendered",
        errors: [...this.#errors],
        width: sight.width,
        height: sight.height,
        ms: sight.ms,
        pending: sight.pending,
      },
      settled,
    );
  }
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

function text(value: unknown, most: number): string {
  return String(value ?? "").slice(0, most);
}
