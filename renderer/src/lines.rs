//! Where the lines of a growing text begin, so that a place in it is found without reading all that comes before.

use ui4a_types::Diagnostic;

/// The beginnings of a text's lines.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    starts: Vec<usize>,
    read: usize,
}

impl Lines {
    /// The lines of a text.
    pub fn of(text: &str) -> Self {
        let mut lines = Self { starts: vec![0], read: 0 };
        lines.read(text);
        lines
    }

    /// Reads what was added to the text.
    pub fn read(&mut self, text: &str) {
        let from = self.read;
        self.starts.extend(memchr::memchr_iter(b'\n', &text.as_bytes()[from..]).map(|at| from + at + 1));
        self.read = text.len();
    }

    /// The number of lines.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The line and column of a byte offset, counted as in [`ui4a_types::diagnostic::position`].
    pub fn position(&self, text: &str, offset: usize) -> (u32, u32) {
        let mut offset = offset.min(self.read);
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let column = text[self.starts[line - 1]..offset].encode_utf16().count() + 1;
        (line as u32, column as u32)
    }

    /// A diagnostic at a byte range, as [`Diagnostic::at`] makes it.
    pub fn place(&self, mut diagnostic: Diagnostic, text: &str, start: usize, end: usize) -> Diagnostic {
        (diagnostic.line, diagnostic.column) = self.position(text, start);
        (diagnostic.end_line, diagnostic.end_column) = self.position(text, end.max(start));
        let line = diagnostic.line as usize;
        let stop = self.starts.get(line).map_or(self.read, |next| next - 1);
        let line = &text[self.starts[line - 1]..stop];
        let at_end = stop == self.read && line.is_empty();
        let line = line.strip_suffix('\r').filter(|_| stop < self.read).unwrap_or(line);
        diagnostic.source_line = (!at_end).then(|| line.chars().take(240).collect());
        diagnostic
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ui4a_types::diagnostic::position;
    use ui4a_types::{Phase, Severity};

    #[test]
    fn places_are_those_of_the_slow_way() {
        for text in ["", "a", "a\n", "é😀\nb\r\n\nlast", "\n\n", "a\r"] {
            let mut lines = Lines::of("");
            for at in 0..=text.len() {
                if text.is_char_boundary(at) {
                    lines.read(&text[..at]);
                }
            }
            for at in 0..=text.len() + 1 {
                assert_eq!(lines.position(text, at), position(text, at), "{text:?} {at}");
                let found = || Diagnostic::new("x", Severity::Hint, Phase::Syntax, "m");
                assert_eq!(lines.place(found(), text, at, at + 1), found().at(text, at, at + 1), "{text:?} {at}");
            }
        }
    }
}
