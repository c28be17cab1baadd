//! What the parser complains about, in words that a person and a model can act on.

use super::lint::Finding;
use super::parse::range;
use swc_common::Spanned;
use swc_ecma_parser::error::{Error, SyntaxError};
use ui4a_types::{Diagnostic, Phase, Severity};

/// A source too long to compile.
pub(crate) fn too_long(length: usize, most: usize) -> Diagnostic {
    Diagnostic::new(
        "source-too-long",
        Severity::Error,
        Phase::Syntax,
        format!("The source has {length} bytes; at most {most} are compiled"),
    )
    .help("Write a shorter module")
}

/// The parser's errors as findings.
pub(crate) fn findings(source: &str, errors: &[Error]) -> Vec<Finding> {
    errors.iter().take(20).map(|error| finding(source, error)).collect()
}

fn finding(source: &str, error: &Error) -> Finding {
    let (start, end) = range(error.span());
    let (start, end) = (start.min(source.len() as u32), end.min(source.len() as u32));
    let at_end = source.get(start as usize..).is_none_or(|rest| rest.trim().is_empty());
    let (message, help) = describe(error.kind(), source, start, at_end);
    let finding = Finding::new("syntax-error", Severity::Error, Phase::Syntax, message, (start, end.max(start)));
    match help {
        Some(help) => finding.help(help),
        None => finding,
    }
}

fn describe(kind: &SyntaxError, source: &str, start: u32, at_end: bool) -> (String, Option<String>) {
    match kind {
        SyntaxError::JSXExpectedClosingTag { tag } => {
            let opened = opening_of(source, tag, start).map(|line| format!("<{tag}> was opened on line {line}"));
            (format!("<{tag}> is not closed before this"), opened.or_else(|| Some(format!("Write </{tag}>"))))
        }
        SyntaxError::JSXExpectedClosingTagForLtGt => {
            ("<> is not closed before this".to_owned(), Some("Write </>".to_owned()))
        }
        SyntaxError::UnterminatedJSXContents => ("An element is not closed".to_owned(), unclosed(source)),
        SyntaxError::UnterminatedStrLit => ("A string is not closed on its line".to_owned(), None),
        SyntaxError::UnterminatedTpl => ("A template literal is not closed".to_owned(), None),
        SyntaxError::UnterminatedBlockComment => ("A comment is not closed".to_owned(), Some("Write */".to_owned())),
        SyntaxError::UnterminatedRegExp => ("A regular expression is not closed".to_owned(), None),
        SyntaxError::Eof => ("The source ends too early".to_owned(), unclosed(source)),
        SyntaxError::AwaitInFunction => {
            ("await needs an async function".to_owned(), Some("Put it in an effect's async function".to_owned()))
        }
        _ if at_end => ("The source ends too early".to_owned(), unclosed(source)),
        SyntaxError::Unexpected { got, expected } if !expected.is_empty() && *expected != "Unexpected token" => {
            (format!("Unexpected {got}; expected {expected}"), None)
        }
        SyntaxError::Unexpected { got, .. } => (format!("Unexpected {got}"), None),
        SyntaxError::Expected(expected, got) => (format!("Expected {expected}, found {got}"), None),
        other => (other.msg().trim_end_matches('.').to_owned(), None),
    }
}

/// The line of the last `<tag` before `end` that nothing closes.
fn opening_of(source: &str, tag: &str, end: u32) -> Option<u32> {
    let before = source.get(..end as usize)?;
    let (open, close) = (format!("<{tag}"), format!("</{tag}"));
    let ends_name = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '$'));
    let mut depth = 0_i32;
    let mut at = before.len();
    while let Some(found) = before[..at].rfind('<') {
        let rest = &before[found..];
        if rest.strip_prefix(&close).is_some_and(ends_name) {
            depth += 1;
        } else if rest.strip_prefix(&open).is_some_and(ends_name) {
            let closes_itself = rest.find('>').is_some_and(|end| rest[..end].ends_with('/'));
            if !closes_itself {
                if depth == 0 {
                    return Some(line_of(source, found));
                }
                depth -= 1;
            }
        }
        at = found;
    }
    None
}

/// Where the innermost bracket that nothing closes was opened. Strings, templates and comments are skipped.
fn unclosed(source: &str) -> Option<String> {
    let bytes = source.as_bytes();
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'`') => {
                let end = closing_quote(bytes, at, quote);
                if end < bytes.len() || quote == b'`' {
                    at = end;
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') && (at == 0 || bytes[at - 1] != b':') => {
                at = source[at..].find('\n').map_or(bytes.len(), |end| at + end);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = source[at..].find("*/").map_or(bytes.len(), |end| at + end + 1);
            }
            bracket @ (b'(' | b'[' | b'{') => open.push((bracket, at)),
            bracket @ (b')' | b']' | b'}') => {
                let pair = match bracket {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                if open.last().is_some_and(|(opened, _)| *opened == pair) {
                    open.pop();
                }
            }
            _ => {}
        }
        at += 1;
    }
    let (bracket, at) = open.last()?;
    Some(format!("“{}” was opened on line {}", *bracket as char, line_of(source, *at)))
}

/// The closing quote of the string that opens at `at`; a plain string does not cross a line.
fn closing_quote(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 1,
            b'\n' if quote != b'`' => return bytes.len(),
            byte if byte == quote => return end,
            _ => {}
        }
        end += 1;
    }
    bytes.len()
}

fn line_of(source: &str, offset: usize) -> u32 {
    source[..offset].bytes().filter(|byte| *byte == b'\n').count() as u32 + 1
}

/// A module that the printer could not print.
pub(crate) fn unprintable(filename: &str) -> Diagnostic {
    Diagnostic::new("unprintable", Severity::Error, Phase::Syntax, format!("{filename} could not be printed"))
}
