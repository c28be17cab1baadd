//! Completion of unfinished TSX: nothing panics, chunks do not matter, what is settled stays, offsets stay in bounds.
#![no_main]

#[path = "scanners.rs"]
mod scanners;
pub(crate) use scanners::{carrier, complete};

use complete::{Completer, Completion, complete, repair};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &str| {
    let mut completer = Completer::new();
    let mut source = String::new();
    let (mut settled, mut kept) = (0, String::new());
    for piece in scanners::pieces(data) {
        completer.push(piece);
        source.push_str(piece);
        let completion = completer.complete();
        bounds(&completion, &source);
        assert!(completion.settled >= settled, "what was settled is open again");
        assert!(completion.text.starts_with(&kept), "settled text changed");
        settled = completion.settled;
        kept = completion.text[..completion.to_text(settled).min(completion.appended_at)].to_owned();
    }
    let at_once = complete(&source);
    assert_eq!(completer.complete(), at_once, "chunks matter");
    bounds(&repair(&source), &source);
    // What completion made is a source like any other.
    bounds(&complete(&at_once.text), &at_once.text);
});

fn bounds(completion: &Completion, source: &str) {
    assert!(completion.appended_at <= completion.text.len() && completion.settled <= source.len());
    let mut before = 0;
    for offset in 0..=completion.text.len() {
        let origin = completion.to_source(offset);
        assert!(origin <= source.len() && origin >= before, "offsets go back");
        before = origin;
    }
}
