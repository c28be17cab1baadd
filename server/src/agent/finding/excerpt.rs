//! The lines of a source around its faults, numbered and bounded.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Lines shown before and after a fault.
const AROUND: u32 = 2;
/// Most lines in all.
const MOST_LINES: usize = 30;
/// Most characters of one line.
const MOST_WIDTH: usize = 200;

/// The lines in `marked` (from 1) with those around them; a mark before each of them, a row of dots between parts. Empty
/// when no line of the source is marked.
pub fn around(lines: &[&str], marked: &BTreeSet<u32>) -> String {
    let last = lines.len() as u32;
    let mut shown = BTreeSet::new();
    for line in marked.iter().copied().filter(|line| (1..=last).contains(line)) {
        shown.extend(line.saturating_sub(AROUND).max(1)..=(line + AROUND).min(last));
    }
    let width = shown.last().map_or(1, |line: &u32| line.to_string().len());
    let mut out = String::new();
    let mut before = None;
    for line in shown.into_iter().take(MOST_LINES) {
        match before {
            None => out.push('\n'),
            Some(before) if line > before + 1 => out.push_str("  …\n"),
            Some(_) => {}
        }
        before = Some(line);
        let text: String = lines[line as usize - 1].chars().take(MOST_WIDTH).collect();
        let mark = if marked.contains(&line) { '>' } else { ' ' };
        let _ = writeln!(out, "{mark} {line:>width$} | {}", text.trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_touch_are_one_and_the_rest_is_left_out() {
        let lines: Vec<String> = (1..=40).map(|n| format!("line {n}")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let text = around(&lines, &BTreeSet::from([1, 3, 20]));
        let shown: Vec<&str> = text.lines().collect();
        assert_eq!(shown[1], ">  1 | line 1");
        assert_eq!(shown[3], ">  3 | line 3");
        assert_eq!(shown[6..9], ["  …", "  18 | line 18", "  19 | line 19"]);
        assert_eq!(shown.len(), 1 + 5 + 1 + 5);
        assert_eq!(around(&lines, &BTreeSet::from([0, 41])), "");
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut() {
        let long = "x".repeat(1 << 20);
        assert!(around(&[&long], &BTreeSet::from([1])).len() < 300);
    }
}
