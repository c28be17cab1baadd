//! The text of cells: what each kind of statement becomes.

use std::sync::Arc;
use ui4a_renderer::{Compiled, KitNames, Options, compile};
use ui4a_types::Kind;

pub fn options() -> Options {
    let kit = KitNames::new([
        ("$ui4a/ui", vec!["Button", "Card", "Text", "Stack", "Tabs"]),
        ("$ui4a/ui/charts", vec!["LineChart", "ChartContainer"]),
        ("$ui4a/chat", vec!["sendMessage", "useAutoSend"]),
        ("$ui4a/state", vec!["usePersistedState"]),
    ]);
    Options { kind: Kind::Tsx, kit: Arc::new(kit) }
}

pub fn compiled(source: &str) -> Compiled {
    compile(source, &options())
}

/// A cell's hash and the text after it.
pub fn parts<'c>(compiled: &'c Compiled, cell: &str) -> (&'c str, &'c str) {
    let text = compiled.state.cells.get(cell).unwrap_or_else(|| panic!("no cell {cell} in {:?}", compiled.state.order));
    text.strip_prefix("/*").and_then(|text| text.split_once("*/")).expect("a hash comment")
}

/// The text of one cell of a source, without its hash, on one line.
fn cell(source: &str, name: &str) -> String {
    let compiled = compiled(source);
    assert!(compiled.ok, "{:?}", compiled.diagnostics);
    parts(&compiled, name).1.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_class_names_itself_in_its_own_body() {
    let class = cell(
        "class Account { static all = 0; static { Account.all = 1; } n = ++Account.all; }\nexport default () => <p>{new Account().n}</p>;",
        "Account",
    );
    assert!(class.starts_with("$.Account = class Account"), "{class}");
    assert!(!class[10..].contains("$.Account"), "what is not assigned yet is not looked up: {class}");
}

fn order(source: &str) -> Vec<String> {
    compiled(source).state.order
}

#[test]
fn a_whole_module() {
    let compiled = compiled(include_str!("fixtures/dashboard.tsx"));
    assert_eq!(compiled.diagnostics, []);
    let text: String =
        compiled.state.order.iter().map(|name| format!("── {name}\n{}\n", compiled.state.cells[name])).collect();
    insta::assert_snapshot!(text);
}

#[test]
fn declarators_are_cells_of_their_own() {
    let source = "const a = 1, { b, c: [d = a, ...e] } = {}, f = (x) => x * a; let n = 0, u;";
    assert_eq!(order(source), ["a", "b,d,e", "f", "n", "u"]);
    assert_eq!(cell(source, "b,d,e"), "({ b: $.b, c: [$.d = $.a, ...$.e] } = {});");
    assert_eq!(cell(source, "f"), "$.f = (x)=>x * $.a;");
    assert_eq!(cell(source, "u"), "$.u = void 0;");
}

#[test]
fn functions_come_first_and_the_default_export_last() {
    let source = "export default function App() { return <B/> }\nconst x = make();\nfunction make() {}\nfunction B() { return <b/> }";
    assert_eq!(order(source), ["App", "make", "B", "x", "$default"]);
    assert_eq!(cell(source, "$default"), "$.$default = $.App;");
    assert_eq!(cell(source, "x"), "$.x = (0, $.make)();");
}

#[test]
fn every_form_of_default_export_is_the_default_cell() {
    for (source, text) in [
        (
            "export default () => <p/>",
            "$.$default = $c(\"$default\", \"e3b0c44298\", ()=>$i[\"react/jsx-runtime\"].jsx(\"p\", {}));",
        ),
        (
            "export default function () { return null }",
            "$.$default = $c(\"$default\", \"e3b0c44298\", function() { return null; });",
        ),
        ("export default class extends Object {}", "$.$default = class extends Object { };"),
        ("const A = () => <p/>; export { A as default }", "$.$default = $.A;"),
        ("function A() { return <p/> } export default A;", "$.$default = $.A;"),
        (
            "import { memo } from 'react'; const A = () => <p/>; export default memo(A)",
            "$.$default = (0, $i[\"react\"].memo)($.A);",
        ),
        ("export { default } from 'some-app'", "$.$default = $i[\"some-app\"][\"default\"];"),
        ("export { Thing as default } from 'some-app'", "$.$default = $i[\"some-app\"][\"Thing\"];"),
        ("import App from 'some-app'; export default App", "$.$default = $i[\"some-app\"][\"default\"];"),
    ] {
        assert_eq!(cell(source, "$default"), text, "{source}");
        assert_eq!(order(source).last().map(String::as_str), Some("$default"), "{source}");
    }
    let exported = "export const limit = 3; export function App() { return <p>{limit}</p> } export default App";
    assert_eq!(cell(exported, "limit"), "$.limit = 3;");
}

#[test]
fn shadowed_names_are_not_lookups() {
    let source = "const n = 1; function f(n) { { let n = 2; n++ } return n } const g = () => { n; var h = ({ n }) => n; return { n, h } };";
    assert_eq!(cell(source, "f"), "$.f = function f(n) { { let n = 2; n++; } return n; };");
    assert_eq!(cell(source, "g"), "$.g = ()=>{ $.n; var h = ({ n })=>n; return { n: $.n, h }; };");
}

#[test]
fn assignments_reach_the_scope_object() {
    let source = "let a = 0, b; const go = () => { a = 1; b ??= 2; a++; [a, b] = [b, a]; ({ a, b: b = 3 } = {}); for (a of []) ; delete b.x; typeof a; typeof nowhere };";
    assert_eq!(
        cell(source, "go"),
        "$.go = ()=>{ $.a = 1; $.b ??= 2; $.a++; [$.a, $.b] = [ $.b, $.a ]; ({ a: $.a, b: $.b = 3 } = {}); for ($.a of []){ $i.$loop(); ; } delete $.b.x; typeof $.a; typeof nowhere; };"
    );
}

#[test]
fn calls_through_lookups_get_no_this() {
    let source = "import z, { css, x as y } from 'lib'; import * as all from 'lib'; const r = [css`a`, y?.(1), new z(), all.go(), import('late')];";
    assert_eq!(
        cell(source, "r"),
        "$.r = [ (0, $i[\"lib\"].css)`a`, (0, $i[\"lib\"].x)?.(1), new $i[\"lib\"].default(), $i[\"lib\"].go(), $i.$import('late') ];"
    );
}

#[test]
fn names_that_the_compiler_uses_are_renamed() {
    let source = "const $k = 3; function f($i, { $c }) { const $ = $i; return { $, $c, $k, w: window.$ } }";
    assert_eq!(
        cell(source, "f"),
        "$.f = function f($i_, { $c: $c_ }) { const $_ = $i_; return { $: $_, $c: $c_, $k: $.$k, w: window.$ }; };"
    );
}

#[test]
fn types_leave_nothing_behind_and_enums_are_lowered() {
    let source = "import type { A } from 'a'; import { B, type C } from 'b'; interface P {} type Q = B; declare const z: C;\n\
                  enum Color { Red, Green = 'g' } const enum Size { S } namespace N { export const x = 1 }\n\
                  const v = [Color.Red, Size.S, N.x] as const satisfies readonly unknown[];";
    assert_eq!(order(source), ["Color", "Size", "N", "v"]);
    assert_eq!(cell(source, "v"), "$.v = [ $.Color.Red, $.Size.S, $.N.x ];");
    assert_eq!(
        cell(source, "Color"),
        "$.Color = void 0; $.Color = /*#__PURE__*/ function(Color) { Color[Color[\"Red\"] = 0] = \"Red\"; Color[\"Green\"] = \"g\"; return Color; }($.Color || {});"
    );
    assert_eq!(cell(source, "N"), "$.N = void 0; (function(N) { N.x = 1; })($.N || ($.N = {}));");
    assert!(compiled(source).imports.is_empty());
}

#[test]
fn memo_and_forward_ref_keep_their_identity_while_their_function_changes() {
    let source = |body: &str, hook: &str| {
        format!(
            "import {{ memo, forwardRef, useState }} from 'react'; const M = memo(forwardRef((props, ref) => {{ {hook} return <p ref={{ref}}>{body}</p> }}));"
        )
    };
    let text = cell(&source("one", ""), "M");
    assert!(text.starts_with("$.M = $k(\"M\", \""), "{text}");
    assert!(
        text.contains("($p)=>(0, $i[\"react\"].memo)((0, $i[\"react\"].forwardRef)($p)), $c(\"M$memo$forwardRef\", \""),
        "{text}"
    );
    let identity = |source: &str| cell(source, "M").split("($p)").next().map(str::to_owned);
    assert_eq!(identity(&source("one", "")), identity(&source("two", "")));
    assert_ne!(identity(&source("one", "")), identity(&source("one", "const [a] = useState(0);")));
}

#[test]
fn a_signature_is_the_hooks_and_what_they_start_with() {
    let signature = |hooks: &str, rest: &str| {
        let source = format!(
            "import {{ useState, useRef }} from 'react'; export default function App() {{ {hooks} return <p>{rest}</p> }} const start = 5; function useOwn() {{ return useRef(start) }}"
        );
        cell(&source, "App").split(", function").next().map(str::to_owned)
    };
    let base = signature("const [a, setA] = useState(0);", "one");
    assert_eq!(base, signature("const [a,setA] = useState<number>( 0 ); // counts", "two"));
    assert_ne!(base, signature("const [a, setA] = useState(1);", "one"));
    assert_ne!(base, signature("const [b, setB] = useState(0);", "one"));
    assert_ne!(base, signature("const [a, setA] = useState(0); useOwn();", "one"));
    // A hook of the model's own, and a value it starts from, count as well.
    let with_own = |start: &str| {
        let source = format!(
            "import {{ useRef }} from 'react'; const start = {start}; function useOwn() {{ return useRef(start) }} export default function App() {{ useOwn(); return <p/> }}"
        );
        cell(&source, "App").split(", function").next().map(str::to_owned)
    };
    assert_ne!(with_own("5"), with_own("6"));
}

#[test]
fn an_edited_effect_gets_another_dependency() {
    let deps = |helper: &str, body: &str| {
        let source = format!(
            "import {{ useEffect }} from 'react'; const helper = () => {helper}; export default function App() {{ useEffect(() => {{ helper({body}) }}, []); return <p/> }}"
        );
        cell(&source, "App")
    };
    assert_eq!(deps("1", "2"), deps("1", "2"));
    assert_ne!(deps("1", "2"), deps("1", "3"));
    assert_ne!(deps("1", "2"), deps("0", "2"), "the effect calls what changed");
}

#[test]
fn a_cell_runs_again_exactly_when_what_it_evaluates_changed() {
    let of = |make: &str, view: &str| {
        compiled(&format!(
            "const seed = {make}; const list = build(); function build() {{ return [seed] }} const other = 1; const handlers = {{ go: () => seed }};\nfunction View() {{ return <p>{view}</p> }} export default View; console.log(list);"
        ))
    };
    let (before, seeded, viewed) = (of("1", "a"), of("2", "a"), of("1", "b"));
    let changed = |after: &Compiled| -> Vec<String> {
        after
            .state
            .order
            .iter()
            .filter(|name| before.state.cells.get(*name) != after.state.cells.get(*name))
            .cloned()
            .collect()
    };
    let effect = |after: &Compiled| {
        after.state.order.iter().find(|name| name.starts_with("$effect")).cloned().expect("an effect")
    };
    assert_eq!(changed(&viewed), ["View"]);
    assert_eq!(changed(&seeded), ["seed".to_owned(), "list".to_owned(), effect(&seeded)]);
    assert_ne!(effect(&before), effect(&seeded));
}

#[test]
fn loops_are_guarded_and_labels_still_work() {
    let source = "function f(xs) { a: for (const x of xs) { for (;;) continue a } while (1) break; do xs.pop(); while (xs.length) }";
    assert_eq!(
        cell(source, "f"),
        "$.f = function f(xs) { a: for (const x of xs){ $i.$loop(); for(;;){ $i.$loop(); continue a; } } while(1){ $i.$loop(); break; } do { $i.$loop(); xs.pop(); }while (xs.length) };"
    );
}

#[test]
fn what_may_go_round_without_a_loop_is_guarded_too() {
    let made = |source| cell(source, "f");
    assert_eq!(made("const f = (xs) => xs.map((x) => x + 1)"), "$.f = (xs)=>xs.map((x)=>($i.$loop(), x + 1));");
    assert_eq!(
        made("const f = () => Array.from({ length: 3 }, function (_, n) { \"use strict\"; return n })"),
        "$.f = ()=>Array.from({ length: 3 }, function(_, n) { \"use strict\"; $i.$loop(); return n; });"
    );
    assert_eq!(made("const f = (n) => n < 2 ? n : f(n - 1)"), "$.f = (n)=>($i.$loop(), n < 2 ? n : (0, $.f)(n - 1));");
    assert_eq!(
        made("function f(n) { return f(n - 1) }"),
        "$.f = function f(n) { $i.$loop(); return (0, $.f)(n - 1); };"
    );
    // A name of the same spelling is another name, and a callback that is only kept is called by nobody in a loop.
    assert_eq!(made("const f = (f) => f()"), "$.f = (f)=>f();");
    assert_eq!(made("const f = (x) => x.then(() => 1)"), "$.f = (x)=>x.then(()=>1);");
}

#[test]
fn a_guard_stands_outside_of_try_and_in_every_body() {
    let made = |source| cell(source, "f");
    assert_eq!(
        made("function f() { while (true) try { g() } catch {} }"),
        "$.f = function f() { while(true){ $i.$loop(); try { g(); } catch {} } };"
    );
    assert_eq!(
        made(
            "const f = class { static { for (;;); } *g() { for (;;) yield 1 } async h(xs) { for await (const x of xs) x() } }"
        ),
        "$.f = class { static{ for(;;){ $i.$loop(); ; } } *g() { for(;;){ $i.$loop(); yield 1; } } async h(xs) { for await (const x of xs){ $i.$loop(); x(); } } };"
    );
}

#[test]
fn helpers_that_are_called_or_constructed_are_no_components() {
    let source = "function Row() { return <i/> } function Point(x) { this.x = x } function Used() { return <b/> }\n\
                  export default function App() { return <p>{Row()}{new Point(1).x}<Used/></p> }";
    assert!(cell(source, "Row").starts_with("$.Row = function"));
    assert!(cell(source, "Point").starts_with("$.Point = function"));
    assert!(cell(source, "Used").starts_with("$.Used = $c("));
}

#[test]
fn a_module_that_mounts_itself_is_mounted_once() {
    let source = "import { createRoot } from 'react-dom/client';\nfunction App() { return <p/> }\nconst root = createRoot(document.getElementById('root')!);\nroot.render(<App />);\ncreateRoot(document.body).render(<App />);";
    let compiled = compiled(source);
    assert_eq!(parts(&compiled, "$default").1, "$.$default = $.App;");
    assert!(!compiled.state.cells.values().any(|text| text.contains("createRoot")), "{:?}", compiled.state.cells);
    assert_eq!(compiled.diagnostics.iter().filter(|found| found.code == "own-root").count(), 2);
}
