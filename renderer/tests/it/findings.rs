//! What is said about a source, and where.

use crate::cells::{compiled, options};
use ui4a_renderer::{Options, check, compile};
use ui4a_types::{Kind, Severity};

/// Codes with their lines and columns.
fn found(source: &str) -> Vec<(String, u32, u32)> {
    compiled(source).diagnostics.into_iter().map(|found| (found.code, found.line, found.column)).collect()
}

fn codes(source: &str) -> Vec<String> {
    found(source).into_iter().map(|(code, ..)| code).collect()
}

#[test]
fn an_element_that_is_not_closed_is_shown_closed_and_said_where_it_was_opened() {
    let source = "export default function App() {\n  return <div>\n    <span>hi\n  </div>;\n}";
    let compiled = compiled(source);
    assert!(compiled.ok);
    let found = &compiled.diagnostics[0];
    assert_eq!((found.code.as_str(), found.severity, found.line), ("repaired-element", Severity::Warning, 4));
    assert_eq!(found.message, "<span> is not closed; it is closed here");
    assert_eq!(found.help.as_deref(), Some("Write </span> at its place: <span>, opened on line 3, column 5"));
    assert!(check(source, &options()).ok, "it is shown, so it is no error");
}

#[test]
fn a_bracket_that_is_not_closed_is_said_where_it_was_opened() {
    let compiled = compiled("export default function App() {\n  const a = [1, 2;\n  return <p>{a}</p>;\n}");
    let found = &compiled.diagnostics[0];
    assert_eq!((found.code.as_str(), found.line), ("repaired-bracket", 2));
    assert_eq!(found.help.as_deref(), Some("Write ]: “[”, opened on line 2, column 13"));
}

#[test]
fn what_cannot_be_mended_is_said_with_what_is_open_around_it() {
    let source = "export default function App() {\n  const a = {\n    b: 1 c: 2 };\n  return <p>{a.b}</p>;\n}";
    let compiled = compiled(source);
    let found = &compiled.diagnostics[0];
    assert_eq!((found.code.as_str(), found.severity, found.line), ("syntax-error", Severity::Error, 3));
    assert_eq!(found.help.as_deref(), Some("Inside “{”, opened on line 2, column 13"));
    let last = compiled.diagnostics.last().expect("a hint");
    assert_eq!((last.code.as_str(), last.severity), ("check-not-run", Severity::Hint), "what was not judged is said");
}

#[test]
fn a_number_with_a_method_is_not_taken_for_an_element_that_is_open() {
    let source = "export default () => <Card title={`${3 * 50.toFixed(2)}`}>a</Card>;";
    let compiled = compiled(source);
    let repaired = compiled.diagnostics.iter().find(|found| found.code == "repaired-number").expect("a repair");
    assert_eq!((repaired.line, repaired.column), (1, 45));
    assert!(compiled.state.cells["$default"].contains("50..toFixed(2)"), "{:?}", compiled.state.cells);
}

#[test]
fn a_source_that_ends_early_says_inside_what() {
    let source = "export default function App() {\n  return (\n    <main>\n      <p>abc";
    let compiled = compiled(source);
    assert!(compiled.ok, "what there is, is shown");
    let found = &compiled.diagnostics[0];
    assert_eq!((found.code.as_str(), found.severity, found.line), ("truncated", Severity::Error, 4));
    assert_eq!(found.message, "The source ends inside <p>, opened on line 4, column 7");
    let help = found.help.as_deref().unwrap_or_default();
    assert!(help.contains("<main>, opened on line 3, column 5"), "{help}");
}

#[test]
fn columns_are_utf16_units_of_the_model_s_source() {
    assert_eq!(found("export default () => <p title=\"😀😀\">{nowhere}</p>"), [("unresolved-name".into(), 1, 39)]);
}

#[test]
fn places_after_a_repair_are_the_model_s() {
    let source = "export default function App() {\n  return (\n    <p>a < b > c</p>\n    <i>{nowhere}</i>\n  );\n}";
    let unresolved = found(source).into_iter().find(|(code, ..)| code == "unresolved-name");
    assert_eq!(unresolved, Some(("unresolved-name".into(), 4, 9)));
}

