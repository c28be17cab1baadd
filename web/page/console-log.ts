// What an interface printed: the newest lines, repeats counted instead of kept, and how many were too many.
// Pure: no DOM. The sandbox and the frame's host have limits of their own before these.

import type { FrameMessage } from "../host/frame-host.js";
import type { ConsoleLine } from "./api.js";

const LINES_AT_MOST = 200;
const LINE_LENGTH = 500;
/** What goes with a report, in lines and in characters. */
const TOLD_LINES = 50;
const TOLD_LENGTH = 4000;
const LEVELS = new Set(["debug", "log", "info", "warn", "error"]);

export class ConsoleLog {
  lines: ConsoleLine[] = [];
  /** Lines that are not kept. */
  dropped = 0;

  add(message: FrameMessage): void {
    const dropped = Number(message["dropped"]);
    if (dropped > 0 && Number.isFinite(dropped)) this.dropped += Math.round(dropped);
    const text = String(message["text"] ?? "").slice(0, LINE_LENGTH);
    if (text === "") return;
    const level = LEVELS.has(String(message["level"])) ? String(message["level"]) : "log";
    const last = this.lines.at(-1);
    if (last && last.level === level && last.text === text) {
      last.times += 1;
      return;
    }
    this.lines.push({ level, text, times: 1 });
    if (this.lines.length <= LINES_AT_MOST) return;
    this.dropped += this.lines.shift()!.times;
  }

  /** The newest lines, for a report. */
  told(): ConsoleLine[] {
    let length = 0;
    let from = this.lines.length;
    while (from > 0 && this.lines.length - from < TOLD_LINES) {
      length += this.lines[from - 1]!.text.length;
      if (length > TOLD_LENGTH) break;
      from -= 1;
    }
    return this.lines.slice(from).map((line) => ({ ...line }));
  }

  clear(): void {
    this.lines = [];
    this.dropped = 0;
  }
}
