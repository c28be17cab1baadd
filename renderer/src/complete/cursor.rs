//! All that changes while the scanner reads, but for what only grows: small and copied, so that looking ahead costs nothing.

use super::edit::Edit;
use super::frame::{Id, Span};

/// What is known about the module's default export at a place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Exports {
    /// The module says itself what its default export is.
    pub explicit: bool,
    /// The component to show while it does not: takes no properties and has something to show.
    pub guess: Option<Span>,
    /// The guess is called `App`, so no later one replaces it.
    pub guess_is_app: bool,
    /// The last component of any shape.
    pub last: Option<Span>,
}

/// The top-level declaration being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Decl {
    pub name: Option<Span>,
    pub function: bool,
    pub bare: bool,
    pub jsx: bool,
    /// Its JSX holds something to see: text, an expression, or an element that is whole.
    pub seen: bool,
    /// It is a class: shown when it is whole, because a class that changes is another class, which mounts again.
    pub class: bool,
    pub default: bool,
    /// It is called `App`.
    pub app: bool,
}

/// A place where the source may be cut, with the stack that is open there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Anchor {
    pub cut: usize,
    pub top: Id,
    pub edits: usize,
    pub exports: Exports,
}

/// Everything that changes while reading, but the append-only parts. Small, so that looking ahead is a copy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    pub pos: usize,
    pub top: Id,
    pub anchor: Anchor,
    /// The last anchor outside of a class that is being read.
    pub calm: Anchor,
    pub exports: Exports,
    /// The end of the last top-level statement that is surely over.
    pub settled: usize,
    /// Edits made up to there.
    pub settled_edits: usize,
    /// A fence closed the module: what follows is not source.
    pub ended: bool,
    /// Where modifiers (`export`, `async`, `declare`) of the next statement begin.
    pub lead: Option<usize>,
    pub(super) newline: bool,
    pub(super) prev_end: usize,
    pub(super) word: Span,
    pub(super) decl: Decl,
    /// Where the current run of JSX text began.
    pub(super) run: usize,
    /// A hook was called in an unfinished statement: nothing more of it is shown.
    pub(super) hold: bool,
    /// The `<` here was taken for another sibling and proved to be none.
    pub(super) no_sibling: usize,
    pub(super) after_do: bool,
    pub(super) started: bool,
}

impl Cursor {
    /// Something at or after `at` was already changed.
    pub(super) fn edits_after(&self, at: usize, edits: &[Edit]) -> bool {
        edits.last().is_some_and(|edit| edit.at + edit.remove > at)
    }
}
