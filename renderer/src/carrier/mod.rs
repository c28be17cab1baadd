//! Carriers: where in a model's stream an artifact is, and where it is not.
//!
//! Owns the four ways by which source arrives (contracts, section 2) and the decision whether plain code is an artifact.
//! However the stream is cut into chunks, the pieces say the same; only what could still become an opening or a closing is
//! held back. Every byte of the stream comes out once: as prose, as source, or in a [`Piece::Retracted`], but for the fences
//! and tags around a source. Knows nothing of what the source means to a browser.

mod attributes;
mod body;
mod cut;
mod fence;
mod judge;
mod prose;
mod tool;

use ui4a_types::{Carrier, Dialect, Kind};

pub use tool::{ToolArguments, ToolPiece};

use body::{Body, Close};

/// One thing found in the stream, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Prose, fences of other languages included.
    Text(String),
    /// An artifact begins.
    Opened(Opening),
    /// The next part of the open artifact's source.
    Source(String),
    /// The open artifact ends; `truncated` when the stream ended first.
    Closed {
        /// The source may go on.
        truncated: bool,
    },
    /// The open artifact was none: all that it swallowed is prose, fences included. Takes the place of `Closed`.
    Retracted {
        /// The stream's own text since the opening.
        text: String,
    },
}

/// What the carrier says about the artifact that it opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The model's own name for it; a second one with the same name is the next revision.
    pub id: Option<String>,
    /// What to call it.
    pub title: Option<String>,
    /// The language of the source.
    pub kind: Kind,
    /// Where the carrier tells; else see [`dialect`] when imports have come.
    pub dialect: Option<Dialect>,
    /// How it arrived.
    pub carrier: Carrier,
}

/// The family of specifiers that the source so far imports from.
pub fn dialect(source: &str) -> Dialect {
    let imports = |family: &str| {
        memchr::memmem::find_iter(source.as_bytes(), family).any(|at| {
            let before = source.as_bytes()[..at].last();
            matches!(before, Some(b'"' | b'\'' | b'`'))
        })
    };
    if imports("$macaron/") && !imports("$ui4a/") { Dialect::Macaron } else { Dialect::Ui4a }
}

/// Where the extractor is in the stream.
#[derive(Debug)]
enum State {
    Prose,
    /// Between the fences of other code.
    Code {
        mark: u8,
        length: usize,
    },
    /// Inside an artifact, or inside what may turn out to be one.
    Body(Box<Body>),
}

/// Finds artifacts in a text stream.
#[derive(Debug)]
pub struct Extractor {
    eager: bool,
    /// Text not yet given out; what stays between calls could become an opening or a closing.
    buffer: String,
    state: State,
    /// Only white space since the last line's end.
    line_start: bool,
    /// Prose has come: what follows is no bare answer any more.
    spoken: bool,
    /// The last byte given out inside the current line, to know what a fence is glued to.
    before: u8,
    /// A `:::` line is still owed to a block that its inner fence closed.
    owes_colons: bool,
}

/// Whether a step got on.
enum Step {
    /// This many bytes of the buffer are dealt with; there may be more to do.
    Took(usize),
    /// Only more text can tell.
    Wait,
}

impl Extractor {
    /// `eager`: the answer comes from the specialist for interfaces, so plain code opens at its fence.
    pub fn new(eager: bool) -> Self {
        Self {
            eager,
            buffer: String::new(),
            state: State::Prose,
            line_start: true,
            spoken: false,
            before: b'\n',
            owes_colons: false,
        }
    }

    /// Takes the next part of the stream.
    pub fn push(&mut self, text: &str) -> Vec<Piece> {
        let mut out = Vec::new();
        self.buffer.push_str(text);
        self.run(&mut out, false);
        out
    }

    /// The stream has ended. The extractor is then as new.
    pub fn finish(&mut self) -> Vec<Piece> {
        let mut out = Vec::new();
        self.run(&mut out, true);
        let rest = std::mem::take(&mut self.buffer);
        if let State::Body(mut body) = std::mem::replace(&mut self.state, State::Prose) {
            body.source(&rest, &mut out);
            body.end_of_stream(&mut out);
        } else {
            text(&mut out, &rest);
        }
        *self = Self::new(self.eager);
        out
    }

    fn run(&mut self, out: &mut Vec<Piece>, last: bool) {
        let buffer = std::mem::take(&mut self.buffer);
        let mut at = 0;
        while at < buffer.len() {
            let rest = &buffer[at..];
            let step = match std::mem::replace(&mut self.state, State::Prose) {
                State::Prose => self.prose(rest, out, last),
                State::Code { mark, length } => self.code(rest, mark, length, out, last),
                State::Body(body) => self.body(rest, body, out, last),
            };
            match step {
                Step::Took(length) => {
                    if length > 0 {
                        self.before = rest.as_bytes()[length - 1];
                    }
                    at += length;
                }
                Step::Wait => break,
            }
        }
        self.buffer = buffer[at..].to_owned();
    }

    /// Begins an artifact whose opening is `opener`.
    fn open(&mut self, body: Body, opener: &str, out: &mut Vec<Piece>) {
        let mut body = Box::new(body);
        body.begin(opener, out);
        self.line_start = body.close != Close::Tag;
        self.spoken = true;
        self.state = State::Body(body);
    }
}

/// Adds prose.
fn text(out: &mut Vec<Piece>, text: &str) {
    match out.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(before)) => before.push_str(text),
        _ => out.push(Piece::Text(text.to_owned())),
    }
}
