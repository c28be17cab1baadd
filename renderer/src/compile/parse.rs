//! Source text to syntax tree: swc's parser with the settings of an artifact.

use super::deep;
use crate::complete::boundaries;
use swc_common::comments::SingleThreadedComments;
use swc_common::{BytePos, Span};
use swc_ecma_ast::{EsVersion, Module};
use swc_ecma_parser::{Parser, StringInput, Syntax, TsSyntax, error::Error, lexer::Lexer};

/// Where positions start: swc keeps 0 for made-up nodes.
pub(crate) const BASE: u32 = 1;

/// A parse: the tree when there is one, and everything the parser complained about.
pub(crate) struct Parsed {
    /// `None` when the parser gave up; then the last error says where.
    pub module: Option<Module>,
    /// The source nests deeper than what is compiled; then there is no tree.
    pub too_deep: bool,
    /// Errors in the order found. With a tree, the parser went on after them.
    pub errors: Vec<Error>,
    /// Comments as byte ranges.
    pub comments: Vec<(u32, u32)>,
}

/// Parses a TypeScript module, with or without JSX.
pub(crate) fn parse(source: &str, jsx: bool) -> Parsed {
    parse_at(source, 0, jsx)
}

/// Parses a piece of a module that begins at the offset `start` of the whole.
pub(crate) fn parse_at(source: &str, start: u32, jsx: bool) -> Parsed {
    if deep::tokens(source) <= deep::MOST_TOKENS {
        return parse_piece(source, start, jsx);
    }
    let mut all = Parsed { module: None, too_deep: false, errors: Vec::new(), comments: Vec::new() };
    let mut body = Vec::new();
    for (from, to) in boundaries(source) {
        let piece = parse_piece(&source[from..to], start + from as u32, jsx);
        all.errors.extend(piece.errors);
        all.comments.extend(piece.comments);
        match piece.module {
            Some(module) => body.extend(module.body),
            None => return Parsed { too_deep: piece.too_deep, ..all },
        }
    }
    all.module = Some(Module { body, ..Module::default() });
    all
}

fn parse_piece(source: &str, start: u32, jsx: bool) -> Parsed {
    let nothing = || Parsed { module: None, too_deep: true, errors: Vec::new(), comments: Vec::new() };
    deep::with_stack(source, || {
        let parsed = parse_on_stack(source, start, jsx);
        // A tree that is too deep is dropped here, where the stack is deep enough.
        if parsed.module.as_ref().is_some_and(deep::is_too_deep) { nothing() } else { parsed }
    })
    .unwrap_or_else(nothing)
}

fn parse_on_stack(source: &str, start: u32, jsx: bool) -> Parsed {
    let comments = SingleThreadedComments::default();
    let start = BASE + start;
    let input = StringInput::new(source, BytePos(start), BytePos(start + source.len() as u32));
    let syntax = Syntax::Typescript(TsSyntax { tsx: jsx, decorators: true, ..Default::default() });
    let lexer = Lexer::new(syntax, EsVersion::latest(), input, Some(&comments));
    let mut parser = Parser::new_from(lexer);
    let result = parser.parse_module();
    let mut errors = parser.take_errors();
    let module = match result {
        Ok(module) => Some(module),
        Err(error) => {
            errors.push(error);
            None
        }
    };
    let (leading, trailing) = comments.borrow_all();
    let mut spans: Vec<(u32, u32)> =
        leading.values().chain(trailing.values()).flatten().map(|comment| range(comment.span)).collect();
    spans.sort_unstable();
    spans.dedup();
    Parsed { module, too_deep: false, errors, comments: spans }
}

/// A span as byte offsets into the parsed text.
pub(crate) fn range(span: Span) -> (u32, u32) {
    (span.lo.0.saturating_sub(BASE), span.hi.0.saturating_sub(BASE))
}
