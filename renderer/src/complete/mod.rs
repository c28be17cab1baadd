//! Completion: any prefix of a module as text that parses, and whole sources with what they forgot to close.
//!
//! Owns where an unfinished source may be cut and what has to be written after the cut. What is shown only grows: an element
//! appears when its opening tag is whole; a statement when it ends, except on the way from a component to its JSX; a
//! component that has not come to its `return` shows nothing. Never fails and never panics, whatever the text; time is
//! linear in it. Knows nothing of swc, imports or frames: text in, text out.
//!
//! The scanner reads every byte once however the text is cut ([`Completer`]); [`complete()`] and [`repair`] are the same
//! machine on a text at once.

mod angle;
mod bracket;
mod close;
mod cursor;
mod edit;
mod expression;
mod frame;
mod function;
pub(crate) mod html;
mod jsx;
mod machine;
mod open;
mod siblings;
mod statement;
mod token;
mod types;

pub use edit::Edit;
pub(crate) use edit::to_source;
pub use html::HtmlCompleter;
pub use open::{Open, open};

use cursor::Exports;
use machine::Machine;

/// Text made of an unfinished source, and what was done to make it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Parses as a TSX module whenever the source is a prefix of one.
    pub text: String,
    /// Changes within the source up to the cut, in order.
    pub edits: Vec<Edit>,
    /// Source offset where the text was cut; `None` when all of the source is in it.
    pub truncated_at: Option<usize>,
    /// Text offset from which on there is nothing but closers and an added export.
    pub appended_at: usize,
    /// The component that was exported because the source (so far) exports none.
    pub default_added: Option<String>,
    /// The text has a default export, its own or the added one.
    pub has_default: bool,
    /// Source offset up to which top-level statements are over: that part is the same in every later completion.
    pub settled: usize,
    /// Source offset where the top-level statement begins in which the cut is.
    pub open_statement: Option<usize>,
    base: usize,
    cut: usize,
}

impl Completion {
    /// The text is the source, byte for byte.
    pub fn is_untouched(&self) -> bool {
        self.truncated_at.is_none() && self.edits.is_empty() && self.appended_at == self.text.len()
    }

    /// The source offset that a text offset stands for. What was inserted stands for the place where it was inserted.
    pub fn to_source(&self, offset: usize) -> usize {
        if offset >= self.appended_at { self.cut } else { edit::to_source(&self.edits, self.base, self.cut, offset) }
    }

    /// The text offset of a source offset; behind the cut, that of the cut.
    pub fn to_text(&self, offset: usize) -> usize {
        edit::to_text(&self.edits, self.base, self.cut, offset).min(self.appended_at)
    }
}

/// Completes a source that may go on.
pub fn complete(prefix: &str) -> Completion {
    let mut completer = Completer::new();
    completer.push(prefix);
    completer.complete()
}

/// Completes a source that is all there will be: also takes a last word that nothing follows, and always exports a
/// component if there is one.
pub fn repair(source: &str) -> Completion {
    let mut completer = Completer::new();
    completer.push(source);
    completer.finish()
}

/// A long source in pieces of whole top-level statements, as far as it can be cut so.
pub(crate) fn boundaries(source: &str) -> Vec<(usize, usize)> {
    /// Bytes read between two looks at what is over.
    const LOOK: usize = 4096;
    let mut completer = Completer::new();
    let mut pieces = Vec::new();
    let (mut read, mut from) = (0, 0);
    while read < source.len() {
        let end = (read + LOOK..source.len()).find(|end| source.is_char_boundary(*end)).unwrap_or(source.len());
        completer.push(&source[read..end]);
        read = end;
        let settled = completer.machine.cur.settled;
        if settled > from {
            pieces.push((from, settled));
            from = settled;
        }
    }
    pieces.push((from, source.len()));
    pieces
}

/// The part of an unfinished HTML document that may be written into a document, as a completion.
pub fn complete_html(prefix: &str) -> Completion {
    let cut = HtmlCompleter::default().safe_end(prefix);
    Completion {
        text: prefix[..cut].to_owned(),
        truncated_at: (cut < prefix.len()).then_some(cut),
        appended_at: cut,
        settled: cut,
        cut,
        ..Completion::default()
    }
}

/// What a completion is made of: when it is the same as before, so is what the text shows.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outline {
    /// Where the text was cut, not counting white space that shows nothing there.
    cut: usize,
    edits: usize,
    settled: usize,
    closers: String,
    default_added: Option<String>,
}

/// The part of a completion that can still change: the text from a place up to which top-level statements are over.
#[derive(Debug)]
pub(crate) struct Tail {
    /// The completion from the place asked for, which is where its text and its edits begin.
    pub completion: Completion,
    /// Length of the text up to `completion.settled`.
    pub settled_text: usize,
    /// Edits up to `completion.settled`.
    pub settled_edits: usize,
}

/// Completes a source as it grows; what was read is not read again.
#[derive(Debug)]
pub struct Completer {
    source: String,
    machine: Machine,
    outline: Option<Outline>,
}

impl Default for Completer {
    fn default() -> Self {
        Self::new()
    }
}

impl Completer {
    /// Nothing read yet.
    pub fn new() -> Self {
        Self { source: String::new(), machine: Machine::new(), outline: None }
    }

