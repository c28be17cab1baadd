//! Carriers: nothing panics, chunks do not matter, and tool arguments decode the same however they are cut.
#![no_main]

#[path = "scanners.rs"]
mod scanners;
pub(crate) use scanners::{carrier, complete};

use carrier::{Extractor, Piece, ToolArguments, ToolPiece};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &str| {
    let text: String = scanners::pieces(data).collect();
    for eager in [false, true] {
        let mut cut = Extractor::new(eager);
        let mut pieces: Vec<Piece> = scanners::pieces(data).flat_map(|piece| cut.push(piece)).collect();
        pieces.extend(cut.finish());
        let mut whole = Extractor::new(eager);
        let mut at_once = whole.push(&text);
        at_once.extend(whole.finish());
        assert_eq!(joined(pieces), joined(at_once), "chunks matter");
    }
    let mut cut = ToolArguments::new();
    let mut pieces: Vec<ToolPiece> = scanners::pieces(data).flat_map(|piece| cut.push(piece)).collect();
    pieces.extend(cut.finish());
    let mut whole = ToolArguments::new();
    let mut at_once = whole.push(&text);
    at_once.extend(whole.finish());
    assert_eq!(code(&pieces), code(&at_once), "chunks matter to tool arguments");
});

/// Neighbours of one kind as one piece. What a retraction takes back was shown, so it counts as prose with what follows.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (out.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (Some(Piece::Source(before)), Piece::Source(text)) => before.push_str(&text),
            (_, piece) => out.push(piece),
        }
    }
    out
}

/// The source that the arguments hold, and their other pieces.
fn code(pieces: &[ToolPiece]) -> (String, Vec<&ToolPiece>) {
    let (code, others): (Vec<&ToolPiece>, Vec<&ToolPiece>) =
        pieces.iter().partition(|piece| matches!(piece, ToolPiece::Code(_)));
    let text = |piece: &ToolPiece| match piece {
        ToolPiece::Code(text) => text.clone(),
        _ => String::new(),
    };
    (code.into_iter().map(text).collect(), others)
}
