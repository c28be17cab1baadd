// Makes reports of what a sandbox says about its frames: one for each frame that was shown, again when something was thrown later.
// Knows nothing of the server.

import type { FrameMessage } from "../host/frame-host.js";
import type { Report, ReportError } from "./api.js";
import type { ConsoleLog } from "./console-log.js";

/** Milliseconds in which a blank frame may still show something, and in which what threw may still show the rest. */
const PATIENCE = 1200;
const FATAL = new Set(["module", "render", "effect"]);
const ERRORS_AT_MOST = 20;
const SIGHTS_AT_MOST = 12;
/** What is printed after a report goes with another, in a while and not for ever. */
const CONSOLE_GAP = 2500;
const CONSOLE_REPORTS = 10;

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
  #sights: unknown[] | undefined;
  #log: ConsoleLog;
  #consoleTimer: ReturnType<typeof setTimeout> | undefined;
  #consoleReports = 0;

  /** `settled` is false while imports are still on their way: what is missing may yet come. */
  constructor(log: ConsoleLog, send: (report: Report, settled: boolean) => void) {
    this.#log = log;
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
    const code = text(message["code"], 40);
    const error: ReportError = { phase, message: text(message["message"], 2000), line: count(message["line"]), column: count(message["column"]) };
    if (code) error.code = code;
    if (message["cell"]) error.cell = text(message["cell"], 200);
    if (message["component_stack"]) error.component_stack = text(message["component_stack"], 4000);
    this.#errors.push(error);
    // A name that a package does not export is a stand-in: the rest renders.
    if (FATAL.has(phase) && code !== "unknown-export") this.#fatal = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tell(true), this.#sight && !this.#sight.blank ? 50 : PATIENCE);
  }

  /** How a whole revision looks. */
  layout(message: FrameMessage): void {
    const [rev, frame, sights] = [count(message["rev"]), count(message["frame"]), message["sights"]];
    if (rev !== this.#rev || frame !== this.#frame || !Array.isArray(sights)) return;
    this.#sights = sights.slice(0, SIGHTS_AT_MOST);
    if (this.#sight) this.#tell(true);
  }

  /** Something was printed. */
  printed(): void {
    if (!this.#sight || this.#consoleTimer || this.#consoleReports >= CONSOLE_REPORTS) return;
    this.#consoleReports += 1;
    this.#consoleTimer = setTimeout(() => {
      this.#consoleTimer = undefined;
      if (this.#sight) this.#tell(true);
    }, CONSOLE_GAP);
  }

  /** The frame was stopped from outside while it showed this frame. */
  frozen(rev: number, frame: number, message: string): void {
    this.#at({ type: "frozen", rev, frame });
    this.#errors.push({ phase: "freeze", code: "frozen", message, line: 0, column: 0 });
    this.#fatal = true;
    this.stop();
    this.#tell(true);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#consoleTimer);
    this.#consoleTimer = undefined;
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
    this.#sights = undefined;
    this.#consoleReports = 0;
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
        looked: this.#sights !== undefined,
        ...(this.#sights && { sights: this.#sights }),
        ...(this.#log.lines.length > 0 && { console: this.#log.told() }),
        ...(this.#log.dropped > 0 && { dropped: this.#log.dropped }),
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
