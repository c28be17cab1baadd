//! What is put right without asking a model: the source that is shown stays the model's, the compiled code is mended, and
//! each change is a finding whose code begins with `repaired-`.
//!
//! Text that does not parse is mended by the completer, the same way while it streams and at its end; here its changes get
//! their words. Everything else is done on the syntax tree of one statement when it is lowered, so that a stream shows it
//! mended from the first frame on.

mod attributes;
mod build;
mod commonjs;
mod events;
mod flow;
mod handlers;
mod source;
mod style;

pub(crate) use source::{Read, read, truncated};

use super::lint::Finding;
use super::locals::Locals;
use swc_common::Span;
use swc_ecma_ast::ModuleItem;
use swc_ecma_visit::VisitMutWith;
use ui4a_types::{Phase, Severity};

/// Mends a statement in itself, and says what was changed. `start` is the position of its first byte.
pub(crate) fn statement(item: &mut ModuleItem, start: u32) -> Vec<Finding> {
    let mut log = Log { start, findings: Vec::new() };
    commonjs::mend(item, &mut log);
    flow::mend(item, &mut log);
    item.visit_mut_with(&mut attributes::Attributes { log: &mut log });
    // Most statements have no handler that could have a wrong shape: their names need not be known.
    if handlers::are_doubtful(item) {
        let locals = &Locals::of(item);
        item.visit_mut_with(&mut handlers::Handlers { log: &mut log, locals });
    }
    log.findings
}

/// What was changed.
struct Log {
    start: u32,
    findings: Vec<Finding>,
}

impl Log {
    fn repaired(&mut self, what: &str, severity: Severity, message: String, help: &str, span: Span) {
        let code = format!("repaired-{what}");
        let at = super::lint::offsets(span, self.start);
        self.findings.push(Finding::new(&code, severity, Phase::Type, message, at).help(help));
    }
}
