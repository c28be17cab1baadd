//! Inside an artifact, up to what closes it.

use ui4a_types::{Carrier, Kind};

use super::fence::{self, Closing};
use super::judge::{Candidate, Evidence, Verdict};
use super::{Extractor, Opening, Piece, State, Step, text};

/// What ends the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Close {
    /// A fence of at least this length.
    Fence { mark: u8, length: usize },
    /// `</antArtifact>`.
    Tag,
    /// A line `:::`, after an inner fence if there is one.
    Colons,
    /// The end of the answer, or a fence that nothing opened.
    Answer,
}

/// An artifact being read, or code that may be one.
#[derive(Debug)]
pub(super) struct Body {
    pub close: Close,
    opening: Opening,
    /// What its text must show; `None` where the carrier leaves no doubt.
    candidate: Option<Candidate>,
    evidence: Evidence,
    /// `Opened` was given out.
    opened: bool,
    /// The stream's text since the opening; the source begins at `source_at`.
    swallowed: String,
    source_at: usize,
    /// The block of colons has an inner fence.
    inner: Option<(u8, usize)>,
    /// A line of the block of colons has come, so no inner fence will.
    begun: bool,
}

const END_TAG: &str = "</antArtifact>";

impl Body {
    /// An artifact without doubt.
    pub fn sure(opening: Opening, close: Close) -> Self {
        Self::new(opening, close, None, true)
    }

    /// Code that is given out at once and may be taken back.
    pub fn eager(opening: Opening, close: Close, candidate: Candidate) -> Self {
        Self::new(opening, close, Some(candidate), true)
    }

    /// Code that is held back until it shows what it is.
    pub fn held(opening: Opening, close: Close, candidate: Candidate) -> Self {
        Self::new(opening, close, Some(candidate), false)
    }

    fn new(opening: Opening, close: Close, candidate: Option<Candidate>, opened: bool) -> Self {
        Self {
            close,
            opening,
            candidate,
            evidence: Evidence::default(),
            opened,
            swallowed: String::new(),
            source_at: 0,
            inner: None,
            begun: false,
        }
    }

    pub fn begin(&mut self, opener: &str, out: &mut Vec<Piece>) {
        self.swallowed.push_str(opener);
        self.source_at = opener.len();
        if self.opened {
            out.push(Piece::Opened(self.opening.clone()));
        }
    }

    fn text(&self) -> &str {
        &self.swallowed[self.source_at..]
    }

    /// Adds source. Held code is given out as soon as it has shown what it is.
    pub fn source(&mut self, part: &str, out: &mut Vec<Piece>) {
        if part.is_empty() {
            return;
        }
        // Without doubt there is nothing to take back, so nothing has to be kept.
        if self.candidate.is_some() {
            self.swallowed.push_str(part);
            let mut evidence = self.evidence;
            evidence.read(self.text());
            self.evidence = evidence;
        }
        if self.opened {
            push_source(out, part);
        } else if let Some(Verdict::Artifact(kind)) = self.verdict(false) {
            self.reveal(kind, out);
        }
    }

    fn verdict(&self, closed: bool) -> Option<Verdict> {
        Some(self.evidence.verdict(self.candidate?, self.text(), closed))
    }

    fn reveal(&mut self, kind: Kind, out: &mut Vec<Piece>) {
        self.opened = true;
        self.opening.kind = kind;
        out.push(Piece::Opened(self.opening.clone()));
        push_source(out, self.text());
    }

    /// The held code can be no artifact any more.
    fn is_prose(&self) -> bool {
        !self.opened && self.verdict(false) == Some(Verdict::Prose)
    }

    /// Closed by `closer`.
    fn finish(mut self, closer: &str, out: &mut Vec<Piece>) {
        if !self.opened
            && let Some(Verdict::Artifact(kind)) = self.verdict(true)
        {
            self.reveal(kind, out);
        }
        if !self.opened {
            text(out, &self.swallowed);
            text(out, closer);
        } else if self.candidate.is_some() && !self.evidence.stands(self.opening.kind, self.text()) {
            out.push(Piece::Retracted { text: self.swallowed + closer });
        } else {
            out.push(Piece::Closed { truncated: false });
        }
    }

    /// The stream ended inside.
    pub fn end_of_stream(self, out: &mut Vec<Piece>) {
        if self.close == Close::Answer && self.opened {
            if self.evidence.stands(self.opening.kind, self.text()) {
                out.push(Piece::Closed { truncated: !self.is_whole() });
            } else {
                out.push(Piece::Retracted { text: self.swallowed });
            }
        } else if self.opened {
            out.push(Piece::Closed { truncated: true });
        } else {
            text(out, &self.swallowed);
        }
    }

    /// The end of a bare answer is its own end if nothing is left open.
    fn is_whole(&self) -> bool {
        match self.opening.kind {
            Kind::Tsx => crate::complete::complete(self.text()).truncated_at.is_none(),
            _ => self.text().trim_end().to_ascii_lowercase().ends_with("</html>"),
        }
    }
}

fn push_source(out: &mut Vec<Piece>, part: &str) {
    match out.last_mut() {
        _ if part.is_empty() => {}
        Some(Piece::Source(before)) => before.push_str(part),
        _ => out.push(Piece::Source(part.to_owned())),
    }
}

/// A fence right after one of these closes the code that it is glued to.
fn ends_code(byte: u8) -> bool {
    matches!(byte, b'}' | b';' | b'>' | b')')
}

