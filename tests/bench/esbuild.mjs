// Milliseconds that esbuild's service takes for every prefix of a module, once warm: `node esbuild.mjs FILE CHUNK`.
// A prefix that does not parse answers with errors; that is its answer, and it is timed like any other.

import { readFile } from "node:fs/promises";
import { transform } from "esbuild";

const [file, chunk] = process.argv.slice(2);
const source = await readFile(file);
const options = { loader: "tsx", jsx: "automatic", logLevel: "silent" };
const prefixes = [];
for (let end = Number(chunk); ; end += Number(chunk)) {
  prefixes.push(source.subarray(0, end).toString());
  if (end >= source.length) break;
}
const whole = source.toString();
for (let warm = 0; warm < 20; warm += 1) await transform(whole, options);
const started = performance.now();
for (const prefix of prefixes) await transform(prefix, options).catch(() => null);
console.log(performance.now() - started);
