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

/// The parser's errors as findings. Of a parse that `failed` only the last, at which it gave up: what it met before goes
/// with that.
pub(crate) fn findings(source: &str, errors: &[Error], failed: bool) -> Vec<Finding> {
    let skipped = if failed { errors.len().saturating_sub(1) } else { 0 };
    errors.iter().skip(skipped).take(20).map(|error| finding(source, error)).collect()
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
    let before = source.get(..start as usize).unwrap_or(source);
    match kind {
        SyntaxError::JSXExpectedClosingTag { .. } | SyntaxError::JSXExpectedClosingTagForLtGt => element(before),
        SyntaxError::UnterminatedJSXContents => element(source),
        SyntaxError::Expected(expected, _) if expected == "</" => element(before),
        SyntaxError::UnterminatedStrLit => ("A string is not closed on its line".to_owned(), None),
        SyntaxError::UnterminatedTpl => ("A template literal is not closed".to_owned(), None),
        SyntaxError::UnterminatedBlockComment => ("A comment is not closed".to_owned(), Some("Write */".to_owned())),
        SyntaxError::UnterminatedRegExp => ("A regular expression is not closed".to_owned(), None),
        SyntaxError::AwaitInFunction => {
            ("await needs an async function".to_owned(), Some("Put it in an effect's async function".to_owned()))
        }
        _ if at_end => match unclosed_element(source) {
            Some(_) => element(source),
            None => ("The source ends too early".to_owned(), unclosed(source)),
        },
        SyntaxError::Unexpected { got, expected } if !expected.is_empty() && *expected != "Unexpected token" => {
            (format!("Unexpected {got}; expected {expected}"), unclosed(before))
        }
        SyntaxError::Unexpected { got, .. } => (format!("Unexpected {got}"), unclosed(before)),
        SyntaxError::Expected(expected, got) => (format!("Expected “{expected}”, found “{got}”"), unclosed(before)),
        other => (other.msg().trim_end_matches('.').to_owned(), None),
    }
}

/// The message about the innermost element that `before` leaves open, not counting a closing tag at its very end.
fn element(before: &str) -> (String, Option<String>) {
    let cut = before.rfind("</").filter(|cut| !before[cut + 2..].trim_end_matches('>').contains(['<', '>']));
    match cut.and_then(|cut| unclosed_element(&before[..cut])).or_else(|| unclosed_element(before)) {
        Some((name, at)) => {
            let line = line_of(before, at);
            (format!("<{name}> is not closed"), Some(format!("<{name}> was opened on line {line}; write </{name}>")))
        }
        None => ("An element is not closed".to_owned(), None),
    }
}

/// The name and offset of the innermost element that nothing closes.
fn unclosed_element(source: &str) -> Option<(&str, usize)> {
    let bytes = source.as_bytes();
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut at = 0;
    while let Some(found) = source[at..].find('<').map(|found| at + found) {
        at = found + 1;
        let rest = &source[at..];
        let closes = rest.starts_with('/');
        let name_at = at + usize::from(closes);
        let length = source[name_at..]
            .find(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '_' | ':'))
            .unwrap_or(source.len() - name_at);
        let name = &source[name_at..name_at + length];
        let is_fragment = source[name_at + length..].starts_with('>');
        // After a name or a bracket, `<` compares or opens type arguments.
        let after_value =
            found > 0 && (bytes[found - 1].is_ascii_alphanumeric() || matches!(bytes[found - 1], b'_' | b')' | b']'));
        if closes {
            if let Some(depth) = open.iter().rposition(|(own, _)| *own == name) {
                open.truncate(depth);
            }
        } else if (name.starts_with(char::is_alphabetic) && !after_value)
            || (name.is_empty() && is_fragment && !after_value)
        {
            match tag_end(bytes, name_at + length) {
                Some((end, closed)) => {
                    if !closed {
                        open.push((name, found));
                    }
                    at = end;
                }
                None => open.push((name, found)),
            }
        }
    }
    open.pop()
}

/// The end of an opening tag from inside it, and whether it closes itself. Expressions and strings in it are skipped.
fn tag_end(bytes: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut depth = 0_u32;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'' | b'`') => at = closing_quote(bytes, at, quote),
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b'>' if depth == 0 => return Some((at + 1, bytes[at - 1] == b'/')),
            _ => {}
        }
        at += 1;
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
