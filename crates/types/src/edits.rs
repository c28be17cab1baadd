//! Several small edits where one would carry along what did not change.
//!
//! Knows nothing of cells: two texts in, edits out.

use crate::frame::{TextPatch, units};
use std::collections::HashMap;

/// Bytes that must be the same for a place to be looked at.
const BLOCK: usize = 24;

/// The edits that turn `old` into `new`, each on what the one before it made. A piece that both have in common parts two
/// edits if it is at least `shortest` bytes long. Never splits a surrogate pair.
pub fn edits(old: &str, new: &str, shortest: usize) -> Vec<TextPatch> {
    let start = common(old.as_bytes(), new.as_bytes(), old, 0);
    let end = {
        let most = old.len().min(new.len()) - start;
        let pairs = old.bytes().rev().zip(new.bytes().rev()).take(most);
        let mut length = pairs.take_while(|(a, b)| a == b).count();
        while !old.is_char_boundary(old.len() - length) {
            length -= 1;
        }
        length
    };
    let mut changes: Vec<(usize, usize, usize, usize)> = Vec::new();
    let (mut old_from, mut new_from) = (start, start);
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    for (old_at, new_at, length) in pieces(old, new, start, (old_end, new_end), shortest.max(BLOCK * 2)) {
        changes.push((old_from, old_at, new_from, new_at));
        (old_from, new_from) = (old_at + length, new_at + length);
    }
    changes.push((old_from, old_end, new_from, new_end));
    // The last first: what lies before an edit is still the old text then, and what lies behind it the new.
    changes
        .into_iter()
        .rev()
        .filter(|(old_from, old_to, new_from, new_to)| old_from < old_to || new_from < new_to)
        .map(|(old_from, _, new_from, new_to)| TextPatch {
            keep_start: units(&old[..old_from]),
            insert: new[new_from..new_to].to_owned(),
            keep_end: units(&new[new_to..]),
        })
        .collect()
}

/// Length of what both have in common from the start, in whole characters of `text`, which is one of them from `at` on.
fn common(a: &[u8], b: &[u8], text: &str, at: usize) -> usize {
    let mut length = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    while !text.is_char_boundary(at + length) {
        length -= 1;
    }
    length
}

/// Long pieces that both texts have in common between `start` and their ends, in order: (place in old, place in new, length).
fn pieces(old: &str, new: &str, start: usize, ends: (usize, usize), shortest: usize) -> Vec<(usize, usize, usize)> {
    let (old_end, new_end) = ends;
    if old_end.saturating_sub(start) < shortest || new_end.saturating_sub(start) < shortest {
        return Vec::new();
    }
    let (a, b) = (old.as_bytes(), new.as_bytes());
    let mut blocks: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for at in (start..=old_end - BLOCK).step_by(BLOCK) {
        let places = blocks.entry(&a[at..at + BLOCK]).or_default();
        // Text that repeats itself is found again anyway.
        if places.len() < 8 {
            places.push(at);
        }
    }
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    let (mut old_from, mut new_from, mut at) = (start, start, start);
    while at + BLOCK <= new_end {
        let place = blocks.get(&b[at..at + BLOCK]).and_then(|places| places.iter().find(|place| **place >= old_from));
        let Some(&place) = place else {
            at += 1;
            continue;
        };
        let back =
            a[old_from..place].iter().rev().zip(b[new_from..at].iter().rev()).take_while(|(a, b)| a == b).count();
        let (mut old_at, mut new_at) = (place - back, at - back);
        while !old.is_char_boundary(old_at) {
            (old_at, new_at) = (old_at + 1, new_at + 1);
        }
        let most = (old_end - old_at).min(new_end - new_at);
        let length = common(&a[old_at..old_at + most], &b[new_at..new_at + most], old, old_at);
        let length = if new.is_char_boundary(new_at + length) { length } else { 0 };
        if length < shortest {
            at += 1;
            continue;
        }
        found.push((old_at, new_at, length));
        (old_from, new_from) = (old_at + length, new_at + length);
        at = new_from;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(old: &str, new: &str) -> usize {
        let mut text = old.to_owned();
        let edits = edits(old, new, 100);
        for edit in &edits {
            text = edit.apply(&text).expect("fits");
        }
        assert_eq!(text, new);
        edits.iter().map(|edit| edit.insert.len()).sum()
    }

    #[test]
    fn what_lies_between_two_changes_is_not_sent() {
        let long: String = (0..60).map(|n| format!("item {n} é😀, ")).collect();
        assert_eq!(applied(&format!("jsx(a, {long})"), &format!("jsxs(a, [{long}, b])")), 10);
        assert_eq!(applied(&format!("x{long}y"), &format!("x{long}y{long}")), long.len());
        assert_eq!(applied("", &long), long.len());
        assert_eq!(applied(&long, ""), 0);
        assert_eq!(applied("short", "shirt"), 1);
        applied(&format!("😀{long}"), &format!("😁{}{long}", long.replace('1', "2")));
        applied(&"ab".repeat(500), &"ba".repeat(400));
        applied(&"a".repeat(900), &"a".repeat(700));
    }
}
