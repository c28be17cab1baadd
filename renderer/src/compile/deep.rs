//! Nesting: how deep a tree may be, and the stack that it takes.
//!
//! The parser and every pass over its tree call themselves once a level, and a stack that runs out ends the process. A tree
//! is never deeper than its text has tokens: the parser gets a stack for that many, and no more text at once than it has
//! stack for. What it gives is measured, and deeper trees than any interface needs are refused before another pass sees them.

use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};

/// Deepest tree that is compiled: its passes, and dropping it, fit the stack of a common thread.
pub(crate) const DEEPEST: usize = 400;

/// Stack for one level of the parser: measured, at most 3.2 KiB.
const PARSER_LEVEL: usize = 4 * 1024;

/// Most tokens that are parsed at once: a top-level statement of some 400 KB.
pub(crate) const MOST_TOKENS: usize = 128 * 1024;

/// Levels that fit the stack of a common thread.
const COMMON: usize = 100;

/// Runs the parser on a stack that is deep enough for `source`. `None` when that has more than [`MOST_TOKENS`].
pub(crate) fn with_stack<T>(source: &str, parse: impl FnOnce() -> T) -> Option<T> {
    match tokens(source) {
        0..=COMMON => Some(parse()),
        tokens @ ..=MOST_TOKENS => Some(stacker::grow(tokens * PARSER_LEVEL, parse)),
        _ => None,
    }
}

/// At least as many as there are tokens in a text: runs of word characters, and all other characters but white space.
pub(crate) fn tokens(source: &str) -> usize {
    let mut count = 0;
    let mut in_word = false;
    for byte in source.bytes() {
        let is_word = byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'$');
        count += usize::from(!(byte.is_ascii_whitespace() || is_word && in_word));
        in_word = is_word;
    }
    count
}

/// Whether a tree is deeper than what is compiled. Runs on the parser's stack.
pub(crate) fn is_too_deep(module: &Module) -> bool {
    let mut levels = Levels { depth: 0, most: 0 };
    module.visit_with(&mut levels);
    levels.most > DEEPEST
}

struct Levels {
    depth: usize,
    most: usize,
}

impl Levels {
    fn level(&mut self, visit: impl FnOnce(&mut Self)) {
        self.depth += 1;
        self.most = self.most.max(self.depth);
        visit(self);
        self.depth -= 1;
    }
}

macro_rules! levels {
    ($($visit:ident: $node:ty),* $(,)?) => {
        impl Visit for Levels {
            $(fn $visit(&mut self, node: &$node) {
                self.level(|levels| node.visit_children_with(levels));
            })*
        }
    };
}

levels! {
    visit_expr: Expr,
    visit_stmt: Stmt,
    visit_pat: Pat,
    visit_ts_type: TsType,
    visit_ts_entity_name: TsEntityName,
    visit_ts_namespace_body: TsNamespaceBody,
    visit_jsx_element: JSXElement,
    visit_jsx_fragment: JSXFragment,
    visit_jsx_object: JSXObject,
}
