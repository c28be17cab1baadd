//! Answers of the Responses API that a program may come back to: each with what was asked, in a chain.

use super::{Db, json, text};
use crate::StoreError;
use rusqlite::{OptionalExtension as _, params};
use serde_json::Value;

/// An answer and what was asked for it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredResponse {
    /// Its id.
    pub id: String,
    /// The key that it was given to, by its name; empty: the token. Nobody else finds it.
    pub owner: String,
    /// The answer that it goes on from.
    pub previous: Option<String>,
    /// The items that were asked with, oldest first.
    pub input: Value,
    /// The answer as it was given.
    pub response: Value,
}

impl Db {
    /// Stores an answer, and forgets its owner's oldest ones when they are more than `most_bytes`.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn put_response(&self, stored: &StoredResponse, most_bytes: u64) -> Result<(), StoreError> {
        let (input, response) = (text("input", &stored.input)?, text("response", &stored.response)?);
        let most_bytes = i64::try_from(most_bytes).unwrap_or(i64::MAX);
        let bytes = (input.len() + response.len()) as i64;
        let mut connection = self.lock();
        let mut store = || -> rusqlite::Result<()> {
            let transaction = connection.transaction()?;
            transaction.execute(
                "INSERT INTO responses (id, owner, previous, input, response, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![stored.id, stored.owner, stored.previous, input, response, bytes],
            )?;
            transaction.execute(
                "DELETE FROM responses WHERE owner = ?1 AND at <= (SELECT coalesce(max(at), 0) FROM (
                     SELECT at, sum(bytes) OVER (ORDER BY at DESC) AS kept FROM responses WHERE owner = ?1) WHERE kept > ?2)",
                params![stored.owner, most_bytes],
            )?;
            transaction.commit()
        };
        store().map_err(|error| self.sql(error))
    }

    /// An owner's answer by its id.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn response(&self, owner: &str, id: &str) -> Result<Option<StoredResponse>, StoreError> {
        let row = self
            .lock()
            .query_row(
                "SELECT previous, input, response FROM responses WHERE id = ?1 AND owner = ?2",
                [id, owner],
                |row| Ok((row.get::<_, Option<String>>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)),
            )
            .optional()
            .map_err(|error| self.sql(error))?;
        let Some((previous, input, response)) = row else { return Ok(None) };
        let (input, response) = (json("input", &input)?, json("response", &response)?);
        Ok(Some(StoredResponse { id: id.to_owned(), owner: owner.to_owned(), previous, input, response }))
    }

    /// Forgets an owner's answer. Returns whether it was there.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn remove_response(&self, owner: &str, id: &str) -> Result<bool, StoreError> {
        let removed = self.lock().execute("DELETE FROM responses WHERE id = ?1 AND owner = ?2", [id, owner]);
        removed.map(|rows| rows > 0).map_err(|error| self.sql(error))
    }
}
