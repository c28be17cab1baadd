//! Which adapters are loaded, kept in a file so that their names outlive the program.

use crate::paths::Paths;
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ui4a_engine::{AdapterInfo, Backend};

/// The names of adapters and where they lie.
pub struct Adapters {
    file: PathBuf,
    kept: Mutex<BTreeMap<String, Kept>>,
}

/// What is kept of an adapter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// Its folder.
    pub path: PathBuf,
    /// The hash of what was loaded.
    pub generation: String,
    /// Why it could not be loaded again.
    #[serde(skip)]
    pub error: Option<String>,
}

impl Adapters {
    /// Those of earlier runs.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn open(paths: &Paths) -> Result<Self> {
        let file = paths.data.join("adapters.json");
        let kept = match std::fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text)
                .with_context(|| format!("{} is damaged; remove it and load the adapters again", file.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error).with_context(|| format!("reading {}", file.display())),
        };
        Ok(Self { file, kept: Mutex::new(kept) })
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All of them, by name.
    pub fn all(&self) -> BTreeMap<String, Kept> {
        self.kept().clone()
    }

    /// Whether there is one of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.kept().contains_key(name)
    }

    /// Loads those of earlier runs into `backend`. One that cannot be is told, and its name stays.
    pub async fn restore(&self, backend: &dyn Backend) {
        for (name, kept) in self.all() {
            let error = match backend.load_adapter(&name, &kept.path).await {
                Ok(info) if info.generation != kept.generation => {
                    tracing::warn!(name, "the files of this adapter changed since it was loaded");
                    self.kept().entry(name).and_modify(|kept| kept.generation = info.generation);
                    continue;
                }
                Ok(_) => continue,
                Err(error) => error.to_string(),
            };
            tracing::warn!(name, error, "an adapter could not be loaded again");
            self.kept().entry(name).and_modify(|kept| kept.error = Some(error));
        }
    }

    /// Keeps a loaded one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(&self, info: &AdapterInfo) -> Result<()> {
        let mut kept = self.kept();
        let one = Kept { path: info.path.clone(), generation: info.generation.clone(), error: None };
        kept.insert(info.name.clone(), one);
        self.write(&kept)
    }

    /// Forgets one; whether it was there.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn forget(&self, name: &str) -> Result<bool> {
        let mut kept = self.kept();
        let known = kept.remove(name).is_some();
        if known {
            self.write(&kept)?;
        }
        Ok(known)
    }

    fn write(&self, kept: &BTreeMap<String, Kept>) -> Result<()> {
        let folder = self.file.parent().context("the data folder")?;
        let mut file = tempfile::NamedTempFile::new_in(folder).context("writing adapters.json")?;
        file.write_all(&serde_json::to_vec_pretty(kept)?)?;
        file.as_file().sync_all()?;
        file.persist(&self.file).with_context(|| format!("writing {}", self.file.display()))?;
        Ok(())
    }
}
