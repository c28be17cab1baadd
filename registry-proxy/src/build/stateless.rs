//! Whether copies of a package do no harm: told from its text.
//!
//! A copy is its own only if the package keeps something (a cache, a registry, a counter) or defines a type that others test for
//! (a class, a symbol, a context). A small package keeps nothing when what its modules do while they load makes nothing but
//! functions and plain values, and no function changes what is outside of it. What cannot be told so keeps something.

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{Argument, AssignmentTarget, CallExpression, Expression, RegExpFlags};
use oxc_parser::Parser;
use oxc_semantic::{NodeId, Semantic, SemanticBuilder, SymbolId};
use oxc_span::{GetSpan as _, SourceType};
use std::path::{Path, PathBuf};

/// Bytes of scripts, and files, above which a package is worth a module of its own.
const BYTES: u64 = 128 * 1_024;
const FILES: usize = 400;

/// Methods that change what they are called on.
const CHANGE: &[&str] = &[
    "add",
    "clear",
    "copyWithin",
    "delete",
    "fill",
    "pop",
    "push",
    "reverse",
    "set",
    "shift",
    "sort",
    "splice",
    "unshift",
];

/// What may be called while a module loads: it gives a plain value, or describes exports.
const PLAIN: &[&str] = &["Array", "Function", "JSON", "Math", "Number", "Object", "Reflect", "String"];

/// Whether the package in a folder keeps nothing. Reads all of its scripts, or none of a large one.
pub(crate) fn keeps_nothing(folder: &Path) -> bool {
    let mut scripts = Vec::new();
    if !gather(folder, 0, &mut scripts) {
        return false;
    }
    let size = |path: &PathBuf| path.metadata().map_or(BYTES, |found| found.len());
    if scripts.len() > FILES || scripts.iter().map(size).sum::<u64>() > BYTES {
        return false;
    }
    scripts.iter().all(|path| std::fs::read_to_string(path).is_ok_and(|text| is_inert(&text)))
}

/// The scripts that a browser may get. False when there are too many to look at.
fn gather(folder: &Path, depth: usize, scripts: &mut Vec<PathBuf>) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            let is_code =
                !name.starts_with('.') && !["node_modules", "test", "tests", "__tests__"].contains(&name.as_str());
            if is_code && (depth > 8 || !gather(&path, depth + 1, scripts)) {
                return false;
            }
            continue;
        }
        let is_script = [".js", ".mjs", ".cjs"].iter().any(|end| name.ends_with(end));
        if is_script && !is_twin(&path, &name) {
            scripts.push(path);
        }
        if scripts.len() > FILES {
            return false;
        }
    }
    true
}

/// Whether another file is the same in the form that is built: the production, the ES module, the one that was not minified.
fn is_twin(path: &Path, name: &str) -> bool {
    let there = |other: String| path.with_file_name(other).is_file();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    name.contains(".native.")
        || (name.contains("development") && there(name.replace("development", "production")))
        || (!name.ends_with(".mjs") && there(format!("{stem}.mjs")))
        || stem.strip_suffix(".min").is_some_and(|stem| there(format!("{stem}.js")))
}

