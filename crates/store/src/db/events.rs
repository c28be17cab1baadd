//! The append-only event log of each session.

use super::{Db, json, now, text};
use crate::StoreError;
use rusqlite::{OptionalExtension as _, params};
use ui4a_types::event::LoggedEvent;
use ui4a_types::{Action, Event};

/// What became of an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Appended {
    /// It is in the log as this event.
    New(Box<LoggedEvent>),
    /// An action with the same id was there already, at this `seq`.
    Known(u64),
}

impl Db {
    /// Appends an event and returns it with its `seq`.
    ///
    /// # Errors
    /// There is no such session, or SQLite refuses.
    pub fn append(&self, session: &str, event: Event) -> Result<LoggedEvent, StoreError> {
        let json = text("event", &event)?;
        let mut connection = self.lock();
        let transaction = connection.transaction().map_err(|error| self.sql(error))?;
        let seq = insert(&transaction, session, &json).map_err(|error| self.sql(error))?;
        transaction.commit().map_err(|error| self.sql(error))?;
        Ok(LoggedEvent { seq, event })
    }

    /// Appends an action, once for each id.
    ///
    /// # Errors
    /// An action of another artifact has the id, there is no such session, or SQLite refuses.
    pub fn append_action(&self, session: &str, action: &Action) -> Result<Appended, StoreError> {
        let event = Event::ActionReceived { action: action.clone() };
        let (json, id) = (text("event", &event)?, action.id.to_string());
        let stored = text("action", action)?;
        let mut connection = self.lock();
        let transaction = connection.transaction().map_err(|error| self.sql(error))?;
        let known = transaction
            .query_row("SELECT seq, session, artifact FROM actions WHERE id = ?1", [&id], |row| {
                Ok((row.get::<_, u64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
            })
            .optional()
            .map_err(|error| self.sql(error))?;
        if let Some((seq, of, artifact)) = known {
            let same = of == session && artifact == action.artifact;
            return if same { Ok(Appended::Known(seq)) } else { Err(StoreError::Taken(id)) };
        }
        let seq = insert(&transaction, session, &json).map_err(|error| self.sql(error))?;
        transaction
            .execute(
                "INSERT INTO actions (id, session, artifact, seq, action) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![id, session, action.artifact, seq, stored],
            )
            .map_err(|error| self.sql(error))?;
        transaction.commit().map_err(|error| self.sql(error))?;
        Ok(Appended::New(Box::new(LoggedEvent { seq, event })))
    }

    /// At most `limit` events of a session after `after`, in order.
    ///
    /// # Errors
    /// SQLite refuses, or an event does not parse.
    pub fn events(&self, session: &str, after: u64, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        let (after, connection) = (reachable(after), self.lock());
        let mut statement = connection
            .prepare_cached("SELECT seq, event FROM events WHERE session = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3")
            .map_err(|error| self.sql(error))?;
        let rows = statement
            .query_map(params![session, after, limit as u64], |row| {
                Ok((row.get::<_, u64>(0)?, row.get::<_, String>(1)?))
            })
            .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
            .map_err(|error| self.sql(error))?;
        rows.into_iter().map(|(seq, event)| Ok(LoggedEvent { seq, event: json("event", &event)? })).collect()
    }

    /// Actions of an artifact after `after`, with their `seq`.
    ///
    /// # Errors
    /// SQLite refuses, or an action does not parse.
    pub fn actions(&self, artifact: &str, after: u64) -> Result<Vec<(u64, Action)>, StoreError> {
        self.read_actions(
            "SELECT seq, action FROM actions WHERE artifact = ?1 AND seq > ?2 ORDER BY seq",
            params![artifact, reachable(after)],
        )
    }

    /// Actions of a session that no turn has taken up, oldest first.
    ///
    /// # Errors
    /// SQLite refuses, or an action does not parse.
    pub fn waiting_actions(&self, session: &str) -> Result<Vec<(u64, Action)>, StoreError> {
        self.read_actions(
            "SELECT seq, action FROM actions WHERE session = ?1 AND handled = 0 ORDER BY seq",
            params![session],
        )
    }

    /// Marks an action as taken up by a turn.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn handle_action(&self, id: &uuid::Uuid) -> Result<(), StoreError> {
        self.lock()
            .execute("UPDATE actions SET handled = 1 WHERE id = ?1", [id.to_string()])
            .map(drop)
            .map_err(|error| self.sql(error))
    }

    fn read_actions(&self, query: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<(u64, Action)>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(query).map_err(|error| self.sql(error))?;
        let rows = statement
            .query_map(values, |row| Ok((row.get::<_, u64>(0)?, row.get::<_, String>(1)?)))
            .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
            .map_err(|error| self.sql(error))?;
        rows.into_iter().map(|(seq, action)| Ok((seq, json("action", &action)?))).collect()
    }
}

/// SQLite's integers are signed; a `seq` never comes near their end.
fn reachable(after: u64) -> u64 {
    after.min(i64::MAX as u64)
}

fn insert(connection: &rusqlite::Connection, session: &str, event: &str) -> rusqlite::Result<u64> {
    let seq: u64 = connection
        .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM events WHERE session = ?1")?
        .query_row([session], |row| row.get(0))?;
    connection.prepare_cached("INSERT INTO events VALUES (?1, ?2, ?3)")?.execute(params![session, seq, event])?;
    connection.prepare_cached("UPDATE sessions SET updated = ?2 WHERE id = ?1")?.execute(params![session, now()])?;
    Ok(seq)
}
