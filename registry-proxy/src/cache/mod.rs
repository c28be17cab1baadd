//! Looking after the cache folder as a whole: how large it is, what may go, and taking it to another machine.
//!
//! Knows where each kind of thing lies and when it was last used. Asks no registry, builds nothing. Everything that is not
//! named by a lock can be fetched or built again, so removing it costs time and never an interface.

mod bundle;
mod export;
mod gc;
mod import;
mod kind;
pub(crate) mod lease;
pub(crate) mod usage;

pub use bundle::Bundled;
pub use gc::{Collect, Collected};

use crate::{Limits, RegistryError};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Owners above which those that are gone are forgotten.
const OWNERS: usize = 32;

/// A cache folder.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
    limits: Limits,
}

impl Cache {
    /// Opens a cache folder, creating it.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(root: &Path, limits: Limits) -> Result<Self, RegistryError> {
        std::fs::create_dir_all(root.join("tmp")).map_err(|error| RegistryError::io("creating", root, &error))?;
        Ok(Self { root: root.to_owned(), limits })
    }

    /// The places whose locks name what must be kept, as they were given to [`Cache::own`].
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn owners(&self) -> Result<Vec<PathBuf>, RegistryError> {
        let folder = self.root.join("owners");
        let mut owners = Vec::new();
        for file in usage::files(&folder)? {
            let path = std::fs::read_to_string(&file.path)
                .map_err(|error| RegistryError::io("reading", &file.path, &error))?;
            owners.push(PathBuf::from(path.trim_end_matches('\n')));
        }
        owners.sort();
        Ok(owners)
    }

    /// Makes a place known whose locks name what must be kept.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn own(&self, owner: &Path) -> Result<(), RegistryError> {
        let folder = self.root.join("owners");
        let text = owner.to_string_lossy();
        let file = folder.join(format!("{}.path", &hex::encode(Sha256::digest(text.as_bytes()))[..24]));
        if file.is_file() {
            return Ok(());
        }
        std::fs::create_dir_all(&folder).map_err(|error| RegistryError::io("creating", &folder, &error))?;
        let known = self.owners()?;
        if known.len() >= OWNERS {
            for gone in known.iter().filter(|owner| !owner.exists()) {
                self.disown(gone)?;
            }
        }
        crate::npm::registry::write_whole(&file, &[text.as_bytes()])
    }

    /// Forgets a place: nothing is kept for its sake any more.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn disown(&self, owner: &Path) -> Result<(), RegistryError> {
        let name = format!("{}.path", &hex::encode(Sha256::digest(owner.to_string_lossy().as_bytes()))[..24]);
        let file = self.root.join("owners").join(name);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(RegistryError::io("removing", &file, &error))
            }
            _ => Ok(()),
        }
    }
}
