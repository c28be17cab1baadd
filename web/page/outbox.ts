// What one artifact's sandbox says, on its way to the server: reports thinned, state coalesced, actions one by one in order.
// Decides only when to send. What may be sent is decided by the card.

import { type Action, api, type Report } from "./api.js";

/** Milliseconds that a state value waits for the next one of its key. */
const STATE_DELAY = 150;
/** Milliseconds between reports of frames that are neither the first seen nor the last. */
const REPORT_GAP = 1000;

export class Outbox {
  #artifact: string;
  #failed: (what: string, error: unknown) => void;
  #pending = new Map<string, unknown>();
  /** Values sent whose event has not come back, by key: an echo must not overwrite what was typed since. */
  #echoes = new Map<string, string[]>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #chain: Promise<unknown> = Promise.resolve();
  #lastReport = 0;
  #seen = "";

  constructor(artifact: string, failed: (what: string, error: unknown) => void) {
    this.#artifact = artifact;
    this.#failed = failed;
    addEventListener("pagehide", () => this.#flush(true));
  }

  /** Sends `report` unless it is one of many in the middle of a stream. */
  report(report: Report, final: boolean): void {
    const kind = `${report.rev} ${report.status}`;
    const now = performance.now();
    if (!final && kind === this.#seen && now - this.#lastReport < REPORT_GAP) return;
    this.#seen = kind;
    this.#lastReport = now;
    this.#post("The report", () => api.report(this.#artifact, report));
  }

  state(key: string, value: unknown): void {
    this.#pending.set(key, value);
    this.#timer ??= setTimeout(() => this.#flush(false), STATE_DELAY);
  }

  /** Whether the event `artifact.state` is only what this page said. */
  isEcho(key: string, value: unknown): boolean {
    if (this.#pending.has(key)) return true;
    const sent = this.#echoes.get(key);
    const at = sent?.indexOf(JSON.stringify(value)) ?? -1;
    if (!sent || at < 0) return false;
    sent.splice(0, at + 1);
    return true;
  }

  /** Resolves when the server has the action. */
  action(action: Action): Promise<void> {
    this.#flush(false); // the agent must see the state that the person saw
    return new Promise((resolve, reject) => {
      this.#chain = this.#chain.then(() => api.action(action)).then(() => resolve(), reject);
    });
  }

  #flush(leaving: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [key, value] of this.#pending) {
      const sent = this.#echoes.get(key) ?? [];
      sent.push(JSON.stringify(value));
      this.#echoes.set(key, sent);
      if (leaving) void api.state(this.#artifact, key, value, true).catch(() => undefined); // nobody is left to tell
      else this.#post("The saved state", () => api.state(this.#artifact, key, value));
    }
    this.#pending.clear();
  }

  #post(what: string, send: () => Promise<unknown>): void {
    this.#chain = this.#chain.then(send).catch((error: unknown) => this.#failed(what, error));
  }
}
