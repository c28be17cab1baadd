//! Artifacts, their revisions, and the state people leave in them.

use super::{Db, json, text};
use crate::StoreError;
use rusqlite::{OptionalExtension as _, Row, params};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use ui4a_types::frame::FrameState;
use ui4a_types::{Diagnostic, ImportState, Kind, Lock, Report, Specialist};

/// An artifact. `name` is the id that the model gave it, unique in its session; `id` is unique everywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Artifact {
    /// Its id.
    pub id: String,
    /// The session it lives in.
    pub session: String,
    /// The model's name for it.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its language.
    pub kind: Kind,
    /// The specialist that wrote it, to which its actions return.
    pub owner: Specialist,
}

/// One opening of an artifact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Revision {
    /// From 1.
    pub rev: u32,
    /// The turn that wrote it; empty when no turn did.
    pub turn: String,
    /// What the model wrote.
    pub source: String,
    /// The last good frame.
    pub compiled: FrameState,
    /// Opaque source maps of the compiled cells.
    #[serde(skip)]
    pub maps: Value,
    /// Imports by specifier.
    pub imports: BTreeMap<String, ImportState>,
    /// What pins them.
    pub lock: Lock,
    /// Findings about the last frame.
    pub diagnostics: Vec<Diagnostic>,
    /// What the sandbox said last.
    pub report: Option<Report>,
    /// Number of the last frame.
    pub frame: u32,
    /// Whether the revision is whole.
    pub closed: bool,
    /// Whether it was cut off.
    pub truncated: bool,
}

fn read_artifact(row: &Row<'_>) -> rusqlite::Result<(Artifact, String, String)> {
    let artifact = Artifact {
        id: row.get(0)?,
        session: row.get(1)?,
        name: row.get(2)?,
        title: row.get(3)?,
        kind: Kind::Tsx,
        owner: Specialist::L0,
    };
    Ok((artifact, row.get(4)?, row.get(5)?))
}

fn with_enums((artifact, kind, owner): (Artifact, String, String)) -> Result<Artifact, StoreError> {
    Ok(Artifact { kind: json("kind", &kind)?, owner: json("owner", &owner)?, ..artifact })
}

impl Db {
    /// Adds an artifact, or changes the title, kind and owner of one that is there.
    ///
    /// # Errors
    /// There is no such session, or SQLite refuses.
    pub fn put_artifact(&self, artifact: &Artifact) -> Result<(), StoreError> {
        let (kind, owner) = (text("kind", &artifact.kind)?, text("owner", &artifact.owner)?);
        self.lock()
            .execute(
                "INSERT INTO artifacts VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (id) DO UPDATE SET title = ?4, kind = ?5, owner = ?6",
                params![artifact.id, artifact.session, artifact.name, artifact.title, kind, owner],
            )
            .map(drop)
            .map_err(|error| self.sql(error))
    }

