//! How much of an unfinished HTML document may be given to the document's own parser.
//!
//! That parser closes elements itself, so nothing is added: only what it would take for something else is held back. A script
//! is held back until its end tag, because a parser that is told of no more text would not run half of it, and one that is
//! fed on might; a style sheet, because an address in it is replaced as a whole.

use super::jsx::half_entity;

/// Finds the safe end of a growing document; never goes back.
#[derive(Clone, Copy, Debug, Default)]
pub struct HtmlCompleter {
    /// Up to here the text is taken apart and safe.
    safe: usize,
    /// Where to look on for the end of what begins at `safe`.
    look: usize,
    raw: Option<Raw>,
    /// The raw element's end tag begins at `.0` and lacks its `>` up to `.1`.
    ending: Option<(usize, usize)>,
    tag: Tag,
}

/// Elements whose content is not markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Raw {
    Whole(&'static str),
    Text(&'static str),
}

pub(crate) const RAW_TEXT: [&str; 7] = ["textarea", "title", "xmp", "noscript", "iframe", "noframes", "noembed"];

/// The same, but only of use when they are whole.
pub(crate) const WHOLE: [&str; 2] = ["script", "style"];

/// Longest tag that is waited for, in bytes: what is longer is text gone wrong.
const TAG_LIMIT: usize = 1 << 20;

/// Longest entity, in bytes.
const ENTITY: usize = 33;

impl HtmlCompleter {
    /// The end of the part of `source` that may be written now. `source` is all of the document so far.
    pub fn safe_end(&mut self, source: &str) -> usize {
        while self.step(source) {}
        match self.raw {
            // Raw text may be shown as it comes, but for what could be the beginning of its end tag.
            Some(Raw::Text(name)) => {
                let tail = &source[self.safe..];
                let held = half_end_tag(tail, name).max(half_entity(tail));
                self.ending.map_or(source.len() - held, |(start, _)| start)
            }
            Some(Raw::Whole(_)) => self.safe,
            None => {
                let tail = &source[self.safe..];
                let held = if tail.starts_with('<') { tail.len() } else { half_entity(tail) };
                source.len() - held.max(usize::from(tail.ends_with('\r')))
            }
        }
    }

    /// Takes one tag, comment or run of text; `false` when only more text can tell.
    fn step(&mut self, source: &str) -> bool {
        match self.raw {
            // `safe` stays before the opening tag of such an element until the end tag is there.
            Some(Raw::Whole(name)) => self.raw_text(source, name),
            Some(Raw::Text(name)) => {
                self.raw_text(source, name) || {
                    // An entity that may still go on is looked at again.
                    let mut safe =
                        self.ending.map_or(self.look, |(start, _)| start).saturating_sub(ENTITY).max(self.safe);
                    while !source.is_char_boundary(safe) {
                        safe -= 1;
                    }
                    self.safe = safe;
                    false
                }
            }
            None => self.markup(source),
        }
    }

    /// Looks for the end tag of a raw element; moves behind it if it is there.
    fn raw_text(&mut self, source: &str, name: &str) -> bool {
        let bytes = source.as_bytes();
        if self.ending.is_none() {
            self.ending = end_tag(bytes, self.look, name);
        }
        if let Some((start, read)) = self.ending {
            match memchr::memchr(b'>', &bytes[read..]) {
                Some(offset) => {
                    self.move_to(read + offset + 1);
                    return true;
                }
                None => self.ending = Some((start, bytes.len())),
            }
            return false;
        }
        // What could be the beginning of the end tag is looked at again.
        let mut look = bytes.len().saturating_sub(name.len() + 3).max(self.look);
        while !source.is_char_boundary(look) {
            look -= 1;
        }
        self.look = look;
        false
    }

    fn move_to(&mut self, at: usize) {
        *self = Self { safe: at, look: at, ..Self::default() };
    }

    fn markup(&mut self, source: &str) -> bool {
        let bytes = source.as_bytes();
        if bytes.get(self.safe) != Some(&b'<') {
            let Some(offset) = memchr::memchr(b'<', &bytes[self.safe..]) else { return false };
            self.move_to(self.safe + offset);
            return true;
        }
        let at = self.safe;
        match bytes.get(at + 1) {
            None => false,
            Some(b'!') if bytes[at..].starts_with(b"<!--") => {
                let from = self.look.max(at + 4);
                let Some(offset) = memchr::memmem::find(&bytes[from..], b"-->") else {
                    self.look = bytes.len().saturating_sub(2);
                    return false;
                };
                self.move_to(from + offset + 3);
                true
            }
            Some(b'!') if bytes.len() < at + 4 && b"<!--".starts_with(&bytes[at..]) => false,
            Some(b'/') if bytes.len() < at + 3 => false,
            Some(byte) if byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!' | b'?') => {
                // The name begins after `<` or `</`.
                let from = self.look.max(at + 1 + usize::from(*byte == b'/'));
                let is_tag = byte.is_ascii_alphabetic() || *byte == b'/' && bytes[at + 2].is_ascii_alphabetic();
                // What is neither a tag nor a comment is one that nobody meant: it ends at the first `>`.
                let end = if is_tag {
                    self.tag.end(&bytes[from..])
                } else {
                    memchr::memchr(b'>', &bytes[from..]).map(|at| at + 1)
                };
                let Some(end) = end.map(|length| from + length) else {
                    self.look = bytes.len();
                    if bytes.len() - at > TAG_LIMIT {
                        self.move_to(at + 1);
                        return true;
                    }
                    return false;
                };
                let over = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
                let name_end = bytes[at + 1..end].iter().position(over).unwrap_or(0);
                let name = source[at + 1..at + 1 + name_end].to_ascii_lowercase();
                if let Some(whole) = WHOLE.into_iter().find(|whole| *whole == name) {
                    self.look = end;
                    self.tag = Tag::default();
                    self.raw = Some(Raw::Whole(whole));
                } else {
                    self.move_to(end);
                    self.raw = RAW_TEXT.into_iter().find(|raw| *raw == name).map(Raw::Text);
                }
                true
            }
            // A `<` that opens nothing.
            Some(_) => {
                self.safe = at + 1;
                self.look = at + 1;
                true
            }
        }
    }
}

