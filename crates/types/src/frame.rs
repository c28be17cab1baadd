//! Frames: what the sandbox shows, as patches on the frame before.

use crate::edits::edits;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An edit of one text: keep the first `keep_start` UTF-16 units, then `insert`, then the last `keep_end` units.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextPatch {
    /// UTF-16 units kept from the start.
    pub keep_start: u32,
    /// The new middle.
    pub insert: String,
    /// UTF-16 units kept from the end.
    pub keep_end: u32,
}

impl TextPatch {
    /// The smallest single edit that turns `old` into `new`. Never splits a surrogate pair.
    pub fn between(old: &str, new: &str) -> Self {
        let start: usize = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        let (old_rest, new_rest) = (&old[start..], &new[start..]);
        let end: usize = old_rest
            .chars()
            .rev()
            .zip(new_rest.chars().rev())
            .take_while(|(a, b)| a == b)
            .map(|(a, _)| a.len_utf8())
            .sum();
        Self {
            keep_start: units(&old[..start]),
            insert: new_rest[..new_rest.len() - end].to_owned(),
            keep_end: units(&old_rest[old_rest.len() - end..]),
        }
    }

    /// The patched text, or `None` when the patch does not fit `old`.
    pub fn apply(&self, old: &str) -> Option<String> {
        let total = units(old);
        if self.keep_start.checked_add(self.keep_end)? > total {
            return None;
        }
        let start = byte_of_unit(old, self.keep_start)?;
        let end = byte_of_unit(old, total - self.keep_end)?;
        Some([&old[..start], &self.insert, &old[end..]].concat())
    }

    /// Whether the patch leaves a text of `len` UTF-16 units as it is.
    pub fn is_identity(&self, len: u32) -> bool {
        self.insert.is_empty() && self.keep_start + self.keep_end == len
    }
}

/// An edit of one cell. A cell that was not there before is patched from the empty text; one that changed in several places
/// is patched several times in one frame, each edit on what the one before it made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellPatch {
    /// The cell's name, unique in its artifact.
    pub cell: String,
    /// The edit of its compiled text.
    #[serde(flatten)]
    pub patch: TextPatch,
}

/// A patch on the frame before. `tsx` uses `cells` and `order`; the other kinds use `text`.
///
/// A cell's compiled text starts with a comment that holds the hash of all it evaluates eagerly, so the sandbox re-runs
/// a cell exactly when its text changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The cells that changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CellPatch>,
    /// The names of all cells in evaluation order, when that changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
    /// The edit of the whole text (`html`, `svg`, `markdown`).
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub text: Option<TextPatch>,
    /// The edit of the artifact's style sheet, when it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub css: Option<TextPatch>,
    /// Further edits of the style sheet, where it changed in several places, each on what the one before it made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub css_then: Vec<TextPatch>,
}

impl Frame {
    /// Adds the edits that turn the style sheet `old` into `new`, if they differ.
    pub fn restyle(&mut self, old: &str, new: &str) {
        if old != new {
            let mut edits = edits(old, new, SHORTEST_RULES).into_iter();
            self.css = edits.next();
            self.css_then = edits.collect();
        }
    }
}

/// A common piece of two texts of a cell that is shorter than this costs less inside an edit than the edit that it would
/// save: that names the cell.
pub const SHORTEST_CODE: usize = 120;

/// The same for style sheets.
const SHORTEST_RULES: usize = 72;

/// The whole state that patches build up: what a late viewer is sent first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameState {
    /// Compiled text by cell name.
    pub cells: BTreeMap<String, String>,
    /// Cells in evaluation order.
    pub order: Vec<String>,
    /// The whole text of the other kinds.
    pub text: String,
    /// The artifact's style sheet.
    pub css: String,
}

impl FrameState {
    /// The patch that turns `self` into `next`. Cells that left the order are forgotten by the receiver.
    pub fn patch_to(&self, next: &Self) -> Frame {
        let cells = next
            .order
            .iter()
            .filter_map(|name| {
                let new = next.cells.get(name)?;
                let old = self.cells.get(name).map_or("", String::as_str);
                (old != new).then(|| edits(old, new, SHORTEST_CODE)).map(|edits| (name, edits))
            })
            .flat_map(|(name, edits)| edits.into_iter().map(|patch| CellPatch { cell: name.clone(), patch }))
            .collect();
        let mut frame = Frame {
            cells,
            order: (self.order != next.order).then(|| next.order.clone()),
            text: (self.text != next.text).then(|| TextPatch::between(&self.text, &next.text)),
            ..Frame::default()
        };
        frame.restyle(&self.css, &next.css);
        frame
    }

    /// Applies a patch. Returns whether it fitted; when it did not, `self` is unchanged.
    pub fn apply(&mut self, frame: &Frame) -> bool {
        let mut next = self.clone();
        for CellPatch { cell, patch } in &frame.cells {
            let old = next.cells.get(cell).map_or("", String::as_str);
            let Some(new) = patch.apply(old) else { return false };
            next.cells.insert(cell.clone(), new);
        }
        if let Some(order) = &frame.order {
            next.order.clone_from(order);
            next.cells.retain(|name, _| order.contains(name));
        }
        let text = frame.text.iter().map(|patch| (patch, false));
        let css = frame.css.iter().chain(&frame.css_then).map(|patch| (patch, true));
        for (patch, styles) in text.chain(css) {
            let target = if styles { &mut next.css } else { &mut next.text };
            let Some(new) = patch.apply(target) else { return false };
            *target = new;
        }
        *self = next;
        true
    }
}

pub(crate) fn units(text: &str) -> u32 {
    text.chars().map(|c| c.len_utf16() as u32).sum()
}

fn byte_of_unit(text: &str, unit: u32) -> Option<usize> {
    let mut seen = 0;
    for (byte, c) in text.char_indices() {
        if seen == unit {
            return Some(byte);
        }
        seen += c.len_utf16() as u32;
    }
    (seen == unit).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_round_trip() {
        for (old, new) in
            [("", "abc"), ("abc", ""), ("a😀c", "a😁c"), ("aaaa", "aaa"), ("xyz", "xyz"), ("aba", "ababa")]
        {
            let patch = TextPatch::between(old, new);
            assert_eq!(patch.apply(old).as_deref(), Some(new), "{old} -> {new}");
        }
        assert_eq!(TextPatch { keep_start: 2, insert: String::new(), keep_end: 0 }.apply("😀").as_deref(), Some("😀"));
        assert_eq!(TextPatch { keep_start: 1, insert: String::new(), keep_end: 0 }.apply("😀"), None);
        assert_eq!(TextPatch { keep_start: 9, insert: String::new(), keep_end: 0 }.apply("abc"), None);
    }

    #[test]
    fn states_round_trip_through_the_wire() {
        let mut shown = FrameState::default();
        let mut next = FrameState { order: vec!["App".into()], ..Default::default() };
        next.cells.insert("App".into(), "$.App=1".into());
        next.css = ".p-2{}".into();
        let json = serde_json::to_string(&shown.patch_to(&next)).expect("serialises");
        assert!(shown.apply(&serde_json::from_str(&json).expect("parses")));
        assert_eq!(shown, next);
    }
}
