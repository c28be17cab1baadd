//! Compiles a module into cells: one a top-level statement, on one scope object, with imports as lookups in a table.
//!
//! The text of a cell is the body of `function($, $i, $c, $k) { … }`: `$` holds the module's top-level names, `$i` what it
//! imports, `$c(name, signature, function)` makes a component's stable proxy, `$k(name, hash, make, argument)` keeps a
//! value by name and hash. Nothing is linked by the browser: a name that is missing costs what uses it and no more.

mod cells;
mod deep;
mod deps;
mod element;
mod emit;
mod globals;
mod graph;
mod guard;
mod hash;
mod imports;
pub mod library;
mod link;
pub(crate) mod lint;
mod live;
mod locals;
mod lower;
mod meaning;
mod names;
mod own_root;
pub(crate) mod parse;
mod refs;
mod repair;
mod rewrite;
mod signature;
pub(crate) mod surface;
pub(crate) mod syntax;
mod unfinished;
mod unit;
mod unused;

pub(crate) use live::{Live, Outcome};

use crate::kit_names::KitNames;
use crate::lines::Lines;
use crate::source_map::SourceMaps;
use crate::tailwind::sheet::Sheet;
use link::{Linker, Placed};
use lint::Finding;
use lower::Marks;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use swc_common::Spanned;
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
    /// Import statements that the source lacks and that are supplied.
    pub supplied: Vec<String>,
    /// Whether there is something to show. A source that parses only once it is completed is shown as well.
    pub ok: bool,
}

/// Source longer than this many bytes is not compiled.
pub const LONGEST_SOURCE: usize = 2 * 1024 * 1024;

/// Compiles a whole source.
pub fn compile(source: &str, options: &Options) -> Compiled {
    match options.kind {
        Kind::Tsx => Live::new().whole(source, options),
        Kind::Html | Kind::Svg | Kind::Markdown => crate::html::compile(source, options.kind),
    }
}

/// Compiles a whole module; statements whose text is among the `known` are not lowered again.
fn whole(source: &str, options: &Options, marks: Marks, known: &[Placed]) -> Compiled {
    if source.len() > LONGEST_SOURCE {
        return Compiled { diagnostics: vec![syntax::too_long(source.len(), LONGEST_SOURCE)], ..Compiled::default() };
    }
    let repair::Read { parsed, completion, findings: mut own_findings } = repair::read(source);
    if parsed.too_deep && completion.is_none() {
        return Compiled { diagnostics: vec![syntax::too_deep(deep::DEEPEST)], ..Compiled::default() };
    }
    own_findings.extend(lint::oversized(source));
    let completion = completion.as_ref();
    let lines = Lines::of(source);
    let text = completion.map_or(source, |completion| completion.text.as_str());
    let origin = |offset: u32| {
        completion.map_or(offset as usize, |completion| completion.to_source(offset as usize)).min(source.len())
    };
    let at_source = |offset: u32| (offset as usize).min(source.len());
    let Some(module) = parsed.module else {
        own_findings.push(lint::not_run("Names, imports, hooks and controls were", "the source does not parse"));
        let diagnostics = report(source, &lines, at_source, own_findings);
        return Compiled { diagnostics, ..Compiled::default() };
    };
    let known: HashMap<&str, &Placed> = known.iter().map(|placed| (placed.item.text.as_str(), placed)).collect();
    let mut linker = Linker::new(Arc::clone(&options.kit), marks, true);
    let mut sheet = Sheet::default();
    for item in module.body {
        let (start, end) = parse::range(item.span());
        let Some(own) = text.get(start as usize..end as usize) else { continue };
        let placed = match known.get(own) {
            Some(placed) => Placed { start, end, ..(*placed).clone() },
            None => Placed { start, end, item: Arc::new(lower::lower(item, own, marks)), printed: Vec::new() },
        };
        sheet.add(&placed.item.words);
        linker.settle(placed);
    }
    linker.link();
    let mut findings = linker.findings();
    findings.extend(linker.items().iter().flat_map(Placed::findings));
    findings.extend(lint::elided(text, &parsed.comments));
    findings.extend(unused::unused(linker.items(), text, &parsed.comments));
    // What was cut off with the rest is not missing.
    if own_findings.iter().any(|found| found.diagnostic.code == "check-not-run") {
        findings.retain(|found| found.diagnostic.code != "missing-default-export");
    }
    let mut diagnostics = report(source, &lines, origin, findings);
    diagnostics.extend(report(source, &lines, at_source, own_findings));
    diagnostics.sort_by_key(|found| (found.line == 0, found.line, found.column));
    lint::bound(&mut diagnostics);
    let mut state = FrameState::default();
    linker.patch(&mut state);
    state.css = sheet.css().to_owned();
    let mut imports = linker.imports().uses(|offset| lines.position(source, origin(offset)));
    imports.extend(crate::address::in_module(source, 0));
    Compiled {
        state,
        imports,
        map: SourceMaps::new(source, linker.maps(), |offset| origin(offset) as u32),
        diagnostics,
        supplied: linker.imports().supplied.clone(),
        ok: true,
    }
}

/// Findings as diagnostics in the model's source, in the order of their places. `origin` leads from offsets in the
/// compiled text to offsets in the source.
fn report(source: &str, lines: &Lines, origin: impl Fn(u32) -> usize, mut findings: Vec<Finding>) -> Vec<Diagnostic> {
    findings.sort_by_key(|finding| finding.at);
    findings.dedup_by(|a, b| {
        a.at == b.at && a.diagnostic.code == b.diagnostic.code && a.diagnostic.message == b.diagnostic.message
    });
    findings
        .into_iter()
        .map(
            |Finding { diagnostic, at: (start, end) }| {
                if start == u32::MAX { diagnostic } else { lines.place(diagnostic, source, origin(start), origin(end)) }
            },
        )
        .collect()
}

/// The tree of a module that parses.
pub(crate) fn syntax_tree(source: &str) -> Option<swc_ecma_ast::Module> {
    parse::parse(source, true).module
}

pub(crate) use parse::range as byte_range;
