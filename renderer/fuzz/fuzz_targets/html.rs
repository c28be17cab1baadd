//! The part of unfinished HTML that may be written: nothing panics, it only grows, and chunks do not matter.
#![no_main]

#[path = "scanners.rs"]
mod scanners;
pub(crate) use scanners::{carrier, complete};

use complete::{HtmlCompleter, complete_html};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &str| {
    let mut html = HtmlCompleter::default();
    let mut source = String::new();
    let mut written = 0;
    for piece in scanners::pieces(data) {
        source.push_str(piece);
        let safe = html.safe_end(&source);
        assert!(safe >= written && source.is_char_boundary(safe), "written text is taken back");
        assert_eq!(complete_html(&source).text, source[..safe], "chunks matter");
        written = safe;
    }
});
