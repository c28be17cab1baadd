//! Keys of programs that use the APIs: a name, a digest, and what each may take. The key itself is never stored.

use super::{Db, now};
use crate::StoreError;
use rusqlite::{OptionalExtension as _, Row, params};

/// SHA-256 of a key.
pub type Digest = [u8; 32];

/// What is known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its name, chosen by the user; no two have the same.
    pub name: String,
    /// Most bytes of its answers that are kept.
    pub most_bytes: u64,
    /// Most of its requests at a time.
    pub most_running: u32,
    /// When it was made, RFC 3339; filled in by the database.
    pub created: String,
}

const COLUMNS: &str = "name, most_bytes, most_running, created";

fn read(row: &Row<'_>) -> rusqlite::Result<ApiKey> {
    let (most_bytes, most_running): (i64, i64) = (row.get(1)?, row.get(2)?);
    Ok(ApiKey {
        name: row.get(0)?,
        most_bytes: most_bytes.unsigned_abs(),
        most_running: u32::try_from(most_running).unwrap_or(u32::MAX),
        created: row.get(3)?,
    })
}

impl Db {
    /// Stores a key. Returns whether its name was free.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn add_key(&self, digest: &Digest, key: &ApiKey) -> Result<bool, StoreError> {
        let most_bytes = i64::try_from(key.most_bytes).unwrap_or(i64::MAX);
        let added = self.lock().execute(
            "INSERT INTO keys (name, digest, most_bytes, most_running, created) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (name) DO NOTHING",
            params![key.name, digest, most_bytes, key.most_running, now()],
        );
        added.map(|rows| rows > 0).map_err(|error| self.sql(error))
    }

    /// The key of a digest.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn key(&self, digest: &Digest) -> Result<Option<ApiKey>, StoreError> {
        let query = format!("SELECT {COLUMNS} FROM keys WHERE digest = ?1");
        self.lock().query_row(&query, [digest], read).optional().map_err(|error| self.sql(error))
    }

    /// All keys by name, each with the bytes of its answers that are kept.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn keys(&self) -> Result<Vec<(ApiKey, u64)>, StoreError> {
        let query = format!(
            "SELECT {COLUMNS}, (SELECT coalesce(sum(bytes), 0) FROM responses WHERE owner = keys.name)
             FROM keys ORDER BY name"
        );
        let connection = self.lock();
        let read_all = || -> rusqlite::Result<Vec<_>> {
            let mut statement = connection.prepare(&query)?;
            let rows = statement.query_map([], |row| Ok((read(row)?, row.get::<_, i64>(4)?.unsigned_abs())))?;
            rows.collect()
        };
        read_all().map_err(|error| self.sql(error))
    }

    /// Forgets a key and the answers that it was given. Returns whether it was there.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn remove_key(&self, name: &str) -> Result<bool, StoreError> {
        let mut connection = self.lock();
        let mut remove = || -> rusqlite::Result<bool> {
            let transaction = connection.transaction()?;
            let removed = transaction.execute("DELETE FROM keys WHERE name = ?1", [name])? > 0;
            if removed {
                transaction.execute("DELETE FROM responses WHERE owner = ?1", [name])?;
            }
            transaction.commit()?;
            Ok(removed)
        };
        remove().map_err(|error| self.sql(error))
    }
}