/// Whether a module makes nothing but functions and plain values, and its functions change nothing outside of them.
fn is_inert(text: &str) -> bool {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::unambiguous()).parse();
    if parsed.panicked {
        return false;
    }
    let semantic = SemanticBuilder::new().with_build_nodes(true).build(&parsed.program).semantic;
    let nodes = semantic.nodes();
    let loads_inertly = nodes.iter().all(|node| match node.kind() {
        AstKind::CallExpression(call) => is_plain(call) || !is_run_on_load(&semantic, node.id()),
        AstKind::RegExpLiteral(literal) => {
            let keeps_its_place = literal.regex.flags.intersects(RegExpFlags::G | RegExpFlags::Y);
            !keeps_its_place || !is_run_on_load(&semantic, node.id())
        }
        // What others may fill, or compare: all but a list of exports, and what a plain call is given.
        AstKind::ObjectExpression(_) => {
            is_given_away(semantic.nodes().parent_kind(node.id())) || !is_run_on_load(&semantic, node.id())
        }
        AstKind::ArrayExpression(_) => !is_run_on_load(&semantic, node.id()),
        AstKind::Class(_)
        | AstKind::NewExpression(_)
        | AstKind::TaggedTemplateExpression(_)
        | AstKind::ImportExpression(_)
        | AstKind::AwaitExpression(_) => !is_run_on_load(&semantic, node.id()),
        _ => true,
    });
    let scoping = semantic.scoping();
    let mut outermost = scoping.symbol_ids().filter(|id| scoping.symbol_scope_id(*id) == scoping.root_scope_id());
    loads_inertly && outermost.all(|symbol| stays(&semantic, symbol))
}

fn is_function(kind: AstKind<'_>) -> bool {
    matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_))
}

/// Whether an object is an argument, or what `module.exports` becomes.
fn is_given_away(parent: AstKind<'_>) -> bool {
    match parent {
        AstKind::CallExpression(_) => true,
        AstKind::AssignmentExpression(assignment) => match &assignment.left {
            AssignmentTarget::StaticMemberExpression(member) => {
                member.property.name == "exports" && root(&member.object) == Some("module")
            }
            _ => false,
        },
        _ => false,
    }
}

fn is_run_on_load(semantic: &Semantic<'_>, node: NodeId) -> bool {
    !semantic.nodes().ancestor_kinds(node).any(is_function)
}

/// Whether a call gives a plain value, or nothing: `require("…")`, `Symbol.for("…")`, `Object.defineProperty(…)`.
fn is_plain(call: &CallExpression<'_>) -> bool {
    match &call.callee {
        Expression::Identifier(name) => {
            name.name == "require" && matches!(call.arguments[..], [Argument::StringLiteral(_)])
        }
        Expression::StaticMemberExpression(member) => match root(&member.object) {
            Some("Symbol") => member.property.name == "for",
            Some(name) => PLAIN.contains(&name),
            None => false,
        },
        _ => false,
    }
}

/// The name that a chain of members begins with.
fn root<'a>(expression: &'a Expression<'_>) -> Option<&'a str> {
    match expression {
        Expression::Identifier(name) => Some(name.name.as_str()),
        Expression::StaticMemberExpression(member) => root(&member.object),
        _ => None,
    }
}

/// Whether no function changes an outermost name, or what it holds.
fn stays(semantic: &Semantic<'_>, symbol: SymbolId) -> bool {
    let mut references = semantic.symbol_references(symbol);
    references.all(|reference| {
        let node = reference.node_id();
        let changes = reference.is_write() || is_changed(semantic, node);
        !changes || is_run_on_load(semantic, node) || (reference.is_write() && replaces_itself(semantic, symbol, node))
    })
}

/// Whether something is written to a member of what a node names, or a method is called on it that does.
fn is_changed(semantic: &Semantic<'_>, node: NodeId) -> bool {
    let nodes = semantic.nodes();
    let (mut at, mut method) = (node, None);
    loop {
        let (span, parent) = (nodes.kind(at).span(), nodes.parent_kind(at));
        match parent {
            AstKind::StaticMemberExpression(member) => method = Some(member.property.name.as_str()),
            AstKind::ComputedMemberExpression(member) if member.object.span() == span => method = None,
            AstKind::AssignmentExpression(assignment) => return at != node && assignment.left.span() == span,
            AstKind::UpdateExpression(_) => return true,
            AstKind::UnaryExpression(unary) => return at != node && unary.operator.is_delete(),
            AstKind::CallExpression(call) => {
                return call.callee.span() == span && method.is_some_and(|name| CHANGE.contains(&name));
            }
            _ => return false,
        }
        at = nodes.parent_id(at);
    }
}

