//! Elements side by side where one is wanted, as in `return <h1/> <p/>`: wrapped in a fragment.
//!
//! React takes a fragment without a key for its children, so the first element keeps its state when the second arrives.

use super::edit::Edit;
use super::frame::{Frame, Kind, Stage, Stmt};
use super::machine::Machine;
use super::token::is_word_start;

/// The phase of an element's frame that is such a fragment.
pub(super) const SIBLINGS: u8 = 1;

impl Machine {
    /// Notes where the operand on its way begins, an element, in case that another one follows it.
    pub(super) fn note_first(&mut self, at: usize) {
        if wraps(self.top().kind) {
            self.edit().name = (at as u32, at as u32);
        }
    }

    /// An element follows the element that is the operand of `frame`: opens a fragment before the first.
    pub(super) fn wrap_siblings(&mut self, frame: Frame, at: usize) -> bool {
        let first = frame.name.0 as usize;
        // The anchor must be able to move, or must not see the change.
        let before = self.cur.anchor.cut <= first;
        if at == self.cur.no_sibling || !self.spend(at.saturating_sub(first)) {
            return false;
        }
        if !wraps(frame.kind) || first == 0 || !(before || (frame.stage == Stage::Inner && !self.cur.hold)) {
            return false;
        }
        let place = self.edits.partition_point(|edit| edit.at < first);
        let place = if before { place.max(self.cur.anchor.edits) } else { place };
        self.edits.insert(place, Edit { at: first, remove: 0, insert: "<>".to_owned() });
        self.push(Kind::JsxElement, frame.stage, first);
        let fragment = self.edit();
        fragment.phase = SIBLINGS;
        fragment.name = frame.name;
        let end = self.cur.prev_end;
        self.cur.run = end;
        self.jsx_anchor(end);
        true
    }

    /// Between the elements of such a fragment: `None` where another child follows, else the fragment ends.
    pub(super) fn between_siblings(&mut self, src: &str, last: bool) -> Option<bool> {
        let rest = src[self.cur.pos..].trim_start();
        let mut bytes = rest.bytes();
        match (bytes.next(), bytes.next()) {
            (None, _) | (Some(b'<'), None) if !last => return Some(false),
            (Some(b'<'), Some(next)) if next == b'>' || is_word_start(next) => return None,
            // A closing tag of this very fragment.
            (Some(b'<'), Some(b'/')) if rest.starts_with("</>") => return None,
            (Some(b'<'), Some(b'/')) if rest.len() < 3 && !last => return Some(false),
            (Some(b'{'), _) => return None,
            _ => {}
        }
        let end = self.cur.prev_end;
        // What comes after the last element is read again, as code.
        while self.edits.last().is_some_and(|edit| edit.at > end || (edit.at == end && edit.remove > 0)) {
            self.edits.pop();
        }
        self.insert(end, "</>");
        self.pop();
        self.cur.pos = end;
        self.element_done(end);
        Some(true)
    }
}

/// Whether side by side elements are surely one value here.
fn wraps(kind: Kind) -> bool {
    matches!(kind, Kind::Paren { group: true, .. } | Kind::Stmt(Stmt::Return) | Kind::JsxChild)
}
