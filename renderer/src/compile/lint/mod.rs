//! Findings that one statement, or the text of a module, give by themselves.

mod controls;
mod elided;
mod flow;
mod hooks;
mod lists;
mod network;
mod render;
mod size;

pub(crate) use elided::{elided, elided_document};
pub(crate) use size::oversized;

use super::locals::Locals;
use std::collections::BTreeMap;
use swc_common::Span;
use swc_ecma_ast::ModuleItem;
use ui4a_types::{Diagnostic, Phase, Severity};

/// A diagnostic at byte offsets from the start of its statement (or of the module).
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub diagnostic: Diagnostic,
    pub at: (u32, u32),
}

impl Finding {
    /// A finding without help.
    pub fn new(code: &str, severity: Severity, phase: Phase, message: impl Into<String>, at: (u32, u32)) -> Self {
        Self { diagnostic: Diagnostic::new(code, severity, phase, message), at }
    }

    /// The same finding with advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.help(help);
        self
    }

    /// The diagnostic in its place, where offsets are the source's own.
    pub fn placed(self, source: &str) -> Diagnostic {
        match self.at {
            (u32::MAX, _) => self.diagnostic,
            (start, end) => self.diagnostic.at(source, start as usize, end as usize),
        }
    }

    /// Something about the module as a whole, which has no place.
    pub fn everywhere(code: &str, severity: Severity, phase: Phase, message: impl Into<String>) -> Self {
        Self::new(code, severity, phase, message, (u32::MAX, u32::MAX))
    }
}

/// Everything that is wrong with a statement in itself. `start` is the position of its first byte.
pub(crate) fn statement(item: &ModuleItem, start: u32) -> Vec<Finding> {
    let locals = &Locals::of(item);
    let mut findings = Vec::new();
    hooks::check(item, start, &mut findings);
    render::check(item, start, locals, &mut findings);
    flow::check(item, start, &mut findings);
    lists::check(item, start, &mut findings);
    controls::check(item, start, locals, &mut findings);
    network::check(item, start, &mut findings);
    findings
}

/// Most findings about one module.
const MOST: usize = 200;

/// Leaves out what is beyond [`MOST`], the least bad first, and says so.
pub(crate) fn bound(diagnostics: &mut Vec<Diagnostic>) {
    let more = diagnostics.len().saturating_sub(MOST);
    if more == 0 {
        return;
    }
    let count = |severity| diagnostics.iter().filter(|found| found.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let mut room = BTreeMap::from([
        (Severity::Error, MOST),
        (Severity::Warning, MOST.saturating_sub(errors)),
        (Severity::Hint, MOST.saturating_sub(errors + warnings)),
    ]);
    diagnostics.retain(|found| {
        let left = room.entry(found.severity).or_default();
        let stays = *left > 0;
        *left = left.saturating_sub(1);
        stays
    });
    let message = format!("{more} more findings are left out");
    diagnostics.push(Diagnostic::new("more-findings", Severity::Hint, Phase::Syntax, message));
}

/// What a check that could not run would have judged.
pub(crate) fn not_run(what: &str, why: &str) -> Finding {
    Finding::everywhere("check-not-run", Severity::Hint, Phase::Syntax, format!("{what} not judged: {why}"))
}

/// A span as offsets from a statement's start.
pub(crate) fn offsets(span: Span, start: u32) -> (u32, u32) {
    (span.lo.0.saturating_sub(start), span.hi.0.saturating_sub(start))
}
