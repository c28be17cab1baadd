//! The addresses in a style sheet's text.

use crate::address::is_outside;
use ui4a_types::AddressRole;

/// An address of another place, where it stands (without quotes), and what it is used as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub at: (usize, usize),
    pub role: AddressRole,
}

/// Finds `url()`s and `@import`s that lead elsewhere. Comments and strings are passed over; namespaces are names.
pub(crate) fn addresses(css: &str) -> Vec<Found> {
    let bytes = css.as_bytes();
    let (mut found, mut at, mut role) = (Vec::new(), 0, Some(AddressRole::Asset));
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = css[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
            }
            quote @ (b'"' | b'\'') => {
                let end = closing(bytes, at + 1, quote);
                // Only an import takes its address as a string.
                if role == Some(AddressRole::Style) {
                    push(css, &mut found, (at + 1, end), AddressRole::Style);
                }
                at = end + 1;
            }
            b'@' => {
                let word = css[at + 1..].split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
                role = match word.to_ascii_lowercase().as_str() {
                    "import" => Some(AddressRole::Style),
                    "namespace" => None,
                    _ => Some(AddressRole::Asset),
                };
                at += 1 + word.len();
            }
            b';' | b'{' | b'}' => {
                role = Some(AddressRole::Asset);
                at += 1;
            }
            b'u' | b'U' if starts_url(bytes, at) => {
                let mut start = at + 4;
                while bytes.get(start).is_some_and(u8::is_ascii_whitespace) {
                    start += 1;
                }
                let end = match bytes.get(start) {
                    Some(quote @ (b'"' | b'\'')) => {
                        start += 1;
                        closing(bytes, start, *quote)
                    }
                    _ => {
                        let end = bytes[start..].iter().position(|byte| *byte == b')' || byte.is_ascii_whitespace());
                        end.map_or(bytes.len(), |length| start + length)
                    }
                };
                if let Some(role) = role {
                    push(css, &mut found, (start, end), role);
                }
                at = end.max(at + 4);
                at += bytes.get(at).map_or(0, |byte| usize::from(byte.is_ascii()));
            }
            _ => at += 1,
        }
    }
    found
}

fn starts_url(bytes: &[u8], at: usize) -> bool {
    let word = bytes.get(at..at + 4).is_some_and(|word| word.eq_ignore_ascii_case(b"url("));
    word && (at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || matches!(bytes[at - 1], b'-' | b'_')))
}

fn closing(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

fn push(css: &str, found: &mut Vec<Found>, at: (usize, usize), role: AddressRole) {
    if css.get(at.0..at.1).is_some_and(is_outside) {
        found.push(Found { at, role });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_and_imports_are_found_and_nothing_else() {
        let css = "@import 'https://f.test/a.css' screen; @import url(//f.test/b.css);\n@namespace s url(http://www.w3.org/2000/svg);\n\
                   /* url(https://no.test/x) */ a::after { content: 'url(https://no.test/y)'; background: url( \"https://i.test/p(1).png\" ), url(data:x), url(#id) }\n\
                   @font-face { src: URL(https://f.test/f.woff2) format('woff2') } .xurl(https://no.test/z)";
        let found: Vec<_> =
            addresses(css).into_iter().map(|found| (&css[found.at.0..found.at.1], found.role)).collect();
        use AddressRole::{Asset, Style};
        assert_eq!(
            found,
            [
                ("https://f.test/a.css", Style),
                ("//f.test/b.css", Style),
                ("https://i.test/p(1).png", Asset),
                ("https://f.test/f.woff2", Asset)
            ]
        );
        for half in ["url(", "url('", "@import", "url(https://é", "'\\", "u", "/*"] {
            addresses(half);
        }
    }
}
