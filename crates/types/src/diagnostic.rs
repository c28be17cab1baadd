//! One finding about an artifact, in the positions of the model's source.

use serde::{Deserialize, Serialize};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Hint,
    /// Probably not what was meant; the rest works.
    Warning,
    /// The artifact, or a part of it, does not work.
    Error,
}

/// Where a finding was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Parsing.
    Syntax,
    /// Resolving or loading an import.
    Import,
    /// Types, props and unresolved names.
    Type,
    /// While running.
    Runtime,
    /// How the result looks.
    Layout,
}

/// One finding. Lines and columns count from 1; columns are UTF-16 code units; the end is exclusive. Line 0 means that
/// the finding has no position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// A stable name in kebab case, e.g. `unknown-export`.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// Where it was found.
    pub phase: Phase,
    /// One sentence that a person and a model can act on.
    pub message: String,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column after the last.
    pub end_column: u32,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The text of the first line, as the model wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_line: Option<String>,
}

impl Diagnostic {
    /// A finding with no position.
    pub fn new(code: &str, severity: Severity, phase: Phase, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            severity,
            phase,
            message: message.into(),
            line: 0,
            column: 0,
            end_line: 0,
            end_column: 0,
            help: None,
            source_line: None,
        }
    }

    /// The same finding with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same finding at the byte range `start..end` of `source`. Offsets past the end are clamped, and offsets inside
    /// a character are moved to its start.
    #[must_use]
    pub fn at(mut self, source: &str, start: usize, end: usize) -> Self {
        let (line, column) = position(source, start);
        let (end_line, end_column) = position(source, end.max(start));
        (self.line, self.column, self.end_line, self.end_column) = (line, column, end_line, end_column);
        self.source_line = source.lines().nth(line as usize - 1).map(|text| text.chars().take(240).collect());
        self
    }
}

/// The line and column (from 1, columns in UTF-16 code units) of a byte offset. An offset past the end is the end.
pub fn position(source: &str, offset: usize) -> (u32, u32) {
    let mut offset = offset.min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &source[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before[line_start..].encode_utf16().count() + 1;
    (line as u32, column as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf16_units() {
        assert_eq!(position("a\n😀b", 6), (2, 3));
        assert_eq!(position("a\n😀b", 4), (2, 1));
        assert_eq!(position("a", 99), (1, 2));
    }
}
