/** `$ui4a/fs`: files that belong to the artifact. */

/** The text of a file. Rejects when there is none. */
export declare function readFile(path: string): Promise<string>;

/** Writes a file of at most 2 Mi characters. Rejects when the host refuses. */
export declare function writeFile(path: string, text: string): Promise<void>;
