// Writes the declarations of the kit beside this script: `node web/kit/types/generate.mjs`. With `--check` it only says whether
// they are as they would be written. Either way the kit and artifacts that use it are type-checked, the latter against the
// declarations alone.
//
// It installs the packages of web/src/kit.rs and its own tools into a temporary folder with npm, and removes that in the end.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const TOOLS = { typescript: "5.9.3", prettier: "3.10.1", "@types/react": "19.3.3", "@types/react-dom": "19.3.0" };
const FILES = {
  "index.ts": "index",
  "charts/index.ts": "charts",
  "katex.tsx": "katex",
  "motion.ts": "motion",
  "macaron.ts": "macaron",
};
const SPECIFIERS = {
  "$ui4a/ui": "index",
  "$ui4a/ui/charts": "charts",
  "$ui4a/ui/katex": "katex",
  "$ui4a/ui/motion": "motion",
  "$macaron/ui": "macaron",
  "$ui4a/chat": "chat",
  "$ui4a/state": "state",
  "$ui4a/fs": "fs",
};

const types = path.dirname(fileURLToPath(import.meta.url));
const kit = path.dirname(types);
const repository = path.resolve(kit, "../..");
const work = fs.mkdtempSync(path.join(os.tmpdir(), "kit-types-"));
process.on("exit", () => fs.rmSync(work, { recursive: true, force: true }));

const pins = fs
  .readFileSync(path.join(repository, "web/src/kit.rs"), "utf8")
  .match(/const DEPENDENCIES[^;]*; \d+\] = \[([^;]*)\];/)[1];
const packages = Object.fromEntries(
  [...pins.matchAll(/\("([^"]+)", "([^"]+)"\)/g)].map(([, name, version]) => [name, version]),
);
fs.writeFileSync(
  path.join(work, "package.json"),
  JSON.stringify({ private: true, type: "module", dependencies: { ...packages, ...TOOLS } }),
);
execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
  cwd: work,
  stdio: "inherit",
});
const require = createRequire(path.join(work, "package.json"));
const ts = require("typescript");
const prettier = require("prettier");

const source = path.join(work, "src");
fs.cpSync(kit, source, { recursive: true, filter: (file) => file !== types });

const options = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.ReactJSX,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  strict: true,
  types: [],
};

/** Ends the script when a program has errors. */
function must(program) {
  const errors = ts.getPreEmitDiagnostics(program);
  if (errors.length === 0) return;
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => work, getNewLine: () => "\n" };
  console.error(ts.formatDiagnostics(errors, host));
  process.exit(1);
}

const sources = fs
  .readdirSync(source, { recursive: true })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => path.join(source, file));
const program = ts.createProgram(sources, {
  ...options,
  declaration: true,
  emitDeclarationOnly: true,
  skipLibCheck: true,
  paths: { "$ui4a/ui": [path.join(source, "index.ts")], "$ui4a/ui/motion": [path.join(source, "motion.ts")] },
});
must(program);
const checker = program.getTypeChecker();

/** Source file → its declarations: the statements by name, and where imported names come from. */
const modules = new Map();
program.emit(undefined, (file, text) => {
  const own = [file.replace(/\.d\.ts$/, ".ts"), file.replace(/\.d\.ts$/, ".tsx")].find((name) => fs.existsSync(name));
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const statements = new Map();
  const imports = new Map();
  for (const statement of parsed.statements) {
    const names = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map((one) => one.name.text)
      : statement.name
        ? [statement.name.text]
        : [];
    for (const name of names) statements.set(name, [...(statements.get(name) ?? []), statement]);
    if (!ts.isImportDeclaration(statement) || !statement.moduleSpecifier.text.startsWith(".")) continue;
    const stem = path.resolve(path.dirname(own), statement.moduleSpecifier.text.replace(/\.js$/, ""));
    const from = [`${stem}.ts`, `${stem}.tsx`].find((name) => fs.existsSync(name));
    for (const one of statement.importClause?.namedBindings?.elements ?? []) imports.set(one.name.text, from);
  }
  modules.set(own, { statements, imports });
});

