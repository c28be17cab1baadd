//! Sessions: one conversation each.

use super::{Db, now};
use crate::StoreError;
use rusqlite::{OptionalExtension as _, Row, params};
use serde::Serialize;

/// A session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// A short title; empty until the first message.
    pub title: String,
    /// When it was made, RFC 3339.
    pub created: String,
    /// When something last happened in it.
    pub updated: String,
    /// `seq` of its newest event; 0 when it has none.
    pub head: u64,
    /// The turn that is running, or that was when the program was killed.
    pub turn: Option<String>,
}

const COLUMNS: &str =
    "id, title, created, updated, (SELECT coalesce(max(seq), 0) FROM events WHERE session = sessions.id), turn";

fn read(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        id: row.get(0)?,
        title: row.get(1)?,
        created: row.get(2)?,
        updated: row.get(3)?,
        head: row.get(4)?,
        turn: row.get(5)?,
    })
}

impl Db {
    /// Makes a session.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn create_session(&self, id: &str, title: &str) -> Result<Session, StoreError> {
        let at = now();
        self.lock()
            .execute("INSERT INTO sessions VALUES (?1, ?2, ?3, ?3, NULL)", params![id, title, at])
            .map_err(|error| self.sql(error))?;
        Ok(Session {
            id: id.to_owned(),
            title: title.to_owned(),
            created: at.clone(),
            updated: at,
            head: 0,
            turn: None,
        })
    }

    /// All sessions, the most recently used first.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn sessions(&self) -> Result<Vec<Session>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached(&format!("SELECT {COLUMNS} FROM sessions ORDER BY updated DESC, id DESC"))
            .map_err(|error| self.sql(error))?;
        statement.query_map([], read).and_then(Iterator::collect).map_err(|error| self.sql(error))
    }

    /// One session.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn session(&self, id: &str) -> Result<Option<Session>, StoreError> {
        self.lock()
            .query_row(&format!("SELECT {COLUMNS} FROM sessions WHERE id = ?1"), [id], read)
            .optional()
            .map_err(|error| self.sql(error))
    }

    /// Names a session.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn set_title(&self, id: &str, title: &str) -> Result<(), StoreError> {
        self.lock()
            .execute("UPDATE sessions SET title = ?2 WHERE id = ?1", params![id, title])
            .map(drop)
            .map_err(|error| self.sql(error))
    }

    /// Says which turn a session runs; `None` when it ended.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn set_turn(&self, id: &str, turn: Option<&str>) -> Result<(), StoreError> {
        self.lock()
            .execute("UPDATE sessions SET turn = ?2 WHERE id = ?1", params![id, turn])
            .map(drop)
            .map_err(|error| self.sql(error))
    }

    /// Removes a session and all that is in it. Returns whether it was there.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn delete_session(&self, id: &str) -> Result<bool, StoreError> {
        self.lock()
            .execute("DELETE FROM sessions WHERE id = ?1", [id])
            .map(|rows| rows > 0)
            .map_err(|error| self.sql(error))
    }
}
