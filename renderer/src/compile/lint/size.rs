//! Sources that are longer than an interface needs.

use super::Finding;
use ui4a_types::{Phase, Severity};

/// A longer source, in bytes, is shown, but slowly, and no model mends it well.
pub(crate) const LONGEST_USEFUL: usize = 192 * 1024;

/// Says that a source is oversized.
pub(crate) fn oversized(source: &str) -> Option<Finding> {
    (source.len() > LONGEST_USEFUL).then(|| {
        let (length, most) = (source.len() >> 10, LONGEST_USEFUL >> 10);
        let message = format!("The source has {length} KiB; beyond {most} KiB an interface starts slowly");
        Finding::everywhere("oversized-source", Severity::Warning, Phase::Syntax, message)
            .help("Keep fewer rows, compute them in a loop, and draw pictures as SVG instead of data: text")
    })
}
