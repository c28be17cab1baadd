// Calls of a `require` that nothing around them defines, by module: {name: code} on stdin, {name: [call]} on stdout.

import { text } from "node:stream/consumers";
import { parse } from "acorn";
import { fullAncestor } from "acorn-walk";

const modules = JSON.parse(await text(process.stdin));
const out = {};
const names = (pattern) => {
  if (!pattern) return [];
  if (pattern.type === "Identifier") return [pattern.name];
  if (pattern.type === "AssignmentPattern") return names(pattern.left);
  if (pattern.type === "RestElement") return names(pattern.argument);
  if (pattern.type === "ArrayPattern") return pattern.elements.flatMap(names);
  return pattern.type === "ObjectPattern" ? pattern.properties.flatMap((part) => names(part.value ?? part.argument)) : [];
};

for (const [name, code] of Object.entries(modules)) {
  if (!/\brequire\s*\(/.test(code)) continue;
  const tree = parse(code, { ecmaVersion: "latest", sourceType: "module", allowHashBang: true });
  const found = [];
  const owners = new Set();
  const declare = (ancestors) => owners.add([...ancestors].reverse().find((node) => /Function|^Program$/.test(node.type)));
  fullAncestor(tree, (node, _, ancestors) => {
    const outer = ancestors.slice(0, -1);
    if (/Function/.test(node.type) && (node.params.flatMap(names).includes("require") || node.id?.name === "require")) {
      owners.add(node);
      if (node.type === "FunctionDeclaration" && node.id?.name === "require") declare(outer);
    }
    if (node.type === "VariableDeclarator" && names(node.id).includes("require")) declare(outer);
  });
  fullAncestor(tree, (node, _, ancestors) => {
    if (node.type !== "CallExpression" || node.callee.name !== "require") return;
    if (!ancestors.some((outer) => owners.has(outer))) found.push(code.slice(node.start, Math.min(node.end, node.start + 80)));
  });
  if (found.length > 0) out[name] = [...new Set(found)];
}
console.log(JSON.stringify(out));
