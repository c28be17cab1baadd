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
mod own_root;
mod parse;
mod refs;
mod rewrite;
mod signature;
mod surface;
mod syntax;
mod unit;

use crate::complete::{Completion, repair};
use crate::kit_names::KitNames;
use crate::source_map::SourceMaps;
use crate::tailwind;
use link::{Extent, Placed};
use lint::Finding;
use lower::Marks;
use std::collections::{BTreeMap, BTreeSet, HashMap};
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
        Kind::Tsx => Compiler::new().whole(source, options),
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
    /// The classes last seen and their style sheet.
    css: (BTreeSet<String>, String),
}

impl Compiler {
    pub fn new() -> Self {
        let globals = Globals::new();
        let marks = GLOBALS.set(&globals, Marks::new);
        Self { globals, inner: Inner { marks, items: HashMap::new(), css: Default::default() } }
    }

    /// Compiles a whole module.
    pub fn whole(&mut self, source: &str, options: &Options) -> Compiled {
        self.run(source, options, None)
    }

    /// Compiles what there is of a module that is still being written.
    pub fn part(&mut self, source: &str, options: &Options, completion: Completion) -> Compiled {
        self.run(source, options, Some(completion))
    }

    fn run(&mut self, source: &str, options: &Options, completion: Option<Completion>) -> Compiled {
        if source.len() > LONGEST_SOURCE {
            return Compiled {
                diagnostics: vec![syntax::too_long(source.len(), LONGEST_SOURCE)],
                ..Compiled::default()
            };
        }
        let Self { globals, inner } = self;
        GLOBALS.set(globals, || inner.compile(source, options, completion))
    }
}

impl Inner {
    fn compile(&mut self, source: &str, options: &Options, mut completion: Option<Completion>) -> Compiled {
        let whole = completion.is_none();
        let mut findings = Vec::new();
        let mut parsed = None;
        if whole {
            let first = parse::parse(source, true);
            findings.extend(syntax::findings(source, &first.errors, first.module.is_none()));
            parsed = Some(first).filter(|parsed| parsed.module.is_some());
            if parsed.is_none() {
                // What the model forgot to close is closed for it: the error stays, and the rest is shown.
                completion = Some(repair(source));
            }
        }
        let text = completion.as_ref().map_or(source, |completion| completion.text.as_str());
        let parsed = parsed.unwrap_or_else(|| parse::parse(text, true));
        let diagnose = |findings| report(source, completion.as_ref(), findings);
        let Some(module) = parsed.module else {
            return Compiled { diagnostics: diagnose(findings), ..Compiled::default() };
        };
        let settled = completion
            .as_ref()
            .filter(|_| !whole)
            .map_or(u32::MAX, |completion| completion.to_text(completion.settled).min(completion.appended_at) as u32);
        let extent = Extent { whole, settled };
        let mut placed = self.place(module.body, text);
        let mut linked = link::link(&mut placed, &options.kit, self.marks, extent);
        findings.append(&mut linked.findings);
        findings.append(&mut linked.imports.findings);
        for placed in placed.iter().filter(|placed| placed.end <= settled) {
            findings.extend(placed.item.findings.iter().cloned().map(|mut finding| {
                finding.at = (placed.start + finding.at.0, placed.start + finding.at.1);
                finding
            }));
        }
        if whole {
            findings.extend(lint::elided(text, &parsed.comments));
        }
        let cells = cells::cells(&placed, &linked, settled);
        let mut state = cells.state;
        state.css = self.css(text);
        let origin = |offset: u32| origin(source, completion.as_ref(), offset);
        let compiled = Compiled {
            state,
            imports: linked.imports.uses(|offset| position(source, origin(offset) as usize)),
            map: SourceMaps::new(source, cells.maps, origin),
            diagnostics: diagnose(findings),
            ok: true,
        };
        self.keep(placed, text);
        compiled
    }

    /// The style sheet of the classes in a text.
    fn css(&mut self, text: &str) -> String {
        let classes = tailwind::classes(text);
        if self.css.0 != classes {
            let css = tailwind::css(&classes);
            self.css = (classes, css);
        }
        self.css.1.clone()
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

/// The source offset that an offset in the compiled text stands for.
fn origin(source: &str, completion: Option<&Completion>, offset: u32) -> u32 {
    completion.map_or(offset as usize, |completion| completion.to_source(offset as usize)).min(source.len()) as u32
}

/// Findings as diagnostics in the model's source, in the order of their places.
fn report(source: &str, completion: Option<&Completion>, mut findings: Vec<Finding>) -> Vec<Diagnostic> {
    findings.sort_by_key(|finding| finding.at);
    findings.dedup_by(|a, b| {
        a.at == b.at && a.diagnostic.code == b.diagnostic.code && a.diagnostic.message == b.diagnostic.message
    });
    findings
        .into_iter()
        .map(|Finding { diagnostic, at: (start, end) }| {
            if start == u32::MAX {
                return diagnostic;
            }
            let at = |offset| origin(source, completion, offset) as usize;
            diagnostic.at(source, at(start), at(end))
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
