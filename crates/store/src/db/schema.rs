//! The schema and its migrations, counted by SQLite's `user_version`.

use crate::StoreError;
use rusqlite::Connection;
use std::path::Path;

/// Each entry takes the schema from its index to the next version. Never edit one that was released: append.
const MIGRATIONS: &[&str] = &[
    "
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL, turn TEXT
) STRICT;
CREATE TABLE events (
    session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, seq INTEGER NOT NULL, event TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE artifacts (
    id TEXT PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, name TEXT NOT NULL,
    title TEXT NOT NULL, kind TEXT NOT NULL, owner TEXT NOT NULL, UNIQUE (session, name)
) STRICT;
CREATE TABLE revisions (
    artifact TEXT NOT NULL REFERENCES artifacts(id) ON DELETE CASCADE, rev INTEGER NOT NULL, turn TEXT NOT NULL,
    source TEXT NOT NULL, compiled TEXT NOT NULL, maps TEXT NOT NULL, imports TEXT NOT NULL, lock TEXT NOT NULL,
    diagnostics TEXT NOT NULL, report TEXT, frame INTEGER NOT NULL, closed INTEGER NOT NULL, truncated INTEGER NOT NULL,
    PRIMARY KEY (artifact, rev)
) STRICT, WITHOUT ROWID;
CREATE TABLE state (
    artifact TEXT NOT NULL REFERENCES artifacts(id) ON DELETE CASCADE, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (artifact, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE actions (
    id TEXT PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, artifact TEXT NOT NULL,
    seq INTEGER NOT NULL, action TEXT NOT NULL, handled INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX actions_by_artifact ON actions (artifact, seq);
CREATE TABLE shares (
    capability TEXT PRIMARY KEY, artifact TEXT NOT NULL REFERENCES artifacts(id) ON DELETE CASCADE,
    parents TEXT NOT NULL, created TEXT NOT NULL
) STRICT;
",
    "
CREATE TABLE writing (artifact TEXT PRIMARY KEY REFERENCES artifacts(id) ON DELETE CASCADE) STRICT;
",
    "
CREATE TABLE responses (
    at INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, previous TEXT, input TEXT NOT NULL,
    response TEXT NOT NULL, bytes INTEGER NOT NULL
) STRICT;
",
    "
CREATE TABLE answers (at INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, owner TEXT) STRICT;
CREATE TABLE summaries (
    at INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, text TEXT NOT NULL, spent INTEGER NOT NULL
) STRICT;
",
    "
CREATE TABLE keys (
    name TEXT PRIMARY KEY, digest BLOB NOT NULL UNIQUE, most_bytes INTEGER NOT NULL, most_running INTEGER NOT NULL,
    created TEXT NOT NULL
) STRICT;
ALTER TABLE responses ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX responses_by_owner ON responses (owner, at);
",
];

/// Brings a database to the newest schema, one transaction a step.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let sql = |source| StoreError::Sql { path: path.to_owned(), source };
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(sql)?;
    let known = MIGRATIONS.len() as i64;
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    for (index, step) in MIGRATIONS.iter().enumerate().skip(found.max(0) as usize) {
        connection
            .execute_batch(&format!("BEGIN IMMEDIATE; {step} PRAGMA user_version = {}; COMMIT;", index + 1))
            .map_err(sql)?;
    }
    Ok(())
}
