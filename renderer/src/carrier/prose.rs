//! Outside of artifacts: prose, other code, and the places where an artifact opens.

use ui4a_types::{Carrier, Kind};

use super::body::{Body, Close, opening};
use super::fence::{self, Closing};
use super::judge::{Candidate, is_import};
use super::{Extractor, Piece, State, Step, attributes, text};

pub(super) const TAG: &str = "<antArtifact";
pub(super) const COLONS: &str = ":::artifact";

/// Longest first line or opening tag that is waited for, in bytes.
const OPENER_LIMIT: usize = 4096;

/// What a beginning of text turned out to be.
enum Found {
    /// Not this.
    No,
    Wait,
    /// An opening of this many bytes.
    Yes(usize),
}

/// Whether `rest` begins with `word`, as far as it goes.
fn begins(rest: &str, word: &str) -> Found {
    let same = rest.bytes().zip(word.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    if same == word.len() {
        Found::Yes(same)
    } else if same == rest.len() {
        Found::Wait
    } else {
        Found::No
    }
}

impl Extractor {
    /// Takes text outside of artifacts.
    pub(super) fn prose(&mut self, rest: &str, out: &mut Vec<Piece>, last: bool) -> Step {
        let bytes = rest.as_bytes();
        let first = bytes[0];
        if self.line_start {
            let blank = rest.len() - rest.trim_start().len();
            if blank > 0 {
                text(out, &rest[..blank]);
                return Step::Took(blank);
            }
            let found = match first {
                b'`' | b'~' => return self.fence(rest, first, out, last),
                b':' => self.colons(rest, out, last),
                _ if self.eager || !self.spoken => self.bare(rest, out, last),
                _ => Found::No,
            };
            match found {
                Found::Yes(length) => return Step::Took(length),
                Found::Wait if !last => return Step::Wait,
                _ => {}
            }
            self.owes_colons = false;
        }
        match first {
            b'`' if !self.line_start => return self.fence(rest, first, out, last),
            b'<' => match self.tag(rest, out) {
                Found::Yes(length) => return Step::Took(length),
                Found::Wait if !last => return Step::Wait,
                _ => {}
            },
            _ => {}
        }
        // One character, then everything up to the next that could open something.
        let one = rest.chars().next().map_or(1, char::len_utf8);
        let end = if first == b'\n' {
            1
        } else {
            memchr::memchr3(b'`', b'<', b'\n', &bytes[one..]).map_or(rest.len(), |offset| one + offset)
        };
        self.say(&rest[..end], out);
        Step::Took(end)
    }

    /// Gives out prose.
    fn say(&mut self, part: &str, out: &mut Vec<Piece>) {
        text(out, part);
        self.line_start = part.ends_with('\n') || (self.line_start && part.trim().is_empty());
        self.spoken |= !part.trim().is_empty();
    }

    /// A run of backticks or tildes: an artifact's fence, other code's, or no fence.
    fn fence(&mut self, rest: &str, mark: u8, out: &mut Vec<Piece>, last: bool) -> Step {
        let count = fence::run(rest, mark);
        if count == rest.len() && !last && count <= fence::RUN_LIMIT {
            return Step::Wait;
        }
        // The rest of a run too long to be one.
        let goes_on = !self.line_start && self.before == mark;
        // An info string is short; without this bound every backtick of a long line would look for the line's end.
        let window = rest.len().min(count + fence::INFO_LIMIT);
        let end = memchr::memchr(b'\n', &rest.as_bytes()[..window]);
        let info_end = end.or((window == rest.len()).then_some(window));
        let info = info_end.and_then(|end| rest.get(count..end));
        let is_fence = !goes_on && (3..=fence::RUN_LIMIT).contains(&count);
        let info = info.filter(|info| is_fence && !(mark == b'`' && info.contains('`')));
        let Some(info) = info else {
            self.say(&rest[..count], out);
            self.line_start = false;
            return Step::Took(count);
        };
        let Some(end) = end else {
            if !last {
                return Step::Wait;
            }
            self.say(rest, out);
            return Step::Took(rest.len());
        };
        let opener = &rest[..=end];
        let (language, attributes) = fence::split_info(info);
        let close = Close::Fence { mark, length: count };
        if let Some(kind) = fence::own_kind(language) {
            self.open(Body::sure(opening(attributes, kind, Carrier::Fence), close), opener, out);
            return Step::Took(opener.len());
        }
        match Candidate::of(language) {
            Some(candidate) if candidate != Candidate::Unknown || self.line_start => {
                let opening = opening(attributes, candidate.kind(), Carrier::Bare);
                let eager = self.eager && candidate != Candidate::Unknown;
                let body = if eager { Body::eager } else { Body::held }(opening, close, candidate);
                self.open(body, opener, out);
            }
            _ if self.line_start => {
                self.say(opener, out);
                self.state = State::Code { mark, length: count };
            }
            _ => {
                self.say(&rest[..count], out);
                self.line_start = false;
                return Step::Took(count);
            }
        }
        Step::Took(opener.len())
    }

    /// Takes text of other code, which is prose to us, up to its closing fence.
    pub(super) fn code(&mut self, rest: &str, mark: u8, length: usize, out: &mut Vec<Piece>, last: bool) -> Step {
        self.state = State::Code { mark, length };
        let bytes = rest.as_bytes();
        let indent = if self.line_start { fence::spaces(rest) } else { 0 };
        if self.line_start {
            match bytes.get(indent) {
                None if !last => return Step::Wait,
                Some(&byte) if byte == mark => match fence::closing(&rest[indent..], mark, length, last) {
                    Closing::Wait => return Step::Wait,
                    Closing::Line(end) => {
                        self.state = State::Prose;
                        self.say(&rest[..indent + end], out);
                        return Step::Took(indent + end);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        let end = memchr::memchr(b'\n', bytes).map_or(rest.len(), |end| end + 1);
        self.say(&rest[..end], out);
        // An unfinished line has been looked at.
        self.line_start = rest[..end].ends_with('\n');
        Step::Took(end)
    }

    /// An answer that is a module or a document, from its first line on.
    fn bare(&mut self, rest: &str, out: &mut Vec<Piece>, last: bool) -> Found {
        let mut wait = false;
        let mut is = |word| match begins(rest, word) {
            Found::Yes(_) => true,
            Found::Wait => {
                wait = true;
                false
            }
            Found::No => false,
        };
        let markup = !self.spoken && (is("<!doctype html") || is("<html"));
        let sure = !self.spoken && (is("export default") || is("\"use client\"") || is("'use client'"));
        let import = is("import");
        if wait {
            return Found::Wait;
        }
        let line_end = memchr::memchr(b'\n', rest.as_bytes());
        let line = &rest[..line_end.unwrap_or(rest.len())];
        if !markup && !sure {
            if !import || line.len() > OPENER_LIMIT {
                return Found::No;
            }
            if line_end.is_none() && !last {
                return Found::Wait;
            }
            if !is_import(line) {
                return Found::No;
            }
        }
        let candidate = if markup { Candidate::Html } else { Candidate::Component };
        let opening = opening("", candidate.kind(), Carrier::Bare);
        let body = if self.eager { Body::eager } else { Body::held }(opening, Close::Answer, candidate);
        self.open(body, "", out);
        Found::Yes(0)
    }

    /// `<antArtifact …>`.
    fn tag(&mut self, rest: &str, out: &mut Vec<Piece>) -> Found {
        match begins(rest, TAG) {
            Found::Yes(_) => {}
            other => return other,
        }
        let end = match tag_end(rest) {
            Found::Yes(end) => end,
            other => return other,
        };
        let attributes = &rest[TAG.len()..end - 1];
        if !attributes.starts_with(char::is_whitespace) {
            return Found::No;
        }
        let Some(kind) = kind_of_type(attributes) else { return Found::No };
        self.open(Body::sure(opening(attributes, kind, Carrier::Tag), Close::Tag), &rest[..end], out);
        Found::Yes(end)
    }

    /// `:::artifact{…}`, or the `:::` that is left of a block.
    fn colons(&mut self, rest: &str, out: &mut Vec<Piece>, last: bool) -> Found {
        if self.owes_colons {
            match fence::closing(rest, b':', 3, last) {
                Closing::Line(end) => {
                    self.owes_colons = false;
                    return Found::Yes(end);
                }
                Closing::Wait => return Found::Wait,
                _ => {}
            }
        }
        match begins(rest, COLONS) {
            Found::Yes(_) => {}
            other => return other,
        }
        let Some(end) = memchr::memchr(b'\n', rest.as_bytes()) else {
            return if rest.len() > OPENER_LIMIT { Found::No } else { Found::Wait };
        };
        let attributes = &rest[COLONS.len()..end];
        let Some(kind) = kind_of_type(attributes) else { return Found::No };
        self.open(Body::sure(opening(attributes, kind, Carrier::Tag), Close::Colons), &rest[..=end], out);
        Found::Yes(end + 1)
    }
}

/// After the `>` of a tag, quotes minded. Another `<` shows that it is none.
fn tag_end(tag: &str) -> Found {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate().take(OPENER_LIMIT) {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Found::Yes(at + 1),
            (None, b'<') if at > 0 => return Found::No,
            _ => {}
        }
    }
    if tag.len() > OPENER_LIMIT { Found::No } else { Found::Wait }
}

/// The kind that a `type` attribute names; `None` for what we do not render.
pub(super) fn kind_of_type(attributes: &str) -> Option<Kind> {
    let name = attributes::value(attributes, "type").unwrap_or_default().to_ascii_lowercase();
    Some(match name.as_str() {
        "application/vnd.ant.react" | "tsx" | "jsx" | "react" | "" => Kind::Tsx,
        "text/html" | "html" => Kind::Html,
        "image/svg+xml" | "svg" => Kind::Svg,
        "text/markdown" | "markdown" => Kind::Markdown,
        _ => return None,
    })
}