impl Extractor {
    /// Takes text inside an artifact.
    pub(super) fn body(&mut self, rest: &str, mut body: Box<Body>, out: &mut Vec<Piece>, last: bool) -> Step {
        let step = match body.close {
            Close::Tag => tag_step(rest, last),
            Close::Fence { mark, length } => self.line_step(rest, &body, mark, length, last),
            Close::Answer => self.line_step(rest, &body, b'`', 3, last),
            Close::Colons => match body.inner {
                Some((mark, length)) => self.line_step(rest, &body, mark, length, last),
                None => self.colons_step(rest, &mut body, last),
            },
        };
        match step {
            BodyStep::Wait => {
                self.state = State::Body(body);
                Step::Wait
            }
            BodyStep::Skip(length) => {
                self.state = State::Body(body);
                Step::Took(length)
            }
            BodyStep::Source(length) => {
                let part = &rest[..length];
                // What a fence may stand behind, by the one rule of `fence::spaces`.
                let indent = part.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
                self.line_start = part.ends_with('\n') || (self.line_start && indent);
                body.source(part, out);
                self.state = match body.close {
                    Close::Fence { mark, length } if body.is_prose() => {
                        text(out, &body.swallowed);
                        State::Code { mark, length }
                    }
                    Close::Answer if body.is_prose() => {
                        text(out, &body.swallowed);
                        State::Prose
                    }
                    _ => State::Body(body),
                };
                Step::Took(length)
            }
            BodyStep::Closed(length) => {
                let closer = &rest[..length];
                self.owes_colons = body.close == Close::Colons && body.inner.is_some();
                body.finish(closer, out);
                self.line_start = closer.is_empty() || closer.ends_with('\n');
                Step::Took(length)
            }
        }
    }

    /// Text up to a line that a fence closes.
    fn line_step(&self, rest: &str, body: &Body, mark: u8, length: usize, last: bool) -> BodyStep {
        let bytes = rest.as_bytes();
        if self.line_start {
            let indent = fence::spaces(rest);
            let after = &rest[indent..];
            match after.as_bytes().first() {
                None if !last => return BodyStep::Wait,
                Some(&byte) if byte == mark => match fence::closing(after, mark, length, last) {
                    Closing::Wait => return BodyStep::Wait,
                    Closing::Line(end) => return BodyStep::Closed(indent + end),
                    Closing::Words(end) if body.opening.kind != Kind::Markdown => {
                        return BodyStep::Closed(indent + end);
                    }
                    // A bare answer has no fence of its own, so this one belongs to what follows.
                    Closing::Reopened if body.opening.kind != Kind::Markdown => return BodyStep::Closed(0),
                    _ => return BodyStep::Source(indent + fence::run(after, mark).max(1)),
                },
                _ if indent > 0 => return BodyStep::Source(indent_and_one(rest, indent)),
                _ => {}
            }
        }
        let Some(found) = memchr::memchr2(b'\n', mark, bytes) else { return BodyStep::Source(rest.len()) };
        if bytes[found] == b'\n' {
            return BodyStep::Source(found + 1);
        }
        if found > 0 {
            return BodyStep::Source(found);
        }
        match fence::closing(rest, mark, length, last) {
            Closing::Wait => BodyStep::Wait,
            Closing::Line(end) if ends_code(self.before) && fence::run(rest, mark) >= 3 => BodyStep::Closed(end),
            _ => BodyStep::Source(fence::run(rest, mark)),
        }
    }

    /// Text of a `:::` block, where a first fence wraps the source.
    fn colons_step(&self, rest: &str, body: &mut Body, last: bool) -> BodyStep {
        if self.line_start {
            let indent = fence::spaces(rest);
            let after = &rest[indent..];
            let first = after.as_bytes().first().copied();
            match first {
                None if !last => return BodyStep::Wait,
                Some(mark @ (b'`' | b'~')) if !body.begun => {
                    let Some(end) = memchr::memchr(b'\n', after.as_bytes()) else {
                        return if last || after.len() > fence::INFO_LIMIT {
                            BodyStep::Source(rest.len())
                        } else {
                            BodyStep::Wait
                        };
                    };
                    let count = fence::run(after, mark);
                    if count >= 3 {
                        body.inner = Some((mark, count));
                        return BodyStep::Skip(indent + end + 1);
                    }
                }
                Some(b':') => match fence::closing(after, b':', 3, last) {
                    Closing::Wait => return BodyStep::Wait,
                    Closing::Line(end) => return BodyStep::Closed(indent + end),
                    _ => {}
                },
                _ => {}
            }
        }
        let end = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
        body.begun |= !rest[..end].trim().is_empty();
        BodyStep::Source(end)
    }
}

/// The indent and the first character after it, which is no fence: the rest of the line needs no look.
fn indent_and_one(rest: &str, indent: usize) -> usize {
    indent + rest[indent..].chars().next().map_or(0, char::len_utf8)
}

enum BodyStep {
    Wait,
    Source(usize),
    /// Belongs to the carrier.
    Skip(usize),
    Closed(usize),
}

fn tag_step(rest: &str, last: bool) -> BodyStep {
    match memchr::memchr(b'<', rest.as_bytes()) {
        None => BodyStep::Source(rest.len()),
        Some(0) if rest.starts_with(END_TAG) => BodyStep::Closed(END_TAG.len()),
        Some(0) if END_TAG.starts_with(rest) && !last => BodyStep::Wait,
        Some(0) => BodyStep::Source(1),
        Some(found) => BodyStep::Source(found),
    }
}

/// An opening from its attributes.
pub(super) fn opening(attributes: &str, kind: Kind, carrier: Carrier) -> Opening {
    let value = |name| super::attributes::value(attributes, name);
    Opening { id: value("id").or_else(|| value("identifier")), title: value("title"), kind, dialect: None, carrier }
}
