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

/// What a check that could not run would have judged.
pub(crate) fn not_run(what: &str, why: &str) -> Finding {
    Finding::everywhere("check-not-run", Severity::Hint, Phase::Syntax, format!("{what} not judged: {why}"))
}

/// A span as offsets from a statement's start.
pub(crate) fn offsets(span: Span, start: u32) -> (u32, u32) {
    (span.lo.0.saturating_sub(start), span.hi.0.saturating_sub(start))
}
