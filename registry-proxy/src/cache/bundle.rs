//! The shape of a bundle: a gzipped tar of cache files, between a first entry that says what it is and a last one that says
//! that it is whole.

use serde::{Deserialize, Serialize};

/// The first entry's path.
pub(crate) const HEAD: &str = "ui4a-cache/head.json";
/// The last entry's path.
pub(crate) const END: &str = "ui4a-cache/end.json";
/// The format that is written; another is not read.
pub(crate) const FORMAT: u32 = 1;

/// What the first entry says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Head {
    pub format: u32,
    /// The builder whose modules are in it; another one builds its own from the same packages.
    pub builder: String,
}

/// What the last entry says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct End {
    pub files: u64,
}

/// What went into a bundle, or came out of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bundled {
    /// Files in it.
    pub files: u64,
    /// Of these, files that were there already.
    pub known: u64,
    /// Their bytes, unpacked.
    pub bytes: u64,
    /// Whether its modules are by another builder than this program's, and are built again where they are wanted.
    pub other_builder: bool,
}