/// The inside of a tag, read up to some place: what a `>` there means. The states are those of HTML's tokenizer
/// (<https://html.spec.whatwg.org/multipage/parsing.html#tag-name-state> and after) as far as they differ in that.
#[derive(Clone, Copy, Debug, Default)]
enum Tag {
    /// In the tag's own name.
    #[default]
    Name,
    /// Where an attribute may begin.
    Between,
    /// In an attribute's name.
    Attribute,
    /// After an attribute's name, where `=` may follow.
    Named,
    /// After `=`.
    Equals,
    Quoted(u8),
    Unquoted,
}

impl Tag {
    /// The place after the tag's `>`, if it is among these bytes, which go on from those before.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        for (offset, &byte) in bytes.iter().enumerate() {
            let space = byte.is_ascii_whitespace();
            *self = match (*self, byte) {
                (Self::Quoted(open), _) if byte == open => Self::Between,
                (Self::Quoted(open), _) => Self::Quoted(open),
                (_, b'>') => return Some(offset + 1),
                (Self::Equals, b'"' | b'\'') => Self::Quoted(byte),
                (Self::Equals, _) if space => Self::Equals,
                (Self::Unquoted, _) if space => Self::Between,
                (Self::Equals | Self::Unquoted, _) => Self::Unquoted,
                (_, b'/') => Self::Between,
                (Self::Name | Self::Between, _) if space => Self::Between,
                (Self::Name, _) => Self::Name,
                (Self::Between, _) => Self::Attribute,
                (Self::Attribute | Self::Named, b'=') => Self::Equals,
                (Self::Attribute | Self::Named, _) if space => Self::Named,
                (Self::Attribute | Self::Named, _) => Self::Attribute,
            };
        }
        None
    }
}

/// The first end tag of `name` from `from` on: where it begins, and where its name is over.
fn end_tag(bytes: &[u8], mut from: usize, name: &str) -> Option<(usize, usize)> {
    while let Some(offset) = memchr::memmem::find(&bytes[from..], b"</") {
        let at = from + offset;
        let rest = &bytes[at + 2..];
        if rest.len() > name.len()
            && rest[..name.len()].eq_ignore_ascii_case(name.as_bytes())
            && matches!(rest[name.len()], b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
        {
            return Some((at, at + 2 + name.len()));
        }
        from = at + 2;
    }
    None
}

/// Length of a beginning of `</name` at the end of the text.
fn half_end_tag(text: &str, name: &str) -> usize {
    let bytes = text.as_bytes();
    let begins = |length: &usize| {
        let tail = &bytes[bytes.len() - length..];
        let (mark, word) = tail.split_at((*length).min(2));
        b"</".starts_with(mark) && name.as_bytes()[..word.len()].eq_ignore_ascii_case(word)
    };
    (1..=bytes.len().min(name.len() + 2)).rev().find(begins).unwrap_or(0)
}
