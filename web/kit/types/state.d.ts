/** `$ui4a/state`: state that outlives a reload, kept with the artifact. */

/** A state like React's that is kept under `key`. It holds what JSON can say, at most 256 KiB. */
export declare function usePersistedState<T>(
  key: string,
  initial: T | (() => T),
): [T, (next: T | ((now: T) => T)) => void];
export declare function usePersistedState<T = any>(
  key: string,
): [T | undefined, (next: T | undefined | ((now: T | undefined) => T | undefined)) => void];
