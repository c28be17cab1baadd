//! What a sandbox saw of its layout, as a diagnostic at the place in the source that it is about.
//!
//! The sandbox knows the element and the component that it belongs to; the source is searched, inside that component first,
//! for the element's own text, then for its classes, then for its tag. What stands there more than once says nothing, and
//! then the finding is at the component.

use super::{Place, cut};
use serde::Deserialize;
use std::ops::Range;
use ui4a_types::{Diagnostic, Kind, Phase, Severity};

const MOST_MESSAGE: usize = 400;
/// Shorter texts stand in a source by chance.
const LEAST_NEEDLE: usize = 3;

/// One finding as the sandbox sends it.
#[derive(Deserialize)]
pub struct Sight {
    code: String,
    message: String,
    #[serde(default)]
    help: String,
    #[serde(default)]
    tag: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    classes: String,
    #[serde(default)]
    cell: String,
}

impl Sight {
    pub fn diagnostic(&self, place: &Place<'_>) -> Diagnostic {
        let (mut code, mut message, mut help) = (self.code.clone(), self.message.clone(), self.help.clone());
        cut(&mut code, 40);
        cut(&mut message, MOST_MESSAGE);
        cut(&mut help, MOST_MESSAGE);
        // What cannot be seen at all is a failure; the rest can be used.
        let severity = match code.as_str() {
            "layout-blank" | "layout-zero-height" => Severity::Error,
            _ => Severity::Warning,
        };
        let mut found = Diagnostic::new(&code, severity, Phase::Layout, message);
        if !help.is_empty() {
            found = found.help(help);
        }
        match self.find(place) {
            Some(at) => found.at(place.source, at.start, at.end),
            None => found,
        }
    }

    fn find(&self, place: &Place<'_>) -> Option<Range<usize>> {
        let whole = 0..place.source.len();
        let component = match place.kind {
            Kind::Tsx => place.maps.as_ref().and_then(|maps| maps.range(&self.cell)),
            _ => None,
        };
        let needles = [self.text.trim().to_owned(), self.classes.trim().to_owned(), format!("<{}", self.tag)];
        // The tag alone is too weak where the component is not known.
        for (at, needle) in needles.iter().enumerate().filter(|(_, needle)| needle.len() >= LEAST_NEEDLE) {
            let strong = at < 2;
            let ranges = [component.clone(), Some(whole.clone()).filter(|_| strong || place.kind != Kind::Tsx)];
            for range in ranges.into_iter().flatten() {
                if let Some(found) = only(place.source, range, needle) {
                    return Some(found);
                }
            }
        }
        component.map(|range| range.start..range.start)
    }
}

/// Where `needle` stands in a part of `source`, if it stands there once.
fn only(source: &str, range: Range<usize>, needle: &str) -> Option<Range<usize>> {
    let part = source.get(range.clone())?;
    let mut found = part.match_indices(needle);
    let at = range.start + found.next()?.0;
    found.next().is_none().then_some(at..at + needle.len())
}
