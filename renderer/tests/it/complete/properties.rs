//! What holds for a prefix of anything: of a module, of what completion made of one, of noise.

use proptest::prelude::*;
use ui4a_renderer::complete::{Completer, Completion, complete};

use super::{corpus, parse};

/// A place at a share of a text, between characters.
fn place(text: &str, share: f64) -> usize {
    let mut at = (text.len() as f64 * share) as usize;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A text cut at random places.
fn cut<'t>(text: &'t str, lengths: &[usize]) -> Vec<&'t str> {
    let (mut pieces, mut at, mut turn) = (Vec::new(), 0, 0);
    while at < text.len() {
        let mut end = (at + lengths[turn % lengths.len()]).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        pieces.push(&text[at..end]);
        (at, turn) = (end, turn + 1);
    }
    pieces
}

/// Offsets lead into the source, never back, and from a place that was kept to the text and back again.
fn offsets_hold(completion: &Completion, source: &str) {
    assert!(completion.appended_at <= completion.text.len() && completion.settled <= source.len());
    let mut before = 0;
    for offset in 0..=completion.text.len() {
        let origin = completion.to_source(offset);
        assert!(origin >= before && origin <= source.len(), "{offset} leads to {origin} after {before}");
        before = origin;
    }
    for offset in 0..=source.len() {
        assert!(completion.to_text(offset) <= completion.appended_at);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn a_prefix_of_a_prefix_is_completed_like_any_prefix(module in 0usize..13, first in 0.0f64..1.0, second in 0.0f64..1.0) {
        let (name, source) = corpus().swap_remove(module);
        let prefix = &source[..place(&source, first)];
        let completion = complete(prefix);
        offsets_hold(&completion, prefix);
        // What completion made is a module: it is left alone, and each of its own prefixes parses.
        let again = complete(&completion.text);
        prop_assert!(parse(&again.text).is_ok(), "{} of {}: {}", name, prefix.len(), again.text);
        let part = &completion.text[..place(&completion.text, second)];
        let made = complete(part);
        offsets_hold(&made, part);
        prop_assert!(parse(&made.text).is_ok(), "{} of {}: {}", name, prefix.len(), made.text);
    }

    #[test]
    fn chunks_never_matter_and_what_is_settled_stays(
        module in 0usize..13, from in 0.0f64..0.6, lengths in prop::collection::vec(1usize..60, 1..12)
    ) {
        let (_, source) = corpus().swap_remove(module);
        // From the middle: the source need not make sense.
        let source = &source[place(&source, from)..];
        let mut completer = Completer::new();
        let (mut read, mut settled, mut kept) = (0, 0, String::new());
        for piece in cut(source, &lengths) {
            completer.push(piece);
            read += piece.len();
            let completion = completer.complete();
            prop_assert!(completion.settled >= settled && completion.settled <= read);
            prop_assert!(completion.text.starts_with(&kept), "settled text changed at {}", read);
            settled = completion.settled;
            kept = completion.text[..completion.to_text(settled).min(completion.appended_at)].to_owned();
        }
        prop_assert_eq!(completer.complete(), complete(source));
    }
}
