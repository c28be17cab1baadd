//! Which specialist gave an answer, by hashes of it, and what stands for answers that another specialist reads.

use super::{Db, json, text};
use crate::StoreError;
use rusqlite::{OptionalExtension as _, params};
use ui4a_types::Specialist;

/// Most hashes that are kept; the oldest go first. An answer has up to five, of some 60 bytes.
const MOST_ANSWERS: i64 = 500_000;
/// Most summaries that are kept, of at most some kilobytes.
const MOST_SUMMARIES: i64 = 20_000;

impl Db {
    /// Who gave the answer that a hash names; `None` where nobody did, or several.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn answer_owner(&self, key: &[u8]) -> Result<Option<Specialist>, StoreError> {
        let connection = self.lock();
        let found = connection
            .prepare_cached("SELECT owner FROM answers WHERE key = ?1")
            .and_then(|mut statement| statement.query_row([key], |row| row.get::<_, Option<String>>(0)).optional())
            .map_err(|error| self.sql(error))?;
        found.flatten().map(|owner| json("owner", &owner)).transpose()
    }

    /// Remembers who gave an answer, under all hashes of it. Two who gave the same leave nobody.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn put_answer(&self, keys: &[[u8; 16]], owner: Specialist) -> Result<(), StoreError> {
        let owner = text("owner", &owner)?;
        let mut connection = self.lock();
        let mut store = || -> rusqlite::Result<()> {
            let transaction = connection.transaction()?;
            for key in keys {
                transaction
                    .prepare_cached(
                        "INSERT INTO answers (key, owner) VALUES (?1, ?2)
                         ON CONFLICT (key) DO UPDATE SET owner = NULL WHERE owner IS NOT excluded.owner",
                    )?
                    .execute(params![key, owner])?;
            }
            transaction
                .prepare_cached("DELETE FROM answers WHERE at <= (SELECT max(at) FROM answers) - ?1")?
                .execute([MOST_ANSWERS])?;
            transaction.commit()
        };
        store().map_err(|error| self.sql(error))
    }

    /// What stands for the answer of a turn.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn summary(&self, key: &[u8]) -> Result<Option<String>, StoreError> {
        self.lock()
            .query_row("SELECT text FROM summaries WHERE key = ?1", [key], |row| row.get(0))
            .optional()
            .map_err(|error| self.sql(error))
    }

    /// Lets `text`, which cost `tokens`, stand for the answer of a turn, unless something does.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn put_summary(&self, key: &[u8], text: &str, tokens: u64) -> Result<(), StoreError> {
        let connection = self.lock();
        connection
            .execute(
                "INSERT OR IGNORE INTO summaries (key, text, spent) VALUES (?1, ?2, ?3)",
                params![key, text, tokens],
            )
            .and_then(|_| {
                let older = "DELETE FROM summaries WHERE at <= (SELECT max(at) FROM summaries) - ?1";
                connection.execute(older, [MOST_SUMMARIES])
            })
            .map(drop)
            .map_err(|error| self.sql(error))
    }

    /// Tokens that the summary of a turn cost, told once.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn take_summary_tokens(&self, key: &[u8]) -> Result<u64, StoreError> {
        let connection = self.lock();
        let found = connection
            .query_row("SELECT spent FROM summaries WHERE key = ?1 AND spent > 0", [key], |row| row.get::<_, u64>(0))
            .optional()
            .map_err(|error| self.sql(error))?;
        let Some(tokens) = found else { return Ok(0) };
        connection.execute("UPDATE summaries SET spent = 0 WHERE key = ?1", [key]).map_err(|error| self.sql(error))?;
        Ok(tokens)
    }
}
