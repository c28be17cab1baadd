//! The renderer's scanners by themselves, compiled from their sources: without the compiler beside them a target builds in
//! seconds, and only our own code is instrumented.

#[path = "../../src/carrier/mod.rs"]
#[allow(dead_code, unused_imports)]
pub mod carrier;
#[path = "../../src/complete/mod.rs"]
#[allow(dead_code, unused_imports)]
pub mod complete;

/// Splits off what decides how the text is cut: the first bytes, each the length of a piece.
#[allow(dead_code)]
pub fn pieces(data: &str) -> impl Iterator<Item = &str> {
    let split = data.char_indices().nth(8).map_or(data.len(), |(at, _)| at);
    let (lengths, text) = data.split_at(split);
    let lengths: Vec<usize> = lengths.bytes().map(|byte| usize::from(byte % 23) + 1).collect();
    let mut at = 0;
    let mut turn = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let length = lengths.get(turn % lengths.len().max(1)).copied().unwrap_or(1);
        turn += 1;
        let end = (length.min(rest.len())..=rest.len()).find(|end| rest.is_char_boundary(*end))?;
        at += end;
        Some(&rest[..end])
    })
}
