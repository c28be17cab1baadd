//! A stream that was cut off: an opening that it ends in was to be an artifact, though nothing of it came.

use ui4a_types::{Carrier, Kind};

use super::body::opening;
use super::judge::Candidate;
use super::{Extractor, Opening, Piece, State, attributes, fence, prose};

/// Where the specialist for interfaces does not answer, a shorter beginning of a tag is prose, in bytes.
const LEAST_TAG: usize = 4;

impl Extractor {
    /// The stream was cut off. As [`Extractor::finish`], but an opening that it ends in opens an artifact with no source,
    /// closed as truncated, so that it can be gone on with.
    pub fn finish_cut(&mut self) -> Vec<Piece> {
        let begun = matches!(self.state, State::Prose).then(|| self.begun()).flatten();
        let Some((at, opening)) = begun else { return self.finish() };
        self.buffer.truncate(at);
        let mut out = self.finish();
        out.extend([Piece::Opened(opening), Piece::Closed { truncated: true }]);
        out
    }

    /// Where in the held text an opening begins that is not whole, and what it says so far.
    fn begun(&self) -> Option<(usize, Opening)> {
        let held = self.buffer.as_str();
        // What is held begins where something could open, but for the indent.
        let at = held.len() - held.trim_start().len();
        let rest = &held[at..];
        if rest.contains('\n') {
            return None;
        }
        let opening = match *rest.as_bytes().first()? {
            b'<' => self.tag_begun(rest, prose::TAG, LEAST_TAG),
            b':' if self.line_start => self.tag_begun(rest, prose::COLONS, LEAST_TAG),
            mark @ (b'`' | b'~') if self.line_start => self.fence_begun(rest, mark),
            _ => None,
        };
        Some((at, opening?))
    }

    fn tag_begun(&self, rest: &str, name: &str, least: usize) -> Option<Opening> {
        let same = rest.bytes().zip(name.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
        let least = if self.eager { 2 } else { least };
        if same < rest.len().min(name.len()) || same < least {
            return None;
        }
        let attributes = attributes::whole(rest.get(name.len()..).unwrap_or_default());
        Some(opening(attributes, prose::kind_of_type(attributes)?, Carrier::Tag))
    }

    fn fence_begun(&self, rest: &str, mark: u8) -> Option<Opening> {
        let count = fence::run(rest, mark);
        if count < 3 {
            return None;
        }
        let info = rest[count..].trim_start();
        let (language, attributes) = fence::split_info(info);
        let attributes = attributes::whole(attributes);
        if let Some(kind) = fence::own_kind(language) {
            return Some(opening(attributes, kind, Carrier::Fence));
        }
        // The language itself may be half: `ui4a/t`, or with the specialist for interfaces the very fence.
        let half = |whole: &str| whole.starts_with(language) && (self.eager || language.len() >= LEAST_TAG);
        if attributes.trim().is_empty() && ["ui4a/tsx", "ui4a/html", "ui4a/svg", "ui4a/markdown"].into_iter().any(half)
        {
            return Some(opening("", Kind::Tsx, Carrier::Fence));
        }
        let candidate = Candidate::of(language).filter(|_| self.eager)?;
        Some(opening(attributes, candidate.kind(), Carrier::Bare))
    }
}
