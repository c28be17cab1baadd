//! The database: sessions, their event logs, artifacts, revisions, actions, shares,
//! what the Responses API keeps and for whom, and who gave which answer in it.
//!
//! One connection behind a lock: SQLite serialises writers anyway, and every statement here is short.

mod artifacts;
mod events;
mod keys;
mod responses;
mod schema;
mod sessions;
mod shares;
mod views;

pub use artifacts::{Artifact, Revision};
pub use events::Appended;
pub use keys::{ApiKey, Digest};
pub use responses::StoredResponse;
pub use sessions::Session;
pub use shares::Share;

use crate::StoreError;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The database file.
#[derive(Debug)]
pub struct Db {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl Db {
    /// Opens a database file, creating and migrating it.
    ///
    /// # Errors
    /// The file cannot be opened, is no database, or is newer than this program.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|source| StoreError::Io {
                doing: "creating",
                path: folder.to_owned(),
                source,
            })?;
        }
        let sql = |source| StoreError::Sql { path: path.to_owned(), source };
        let connection = Connection::open(path).map_err(sql)?;
        connection
            .execute_batch(
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=5000;",
            )
            .map_err(sql)?;
        schema::migrate(&connection, path)?;
        Ok(Self { path: path.to_owned(), connection: Mutex::new(connection) })
    }

    /// The connection. A panic elsewhere does not make the database unusable: every write is a transaction.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sql(&self, source: rusqlite::Error) -> StoreError {
        StoreError::Sql { path: self.path.clone(), source }
    }
}

fn now() -> String {
    let now = time::OffsetDateTime::now_utc();
    now.format(&time::format_description::well_known::Rfc3339).unwrap_or_default()
}

fn json<T: serde::de::DeserializeOwned>(what: &'static str, text: &str) -> Result<T, StoreError> {
    ui4a_types::json::from_str(text).map_err(|source| StoreError::Json { what, source })
}

fn text<T: serde::Serialize>(what: &'static str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|source| StoreError::Json { what, source })
}