/// A function that is replaced by a better one when it first runs (`f = function () {…}` within `f`) keeps nothing by it.
fn replaces_itself(semantic: &Semantic<'_>, symbol: SymbolId, node: NodeId) -> bool {
    let nodes = semantic.nodes();
    let mut functions = nodes.ancestor_ids(node).filter(|id| is_function(nodes.kind(*id)));
    functions.any(|function| {
        let own = match nodes.kind(function) {
            AstKind::Function(function) => function.id.as_ref().and_then(|id| id.symbol_id.get()),
            _ => None,
        };
        let given = match nodes.parent_kind(function) {
            AstKind::VariableDeclarator(declared) => {
                declared.id.get_binding_identifier().and_then(|id| id.symbol_id.get())
            }
            _ => None,
        };
        own == Some(symbol) || given == Some(symbol)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_keep_nothing() {
        for text in [
            "function r(e){var t,f,n='';return n}export function clsx(){for(var e,t,f=0,n='';f<arguments.length;f++)(e=arguments[f])&&(t=r(e));return n}export default clsx;",
            "'use strict'; var React = require('react'); var is = Object.is, s = React.useState; function f(a){ var b = []; b.push(a); return b } exports.f = void 0 !== React.x ? React.x : f;",
            "if (process.env.NODE_ENV === 'production') { module.exports = require('./a.production.js'); } else { module.exports = require('./a.development.js'); }",
            "var T = Symbol.for('react.element'); Object.defineProperty(exports, '__esModule', { value: true }); exports.isIt = function (x) { return x.$$typeof === T; };",
            "module.exports = { f, g: f }; function f() {}",
            "var grow = function (d, b) { grow = Object.setPrototypeOf || function (d, b) { d.__proto__ = b; }; return grow(d, b); }; export { grow };",
            "function _extends() { return module.exports = _extends = Object.assign, _extends.apply(null, arguments); } module.exports = _extends;",
        ] {
            assert!(is_inert(text), "{text}");
        }
    }

    #[test]
    fn what_keeps_something_is_told() {
        for text in [
            "let count = 0; export const next = () => ++count;",
            "let count = 0; export const next = () => { count = count + 1; return count; };",
            "const cache = {}; export const get = (key) => cache[key];",
            "export const shared = { mark: 1 };",
            "module.exports = { f, options: { a: 1 } }; function f() {}",
            "const all = [1]; export function add(x) { all.push(x); }",
            "const state = { a: 1 }; export function set(x) { state.a = x; }",
            "const state = { a: 1 }; export function clear() { delete state.a; }",
            "const seen = new WeakMap(); export const f = (x) => seen.get(x);",
            "export class Store {}",
            "import { createContext } from 'react'; export const C = createContext(null);",
            "export const tag = Symbol('x');",
            "const re = /a/g; export const f = (x) => re.test(x);",
            "!function (f) { f(); }(function () {});",
            "const x = await load();",
            "this is no script",
        ] {
            assert!(!is_inert(text), "{text}");
        }
    }

    #[test]
    fn a_package_is_judged_by_what_browsers_get() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            std::fs::write(path, text).expect("written");
        };
        write("package.json", "{}");
        write("index.d.ts", "export declare class X {}");
        assert!(keeps_nothing(folder.path()), "nothing but types");
        write("index.mjs", "export const f = () => 1;");
        write("index.js", "helper(exports, {f: () => f});");
        write("cjs/a.production.js", "exports.a = 1;");
        write("cjs/a.development.js", "let warned = false; exports.a = () => { warned = true; };");
        write("test/it.js", "run();");
        assert!(keeps_nothing(folder.path()));
        write("state.js", "let n = 0; export const f = () => n++;");
        assert!(!keeps_nothing(folder.path()));
        assert!(!keeps_nothing(&folder.path().join("gone")));
    }
}
