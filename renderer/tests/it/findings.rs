//! What is said about a source, and where.

use crate::cells::{compiled, options};
use ui4a_renderer::check;
use ui4a_types::Severity;

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
    let error = &compiled.diagnostics[0];
    assert_eq!((error.code.as_str(), error.severity, error.line), ("syntax-error", Severity::Error, 4));
    assert_eq!(error.message, "<span> is not closed");
    assert_eq!(error.help.as_deref(), Some("<span> was opened on line 3; write </span>"));
    assert!(!check(source, &options()).ok);
}

#[test]
fn a_bracket_that_is_not_closed_is_said_where_it_was_opened() {
    let compiled = compiled("export default function App() {\n  const a = [1, 2;\n  return <p>{a}</p>;\n}");
    assert_eq!(compiled.diagnostics[0].line, 2);
    assert_eq!(compiled.diagnostics[0].help.as_deref(), Some("“[” was opened on line 2"));
}

#[test]
fn columns_are_utf16_units_of_the_model_s_source() {
    assert_eq!(found("export default () => <p title=\"😀😀\">{nowhere}</p>"), [("unresolved-name".into(), 1, 39)]);
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
                  const Fine = () => { const [a] = useFine(); return <p>{a}</p> };";
    assert_eq!(
        found(source),
        [
            ("hook-outside-component".into(), 2, 15),
            ("conditional-hook".into(), 4, 11),
            ("hook-in-callback".into(), 5, 20),
            ("conditional-hook".into(), 7, 16),
        ]
    );
}

#[test]
fn elided_code_is_found_and_plain_comments_are_not() {
    let source = "// The rest of the day\n/* Same as before: the chart */\nexport default () => <p>{/* ... other rows */}</p>;\n// ... rest of the code";
    assert_eq!(
        found(source),
        [("elided-code".into(), 2, 1), ("elided-code".into(), 3, 26), ("elided-code".into(), 4, 1)]
    );
}

#[test]
fn network_use_and_idle_buttons_are_hinted() {
    let source = "export default function App() { const load = () => fetch('/api'); const img = () => fetch('data:,x');\n\
                  return <><button>Go</button><button onClick={load}>a</button><form><button>b</button></form><button {...img}>c</button></> }";
    assert_eq!(codes(source), ["network-use", "button-without-handler"]);
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
