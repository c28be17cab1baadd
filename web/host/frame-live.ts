// How many frames of a page are alive at once: each costs a process. The ones seen last stay; the others give way.

export const LIVE_AT_MOST = 8;

export interface Live {
  /** Whether any of it is on the screen now. */
  readonly onScreen: boolean;
  /** Gives up the process; comes back by itself when it is looked at. */
  suspend(): void;
}

const live: Live[] = [];

/** `frame` is alive, and the most recent. Another may be suspended for it. */
export function keepAlive(frame: Live): void {
  forget(frame);
  live.push(frame);
  while (live.length > LIVE_AT_MOST) {
    const [victim] = live.splice(Math.max(0, live.findIndex((one) => one !== frame && !one.onScreen)), 1);
    victim.suspend();
  }
}

export function forget(frame: Live): void {
  const at = live.indexOf(frame);
  if (at >= 0) live.splice(at, 1);
}
