//! The kinds that are text: HTML, SVG and Markdown. The sandbox's own parsers read them; here they get a style sheet, and
//! the specifiers of their module scripts are named.

use crate::compile::{Compiled, lint, module_specifiers};
use crate::complete::complete_html;
use crate::tailwind;
use std::collections::BTreeMap;
use ui4a_types::diagnostic::position;
use ui4a_types::frame::FrameState;
use ui4a_types::{ImportUse, Kind};

/// Compiles a text kind, or with `whole` false what there is of it: a tag that is still being written is left out.
pub(crate) fn compile(source: &str, kind: Kind, whole: bool) -> Compiled {
    let text = match kind {
        Kind::Html | Kind::Svg if !whole => complete_html(source).text,
        _ => source.to_owned(),
    };
    let text = text.as_str();
    let mut state = FrameState { text: text.to_owned(), ..FrameState::default() };
    let mut imports = BTreeMap::new();
    if kind == Kind::Html {
        state.css = tailwind::css(&tailwind::classes(text));
        imports = script_imports(text);
    }
    let findings = if whole { lint::elided_document(source) } else { Vec::new() };
    let diagnostics = findings.into_iter().map(|found| found.placed(source)).collect();
    Compiled { state, imports, diagnostics, ok: true, ..Compiled::default() }
}

/// The bare imports of module scripts.
fn script_imports(text: &str) -> BTreeMap<String, ImportUse> {
    let mut imports = BTreeMap::new();
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    while let Some(found) = lower[from..].find("<script") {
        let open = from + found;
        let Some(body) = lower[open..].find('>').map(|end| open + end + 1) else { break };
        let Some(end) = lower[body..].find("</script").map(|end| body + end) else { break };
        let tag = &lower[open..body];
        if tag.contains("module") && !tag.contains("src=") {
            for (specifier, names, at) in module_specifiers(&text[body..end]) {
                let (line, column) = position(text, body + at as usize);
                imports.entry(specifier).or_insert(ImportUse { names, line, column, ..ImportUse::default() });
            }
        }
        from = end;
    }
    imports
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_shown_once_it_is_whole() {
        let shown = |text| compile(text, Kind::Html, false).state.text;
        assert_eq!(shown("<p>Hi</p><div cla"), "<p>Hi</p>");
        assert_eq!(shown("<p>1 < 2"), "<p>1 < 2");
        assert_eq!(shown("<p>Hi</"), "<p>Hi");
        assert_eq!(compile("<p", Kind::Html, true).state.text, "<p");
    }

    #[test]
    fn module_scripts_name_their_imports() {
        let page = "<script>import('x')</script>\n<script type=\"module\">import * as THREE from 'three';</script>";
        let imports = compile(page, Kind::Html, true).imports;
        assert_eq!(imports.len(), 1);
        assert_eq!((imports["three"].line, imports["three"].names.as_slice()), (2, ["*".to_owned()].as_slice()));
    }
}
