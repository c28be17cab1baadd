//! From a position in a cell to the model's source.

use crate::cells::compiled;
use ui4a_renderer::SourceMaps;

/// Line and column, from 1, of `needle` in `text`.
fn place(text: &str, needle: &str) -> (u32, u32) {
    let at = text.find(needle).unwrap_or_else(|| panic!("{needle} in {text}"));
    let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    (text[..at].matches('\n').count() as u32 + 1, text[line_start..at].encode_utf16().count() as u32 + 1)
}

#[test]
fn names_are_found_where_the_model_wrote_them() {
    let source = "const label = \"😀\";\nexport default function App() {\n  const shown = label.toUpperCase();\n  return <p>{shown.missing.deep}</p>;\n}\n";
    let compiled = compiled(source);
    let cell = &compiled.state.cells["App"];
    for needle in ["toUpperCase", "shown.missing", "deep"] {
        let (line, column) = place(cell, needle);
        assert_eq!(compiled.map.locate("App", line, column), Some(place(source, needle)), "{needle}");
    }
    let (line, column) = place(&compiled.state.cells["label"], "\"😀\"");
    assert_eq!(compiled.map.locate("label", line, column), Some((1, 15)));
    assert_eq!(compiled.map.locate("App", 0, 1), None);
    assert_eq!(compiled.map.locate("nothing", 1, 1), None);
}

#[test]
fn a_map_survives_being_stored() {
    let compiled = compiled("export default () => <p>{1}</p>");
    let stored = serde_json::to_string(&compiled.map).expect("serialises");
    assert_eq!(serde_json::from_str::<SourceMaps>(&stored).expect("parses"), compiled.map);
}
