//! Compiles a module into cells: one a top-level statement, on one scope object, with imports as lookups in a table.
//!
//! The text of a cell is the body of `function($, $i, $c, $k) { … }`: `$` holds the module's top-level names, `$i` what it
//! imports, `$c(name, signature, function)` makes a component's stable proxy, `$k(name, hash, make, argument)` keeps a
//! value by name and hash. Nothing is linked by the browser: a name that is missing costs what uses it and no more.

mod cells;
mod deps;
mod emit;
mod globals;
mod guard;
mod hash;
mod imports;
pub mod library;
mod link;
mod lint;
mod lower;
mod names;
mod parse;
mod refs;
mod rewrite;
mod signature;
mod surface;
mod syntax;
mod unit;

use crate::kit_names::KitNames;
use crate::source_map::SourceMaps;
use crate::tailwind;
use link::{Extent, Placed};
use lint::Finding;
use lower::Marks;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use swc_common::{GLOBALS, Globals, Spanned};
use ui4a_types::diagnostic::position;
use ui4a_types::frame::FrameState;
use ui4a_types::{Diagnostic, ImportUse, Kind};

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// The language of the source.
    pub kind: Kind,
    /// The names that our own packages export.
    pub kit: Arc<KitNames>,
}

/// A compiled source.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// What the sandbox shows. Empty when `ok` is false.
    pub state: FrameState,
    /// What is imported, by specifier as the sandbox looks it up.
    pub imports: BTreeMap<String, ImportUse>,
    /// Everything that was found, in the positions of the model's source, in their order.
    pub diagnostics: Vec<Diagnostic>,
    /// From positions in cells to positions in the source.
    pub map: SourceMaps,
    /// Whether there is something to show. A source that parses only once it is completed is shown as well.
    pub ok: bool,
}

/// Source longer than this many bytes is not compiled.
pub const LONGEST_SOURCE: usize = 2 * 1024 * 1024;

/// Compiles a whole source.
pub fn compile(source: &str, options: &Options) -> Compiled {
    match options.kind {
        Kind::Tsx => Compiler::new().compile(source, options, true),
        Kind::Html | Kind::Svg | Kind::Markdown => crate::html::compile(source, options.kind, true),
    }
}

/// A compiler that keeps what it made of each statement, for the next time it sees the same text.
pub(crate) struct Compiler {
    globals: Globals,
    inner: Inner,
}

struct Inner {
    marks: Marks,
    items: HashMap<String, lower::Item>,
}

impl Compiler {
    pub fn new() -> Self {
        let globals = Globals::new();
        let marks = GLOBALS.set(&globals, Marks::new);
        Self { globals, inner: Inner { marks, items: HashMap::new() } }
    }

    /// Compiles a module, or with `whole` false what there is of one.
    pub fn compile(&mut self, source: &str, options: &Options, whole: bool) -> Compiled {
        if source.len() > LONGEST_SOURCE {
            return Compiled { diagnostics: vec![syntax::too_long(source.len(), LONGEST_SOURCE)], ..Compiled::default() };
        }
        let Self { globals, inner } = self;
        GLOBALS.set(globals, || inner.compile(source, options, whole))
    }
}

impl Inner {
    fn compile(&mut self, source: &str, options: &Options, whole: bool) -> Compiled {
        let mut findings = Vec::new();
        let mut text = source.to_owned();
        let mut parsed = None;
        if whole {
            let first = parse::parse(source, true);
            findings.extend(syntax::findings(source, &first.errors));
            parsed = Some(first).filter(|parsed| parsed.module.is_some());
        }
        let parsed = match parsed {
            Some(parsed) => parsed,
            None => {
                text = completed(source);
                parse::parse(&text, true)
            }
        };
        let intact = common_prefix(source, &text);
        let extent = Extent { whole, intact };
        let Some(module) = parsed.module else {
            return Compiled { diagnostics: report(source, intact, findings), ..Compiled::default() };
        };
        let mut placed = self.place(module.body, &text);
        let mut linked = link::link(&mut placed, &options.kit, self.marks, extent);
        findings.append(&mut linked.findings);
        findings.append(&mut linked.imports.findings);
        for placed in placed.iter().filter(|placed| whole || placed.end <= intact) {
            findings.extend(placed.item.findings.iter().cloned().map(|mut finding| {
                finding.at = (placed.start + finding.at.0, placed.start + finding.at.1);
                finding
            }));
        }
        if whole {
            findings.extend(lint::elided(&text, &parsed.comments));
        }
        let cells = cells::cells(&placed, &linked, if whole { u32::MAX } else { intact });
        let mut state = cells.state;
        state.css = tailwind::css(&tailwind::classes(&text));
        let at = |offset: u32| position(source, offset.min(intact) as usize);
        let compiled = Compiled {
            state,
            imports: linked.imports.uses(at),
            diagnostics: report(source, intact, findings),
            map: SourceMaps::new(source, intact, cells.maps),
            ok: true,
        };
        self.keep(placed, &text);
        compiled
    }

    /// Lowers the statements that were not seen before.
    fn place(&mut self, body: Vec<swc_ecma_ast::ModuleItem>, text: &str) -> Vec<Placed> {
        body.into_iter()
            .filter_map(|item| {
                let (start, end) = parse::range(item.span());
                let own = text.get(start as usize..end as usize)?;
                let item = self.items.remove(own).unwrap_or_else(|| lower::lower(item, own, self.marks));
                Some(Placed { start, end, item })
            })
            .collect()
    }

    /// Keeps this frame's statements and forgets those before.
    fn keep(&mut self, placed: Vec<Placed>, text: &str) {
        self.items.clear();
        for Placed { start, end, item } in placed {
            if let Some(own) = text.get(start as usize..end as usize) {
                self.items.insert(own.to_owned(), item);
            }
        }
    }
}

/// The nearest whole module to a prefix of one.
fn completed(source: &str) -> String {
    source.to_owned()
}

/// How many bytes two texts share from the start.
fn common_prefix(a: &str, b: &str) -> u32 {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count() as u32
}

/// Findings as diagnostics in the model's source, in the order of their places.
fn report(source: &str, intact: u32, mut findings: Vec<Finding>) -> Vec<Diagnostic> {
    findings.sort_by_key(|finding| finding.at);
    findings.dedup_by(|a, b| a.at == b.at && a.diagnostic.code == b.diagnostic.code && a.diagnostic.message == b.diagnostic.message);
    findings
        .into_iter()
        .map(|Finding { diagnostic, at: (start, end) }| {
            if start == u32::MAX {
                return diagnostic;
            }
            diagnostic.at(source, start.min(intact) as usize, end.min(intact) as usize)
        })
        .collect()
}

/// The specifiers that a module script imports, with the names it takes and the specifier's byte offset.
pub(crate) fn module_specifiers(source: &str) -> Vec<(String, Vec<String>, u32)> {
    let Some(module) = parse::parse(source, false).module else { return Vec::new() };
    let mut found = Vec::new();
    for item in module.body {
        let start = item.span().lo.0;
        let (base, _) = parse::range(item.span());
        if let (surface::Surface { import: Some(import), .. }, _) = surface::split(item, start) {
            let names = import.bindings.iter().map(|binding| binding.imported.to_string()).collect();
            found.push((import.specifier.to_string(), names, base + import.at.0));
        }
    }
    found
}
