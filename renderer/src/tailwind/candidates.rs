//! The words of a source that look like classes: split at whitespace and quotes, trimmed of code.

/// Longest word that is taken for a class, in bytes.
const LONGEST: usize = 240;

/// The words, as they come; a word may come more than once.
pub(super) fn candidates(source: &str) -> impl Iterator<Item = &str> {
    Words { source, at: 0 }.map(trim).filter(|word| is_class_like(word))
}

struct Words<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.source.as_bytes();
        while self.at < bytes.len() && ends_word(bytes[self.at], 0) {
            self.at += 1;
        }
        if self.at >= bytes.len() {
            return None;
        }
        let start = self.at;
        // Brackets of an arbitrary value, `w-[…]`: quotes and operators in it are its own.
        let mut depth = 0_u32;
        while self.at < bytes.len() && !ends_word(bytes[self.at], depth) {
            let after_dash = self.at > start && matches!(bytes[self.at - 1], b'-' | b':');
            match bytes[self.at] {
                b'[' | b'(' if depth > 0 || after_dash || self.at == start && bytes[start] == b'[' => depth += 1,
                b']' | b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
        Some(&self.source[start..self.at])
    }
}

fn ends_word(byte: u8, depth: u32) -> bool {
    match byte {
        b' ' | b'\t' | b'\n' | b'\r' | b'`' => true,
        b'"' => true,
        b'\'' | b'<' | b'>' | b'=' | b'{' | b'}' | b';' | b',' => depth == 0,
        _ => false,
    }
}

/// Takes off what code and prose leave at the ends of a word.
fn trim(word: &str) -> &str {
    let word = word.trim_start_matches(['(', '$', '.', '?', '|', '&', '+', '/']);
    let mut word = word.trim_end_matches(['$', '.', ':', '?', '|', '&', '+', '\\', '/']);
    while word.ends_with([')', ']']) && !is_balanced(word) {
        word = &word[..word.len() - 1];
    }
    word
}

fn is_balanced(word: &str) -> bool {
    let count = |byte: u8| word.bytes().filter(|own| *own == byte).count();
    count(b'(') == count(b')') && count(b'[') == count(b']')
}

/// Utilities of one word without a dash.
const SINGLE: &[&str] = &[
    "absolute",
    "antialiased",
    "block",
    "blur",
    "border",
    "capitalize",
    "collapse",
    "container",
    "contents",
    "filter",
    "fixed",
    "flex",
    "flow-root",
    "grayscale",
    "grid",
    "grow",
    "hidden",
    "inline",
    "invert",
    "invisible",
    "isolate",
    "italic",
    "lowercase",
    "ordinal",
    "outline",
    "overline",
    "relative",
    "resize",
    "ring",
    "rounded",
    "sepia",
    "shadow",
    "shrink",
    "static",
    "sticky",
    "table",
    "transform",
    "transition",
    "truncate",
    "underline",
    "uppercase",
    "visible",
];

fn is_class_like(word: &str) -> bool {
    if word.len() < 2 || word.len() > LONGEST {
        return false;
    }
    let first = word.as_bytes()[0];
    let starts =
        first.is_ascii_lowercase() || first.is_ascii_digit() || matches!(first, b'-' | b'!' | b'@' | b'[' | b'*');
    if !starts {
        return false;
    }
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return SINGLE.contains(&word);
    }
    if !word.contains(['-', ':', '!']) {
        return false;
    }
    // Outside brackets a class has no capitals; code does.
    let outside = word.split(['[', '(']).next().unwrap_or("");
    !outside.bytes().any(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::candidates;
    use std::collections::BTreeSet;

    fn found(source: &str) -> Vec<&str> {
        candidates(source).collect::<BTreeSet<_>>().into_iter().collect()
    }

    #[test]
    fn classes_are_found_wherever_they_are_written() {
        assert_eq!(found(r#"<p className="flex p-4 md:p-8">it's</p>"#), ["flex", "md:p-8", "p-4"]);
        assert_eq!(found("cn('mt-2', on && \"bg-red-500\", `w-${n} gap-1`)"), ["bg-red-500", "gap-1", "mt-2", "w-"]);
        assert_eq!(found(r#"{["ml-1","mr-1"].join(" ")}"#), ["ml-1", "mr-1"]);
        assert_eq!(found("<b class=font-bold>x</b>"), ["font-bold"]);
    }

    #[test]
    fn arbitrary_values_stay_whole() {
        let source = r#"className="w-[calc(100%-2rem)] [&>p]:mt-2 data-[state=open]:p-1 before:content-['x'] grid-cols-[1fr,2fr]""#;
        assert_eq!(
            found(source),
            [
                "[&>p]:mt-2",
                "before:content-['x']",
                "data-[state=open]:p-1",
                "grid-cols-[1fr,2fr]",
                "w-[calc(100%-2rem)]"
            ]
        );
    }
}
