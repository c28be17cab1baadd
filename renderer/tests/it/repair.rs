//! What is put right without a model: the compiled text, and what is said of it.

use crate::cells::{compiled, options, parts};
use ui4a_renderer::{ArtifactStream, Compiled};
use ui4a_types::Severity;

fn codes(compiled: &Compiled) -> Vec<&str> {
    compiled.diagnostics.iter().map(|found| found.code.as_str()).collect()
}

/// The text of App's cell on one line, after one repair of that code.
fn app(body: &str, code: &str) -> String {
    let compiled = compiled(&format!("export default function App({{ a, b, c }}) {{ {body} }}"));
    assert!(compiled.ok, "{body}: {:?}", compiled.diagnostics);
    assert_eq!(codes(&compiled), [code], "{body}");
    parts(&compiled, "App").1.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn names_of_html_become_react_s() {
    assert_has(&app("return <p class=\"a\">x</p>;", "repaired-attribute"), &["className: \"a\""]);
    assert_has(&app("return <label for=\"a\">x</label>;", "repaired-attribute"), &["htmlFor: \"a\""]);
    let text = app("return <svg><path stroke-width={2} d=\"M0 0\"/></svg>;", "repaired-attribute");
    assert_has(&text, &["strokeWidth: 2"]);
    assert_has(&app("return <svg><use xlink:href=\"#a\"/></svg>;", "repaired-attribute"), &["xlinkHref: \"#a\""]);
    assert_has(&app("return <p onclick={a}>x</p>;", "repaired-attribute"), &["onClick: a"]);
    let kit = compiled("import { Card } from '$ui4a/ui';\nexport default () => <Card class=\"a\">x</Card>;");
    assert_eq!(codes(&kit), ["repaired-attribute"], "components of the kit take className");
    let custom = compiled("export default () => <my-box class=\"a\" data-x-y=\"1\" aria-label=\"b\">x</my-box>;");
    assert_eq!(codes(&custom), Vec::<&str>::new(), "a custom element keeps its names");
}

#[test]
fn style_as_text_becomes_an_object() {
    let text = app(
        "return <p style=\"background-color: red; --gap: 4px; background-image: url(data:image/png;base64,AA==); -webkit-mask: none !important\">x</p>;",
        "repaired-style",
    );
    assert_has(
        &text,
        &[
            "\"backgroundColor\": \"red\"",
            "\"--gap\": \"4px\"",
            "\"backgroundImage\": \"url(data:image/png;base64,AA==)\"",
            "\"WebkitMask\": \"none\"",
        ],
    );
    let text = app("return <p style={`width: ${a}%; color: ${b ? \"red\" : \"blue\"}`}>x</p>;", "repaired-style");
    assert_has(&text, &["\"width\": `${a}%`", "\"color\": `${b ? \"red\" : \"blue\"}`"]);
    let whole = compiled("export default ({ css }) => <p style={`${css}`}>x</p>;");
    assert_eq!(codes(&whole), Vec::<&str>::new(), "what is not text is left alone");
}

#[test]
fn handlers_as_text_become_functions() {
    let text = app("const go = () => a(); return <p onClick=\"go(); b(event)\">x</p>;", "repaired-handler");
    assert_has(&text, &["(event)=>{ go(); b(event); }"]);
    assert_has(&app("const go = () => a(); return <p onClick=\"go\">x</p>;", "repaired-handler"), &["onClick: go"]);
}

const STATE: &str = "import { useState } from 'react';\nimport { Card } from '$ui4a/ui';\nexport default function App() { const [n, setN] = useState(0); const [s, setS] = useState(''); const [d, setD] = useState(false);\n";

/// The text of App's cell with some state, after one repair of a handler.
fn handler(jsx: &str) -> String {
    let compiled = compiled(&format!("{STATE}return <Card>{{n}}{{s}}{{d}}{jsx}</Card> }}"));
    let repairs: Vec<&str> = codes(&compiled).into_iter().filter(|code| *code != "import-added").collect();
    assert_eq!(repairs, ["repaired-handler"], "{jsx}: {:?}", compiled.diagnostics);
    parts(&compiled, "App").1.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn handlers_get_what_they_read() {
    assert_has(&handler("<input value={s} onChange={setS} />"), &["onChange: ($event)=>setS($event.target.value)"]);
    assert_has(&handler("<input type=\"number\" value={n} onChange={setN} />"), &["setN(Number($event.target.value))"]);
    assert_has(&handler("<input type=\"checkbox\" checked={d} onChange={setD} />"), &["setD($event.target.checked)"]);
    let text = handler("<select value={s} onChange={(value) => setS(value)}><option>a</option></select>");
    assert_has(&text, &["onChange: ($event)=>((value)=>setS(value))($event.target.value)"]);
}

#[test]
fn a_handler_that_reads_an_event_is_left_alone() {
    for jsx in [
        "<input value={s} onChange={(e) => setS(e.target.value)} />",
        "<input value={s} onChange={({ target }) => setS(target.value)} />",
        "<button onClick={() => setN(n + 1)}>a</button>",
        "<p onScroll={console.log}>a</p>",
    ] {
        let compiled = compiled(&format!("{STATE}return <Card>{{n}}{{s}}{{d}}{jsx}</Card> }}"));
        assert!(!codes(&compiled).contains(&"repaired-handler"), "{jsx}: {:?}", compiled.diagnostics);
    }
}

#[test]
fn a_component_that_gives_a_value_is_given_a_handler_for_it() {
    let text = handler("<Tabs value={s} onValueChange={(e) => setS(e.target.value)} />");
    assert_has(
        &text,
        &["onValueChange: ($value)=>((e)=>setS(e.target.value))({", "value: $value", "preventDefault () {}"],
    );
    assert_has(
        &handler("<input value={s} onValueChange={setS} />"),
        &["onChange: ($event)=>setS($event.target.value)"],
    );
    assert_has(&handler("<Button onPress={() => setN(1)}>x</Button>"), &["onClick: ()=>setN(1)"]);
}

#[test]
fn a_handler_that_is_called_is_made_a_function() {
    assert_has(&handler("<button onClick={setN(n + 1)}>x</button>"), &["onClick: ()=>setN(n + 1)"]);
    let made = "const make = (k) => () => setN(k); ";
    let compiled = compiled(&format!("{STATE}{made} return <button onClick={{make(2)}}>{{n}}{{s}}{{d}}</button> }}"));
    assert_eq!(
        codes(&compiled).iter().filter(|code| code.contains("handler")).count(),
        0,
        "a function that makes handlers is meant to be called: {:?}",
        compiled.diagnostics
    );
}

#[test]
fn forgotten_words_are_supplied() {
    let text = app("return\n  <p>x</p>;", "repaired-return");
    assert_has(
        &text,
        &["return /*#__PURE__*/", "jsx"].map(|part| if part.starts_with("return") { "return" } else { part }),
    );
    assert!(!text.contains("return;"), "{text}");
    let text = app("return <ul>{a.map((x) => { <li key={x}>{x}</li> })}</ul>;", "repaired-return");
    assert_has(&text, &["a.map((x)=>{ $i.$loop(); return"]);
    let text = app("const go = () => { await a(); }; return <p onClick={go}>x</p>;", "repaired-async");
    assert_has(&text, &["async ()=>{ await a()"]);
    assert_has(&app("return <p>{a ?? b || c}</p>;", "repaired-parentheses"), &["(a ?? b) || c"]);
    let waits = compiled("export default async function App() { return <p/>; }");
    assert_eq!(codes(&waits), ["repaired-async"]);
    assert!(!parts(&waits, "App").1.contains("async"));
}

#[test]
fn modules_of_node_become_modules() {
    let compiled = compiled(
        "const { useState: state } = require('react');\nfunction App() { const [a] = state(0); return <p>{a}</p>; }\nmodule.exports = App;",
    );
    assert_eq!(codes(&compiled), ["repaired-import", "repaired-export"]);
    assert_eq!(compiled.imports["react"].names, ["useState"]);
    assert!(compiled.state.cells["$default"].ends_with("$.$default = $.App;"));
}

#[test]
fn of_several_default_exports_app_is_shown_else_the_last() {
    let one =
        compiled("export default function App() { return <p/> }\nexport default function Footer() { return <b/> }");
    assert!(one.state.cells["$default"].ends_with("$.$default = $.App;"));
    assert_eq!((codes(&one), one.diagnostics[0].line), (vec!["repaired-default-export"], 2));
    let two = compiled("export default function A() { return <p/> }\nexport default function B() { return <b/> }");
    assert!(two.state.cells["$default"].ends_with("$.$default = $.B;"));
    let same = compiled("export default function A() { return <p/> }\nexport default A;");
    assert_eq!(codes(&same), Vec::<&str>::new());
}

#[test]
fn a_component_that_there_is_not_shows_what_it_holds() {
    let compiled = compiled("export default () => <Shelf><p>x</p></Shelf>;");
    assert_eq!(codes(&compiled), ["unresolved-name"]);
    assert!(parts(&compiled, "Shelf").1.contains("props.children ??"));
}

#[test]
fn what_a_stream_ends_with_is_what_was_mended_at_the_end() {
    for source in [
        "export default function App() {\n  return (\n    <h1 class=\"a\">x</h1>\n    <p style=\"color: red\">y</p>\n    <i>{50.toFixed(2)}</i>\n  );\n}\n",
        "export default function App() {\n  return <h1>x</h1>\n    <p>y</p>;\n}\nconst after = 1;\n",
        "export default function App() {\n  const f = [1, (2;\n  return <p><input title={f.map((x) => x />{(<b>a</b> <i>b</i>)}</p>;\n}\n",
        "export default function App() {\n  return <p>{[1].map((x) => { <b>{x}</b> })}</p>;\n}\n",
    ] {
        let mut stream = ArtifactStream::new(options(), None);
        for c in source.chars() {
            stream.push(c.encode_utf8(&mut [0; 4]));
            stream.frame(false);
        }
        let before = stream.state().clone();
        let step = stream.frame(true);
        let errors: Vec<_> = step.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
        assert!(step.ok && errors.is_empty(), "{source}: {errors:?}");
        assert!(stream.state().cells.contains_key("App"), "{source}");
        assert_eq!(before.cells["App"], stream.state().cells["App"], "{source}");
        assert_eq!(stream.state(), &compiled(source).state, "{source}");
    }
}

#[test]
fn two_roots_show_while_they_are_written() {
    let mut stream = ArtifactStream::new(options(), None);
    stream.push("export default function App() {\n  return (\n    <h1>first</h1>\n    <p>sec");
    stream.frame(false);
    let text = &stream.state().cells["App"];
    assert!(text.contains("first") && text.contains("sec") && text.contains("Fragment"), "{text}");
}
