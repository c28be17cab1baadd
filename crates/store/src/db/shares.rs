//! Shares: revocable capabilities that show one artifact on other pages.

use super::{Db, json, now, text};
use crate::StoreError;
use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;

/// A capability to see an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// 128 random bits in hexadecimal.
    pub capability: String,
    /// What it shows.
    pub artifact: String,
    /// Origins of pages that may embed it; empty: any.
    pub parents: Vec<String>,
}

impl Db {
    /// Stores a share.
    ///
    /// # Errors
    /// There is no such artifact, or SQLite refuses.
    pub fn put_share(&self, share: &Share) -> Result<(), StoreError> {
        let parents = text("parents", &share.parents)?;
        self.lock()
            .execute(
                "INSERT INTO shares VALUES (?1, ?2, ?3, ?4)",
                params![share.capability, share.artifact, parents, now()],
            )
            .map(drop)
            .map_err(|error| self.sql(error))
    }

    /// A share by its capability.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn share(&self, capability: &str) -> Result<Option<Share>, StoreError> {
        let row = self
            .lock()
            .query_row("SELECT artifact, parents FROM shares WHERE capability = ?1", [capability], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })
            .optional()
            .map_err(|error| self.sql(error))?;
        let Some((artifact, parents)) = row else { return Ok(None) };
        Ok(Some(Share { capability: capability.to_owned(), artifact, parents: json("parents", &parents)? }))
    }

    /// Revokes a share. Returns whether it was there.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn revoke(&self, capability: &str) -> Result<bool, StoreError> {
        self.lock()
            .execute("DELETE FROM shares WHERE capability = ?1", [capability])
            .map(|rows| rows > 0)
            .map_err(|error| self.sql(error))
    }
}
