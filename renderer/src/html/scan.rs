//! The tags of a document, with the places of their attributes. Read as HTML's tokenizer reads them; nothing is nested.

use crate::complete::html::{RAW_TEXT, WHOLE};

/// An opening tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tag {
    /// Lowercase.
    pub name: String,
    pub start: usize,
    /// After `>`.
    pub end: usize,
    pub attributes: Vec<Attribute>,
    /// What stands between this tag and its end tag, where that is text and no markup.
    pub content: Option<(usize, usize)>,
}

/// An attribute, by places in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    /// Lowercase.
    pub name: String,
    pub at: (usize, usize),
    /// The value without its quotes; empty where there is none.
    pub value: (usize, usize),
    pub quote: Option<u8>,
}

impl Tag {
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// All opening tags of a text, in order. A tag that does not end is none. Linear in the text.
pub(crate) fn tags(text: &str) -> Vec<Tag> {
    let bytes = text.as_bytes();
    let (mut tags, mut at) = (Vec::new(), 0);
    while let Some(found) = memchr::memchr(b'<', &bytes[at.min(bytes.len())..]).map(|found| at + found) {
        at = match bytes.get(found + 1) {
            Some(b'!') if bytes[found..].starts_with(b"<!--") => {
                memchr::memmem::find(&bytes[found + 4..], b"-->").map_or(bytes.len(), |end| found + 4 + end + 3)
            }
            Some(byte) if byte.is_ascii_alphabetic() => match tag(text, found) {
                Some(mut tag) => {
                    let mut next = tag.end;
                    if WHOLE.into_iter().chain(RAW_TEXT).any(|name| name == tag.name) {
                        let end = end_of_text(bytes, tag.end, &tag.name);
                        tag.content = Some((tag.end, end));
                        next = end;
                    }
                    tags.push(tag);
                    next
                }
                None => bytes.len(),
            },
            // An end tag has attributes too, for all the parser does with them: a `>` may stand in one.
            Some(b'/') if bytes.get(found + 2).is_some_and(u8::is_ascii_alphabetic) => {
                tag(text, found + 1).map_or(bytes.len(), |tag| tag.end)
            }
            Some(b'/' | b'!' | b'?') => {
                memchr::memchr(b'>', &bytes[found..]).map_or(bytes.len(), |end| found + end + 1)
            }
            _ => found + 1,
        };
    }
    tags
}

fn end_of_text(bytes: &[u8], from: usize, name: &str) -> usize {
    let mut at = from;
    while let Some(found) = memchr::memmem::find(&bytes[at..], b"</").map(|found| at + found) {
        let rest = &bytes[found + 2..];
        let ends = rest.len() >= name.len()
            && rest[..name.len()].eq_ignore_ascii_case(name.as_bytes())
            && rest
                .get(name.len())
                .is_none_or(|byte| matches!(byte, b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r' | 0x0c));
        if ends {
            return found;
        }
        at = found + 2;
    }
    bytes.len()
}

fn tag(text: &str, start: usize) -> Option<Tag> {
    let bytes = text.as_bytes();
    let space = |byte: u8| byte.is_ascii_whitespace();
    let mut at = start + 1;
    while bytes.get(at).is_some_and(|byte| !space(*byte) && !matches!(byte, b'>' | b'/')) {
        at += 1;
    }
    let mut tag = Tag { name: text[start + 1..at].to_ascii_lowercase(), start, ..Tag::default() };
    loop {
        while bytes.get(at).is_some_and(|byte| space(*byte) || *byte == b'/') {
            at += 1;
        }
        if *bytes.get(at)? == b'>' {
            tag.end = at + 1;
            return Some(tag);
        }
        let from = at;
        at += 1;
        while bytes.get(at).is_some_and(|byte| !space(*byte) && !matches!(byte, b'>' | b'/' | b'=')) {
            at += 1;
        }
        let name = text[from..at].to_ascii_lowercase();
        let mut after = at;
        while bytes.get(after).is_some_and(|byte| space(*byte)) {
            after += 1;
        }
        let (mut value, mut quote) = ((at, at), None);
        if bytes.get(after) == Some(&b'=') {
            at = after + 1;
            while bytes.get(at).is_some_and(|byte| space(*byte)) {
                at += 1;
            }
            match *bytes.get(at)? {
                open @ (b'"' | b'\'') => {
                    let length = memchr::memchr(open, &bytes[at + 1..])?;
                    value = (at + 1, at + 1 + length);
                    quote = Some(open);
                    at = value.1 + 1;
                }
                _ => {
                    let begin = at;
                    while bytes.get(at).is_some_and(|byte| !space(*byte) && *byte != b'>') {
                        at += 1;
                    }
                    value = (begin, at);
                }
            }
        }
        tag.attributes.push(Attribute { name, at: (from, at), value, quote });
    }
}

/// An attribute's value as the parser reads it: the references that addresses and styles hold.
pub(crate) fn decoded(value: &str) -> String {
    if !value.contains('&') {
        return value.to_owned();
    }
    let names = [
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&apos;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    names.iter().fold(value.to_owned(), |text, (name, with)| text.replace(name, with))
}

/// The other way, for a value in quotes.
pub(crate) fn encoded(value: &str) -> String {
    value.replace('&', "&amp;").replace('"', "&quot;").replace('\'', "&#39;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_attributes_and_texts() {
        let text = "<!-- <b> --><A Href='x>y' b = c d>1 < 2</a><script>if (a<b) '<i>'</script ><IMG src=/q/r.png/><p";
        let tags = tags(text);
        let names: Vec<&str> = tags.iter().map(|tag| tag.name.as_str()).collect();
        assert_eq!(names, ["a", "script", "img"]);
        let value =
            |tag: &Tag, name: &str| tag.attribute(name).map(|found| text[found.value.0..found.value.1].to_owned());
        assert_eq!(value(&tags[0], "href").as_deref(), Some("x>y"));
        assert_eq!(value(&tags[0], "b").as_deref(), Some("c"));
        assert_eq!(value(&tags[0], "d").as_deref(), Some(""));
        assert_eq!(tags[1].content.map(|(from, to)| &text[from..to]), Some("if (a<b) '<i>'"));
        assert_eq!(value(&tags[2], "src").as_deref(), Some("/q/r.png/"));
    }

    #[test]
    fn what_is_no_tag_ends_where_the_parser_ends_it() {
        let names = |text: &str| tags(text).into_iter().map(|tag| tag.name).collect::<Vec<_>>();
        // A comment that nobody meant, up to the first `>`; an end tag, past the quoted one.
        assert_eq!(names("</<a href='<b>'<i>"), ["i"]);
        assert_eq!(names("</p title='<b>'><i>"), ["i"]);
        assert_eq!(names("<?a '><b>' ><!x \"><u>"), ["b", "u"]);
        assert_eq!(names("<a =\"><b>"), ["a", "b"]);
    }

    #[test]
    fn no_text_makes_it_panic() {
        for text in [
            "<",
            "<a",
            "<a b",
            "<a b=",
            "<a b='",
            "<a b=é",
            "<script",
            "<script>",
            "<script></",
            "<é>",
            "<a é='ü'>",
            "<!--",
            "<!",
            "</",
            "<a/",
            "<a =>",
        ] {
            tags(text);
        }
    }
}
