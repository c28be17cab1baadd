// The session's event stream: parses, hands over in order, says when the log has been replayed, and comes back by itself
// after a lost connection. Knows nothing of what the events mean.

import type { LogEvent } from "./api.js";

export type Link = "open" | "waiting" | "refused";

export interface StreamHandlers {
  event(event: LogEvent, replaying: boolean): void;
  /** Called once, when everything up to `head` was handed over. */
  replayed(): void;
  link(link: Link): void;
}

export class Stream {
  #source: EventSource | undefined;
  #seq = 0;
  #url: (after: number) => string;
  #head: number;
  #handlers: StreamHandlers;
  #replaying = true;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** `head` is the newest `seq` when the page was loaded: events up to it are history. */
  constructor(url: (after: number) => string, head: number, handlers: StreamHandlers) {
    this.#url = url;
    this.#head = head;
    this.#handlers = handlers;
    this.#caughtUp();
    this.#connect();
  }

  close(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
  }

  #connect(): void {
    const source = new EventSource(this.#url(this.#seq));
    this.#source = source;
    source.addEventListener("open", () => this.#handlers.link("open"));
    source.addEventListener("message", (message) => this.#message(String(message.data)));
    source.addEventListener("error", () => {
      this.#handlers.link(source.readyState === EventSource.CLOSED ? "refused" : "waiting");
      // A refused connection is final for an EventSource, but the server may be back in a moment.
      if (source.readyState === EventSource.CLOSED) this.#retry = setTimeout(() => this.#connect(), 2000);
    });
  }

  #message(data: string): void {
    let event: LogEvent;
    try {
      event = JSON.parse(data) as LogEvent;
    } catch {
      return; // a comment or a half-sent line of a dying server: it comes again after the reconnection
    }
    if (typeof event.seq !== "number" || event.seq <= this.#seq) return;
    this.#seq = event.seq;
    this.#handlers.event(event, this.#replaying);
    this.#caughtUp();
  }

  #caughtUp(): void {
    if (!this.#replaying || this.#seq < this.#head) return;
    this.#replaying = false;
    // The constructor's caller has no handle yet when the log is empty: tell it afterwards.
    queueMicrotask(() => this.#handlers.replayed());
  }
}
