//! Findings that one statement, or the comments of a module, give by themselves.

mod elided;
mod hooks;
mod jsx;
mod network;

pub(crate) use elided::elided;

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
}

/// Everything that is wrong with a statement in itself. `start` is the position of its first byte.
pub(crate) fn statement(item: &ModuleItem, start: u32) -> Vec<Finding> {
    let mut findings = Vec::new();
    hooks::check(item, start, &mut findings);
    jsx::check(item, start, &mut findings);
    network::check(item, start, &mut findings);
    findings
}

fn offsets(span: Span, start: u32) -> (u32, u32) {
    (span.lo.0.saturating_sub(start), span.hi.0.saturating_sub(start))
}