/** The text of a statement with its comment, as it stands in a file of declarations; the names that it uses. */
function read(statement) {
  const comment = statement.jsDoc?.at(-1)?.getText() ?? "";
  let text = statement.getText().replace(/^export (declare )?/, (_, declared) => declared ?? "");
  text = text
    .replace(/import\("react(?:\/jsx-runtime)?"\)\.(?:JSX\.)/g, "React.JSX.")
    .replace(/import\("[^"]+"\)\./g, "");
  const used = new Set();
  const visit = (node) => {
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) used.add(node.typeName.text);
    if (ts.isTypeQueryNode(node) && ts.isIdentifier(node.exprName)) used.add(node.exprName.text);
    if (ts.isExpressionWithTypeArguments(node) && ts.isIdentifier(node.expression)) used.add(node.expression.text);
    ts.forEachChild(node, visit);
  };
  visit(statement);
  return { text, comment, used };
}

/** The declarations of an entry: those of its exports, and of all that they mention. */
async function bundle(entry) {
  const file = program.getSourceFile(path.join(source, entry));
  const head = ts.getLeadingCommentRanges(file.text, 0)?.[0];
  const declared = new Map();
  const foreign = new Map();
  const exported = new Set();
  const add = (own, name) => {
    const module = modules.get(own);
    const statements = module?.statements.get(name);
    if (!statements) return module?.imports.has(name) ? add(module.imports.get(name), name) : undefined;
    const known = declared.get(name);
    if (known?.own === own) return;
    if (known) throw new Error(`${name} is declared in ${known.own} and in ${own}`);
    const parts = statements.map(read);
    declared.set(name, { own, parts });
    for (const used of parts.flatMap((part) => [...part.used])) add(own, used);
  };
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(file))) {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const own = target.declarations?.[0]?.getSourceFile().fileName;
    if (own && modules.has(own)) {
      if (target.name !== symbol.name) throw new Error(`${target.name} is exported as ${symbol.name}`);
      add(own, symbol.name);
      exported.add(symbol.name);
    } else if (target.flags & ts.SymbolFlags.Value) {
      const from = entry.startsWith("charts") ? "recharts" : "motion/react";
      foreign.set(from, [...(foreign.get(from) ?? []), symbol.name]);
    }
  }
  const value = ({ parts }) => /^declare /.test(parts[0].text);
  const lines = [...declared]
    .sort(([, a], [, b]) => value(a) - value(b))
    .flatMap(([name, { parts }]) =>
      parts.map(({ text, comment }) => `${comment}\n${exported.has(name) ? "export " : ""}${text}\n`),
    );
  const react = declared.size > 0 ? 'import type * as React from "react";\n' : "";
  const others = [...foreign].map(([from, names]) => `export { ${names.sort().join(", ")} } from "${from}";\n`);
  // Without the last line everything in the file would be exported.
  return `${file.text.slice(head?.pos ?? 0, head?.end ?? 0)}\n// Written by generate.mjs from the kit's sources.\n\n${react}\n${others.join("")}\n${lines.join("\n")}\nexport {};\n`;
}

const check = process.argv.includes("--check");
let stale = 0;
for (const [entry, name] of Object.entries(FILES)) {
  // The older dialect's entry is made of the others.
  const text = name === "macaron" ? fs.readFileSync(path.join(kit, entry), "utf8") : await bundle(entry);
  const written = await prettier.format(text, { parser: "typescript", printWidth: 120 });
  const file = path.join(types, `${name}.d.ts`);
  if (check && (!fs.existsSync(file) || fs.readFileSync(file, "utf8") !== written)) {
    console.error(`${path.relative(repository, file)} is not as it would be written`);
    stale += 1;
  } else if (!check) fs.writeFileSync(file, written);
}

// Artifacts see the declarations only.
const seen = path.join(work, "types");
fs.cpSync(types, seen, { recursive: true });
const samples = ["tests/fixtures/kit", "tests/fixtures/corpus/tsx"]
  .map((folder) => path.join(repository, folder))
  .flatMap((folder) => fs.readdirSync(folder).map((file) => path.join(folder, file)))
  .filter((file) => file.endsWith(".tsx") && fs.readFileSync(file, "utf8").includes("$ui4a/"));
const copies = samples.map((file, at) => {
  const copy = path.join(work, `${at}-${path.basename(file)}`);
  fs.copyFileSync(file, copy);
  return copy;
});
const paths = Object.fromEntries(
  Object.entries(SPECIFIERS).map(([specifier, name]) => [specifier, [path.join(seen, `${name}.d.ts`)]]),
);
// They are read as JavaScript with types where someone wrote them.
must(ts.createProgram(copies, { ...options, noImplicitAny: false, noEmit: true, paths }));
if (stale > 0) process.exit(1);
console.log(
  `The kit's declarations are ${check ? "up to date" : "written"}; ${samples.length} artifacts use them without an error.`,
);
