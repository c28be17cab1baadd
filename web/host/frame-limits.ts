// Limits on what a frame may say and how it may grow. The frame has its own; these hold when it has been overcome.

/** At most `burst` at once, refilled at `perSecond`. */
export class Bucket {
  #left: number;
  #last = performance.now();
  readonly #perSecond: number;
  readonly #burst: number;

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#left = burst;
  }

  take(): boolean {
    const time = performance.now();
    this.#left = Math.min(this.#burst, this.#left + ((time - this.#last) * this.#perSecond) / 1000);
    this.#last = time;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/** The longest message of each type, in UTF-16 units; 64 Ki where none is named. */
const LENGTHS: Record<string, number> = {
  action: 600_000,
  state: 600_000,
  call: 4_500_000,
  download: 23_000_000,
};

/** Messages a second, and at once, of each type. */
const RATES: Record<string, [number, number]> = {
  action: [2, 10],
  open: [1, 3],
  download: [1, 5],
  state: [20, 60],
  call: [20, 60],
  error: [20, 60],
  log: [60, 200],
  layout: [1, 5],
  remount: [0.1, 3],
};

export interface FrameMessage {
  type: string;
  [field: string]: unknown;
}

/** Reads what a frame sends: JSON text of a known type, not too long, not too often. */
export class Inbox {
  #all = new Bucket(200, 500);
  #buckets = new Map<string, Bucket>();

  read(data: unknown): FrameMessage | null {
    return this.#all.take() ? this.#parse(data) : null;
  }

  #parse(data: unknown): FrameMessage | null {
    if (typeof data !== "string") return null;
    // The type is the first field of what our runtime writes: look before parsing megabytes.
    const type = /^\{"type":"([a-z]{1,16})"/.exec(data)?.[1];
    if (!type || data.length > (LENGTHS[type] ?? 65_536)) return null;
    const rate = RATES[type];
    if (rate) {
      let bucket = this.#buckets.get(type);
      if (!bucket) this.#buckets.set(type, (bucket = new Bucket(...rate)));
      if (!bucket.take()) return null;
    }
    try {
      return { ...JSON.parse(data), type };
    } catch {
      return null;
    }
  }
}

const CHASES_ALLOWED = 3;

/**
 * The height to give a frame from the height that its content asks for. Content that is as tall as its frame plus a
 * little asks for more each time it gets more: after three such steps the frame stays as it is. Content that is exactly
 * as tall as its frame (`100vh`) keeps the height that the frame starts with.
 */
export class HeightKeeper {
  #height: number;
  #step = 0;
  #chases = 0;
  readonly #least: number;
  readonly #most: number;

  constructor(first: number, least: number, most: number) {
    this.#least = least;
    this.#most = most;
    this.#height = Math.min(most, Math.max(least, first));
  }

  get height(): number {
    return this.#height;
  }

  /** Another frame is shown: what grew for ever before may have stopped. */
  settle(): void {
    this.#chases = 0;
  }

  /** While the interface is being written it only grows, so that what is below does not jump. */
  ask(wanted: number, mayShrink: boolean): number {
    if (!Number.isFinite(wanted)) return this.#height;
    const next = Math.min(this.#most, Math.max(this.#least, Math.ceil(wanted)));
    const step = next - this.#height;
    if (Math.abs(step) < 2 || (step < 0 && !mayShrink)) return this.#height;
    if (step > 0 && step === this.#step) {
      this.#chases += 1;
      if (this.#chases >= CHASES_ALLOWED) return this.#height;
    } else {
      this.#chases = 0;
    }
    this.#step = step;
    this.#height = next;
    return next;
  }
}
