//! What the parser complains about, in words that a person and a model can act on.

use super::lint::Finding;
use super::parse::range;
use super::repair::truncated;
use crate::complete::{Open, open};
use swc_common::Spanned;
use swc_ecma_parser::error::{Error, SyntaxError};
use ui4a_types::diagnostic::position;
use ui4a_types::{Diagnostic, Phase, Severity};

/// A source too long to compile.
pub(crate) fn too_long(length: usize, most: usize) -> Diagnostic {
    Diagnostic::new(
        "source-too-long",
        Severity::Error,
        Phase::Syntax,
        format!("The source has {} KiB; at most {} KiB are compiled", length >> 10, most >> 10),
    )
    .help("Write a shorter module")
}

/// A source that nests too deep to compile.
pub(crate) fn too_deep(most: usize) -> Diagnostic {
    Diagnostic::new(
        "too-deep",
        Severity::Error,
        Phase::Syntax,
        format!("The source nests too deep; at most {most} levels are compiled"),
    )
    .help("Break long chains of operators into several statements, and deep trees into components")
}

/// The parser's errors as findings. Of a parse that `failed` only the first that says why: it is the cause of the others.
pub(crate) fn findings(source: &str, errors: &[Error], failed: bool) -> Vec<Finding> {
    if !failed {
        let mut seen = Vec::new();
        return errors
            .iter()
            .filter(|error| {
                let new = !seen.contains(&error.span());
                seen.push(error.span());
                new
            })
            .take(20)
            .map(|error| finding(source, error))
            .collect();
    }
    // A sign in text is met after the element that should have ended before it.
    let cause = errors.iter().find(|error| !matches!(error.kind(), SyntaxError::UnexpectedTokenWithSuggestions { .. }));
    cause.or(errors.last()).map(|error| finding(source, error)).into_iter().collect()
}

fn finding(source: &str, error: &Error) -> Finding {
    let (start, end) = range(error.span());
    let (start, end) = (start.min(source.len() as u32), end.min(source.len() as u32));
    let rest = source.get(start as usize..).map_or("", str::trim_end);
    let opens = matches!(error.kind(), SyntaxError::UnterminatedStrLit | SyntaxError::UnterminatedTpl);
    // What is opened on the last line was cut off, not forgotten.
    let at_end = rest.is_empty() || (opens && !rest.contains('\n'));
    if at_end {
        let mut stack = open(source);
        if opens && stack.first().is_none_or(|innermost| innermost.at < start as usize) {
            let name = source.get(start as usize..start as usize + 1).unwrap_or("\"").to_owned();
            stack.insert(0, Open { name, at: start as usize });
        }
        if let Some(finding) = truncated(source, &stack) {
            return finding;
        }
    }
    let before = source.get(..start as usize).unwrap_or(source);
    let (message, help) = describe(error.kind(), source, before, &open(before));
    let finding = Finding::new("syntax-error", Severity::Error, Phase::Syntax, message, (start, end.max(start)));
    match help {
        Some(help) => finding.help(help),
        None => finding,
    }
}

/// `<div>, opened on line 3, column 5`.
pub(crate) fn opened(source: &str, open: &Open) -> String {
    let (line, column) = position(source, open.at);
    let name = match open.name.as_str() {
        "`" => "a template literal".to_owned(),
        "\"" | "'" => "a string".to_owned(),
        "/*" | "<!--" => "a comment".to_owned(),
        name if name.starts_with('<') || name.starts_with("the ") => name.to_owned(),
        name => format!("“{name}”"),
    };
    format!("{name}, opened on line {line}, column {column}")
}

fn describe(kind: &SyntaxError, source: &str, before: &str, stack: &[Open]) -> (String, Option<String>) {
    let innermost = stack.first().map(|open| format!("Inside {}", opened(source, open)));
    let said = |message: &str, help: &str| (message.to_owned(), Some(help.to_owned()));
    match kind {
        SyntaxError::JSXExpectedClosingTag { .. }
        | SyntaxError::JSXExpectedClosingTagForLtGt
        | SyntaxError::UnterminatedJSXContents => element(source, stack),
        SyntaxError::Expected(expected, _) if expected == "</" => element(source, stack),
        SyntaxError::UnterminatedStrLit => said(
            "A string is not closed on its line",
            "Close it with the quote that it begins with, or use a `template`",
        ),
        SyntaxError::UnterminatedTpl => said("A template literal is not closed", "Write ` at its end"),
        SyntaxError::UnterminatedBlockComment => said("A comment is not closed", "Write */ at its end"),
        SyntaxError::UnterminatedRegExp if before.ends_with('<') => element(source, stack),
        SyntaxError::UnterminatedRegExp => said(
            "A regular expression is not closed",
            "If this is a closing tag, its element was closed or never opened",
        ),
        SyntaxError::IdentAfterNum => said(
            "A number is followed by a name: the point is taken for the number's",
            "Put parentheses around the number: (50).toFixed(2)",
        ),
        SyntaxError::ReservedWordInObjShorthandOrPat | SyntaxError::ReservedWordInImport => {
            ("A word of the language stands where a name should".to_owned(), innermost)
        }
        SyntaxError::ExpectedSemiForExprStmt { .. } | SyntaxError::ExpectedSemi => {
            ("Two expressions stand side by side; a sign or a line's end is missing between them".to_owned(), innermost)
        }
        SyntaxError::TS1109 | SyntaxError::InvalidExpr => ("An expression is missing here".to_owned(), innermost),
        SyntaxError::ImportExportInScript | SyntaxError::NonTopLevelImportExport => {
            let stack = stack.last().or(stack.first());
            let help = stack.map(|open| format!("Close what is open: {}", opened(source, open)));
            ("import and export stand inside something that is not closed".to_owned(), help)
        }
        SyntaxError::Unexpected { got, expected } if !expected.is_empty() && *expected != "Unexpected token" => {
            (format!("Found {}; {expected}", token(got)), innermost)
        }
        SyntaxError::Unexpected { got, .. } => (format!("{} does not fit here", token(got)), innermost),
        SyntaxError::Expected(expected, got) => {
            (format!("Expected {}, found {}", token(expected), token(got)), innermost)
        }
        other => (other.msg().trim_end_matches('.').to_owned(), innermost),
    }
}

/// What the parser calls a token, in words.
fn token(name: &str) -> String {
    match name {
        "ident" | "identifier" => "a name".to_owned(),
        "numeric literal" => "a number".to_owned(),
        "string literal" => "a text".to_owned(),
        "jsx text" => "text".to_owned(),
        "<eof>" => "the end of the source".to_owned(),
        name => format!("“{name}”"),
    }
}

/// The message about the innermost element that is open.
fn element(source: &str, stack: &[Open]) -> (String, Option<String>) {
    match stack.iter().find(|open| open.is_element()) {
        Some(open) => {
            let closing = open.name.replacen('<', "</", 1);
            (format!("{} is not closed", open.name), Some(format!("Write {closing}: {}", opened(source, open))))
        }
        None => ("An element is not closed".to_owned(), None),
    }
}

/// A module that the printer could not print.
pub(crate) fn unprintable(filename: &str) -> Diagnostic {
    Diagnostic::new("unprintable", Severity::Error, Phase::Syntax, format!("{filename} could not be printed"))
}