    /// Adds text at the end.
    pub fn push(&mut self, text: &str) {
        self.source.push_str(text);
        self.machine.run(&self.source, false);
    }

    /// All text so far.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The completion of the text so far, which may go on.
    pub fn complete(&mut self) -> Completion {
        self.look_ahead(false, |this, settled| this.build((0, 0), false, settled))
    }

    /// The completion of the text so far, which is all.
    pub fn finish(&mut self) -> Completion {
        self.look_ahead(true, |this, _| this.build((0, 0), true, this.machine.cur.settled))
    }

    /// The completion of the text so far from the source offset `base` on, with the `edits` before it left out; `None`
    /// when it is what the last call gave. Costs what is open, however long the source is.
    pub(crate) fn advance(&mut self, base: usize, edits: usize) -> Option<Tail> {
        self.look_ahead(false, |this, settled| {
            let outline = this.outline(settled);
            if this.outline.as_ref() == Some(&outline) {
                return None;
            }
            this.outline = Some(outline);
            let completion = this.build((base, edits), false, settled);
            let settled_edits = this.machine.cur.settled_edits.min(edits + completion.edits.len());
            let shift: isize = this.machine.edits[edits..settled_edits]
                .iter()
                .map(|edit| edit.insert.len() as isize - edit.remove as isize)
                .sum();
            let settled_text = (settled as isize - base as isize + shift).max(0) as usize;
            Some(Tail { completion, settled_text, settled_edits })
        })
    }

    /// Makes the next [`Completer::advance`] answer whatever it finds.
    pub(crate) fn forget(&mut self) {
        self.outline = None;
    }

    /// Runs `then` on the state at the end of the text as it would be if a line or the source ended there; it is given
    /// the settled offset of now.
    fn look_ahead<T>(&mut self, last: bool, then: impl FnOnce(&mut Self, usize) -> T) -> T {
        let before = self.machine.cur;
        let (edits, frames) = (self.machine.edits.len(), self.machine.arena.freeze());
        let saved = last.then(|| self.machine.edits.clone());
        let budget = self.machine.budget;
        if last {
            self.machine.run(&self.source, true);
        } else {
            self.machine.end_of_line(&self.source);
        }
        if !last {
            self.machine.cur.settled_edits = before.settled_edits;
            // What goes on shows no half class.
            self.machine.cur.anchor = self.machine.cur.calm;
        }
        let answer = then(self, before.settled);
        self.machine.cur = before;
        self.machine.budget = budget;
        self.machine.arena.restore(frames);
        match saved {
            Some(saved) => self.machine.edits = saved,
            None => self.machine.edits.truncate(edits),
        }
        answer
    }

    fn outline(&self, settled: usize) -> Outline {
        let anchor = self.machine.cur.anchor;
        Outline {
            cut: without_break(&self.source, anchor.cut, settled),
            edits: anchor.edits,
            settled,
            closers: close::closers(&self.source, &self.machine.arena, anchor.top),
            default_added: added_default(&self.source, anchor.exports, false),
        }
    }

    /// The completion from `base`, a source offset and the number of edits before it.
    fn build(&mut self, base: (usize, usize), last: bool, settled: usize) -> Completion {
        let (source, cur) = (self.source.as_str(), self.machine.cur);
        let anchor = cur.anchor;
        let whole = !cur.ended && anchor.top == cur.top && self.machine.is_trivia_after_anchor(source);
        let at_module = self.machine.top().kind == frame::Kind::Module && cur.lead.is_none();
        let cut = if whole && at_module { source.len() } else { anchor.cut };
        let (base, first) = base;
        let edits = self.machine.edits[first.min(anchor.edits)..anchor.edits].to_vec();
        let mut text = String::with_capacity(cut.saturating_sub(base) + 256);
        edit::apply(source, base, cut, &edits, &mut text);
        let appended_at = text.len();
        text.push_str(&close::closers(source, &self.machine.arena, anchor.top));
        let default_added = added_default(source, anchor.exports, last);
        if let Some(name) = &default_added {
            let line = if text.ends_with('\n') { "" } else { "\n" };
            text.push_str(&format!("{line}export default {name};\n"));
        }
        Completion {
            text,
            truncated_at: (cut < source.len()).then_some(cut),
            appended_at,
            has_default: anchor.exports.explicit || default_added.is_some(),
            default_added,
            settled,
            open_statement: close::open_statement(&self.machine.arena, anchor.top),
            edits,
            base,
            cut,
        }
    }
}

/// `cut` without the white space before it, if a line ends in there: between elements, and between tokens, it means nothing.
/// White space on one line may be a word's in a text.
fn without_break(source: &str, cut: usize, from: usize) -> usize {
    let text = &source.as_bytes()[from.min(cut)..cut];
    let blank = text.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    if text[text.len() - blank..].contains(&b'\n') { cut - blank } else { cut }
}

/// The component to export where the source exports none; of an unfinished source only one that can stand alone.
fn added_default(source: &str, exports: Exports, last: bool) -> Option<String> {
    if exports.explicit {
        return None;
    }
    let span = exports.guess.or(exports.last.filter(|_| last))?;
    Some(source[span.0 as usize..span.1 as usize].to_owned())
}