#[test]
fn hooks_out_of_place_are_found() {
    let source = "import { useState, useEffect } from 'react';\n\
                  const [top] = useState(0);\n\
                  export default function App({ on }) {\n\
                  if (on) { useState(1) }\n\
                  const go = () => { useEffect(() => {}) };\n\
                  if (!on) return null;\n\
                  const [late] = useState(2);\n\
                  return <p onClick={go}>{late}{top}</p>;\n}\n\
                  function useFine() { return useState(0) }\n\
                  const Fine = () => { const [a] = useFine(); return <p>{a}</p> };\n\
                  function plain() { return useState(0) }";
    assert_eq!(
        found(source),
        [
            ("hook-outside-component".into(), 2, 15),
            ("conditional-hook".into(), 4, 11),
            ("hook-in-callback".into(), 5, 20),
            ("conditional-hook".into(), 7, 16),
            ("hook-in-function".into(), 12, 27),
        ]
    );
}

#[test]
fn the_nearest_names_are_those_of_the_function_around_and_of_its_props() {
    let help = |source: &str| {
        let compiled = compiled(source);
        let found = compiled.diagnostics.iter().find(|found| found.code == "unresolved-name").expect("a finding");
        found.help.clone().unwrap_or_default()
    };
    let local = "export default function App({ title }) { const selectedPlan = title; return <p>{selectdPlan}</p> }\nconst other = () => { const selectdPlans = 1; return selectdPlans };";
    assert_eq!(help(local), "Nearest: selectedPlan");
    assert_eq!(help("export default ({ title, rows }) => <p>{titel}{rows}</p>"), "Nearest: title");
    assert!(help("export default function App(props) { return <p>{label}</p> }").contains("props.label"));
}

#[test]
fn elided_code_is_found_and_plain_comments_are_not() {
    // Field case A14: the answer ends normally, and code is missing all the same.
    let source = "// The rest of the day\n/* Same as before: the chart */\nexport default () => <p>{/* ... other rows */}</p>;\n// ... rest of the code";
    assert_eq!(
        found(source),
        [("elided-code".into(), 2, 1), ("elided-code".into(), 3, 26), ("elided-code".into(), 4, 1)]
    );
    let page = "<main>\n<!-- ... rest of the page unchanged -->\n<script>\n// same as before\n</script></main>";
    let found = compile(page, &Options { kind: Kind::Html, ..options() }).diagnostics;
    let lines: Vec<(&str, u32)> = found.iter().map(|found| (found.code.as_str(), found.line)).collect();
    assert_eq!(lines, [("elided-code", 2), ("elided-code", 4)]);
    assert!(found.iter().all(|found| found.severity == Severity::Warning));
}

#[test]
fn network_use_and_idle_buttons_are_told() {
    let source = "export default function App() { const load = () => fetch('/api'); const img = () => fetch('data:,x');\n\
                  return <><button>Go</button><button onClick={load}>a</button><form onSubmit={load}><button>b</button></form><button {...img}>c</button></> }";
    assert_eq!(codes(source), ["network-use", "button-without-handler"]);
}

#[test]
fn controls_that_do_something_are_not_told() {
    let source = "import { useState } from 'react';\nexport default function App() { const [v, setV] = useState('');\n\
                  const save = (e) => e.preventDefault();\n\
                  return <form onSubmit={save}>\n\
                  <input value={v} onChange={(e) => setV(e.target.value)} />\n\
                  <input type=\"hidden\" value=\"1\" /><input type=\"radio\" value=\"a\" name=\"r\" />\n\
                  <input defaultValue=\"x\" /><input value={v} readOnly />\n\
                  <a href=\"#top\">up</a><a href=\"#\" onClick={save}>act</a><a id=\"here\">here</a>\n\
                  <button type=\"button\" onClick={save}>x</button><button>submit</button>\n\
                  <label><button>in a label</button></label></form> }";
    assert_eq!(codes(source), Vec::<String>::new());
}

#[test]
fn data_that_is_too_much_is_told_with_its_limit() {
    let rows = "1,".repeat(600);
    let text = "x".repeat(40_000);
    let source = format!(
        "const rows = [{rows}];\nconst picture = \"{text}\";\nexport default () => <p title={{picture}}>{{rows.length}}</p>"
    );
    assert_eq!(found(&source), [("oversized-data".into(), 1, 14), ("oversized-data".into(), 2, 17)]);
    let long = format!("const a = 1;\n{}export default () => <p>{{a}}</p>", "// a long comment\n".repeat(12_000));
    assert_eq!(codes(&long), ["oversized-source"]);
}

