//! Source text to syntax tree: swc's parser with the settings of an artifact.

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
    Parsed { module, errors, comments: spans }
}

/// A span as byte offsets into the parsed text.
pub(crate) fn range(span: Span) -> (u32, u32) {
    (span.lo.0.saturating_sub(BASE), span.hi.0.saturating_sub(BASE))
}
