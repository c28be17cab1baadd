//! A text made of another by replacing pieces of it, with the places that its lines came from.

use crate::source_map::CellMap;
use std::collections::BTreeMap;

/// The name under which the whole document's places are kept: a script that does not parse is found by its text.
pub(crate) const DOCUMENT: &str = "document";

/// A piece that takes the place of another.
struct Edit {
    at: (usize, usize),
    with: String,
}

/// A text under way.
pub(crate) struct Assembly<'s> {
    text: &'s str,
    edits: Vec<Edit>,
    cells: BTreeMap<String, CellMap>,
}

impl<'s> Assembly<'s> {
    pub fn new(text: &'s str) -> Self {
        Self { text, edits: Vec::new(), cells: BTreeMap::new() }
    }

    /// Replaces a piece. Pieces may come in any order; where two overlap, the first in the text counts.
    pub fn replace(&mut self, at: (usize, usize), with: impl Into<String>) {
        self.edits.push(Edit { at, with: with.into() });
    }

    /// Says where a script's places came from.
    pub fn cell(&mut self, name: String, map: CellMap) {
        self.cells.insert(name, map);
    }

    /// The text, and the places of its scripts and of itself.
    pub fn finish(mut self) -> (String, BTreeMap<String, CellMap>) {
        self.edits.sort_by_key(|edit| edit.at);
        let mut out = String::with_capacity(self.text.len() + self.edits.len() * 64);
        let mut places = Places::default();
        let mut last = 0;
        for edit in &self.edits {
            if edit.at.0 < last || edit.at.1 < edit.at.0 {
                continue;
            }
            let before = &self.text[last..edit.at.0];
            places.copied(before, last);
            places.made(&edit.with, edit.at.0);
            out.push_str(before);
            out.push_str(&edit.with);
            last = edit.at.1;
        }
        places.copied(&self.text[last..], last);
        out.push_str(&self.text[last..]);
        self.cells.insert(DOCUMENT.to_owned(), CellMap::linear(places.segments));
        (out, self.cells)
    }
}

/// Segments of a growing text.
#[derive(Default)]
struct Places {
    line: u32,
    column: u32,
    segments: Vec<(u32, u32, u32)>,
}

impl Places {
    fn copied(&mut self, text: &str, from: usize) {
        for (offset, line) in lines(text) {
            self.segments.push((self.line, self.column, (from + offset) as u32));
            self.step(line);
        }
    }

    fn made(&mut self, text: &str, from: usize) {
        for (_, line) in lines(text) {
            self.segments.push((self.line, self.column, from as u32));
            self.step(line);
        }
    }

    fn step(&mut self, line: &str) {
        if line.ends_with('\n') {
            self.line += 1;
            self.column = 0;
        } else {
            self.column += line.encode_utf16().count() as u32;
        }
    }
}

/// The lines of a text with their offsets, ends of lines included.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let from = at;
        at += line.len();
        (from, line)
    })
}
