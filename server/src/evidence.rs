//! Positions in what a sandbox reports: from the compiled cell to the model's source.

use serde::Deserialize as _;
use ui4a_renderer::SourceMaps;
use ui4a_types::Report;

/// Longest message kept, in characters.
const MOST_MESSAGE: usize = 2000;
/// Longest component stack kept, in characters.
const MOST_STACK: usize = 4000;

/// Maps the positions of every error through a revision's source maps, and cuts what is too long. A position that cannot
/// be mapped becomes 0: compiled positions would mislead.
pub fn to_source(report: &mut Report, maps: &serde_json::Value) {
    let maps = SourceMaps::deserialize(maps).ok();
    for error in &mut report.errors {
        let place = error.cell.as_deref().zip(maps.as_ref());
        let mapped = place.and_then(|(cell, maps)| maps.locate(cell, error.line, error.column));
        (error.line, error.column) = mapped.unwrap_or((0, 0));
        cut(&mut error.message, MOST_MESSAGE);
        if let Some(stack) = &mut error.component_stack {
            cut(stack, MOST_STACK);
        }
    }
}

fn cut(text: &mut String, most: usize) {
    if let Some((at, _)) = text.char_indices().nth(most) {
        text.truncate(at);
    }
}
