//! The kinds that are text: HTML, SVG and Markdown. The sandbox's own parsers read them; here every address of another
//! place becomes a token that says which stored file takes its place, scripts that no browser reads are compiled, and a
//! style sheet is made of the classes.
//!
//! What is written of a document only grows: a token depends on its address alone, and an element is only touched when it
//! is whole. Knows nothing of where files are stored.

mod css;
mod elements;
mod map;
mod scan;
mod script;
mod scripts;
mod tailwindy;

use crate::compile::{Compiled, lint};
use crate::complete::complete_html;
use crate::source_map::SourceMaps;
use crate::tailwind;
use map::Assembly;
use scan::tags;
use script::{Language, Script};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use ui4a_types::diagnostic::position;
use ui4a_types::frame::FrameState;
use ui4a_types::{Diagnostic, ImportUse, Kind};

/// Compiles a whole text kind.
pub(crate) fn compile(source: &str, kind: Kind) -> Compiled {
    TextCompiler::default().compile(source, kind, true)
}

/// A compiler that keeps what it made of each script, for the next time it sees the same text.
#[derive(Default)]
pub(crate) struct TextCompiler {
    /// By language, by how much of an import map stood before it, and by text.
    scripts: HashMap<(Language, usize, String), Arc<Script>>,
    /// The classes last seen and their style sheet.
    css: (BTreeSet<String>, String),
}

/// What is found on the way through a document.
struct Work<'s> {
    source: &'s str,
    out: Assembly<'s>,
    imports: BTreeMap<String, ImportUse>,
    diagnostics: Vec<Diagnostic>,
}

impl Work<'_> {
    /// A specifier or the key of an address, used at a place of the source.
    fn uses(&mut self, key: String, names: Vec<String>, at: usize) {
        let (line, column) = position(self.source, at);
        let used = self.imports.entry(key).or_insert(ImportUse { line, column, ..ImportUse::default() });
        for name in names {
            if !used.names.contains(&name) {
                used.names.push(name);
            }
        }
    }
}

impl TextCompiler {
    /// Compiles a text kind, or with `whole` false what there is of it: what is still being written is left out.
    pub fn compile(&mut self, source: &str, kind: Kind, whole: bool) -> Compiled {
        let end = match kind {
            Kind::Html | Kind::Svg if !whole => complete_html(source).text.len(),
            _ => source.len(),
        };
        let text = &source[..end];
        let mut work = Work { source, out: Assembly::new(text), imports: BTreeMap::new(), diagnostics: Vec::new() };
        let mut css = String::new();
        match kind {
            Kind::Html => {
                let tags = tags(text);
                self.scripts(&mut work, &tags);
                elements::rewrite(&mut work, text, &tags);
                if tailwindy::uses_tailwind(text, &tags) {
                    css = self.css(text);
                }
            }
            Kind::Svg => elements::rewrite(&mut work, text, &tags(text)),
            Kind::Markdown => markdown(&mut work, text),
            Kind::Tsx => {}
        }
        let (out, cells) = work.out.finish();
        if whole {
            work.diagnostics.extend(lint::elided_document(source).into_iter().map(|found| found.placed(source)));
        }
        work.diagnostics.sort_by_key(|found| (found.line, found.column));
        Compiled {
            state: FrameState { text: out, css, ..FrameState::default() },
            imports: work.imports,
            diagnostics: work.diagnostics,
            supplied: Vec::new(),
            map: if whole { SourceMaps::new(source, cells, |offset| offset) } else { SourceMaps::default() },
            ok: true,
        }
    }

    fn css(&mut self, text: &str) -> String {
        let classes = tailwind::classes(text);
        if self.css.0 != classes {
            let css = tailwind::css(&classes);
            self.css = (classes, css);
        }
        self.css.1.clone()
    }
}

/// The module that shows Markdown, and the one that draws its diagrams: fetched when the first one begins.
fn markdown(work: &mut Work<'_>, text: &str) {
    work.uses("$ui4a/ui/markdown".to_owned(), vec!["MarkdownDocument".to_owned()], 0);
    let fence = |line: &str| {
        let line = line.trim_start().trim_start_matches(['`', '~']);
        line.trim().eq_ignore_ascii_case("mermaid")
    };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with(['`', '~']) && fence(line) {
            work.uses("mermaid".to_owned(), vec!["default".to_owned()], at);
        }
        at += line.len();
    }
    elements::markdown_images(work, text);
}

#[cfg(test)]
mod tests;
