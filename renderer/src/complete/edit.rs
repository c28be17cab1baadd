//! The differences between a completion's text and the source, and the way from one's offsets to the other's.
//!
//! Knows nothing of languages.

/// `remove` bytes of the source at `at` are replaced by `insert`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Byte offset in the source.
    pub at: usize,
    /// Bytes of the source left out.
    pub remove: usize,
    /// Text put there.
    pub insert: String,
}

/// The source from `base` to `cut` with `edits` made. Edits are in order, do not overlap, and lie at or after `base`.
pub(super) fn apply(source: &str, base: usize, cut: usize, edits: &[Edit], text: &mut String) {
    let mut from = base;
    for edit in edits.iter().take_while(|edit| edit.at <= cut) {
        text.push_str(&source[from..edit.at]);
        text.push_str(&edit.insert);
        from = edit.at + edit.remove;
    }
    if from < cut {
        text.push_str(&source[from..cut]);
    }
}

/// The source offset for `offset` in the text, which begins at `base`; inside inserted text, the place of the insertion.
pub(crate) fn to_source(edits: &[Edit], base: usize, cut: usize, offset: usize) -> usize {
    let (mut source, mut text) = (base, 0);
    for edit in edits {
        let kept = edit.at - source;
        if offset < text + kept {
            break;
        }
        text += kept;
        source = edit.at;
        if offset < text + edit.insert.len() {
            return source.min(cut);
        }
        text += edit.insert.len();
        source += edit.remove;
    }
    (source + (offset - text)).min(cut)
}

/// The text offset for `offset` in the source, of a text that begins at `base`; inside what was left out, the place where
/// it was.
pub(super) fn to_text(edits: &[Edit], base: usize, cut: usize, offset: usize) -> usize {
    let offset = offset.clamp(base, cut.max(base));
    let (mut source, mut text) = (base, 0);
    for edit in edits {
        if offset < edit.at {
            break;
        }
        text += edit.at - source + edit.insert.len();
        source = edit.at + edit.remove;
        if offset < source {
            return text;
        }
    }
    text + (offset - source)
}
