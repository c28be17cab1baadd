// Bundles specifiers with esbuild for browsers: `node bundle.mjs INSTALLED OUT`, {specifier: [what runs before it]} on stdin,
// {specifier: {file} | {error}} on stdout. A bundle exports `names`, the names of the specifier's namespace.

import { builtinModules } from "node:module";
import { isAbsolute } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";

const [installed, out] = process.argv.slice(2);
const specifiers = JSON.parse(await text(process.stdin));
// What browsers lack is nothing, as other bundlers make it.
const nothing = {
  name: "nothing",
  setup(build) {
    const filter = new RegExp(`^(node:)?(${builtinModules.filter((name) => !name.includes("/")).join("|")})(/.*)?$`);
    build.onResolve({ filter }, async (args) => {
      if (args.pluginData?.again) return undefined;
      const again = { kind: args.kind, importer: args.importer, resolveDir: args.resolveDir, pluginData: { again: true } };
      const found = await build.resolve(args.path, again);
      // A package may say itself that browsers get nothing: esbuild then answers with a path of no file.
      return found.errors.length > 0 || !isAbsolute(found.path) ? { path: args.path, namespace: "nothing" } : found;
    });
    build.onLoad({ filter: /.*/, namespace: "nothing" }, () => ({ contents: "module.exports = {}" }));
  },
};
const answers = {};
for (const [at, [specifier, before]] of Object.entries(specifiers).entries()) {
  try {
    const first = before.map((other) => `import ${JSON.stringify(other)};\n`).join("");
    const entry = `${first}import * as all from ${JSON.stringify(specifier)};\nexport const names = Object.keys(all);\n`;
    await build({
      stdin: { contents: entry, resolveDir: installed, loader: "js" },
      bundle: true,
      format: "esm",
      platform: "browser",
      define: { "process.env.NODE_ENV": '"production"', "process.env": "{}", global: "globalThis" },
      loader: { ".png": "dataurl", ".svg": "dataurl", ".gif": "dataurl", ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl", ".eot": "dataurl", ".wasm": "dataurl", ".js": "jsx" },
      jsx: "automatic",
      logLevel: "silent",
      plugins: [nothing],
      outfile: `${out}/${at}.js`,
    });
    answers[specifier] = { file: `${at}.js` };
  } catch (error) {
    answers[specifier] = { error: String(error.message).slice(0, 400) };
  }
}
console.log(JSON.stringify(answers));