#[test]
fn lists_objects_and_markup_are_judged() {
    let source = "const o = { a: 1, b: 2, a: 3 };\n\
                  export default function App({ rows }) {\n\
                  return <ul>{rows.map((r) => <li>{r}</li>)}\n\
                  {rows.map((r) => <li key={r}>{r}{o.a}</li>)}\n\
                  <li dangerouslySetInnerHTML={{ __html: rows[0] }} /><li dangerouslySetInnerHTML={{ __html: '<b>x</b>' }} />\n\
                  {rows.map((r) => { return <><b>{r}</b></> })}</ul> }";
    assert_eq!(
        found(source),
        [
            ("duplicate-key".into(), 1, 25),
            ("missing-key".into(), 3, 29),
            ("unsafe-html".into(), 5, 5),
            ("missing-key".into(), 6, 27),
        ]
    );
}

#[test]
fn what_renders_without_end_or_not_at_all_is_told() {
    let source = "import { useState, useEffect } from 'react';\n\
                  export default function App() { const [n, setN] = useState(0);\n\
                  setN(1);\n\
                  useEffect(() => { setN(n + 1) });\n\
                  useEffect(async () => { setN(2) }, []);\n\
                  const Row = () => <b>{n}</b>;\n\
                  if (n > 3) setN(0);\n\
                  return <p><Row/></p>;\n}";
    assert_eq!(codes(source), ["state-set-in-render", "endless-effect", "async-effect", "component-in-component"]);
}

#[test]
fn imports_that_nothing_uses_are_told_and_types_are_not() {
    let source = "import React, { useState, useMemo, FC } from 'react';\nimport { Card as Box } from '$ui4a/ui';\n// useMemo is not used\nconst App: FC = () => <p>{useState}</p>;\nexport default App;";
    assert_eq!(found(source), [("unused-import".into(), 1, 27), ("unused-import".into(), 2, 10)]);
}

#[test]
fn findings_without_end_are_bounded_and_the_worst_are_kept() {
    let rows: String = (0..400).map(|n| format!("<i>{{rows.map((r) => <b>{{r}}</b>)}}{{none{n}}}</i>\n")).collect();
    let source = format!("export default function App({{ rows }}) {{ return <p>\n{rows}</p> }}");
    let found = compiled(&source).diagnostics;
    assert_eq!(found.len(), 201);
    assert_eq!(found.iter().filter(|found| found.severity == Severity::Error).count(), 100);
    assert_eq!(found.last().map(|found| found.code.as_str()), Some("more-findings"));
}

#[test]
fn a_module_without_a_default_export_shows_what_it_can() {
    assert_eq!(codes("function App() { return <p/> }"), ["missing-default-export"]);
    let other = compiled("const Chart = () => <p/>; function helper() {}");
    assert!(other.state.cells["$default"].ends_with("$.$default = $.Chart;"));
    assert_eq!(other.diagnostics[0].severity, Severity::Warning);
    let none = compiled("const a = 1;");
    assert_eq!(none.diagnostics[0].severity, Severity::Error);
    assert!(!none.state.cells.contains_key("$default"));
}

#[test]
fn a_good_module_gives_no_findings() {
    assert_eq!(codes(include_str!("fixtures/dashboard.tsx")), Vec::<String>::new());
    assert_eq!(codes(include_str!("fixtures/sample.tsx")), Vec::<String>::new());
}

/// What is rightly said of modules that show what models get wrong.
const RIGHTLY: [(&str, &str); 3] = [
    ("self-mounting.tsx", "own-root"),
    ("self-mounting.tsx", "missing-default-export"),
    ("shadcn-profile.tsx", "button-without-handler"),
];

/// Good modules of all kinds: whatever is said of them beyond hints would be wrong.
#[test]
fn good_modules_are_not_blamed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/corpus/tsx");
    let mut blamed = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        let source = std::fs::read_to_string(&path).expect("a module");
        let kit = std::sync::Arc::new(ui4a_renderer::KitNames::new(ui4a_web::kit::manifest()));
        for found in compile(&source, &Options { kind: Kind::Tsx, kit }).diagnostics {
            let right = path.file_name().is_some_and(|name| RIGHTLY.contains(&(&name.to_string_lossy(), &found.code)));
            if found.severity != Severity::Hint && !right {
                blamed.push(format!("{}:{}: {} {}", path.display(), found.line, found.code, found.message));
            }
        }
    }
    assert!(blamed.is_empty(), "{}", blamed.join("\n"));
}
