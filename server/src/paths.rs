//! Where UI4A keeps its files.
//!
//! XDG base folders, or everything below `UI4A_HOME`.

use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};

/// The folders in use.
#[derive(Clone, Debug)]
pub struct Paths {
    /// Settings of the user.
    pub config: PathBuf,
    /// The database, the token, `server.json`.
    pub data: PathBuf,
    /// Packages, modules and models; all of it can be fetched again.
    pub cache: PathBuf,
}

impl Paths {
    /// Finds the folders; creates none.
    ///
    /// # Errors
    /// The user has no home folder and `UI4A_HOME` is not set.
    pub fn find() -> Result<Self> {
        if let Some(home) = std::env::var_os("UI4A_HOME").filter(|home| !home.is_empty()) {
            return Ok(Self::under(&std::path::absolute(home).context("UI4A_HOME is not a usable path")?));
        }
        let bases =
            directories::BaseDirs::new().context("no home folder was found; set UI4A_HOME to a folder of your own")?;
        let below = |base: &Path| base.join("ui4a");
        Ok(Self { config: below(bases.config_dir()), data: below(bases.data_dir()), cache: below(bases.cache_dir()) })
    }

    /// All three below one folder.
    pub fn under(home: &Path) -> Self {
        Self { config: home.join("config"), data: home.join("data"), cache: home.join("cache") }
    }

    /// Where model files are: `UI4A_MODELS`, or below the cache.
    pub fn models(&self) -> PathBuf {
        match std::env::var_os("UI4A_MODELS") {
            Some(folder) if !folder.is_empty() => PathBuf::from(folder),
            _ => self.cache.join("models"),
        }
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.data.join("ui4a.db")
    }

    /// The file that tells other programs of a running server.
    pub fn server_file(&self) -> PathBuf {
        self.data.join("server.json")
    }

    /// The token.
    pub fn token(&self) -> PathBuf {
        self.data.join("token")
    }
}
