//! Component stacks: one `at Name` a line, with `(ui4a-cell:///Cell)` or `(ui4a-cell:///Cell:line:column)` where the
//! sandbox knows the cell; kept with `(line N)` of the model's source instead.

use super::cut;

/// Most lines kept.
const MOST_LINES: usize = 30;
const MOST_NAME: usize = 120;
const CELL: &str = "ui4a-cell:///";

/// The stack with the places of cells as lines of the source. Other places are addresses of libraries and are left out.
pub fn to_source(stack: &str, line_of: impl Fn(&str, Option<(u32, u32)>) -> Option<u32>) -> String {
    let mut out = Vec::new();
    for line in stack.lines().map(str::trim).filter(|line| !line.is_empty()).take(MOST_LINES) {
        let (mut name, place) = match line.rsplit_once(" (") {
            Some((name, place)) => (name.to_owned(), place.trim_end_matches(')')),
            None => (line.to_owned(), ""),
        };
        cut(&mut name, MOST_NAME);
        let found = place.strip_prefix(CELL).and_then(|place| {
            let (cell, at) = split(place);
            line_of(&decode(cell), at)
        });
        out.push(found.map_or(name.clone(), |line| format!("{name} (line {line})")));
    }
    out.join("\n")
}

/// The line of the innermost component that has one.
pub fn first_line(stack: &str) -> Option<u32> {
    let found = stack.lines().find_map(|line| line.rsplit_once(" (line "))?;
    found.1.trim_end_matches(')').parse().ok()
}

/// `Cell:3:5` → `Cell` and its position.
fn split(place: &str) -> (&str, Option<(u32, u32)>) {
    let mut parts = place.rsplitn(3, ':');
    let numbers = (parts.next().and_then(|n| n.parse().ok()), parts.next().and_then(|n| n.parse::<u32>().ok()));
    match (numbers, parts.next()) {
        ((Some(column), Some(line)), Some(cell)) => (cell, Some((line.saturating_sub(1), column))),
        _ => (place, None),
    }
}

/// Percent-decoding of a cell's name.
fn decode(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.filter(|_| *first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cells_have_lines() {
        let line_of = |cell: &str, at: Option<(u32, u32)>| match (cell, at) {
            ("a,b", None) => Some(7),
            ("List", Some((3, 5))) => Some(9),
            _ => None,
        };
        let stack = "\n    at List (ui4a-cell:///List:4:5)\n    at X (ui4a-cell:///a%2Cb)\n    at Y (http://f.localhost/m/1.js:1:2)\n    at div";
        let told = to_source(stack, line_of);
        assert_eq!(told, "at List (line 9)\nat X (line 7)\nat Y\nat div");
        assert_eq!(first_line(&told), Some(9));
        assert_eq!(first_line("at div"), None);
        assert_eq!(decode("%zz%4"), "%zz%4");
    }
}
