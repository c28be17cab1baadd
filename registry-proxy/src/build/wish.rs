//! What is wanted of a module: everything, or some of its names.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What is wanted of a module. Grows, never shrinks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Wish {
    /// All that it exports, and its namespace.
    All,
    /// These names.
    Names(BTreeSet<String>),
}

impl Default for Wish {
    fn default() -> Self {
        Self::Names(BTreeSet::new())
    }
}

impl Wish {
    pub(crate) fn names(names: impl IntoIterator<Item = String>) -> Self {
        Self::Names(names.into_iter().collect())
    }

    /// What an import statement wants: an import of no names, or of the namespace, is of the whole.
    pub(crate) fn of_import<'n>(names: impl IntoIterator<Item = &'n String>) -> Self {
        let names: BTreeSet<String> = names.into_iter().cloned().collect();
        if names.is_empty() || names.contains("*") { Self::All } else { Self::Names(names) }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Names(names), Self::Names(more)) => names.extend(more.iter().cloned()),
            (Self::All, _) => {}
            (Self::Names(_), Self::All) => *self = Self::All,
        }
    }
}
