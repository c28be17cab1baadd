/** `$ui4a/chat`: what an artifact says to the conversation that it stands in. The host decides what becomes of it. */

/** Says something in the user's name. */
export declare function sendMessage(message: string | { text?: string; content?: string }): void;
/** The same as `sendMessage`. */
export declare function sendUserMessage(message: string | { text?: string; content?: string }): void;

export interface Action {
  /** What happened, such as `answered`. */
  name?: string;
  /** The same as `name`. */
  type?: string;
  /** Anything that JSON can say; at most 256 KiB. */
  payload?: unknown;
  /** JSON pointers to what the page keeps to itself, such as `/answer`. */
  visibility?: { hidden?: string[] };
}

/** Tells the assistant what the user did. */
export declare function sendAction(action: Action): void;
export declare function sendAction(name: string, payload?: unknown): void;

/** Sends a message after some seconds (30 unless said, 3 to 3600) that the user sees pass; answers those left, `null` at the end. */
export declare function useAutoSend(message: string, seconds?: number): number | null;

/** Calls a tool of the host's and answers its result. Rejects when the host refuses. */
export declare function callTool<Result = any>(name: string, args?: unknown): Promise<Result>;
