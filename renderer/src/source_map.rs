//! From compiled text back to the model's source.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ui4a_types::diagnostic::position;

/// Where the pieces of one cell came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CellMap {
    /// Byte offset of the cell's statement in the compiled source.
    start: u32,
    /// (line, column, offset from `start`), lines and columns from 0, in order.
    segments: Vec<(u32, u32, u32)>,
}

impl CellMap {
    /// A map whose first line is shifted by `shift` columns.
    pub fn new(start: u32, segments: &[(u32, u32, u32)], shift: u32) -> Self {
        let segments = segments
            .iter()
            .map(|&(line, column, offset)| (line, if line == 0 { column + shift } else { column }, offset))
            .collect();
        Self { start, segments }
    }

    fn offset(&self, line: u32, column: u32) -> Option<u32> {
        let after = self.segments.partition_point(|&(l, c, _)| (l, c) <= (line, column));
        let &(_, _, offset) = self.segments.get(after.checked_sub(1)?)?;
        Some(self.start + offset)
    }
}

/// Positions in compiled cells → positions in the model's source. Kept with a revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceMaps {
    source: String,
    /// Up to this byte the compiled source is the model's own.
    intact: u32,
    cells: BTreeMap<String, CellMap>,
}

impl SourceMaps {
    pub(crate) fn new(source: &str, intact: u32, cells: BTreeMap<String, CellMap>) -> Self {
        Self { source: source.to_owned(), intact, cells }
    }

    /// The model's line and column for a position in a cell's text, all counted from 1, columns in UTF-16 units. Line 1
    /// of a cell starts with its hash comment. `None` when the cell is unknown or the position is of the compiler's own
    /// making.
    pub fn locate(&self, cell: &str, line: u32, column: u32) -> Option<(u32, u32)> {
        let offset = self.cells.get(cell)?.offset(line.checked_sub(1)?, column.checked_sub(1)?)?;
        Some(position(&self.source, offset.min(self.intact) as usize))
    }
}
