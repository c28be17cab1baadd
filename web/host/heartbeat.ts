// Whether a frame still gives its process back, judged by evidence that it spins and not that the machine is busy.
//
// A ping is answered by the frame's own event loop. Silence alone proves nothing: on a busy machine the frame may not have
// been given a processor. So silence is counted in the time that a thread like the frame's would have had one: every look
// counts as much as this page's own loop was late, and once there is doubt a worker, which does nothing but read the clock,
// measures what share of a processor it gets.

const LOOK_MS = 250;
/** Silence, in processor time, after which a frame is stopped: two looks and this are under three seconds. */
const PATIENCE_MS = 2300;
/** From here on there is doubt, and the share is measured. */
const DOUBT_MS = 700;
/** A process that has never answered is still being started. */
const START_PATIENCE_MS = 8000;
/** However busy the machine is. */
const LONGEST_MS = 12_000;
/** Shares above this are a processor of its own: the frame spins on one, the worker on the next. */
const WHOLE_SHARE = 0.6;

/** Messages past the limits, and messages to the page that go round the port, in one second. */
const REFUSED_A_SECOND = 1500;
const STRAYS_A_SECOND = 2000;
/** An interface has hundreds of elements, a long table some thousands. */
const ELEMENTS_AT_MOST = 50_000;

/** Why a frame must be stopped: it gives nothing back, it floods the page, it grows without end, it never began. */
export type Ailment = "silent" | "flood" | "growth" | "unreachable";

export class Heartbeat {
  readonly #ping: (id: number) => void;
  readonly #ill: (ailment: Ailment) => void;
  readonly #source: Window | null;
  #timer = 0;
  #last = 0;
  #asked = 0;
  #answered = 0;
  #silence = 0;
  #silentSince = 0;
  #begun = false;
  #refused = 0;
  #strays = 0;
  #second = 0;

  /** `source` is the frame's window, as events name it. */
  constructor(source: Window | null, ping: (id: number) => void, ill: (ailment: Ailment) => void) {
    this.#source = source;
    this.#ping = ping;
    this.#ill = ill;
  }

  start(): void {
    this.stop();
    this.#last = this.#silentSince = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    addEventListener("message", this.#stray);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = 0;
    removeEventListener("message", this.#stray);
    share.leave(this);
  }

  /** The frame's runtime runs. */
  begun(): void {
    this.#begun = true;
    this.#heard();
  }

  answered(id: unknown, elements: unknown): void {
    if (id === this.#asked) {
      this.#answered = this.#asked;
      this.#heard();
    }
    if (typeof elements === "number" && elements > ELEMENTS_AT_MOST) this.#fall("growth");
  }

  /** A message was past the limits. */
  refused(): void {
    this.#refused += 1;
  }

  #heard(): void {
    this.#silence = 0;
    this.#silentSince = performance.now();
    share.leave(this);
  }

  /** Model code may post to the page without the port: nobody listens, but each costs the page a task. */
  #stray = (event: MessageEvent): void => {
    if (event.source !== this.#source) return;
    this.#strays += 1;
    if (this.#strays > STRAYS_A_SECOND) this.#fall("flood");
  };

  #look(): void {
    const now = performance.now();
    const passed = now - this.#last;
    this.#last = now;
    if (now - this.#second > 1000) {
      if (this.#refused > REFUSED_A_SECOND) return this.#fall("flood");
      this.#second = now;
      this.#refused = this.#strays = 0;
    }
    // Timers of hidden pages are slow, and so may be those of their frames.
    if (document.visibilityState !== "visible") return this.#heard();
    if (this.#asked === this.#answered) {
      this.#asked += 1;
      this.#silence = 0;
      this.#silentSince = now;
      this.#ping(this.#asked);
      return;
    }
    // A late look is a busy machine, or one that slept: it counts as one look at most.
    const served = Math.min(passed, LOOK_MS) * Math.min(1, LOOK_MS / passed);
    this.#silence += served * (this.#silence > DOUBT_MS ? share.measured() : 1);
    if (this.#silence > DOUBT_MS) share.enter(this);
    const patience = this.#begun ? PATIENCE_MS : START_PATIENCE_MS;
    if (this.#silence < patience && now - this.#silentSince < LONGEST_MS) return;
    this.#fall(this.#begun ? "silent" : "unreachable");
  }

  #fall(ailment: Ailment): void {
    if (!this.#timer) return;
    this.stop();
    this.#ill(ailment);
  }
}

/** What share of a processor a thread that never rests gets now. One worker for all frames that are in doubt. */
class ProcessorShare {
  #doubted = new Set<object>();
  #worker: Worker | null = null;
  #share = 1;

  enter(who: object): void {
    this.#doubted.add(who);
    if (this.#worker) return;
    try {
      this.#worker = new Worker(new URL("./share-probe.js", import.meta.url));
    } catch {
      return; // no worker is to be had: the looks alone decide
    }
    this.#worker.onmessage = ({ data }) => {
      this.#share = Number(data) >= WHOLE_SHARE ? 1 : Math.max(0.02, Number(data) / WHOLE_SHARE);
    };
  }

  leave(who: object): void {
    if (!this.#doubted.delete(who) || this.#doubted.size > 0) return;
    this.#worker?.terminate();
    this.#worker = null;
    this.#share = 1;
  }

  measured(): number {
    return this.#share;
  }
}

const share = new ProcessorShare();
