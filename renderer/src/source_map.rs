//! From compiled text back to the model's source.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ui4a_types::diagnostic::position;

/// Where the pieces of one cell came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CellMap {
    /// (line, column, byte offset in the source), lines and columns from 0, in order.
    segments: Vec<(u32, u32, u32)>,
    /// Whether the text after a segment's start is the source's own, column by column.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    linear: bool,
}

impl CellMap {
    /// The map of text that was made of the source, from segments with offsets in it.
    pub fn exact(segments: Vec<(u32, u32, u32)>) -> Self {
        Self { segments, linear: false }
    }

    /// The map of text that is the source's own from each segment on.
    pub fn linear(segments: Vec<(u32, u32, u32)>) -> Self {
        Self { segments, linear: true }
    }

    /// The map of a statement at `start`; the first line is shifted by `shift` columns.
    pub fn new(start: u32, segments: &[(u32, u32, u32)], shift: u32) -> Self {
        let segments = segments
            .iter()
            .map(|&(line, column, offset)| (line, if line == 0 { column + shift } else { column }, start + offset))
            .collect();
        Self { segments, linear: false }
    }

    /// The offset of the segment in which a place is, and how many columns after the segment's start.
    fn offset(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        let after = self.segments.partition_point(|&(l, c, _)| (l, c) <= (line, column));
        let &(l, c, offset) = self.segments.get(after.checked_sub(1)?)?;
        Some((offset, if self.linear && l == line { column - c } else { 0 }))
    }
}

/// Positions in compiled cells → positions in the model's source. Kept with a revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceMaps {
    source: String,
    cells: BTreeMap<String, CellMap>,
}

impl SourceMaps {
    /// The maps of some cells, with `origin` from offsets in the compiled text to offsets in the source.
    pub(crate) fn new(source: &str, mut cells: BTreeMap<String, CellMap>, origin: impl Fn(u32) -> u32) -> Self {
        for (_, _, offset) in cells.values_mut().flat_map(|cell| &mut cell.segments) {
            *offset = origin(*offset);
        }
        Self { source: source.to_owned(), cells }
    }

    /// The bytes of the source that a cell was made of, as far as they are known: from the first to the last mapped one.
    pub fn range(&self, cell: &str) -> Option<std::ops::Range<usize>> {
        let offsets = self.cells.get(cell)?.segments.iter().map(|&(_, _, offset)| offset as usize);
        let (first, last) = (offsets.clone().min()?, offsets.max()?);
        Some(first.min(self.source.len())..last.min(self.source.len()))
    }

    /// The model's line and column for a position in a cell's text, all counted from 1, columns in UTF-16 units. Line 1
    /// of a cell starts with its hash comment. `None` when the cell is unknown or the position is of the compiler's own
    /// making.
    pub fn locate(&self, cell: &str, line: u32, column: u32) -> Option<(u32, u32)> {
        let (offset, columns) = self.cells.get(cell)?.offset(line.checked_sub(1)?, column.checked_sub(1)?)?;
        let (line, column) = position(&self.source, offset as usize);
        Some((line, column + columns))
    }
}
