//! Code fences: runs of backticks or tildes, their info strings, and lines that close them.

use ui4a_types::Kind;

/// Longest info string that is waited for, in bytes.
pub(super) const INFO_LIMIT: usize = 1024;

/// Longest run that is a fence, in bytes.
pub(super) const RUN_LIMIT: usize = 1024;

/// Most white space that is looked across inside a line, in bytes.
const SPACE_LIMIT: usize = 256;

/// How many times `mark` stands at the start of the text.
pub(super) fn run(text: &str, mark: u8) -> usize {
    text.bytes().take_while(|&byte| byte == mark).count()
}

/// Length of the spaces and tabs at the start of the text.
pub(super) fn spaces(text: &str) -> usize {
    text.bytes().take(SPACE_LIMIT).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The kind that a fence of ours names: `ui4a/tsx`.
pub(super) fn own_kind(language: &str) -> Option<Kind> {
    let name = language.strip_prefix("ui4a/")?;
    Some(match name {
        "tsx" | "jsx" => Kind::Tsx,
        "html" => Kind::Html,
        "svg" => Kind::Svg,
        "markdown" | "md" => Kind::Markdown,
        _ => return None,
    })
}

/// An info string as its language and its attributes.
pub(super) fn split_info(info: &str) -> (&str, &str) {
    let info = info.trim();
    let end = info.find(|byte: char| byte.is_whitespace() || byte == '{').unwrap_or(info.len());
    info.split_at(end)
}

/// What stands at the start of a text that may be a closing fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// No closing fence.
    No,
    /// Closes; this many bytes with the line's end.
    Line(usize),
    /// Closes, and prose follows after this many bytes on the same line.
    Words(usize),
    /// Closes because the next fence opens here.
    Reopened,
    /// Only more text can tell.
    Wait,
}

/// Reads a run of `mark` at the start of `text` as a fence that closes one of `length`.
pub(super) fn closing(text: &str, mark: u8, length: usize, last: bool) -> Closing {
    let count = run(text, mark);
    if count == text.len() && !last && count <= RUN_LIMIT {
        return Closing::Wait;
    }
    if count < length || count > RUN_LIMIT {
        return Closing::No;
    }
    let rest = &text[count..];
    let blank = rest.bytes().take(SPACE_LIMIT).take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    match rest.as_bytes().get(blank) {
        Some(b'\n') => Closing::Line(count + blank + 1),
        None if last => Closing::Line(text.len()),
        None => Closing::Wait,
        Some(_) if blank > 0 => Closing::Words(count + blank),
        Some(_) => Closing::Reopened,
    }
}
