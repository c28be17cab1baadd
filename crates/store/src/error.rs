//! What can go wrong in the store.

use std::path::PathBuf;

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file could not be read or written.
    #[error("{doing} {path}: {source}")]
    Io {
        /// What was being done, as a gerund.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A blob's bytes are not what its name says. It was removed.
    #[error("the cached file {0} was damaged and has been removed; it will be fetched again when needed")]
    Corrupt(PathBuf),
    /// A blob's name is not 64 lowercase hexadecimal digits.
    #[error("`{0}` is not a sha256 name")]
    BadName(String),
    /// SQLite refused.
    #[error("the database {path}: {source}")]
    Sql {
        /// The database file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The database was written by a newer program.
    #[error(
        "the database {path} has schema version {found}, newer than this program's {known}; update ui4a, or start it with another UI4A_HOME"
    )]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// A stored value does not parse.
    #[error("a stored {what} could not be read: {source}")]
    Json {
        /// Which value.
        what: &'static str,
        /// Why.
        source: serde_json::Error,
    },
    /// An action of another artifact has the id.
    #[error("another action has the id {0}")]
    Taken(String),
    /// There is no such row.
    #[error("there is no {what} `{id}`")]
    Missing {
        /// Which kind of row.
        what: &'static str,
        /// Its id.
        id: String,
    },
}
