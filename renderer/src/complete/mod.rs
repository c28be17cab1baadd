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
mod html;
mod jsx;
mod machine;
mod statement;
mod token;
mod types;

pub use edit::Edit;
pub use html::HtmlCompleter;

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
    cut: usize,
}

impl Completion {
    /// The text is the source, byte for byte.
    pub fn is_untouched(&self) -> bool {
        self.truncated_at.is_none() && self.edits.is_empty() && self.appended_at == self.text.len()
    }

    /// The source offset that a text offset stands for. What was inserted stands for the place where it was inserted.
    pub fn to_source(&self, offset: usize) -> usize {
        if offset >= self.appended_at { self.cut } else { edit::to_source(&self.edits, self.cut, offset) }
    }

    /// The text offset of a source offset; behind the cut, that of the cut.
    pub fn to_text(&self, offset: usize) -> usize {
        edit::to_text(&self.edits, self.cut, offset).min(self.appended_at)
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

/// Completes a source as it grows; what was read is not read again.
#[derive(Debug)]
pub struct Completer {
    source: String,
    machine: Machine,
}

impl Default for Completer {
    fn default() -> Self {
        Self::new()
    }
}

impl Completer {
    /// Nothing read yet.
    pub fn new() -> Self {
        Self { source: String::new(), machine: Machine::new() }
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
        self.look_ahead(false)
    }

    /// The completion of the text so far, which is all.
    pub fn finish(&mut self) -> Completion {
        self.look_ahead(true)
    }

    fn look_ahead(&mut self, last: bool) -> Completion {
        let before = self.machine.cur;
        let (edits, frames) = (self.machine.edits.len(), self.machine.arena.freeze());
        let saved = last.then(|| self.machine.edits.clone());
        let budget = self.machine.budget;
        if last {
            self.machine.run(&self.source, true);
        } else {
            self.machine.end_of_line(&self.source);
        }
        let mut completion = self.build(last);
        completion.settled = if last { self.machine.cur.settled } else { before.settled };
        self.machine.cur = before;
        self.machine.budget = budget;
        self.machine.arena.restore(frames);
        match saved {
            Some(saved) => self.machine.edits = saved,
            None => self.machine.edits.truncate(edits),
        }
        completion
    }

    fn build(&mut self, last: bool) -> Completion {
        let (source, cur) = (self.source.as_str(), self.machine.cur);
        let anchor = cur.anchor;
        let whole = !cur.ended && anchor.top == cur.top && self.machine.is_trivia_from(source, anchor.cut);
        let at_module = self.machine.top().kind == frame::Kind::Module && cur.lead.is_none();
        let cut = if whole && at_module { source.len() } else { anchor.cut };
        let edits = self.machine.edits[..anchor.edits].to_vec();
        let mut text = String::with_capacity(cut + 256);
        edit::apply(source, cut, &edits, &mut text);
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
            settled: cur.settled,
            open_statement: close::open_statement(&self.machine.arena, anchor.top),
            edits,
            cut,
        }
    }
}

/// The component to export where the source exports none; of an unfinished source only one that can stand alone.
fn added_default(source: &str, exports: Exports, last: bool) -> Option<String> {
    if exports.explicit {
        return None;
    }
    let span = exports.guess.or(exports.last.filter(|_| last))?;
    Some(source[span.0 as usize..span.1 as usize].to_owned())
}