    /// An artifact by id.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn artifact(&self, id: &str) -> Result<Option<Artifact>, StoreError> {
        self.one_artifact("SELECT id, session, name, title, kind, owner FROM artifacts WHERE id = ?1", params![id])
    }

    /// An artifact by the model's name for it in a session.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn artifact_named(&self, session: &str, name: &str) -> Result<Option<Artifact>, StoreError> {
        self.one_artifact(
            "SELECT id, session, name, title, kind, owner FROM artifacts WHERE session = ?1 AND name = ?2",
            params![session, name],
        )
    }

    fn one_artifact(&self, query: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Option<Artifact>, StoreError> {
        let found = self.lock().query_row(query, values, read_artifact).optional().map_err(|error| self.sql(error))?;
        found.map(with_enums).transpose()
    }

    /// Says whether a revision of an artifact is being written: what is still said when the program starts was cut off.
    ///
    /// # Errors
    /// There is no such artifact, or SQLite refuses.
    pub fn set_writing(&self, artifact: &str, writing: bool) -> Result<(), StoreError> {
        let query = if writing {
            "INSERT OR IGNORE INTO writing VALUES (?1)"
        } else {
            "DELETE FROM writing WHERE artifact = ?1"
        };
        self.lock().execute(query, [artifact]).map(drop).map_err(|error| self.sql(error))
    }

    /// Sessions of which an artifact is being written.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn sessions_written(&self) -> Result<Vec<String>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached("SELECT DISTINCT session FROM artifacts JOIN writing ON artifacts.id = writing.artifact")
            .map_err(|error| self.sql(error))?;
        statement.query_map([], |row| row.get(0)).and_then(Iterator::collect).map_err(|error| self.sql(error))
    }

    /// Forgets what was being written: nothing is any more.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn clear_writing(&self) -> Result<(), StoreError> {
        self.lock().execute("DELETE FROM writing", []).map(drop).map_err(|error| self.sql(error))
    }

    /// Removes an artifact that proved to be prose, when it has no revision but `rev`; else only that revision.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn retract(&self, artifact: &str, rev: u32) -> Result<(), StoreError> {
        let connection = self.lock();
        connection
            .execute("DELETE FROM revisions WHERE artifact = ?1 AND rev = ?2", params![artifact, rev])
            .and_then(|_| {
                connection.execute(
                    "DELETE FROM artifacts WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM revisions WHERE artifact = ?1)",
                    [artifact],
                )
            })
            .map(drop)
            .map_err(|error| self.sql(error))
    }

    /// Stores a revision, replacing what was stored of it.
    ///
    /// # Errors
    /// There is no such artifact, or SQLite refuses.
    pub fn put_revision(&self, artifact: &str, revision: &Revision) -> Result<(), StoreError> {
        let report = revision.report.as_ref().map(|report| text("report", report)).transpose()?;
        self.lock()
            .execute(
                "INSERT OR REPLACE INTO revisions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                params![
                    artifact,
                    revision.rev,
                    revision.turn,
                    revision.source,
                    text("frame", &revision.compiled)?,
                    text("source map", &revision.maps)?,
                    text("imports", &revision.imports)?,
                    text("lock", &revision.lock)?,
                    text("diagnostics", &revision.diagnostics)?,
                    report,
                    revision.frame,
                    revision.closed,
                    revision.truncated
                ],
            )
            .map(drop)
            .map_err(|error| self.sql(error))
    }

    /// Adds findings to a revision, those that it has already left out. Answers all of them; `None` when there is no such
    /// revision.
    ///
    /// # Errors
    /// SQLite refuses, or a stored value does not parse.
    pub fn add_diagnostics(
        &self,
        artifact: &str,
        rev: u32,
        found: &[Diagnostic],
    ) -> Result<Option<Vec<Diagnostic>>, StoreError> {
        let connection = self.lock();
        let known: Option<String> = connection
            .query_row(
                "SELECT diagnostics FROM revisions WHERE artifact = ?1 AND rev = ?2",
                params![artifact, rev],
                |row| row.get(0),
            )
            .optional()
            .map_err(|error| self.sql(error))?;
        let Some(known) = known else { return Ok(None) };
        let mut all: Vec<Diagnostic> = json("diagnostics", &known)?;
        for finding in found {
            if !all.contains(finding) {
                all.push(finding.clone());
            }
        }
        connection
            .execute(
                "UPDATE revisions SET diagnostics = ?3 WHERE artifact = ?1 AND rev = ?2",
                params![artifact, rev, text("diagnostics", &all)?],
            )
            .map_err(|error| self.sql(error))?;
        Ok(Some(all))
    }

    /// Replaces the report of a revision.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn set_report(&self, artifact: &str, report: &Report) -> Result<(), StoreError> {
        let json = text("report", report)?;
        self.lock()
            .execute(
                "UPDATE revisions SET report = ?3 WHERE artifact = ?1 AND rev = ?2",
                params![artifact, report.rev, json],
            )
            .map(drop)
            .map_err(|error| self.sql(error))
    }

    /// One revision; the newest when `rev` is `None`.
    ///
    /// # Errors
    /// SQLite refuses, or a stored value does not parse.
    pub fn revision(&self, artifact: &str, rev: Option<u32>) -> Result<Option<Revision>, StoreError> {
        let row = self
            .lock()
            .query_row(
                "SELECT rev, turn, source, compiled, maps, imports, lock, diagnostics, report, frame, closed, truncated
                 FROM revisions WHERE artifact = ?1 AND (?2 IS NULL OR rev = ?2) ORDER BY rev DESC LIMIT 1",
                params![artifact, rev],
                |row| {
                    let texts: [String; 7] =
                        [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?, row.get(1)?];
                    let flags = (row.get(0)?, row.get(9)?, row.get(10)?, row.get(11)?);
                    Ok((texts, row.get::<_, Option<String>>(8)?, flags))
                },
            )
            .optional()
            .map_err(|error| self.sql(error))?;
        let Some(([source, compiled, maps, imports, lock, diagnostics, turn], report, flags)) = row else {
            return Ok(None);
        };
        let (rev, frame, closed, truncated) = flags;
        Ok(Some(Revision {
            rev,
            turn,
            source,
            compiled: json("frame", &compiled)?,
            maps: json("source map", &maps)?,
            imports: json("imports", &imports)?,
            lock: json("lock", &lock)?,
            diagnostics: json("diagnostics", &diagnostics)?,
            report: report.map(|report| json("report", &report)).transpose()?,
            frame,
            closed,
            truncated,
        }))
    }

    /// The locks of all revisions: what must be there for them to load the same modules for ever. Each once.
    ///
    /// # Errors
    /// SQLite refuses, or a stored value does not parse.
    pub fn locks(&self) -> Result<Vec<Lock>, StoreError> {
        let connection = self.lock();
        let mut statement =
            connection.prepare("SELECT DISTINCT lock FROM revisions").map_err(|error| self.sql(error))?;
        let rows = statement
            .query_map([], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
            .map_err(|error| self.sql(error))?;
        rows.iter().map(|text| json("lock", text)).collect()
    }

    /// Artifacts of a session with the number of their newest revision, in the order they were made.
    ///
    /// # Errors
    /// SQLite refuses, or a stored value does not parse.
    pub fn artifacts(&self, session: &str) -> Result<Vec<Artifact>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached(
                "SELECT id, session, name, title, kind, owner FROM artifacts WHERE session = ?1 ORDER BY rowid",
            )
            .map_err(|error| self.sql(error))?;
        let rows = statement
            .query_map([session], read_artifact)
            .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
            .map_err(|error| self.sql(error))?;
        rows.into_iter().map(with_enums).collect()
    }

    /// Keeps a value for an artifact.
    ///
    /// # Errors
    /// There is no such artifact, or SQLite refuses.
    pub fn set_state(&self, artifact: &str, key: &str, value: &Value) -> Result<(), StoreError> {
        let json = text("state", value)?;
        self.lock()
            .execute("INSERT OR REPLACE INTO state VALUES (?1, ?2, ?3)", params![artifact, key, json])
            .map(drop)
            .map_err(|error| self.sql(error))
    }

    /// All that is kept for an artifact.
    ///
    /// # Errors
    /// SQLite refuses, or a value does not parse.
    pub fn state(&self, artifact: &str) -> Result<BTreeMap<String, Value>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached("SELECT key, value FROM state WHERE artifact = ?1")
            .map_err(|error| self.sql(error))?;
        let rows = statement
            .query_map([artifact], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
            .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
            .map_err(|error| self.sql(error))?;
        rows.into_iter().map(|(key, value)| Ok((key, json("state", &value)?))).collect()
    }
}
