//! Sources that nest deeper than a stack: refused with a word, whatever they nest, and never the end of the process.

use crate::cells::options;
use ui4a_renderer::{ArtifactStream, compile};
use ui4a_types::Severity;

fn nested(unit: (&str, &str, &str), count: usize) -> String {
    format!("const a = {}{}{};", unit.0.repeat(count), unit.1, unit.2.repeat(count))
}

const UNITS: [(&str, &str, &str); 12] = [
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("{a:", "1", "}"),
    ("<b>", "x", "</b>"),
    ("`${", "1", "}`"),
    ("!", "1", ""),
    ("b?1:", "1", ""),
    ("b=", "1", ""),
    ("()=>", "1", ""),
    ("b", "", ".c"),
    ("b", "", "()"),
    ("b+", "b", ""),
];

#[test]
fn no_depth_ends_the_process() {
    for unit in UNITS {
        for count in [4_000, 60_000] {
            let source = nested(unit, count);
            let compiled = compile(&source, &options());
            assert!(!compiled.ok, "{unit:?}");
            assert!(
                compiled.diagnostics.iter().any(|found| matches!(found.code.as_str(), "too-deep" | "syntax-error")),
                "{unit:?} {:?}",
                compiled.diagnostics
            );
            let mut stream = ArtifactStream::new(options(), None);
            stream.push("export default function App() { return <p>good</p> }\n");
            stream.frame(false);
            stream.push(&source);
            assert!(stream.frame(false).ok && stream.frame(true).ok, "{unit:?}: the good frame stays");
        }
    }
}

#[test]
fn what_an_interface_nests_is_compiled_on_a_small_stack() {
    let small = std::thread::Builder::new().stack_size(1 << 20).spawn(|| {
        for unit in UNITS {
            let compiled = compile(&nested(unit, 120), &options());
            assert!(compiled.ok, "{unit:?} {:?}", compiled.diagnostics);
        }
    });
    small.expect("a thread").join().expect("no panic");
}

#[test]
fn a_long_module_is_compiled_in_pieces() {
    let row = "const rowN = { id: N, name: `item ${N}`, tags: [1, 2, 3], view: <li key={N}>{N} of many</li> };\n";
    let mut source: String = (0..6_000).map(|n| row.replace('N', &n.to_string())).collect();
    source.push_str("export default function App() { return <ul>{row0.view}{row5999.view}</ul> }\n");
    let compiled = compile(&source, &options());
    let errors = compiled.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    assert!(compiled.ok && errors == 0, "{:?}", compiled.diagnostics.first());
    assert_eq!(compiled.state.order.len(), 6_002);
}
