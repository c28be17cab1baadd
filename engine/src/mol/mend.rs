//! What a specialist reads when an interface of its own is to be mended.
//!
//! Measured on Qwen2.5-Coder 1.5B with four broken modules, greedy: with the failed module in its own earlier answer and
//! the faults told after it, three were mended and one was changed in the wrong place; a temperature of 0.4 there lost
//! imports and mended two. With the failed answer left out, and the module shown by the user with a mark above each faulty
//! line, all four were mended and no other line changed. So that is what is asked, greedy. Only who fails is asked again with
//! a temperature, since greedy would say the same: at 0.3 the four answers were as long as the greedy ones to the token; at
//! 0.6 all four were mended too, and in two of them another line was changed.

use super::conversation::{Last, Turn, input_text};
use std::fmt::Write as _;
use ui4a_types::{Fault, TurnInput};

/// How a second attempt is drawn.
const TEMPERATURE: f32 = 0.6;
const TOP_P: f32 = 0.9;

/// The message that asks to mend `broken`.
pub(super) fn text(history: &[Turn], broken: &Last<'_>, faults: &[Fault]) -> String {
    let wrote =
        |turn: &&Turn| matches!(turn.input, TurnInput::Text(_) | TurnInput::Action(_)) && turn.shows(broken.id());
    let wanted = history.iter().rev().find(wrote).map(|turn| input_text(&turn.input)).unwrap_or_default();
    let mut text = String::new();
    if !wanted.trim().is_empty() {
        let _ = write!(text, "{}\n\n", wanted.trim());
    }
    text.push_str("Your module for it does not work. Here it is, the faults marked:\n\n");
    let closer = broken.closer.as_str();
    let _ = writeln!(text, "{closer}{}", broken.language);
    let comment = if broken.language == "tsx" { ("// ", "") } else { ("<!-- ", " -->") };
    for (at, line) in broken.source.trim_end().lines().enumerate() {
        for fault in faults.iter().filter(|fault| fault.line as usize == at + 1) {
            let _ = writeln!(text, "{}FAULT in the next line: {}{}", comment.0, one_line(&fault.message), comment.1);
        }
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "{closer}\n\nFaults:");
    for (at, fault) in faults.iter().enumerate() {
        let place = if fault.line > 0 { format!("Line {}: ", fault.line) } else { String::new() };
        let _ = writeln!(text, "{}. {place}{}", at + 1, fault.message);
    }
    text.push_str(
        "\nWrite the whole module again with every fault mended. Do not repeat a marked line unchanged; leave the marks out.",
    );
    text
}

/// Temperature, nucleus and seed of an attempt: `None` for the first one, which is greedy.
pub(super) fn draw(history: &[Turn], artifact: &str, round: u32) -> Option<(f32, f32, u64)> {
    let before =
        history.iter().filter(|turn| matches!(&turn.input, TurnInput::Repair { artifact: id, .. } if id == artifact));
    let before = before.count();
    (round > 1 || before > 0).then_some((TEMPERATURE, TOP_P, before as u64 + u64::from(round)))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
