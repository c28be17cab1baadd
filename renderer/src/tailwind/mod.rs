//! Tailwind classes without Node.

use std::collections::BTreeSet;

/// Class candidates.
pub fn classes(_source: &str) -> BTreeSet<String> {
    BTreeSet::new()
}

/// The rules of some classes.
pub fn css(_classes: &BTreeSet<String>) -> String {
    String::new()
}
