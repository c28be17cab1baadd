//! Tarballs that were fetched, kept as they came: `<cache>/tarballs/<first two digits>/<algorithm>-<hex digest>.tgz`.
//!
//! A package can be unpacked from here again, handed to another npm client, or taken to another machine, with no network. A
//! file is there under its name only when it was verified, and is verified again when it is read.

use super::tarball::strongest;
use crate::RegistryError;
use crate::cache::usage;
use base64::Engine as _;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The folder of tarballs.
#[derive(Clone, Debug)]
pub(crate) struct Tarballs {
    root: PathBuf,
}

impl Tarballs {
    pub(crate) fn open(cache: &Path) -> Result<Self, RegistryError> {
        let root = cache.join("tarballs");
        std::fs::create_dir_all(&root).map_err(|error| RegistryError::io("creating", &root, &error))?;
        Ok(Self { root })
    }

    /// Where a tarball of this integrity lies, or will lie. None when the integrity names no hash that is known.
    pub(crate) fn path(&self, integrity: &str) -> Option<PathBuf> {
        let (_, values) = strongest(integrity)?;
        let (algorithm, digest) = values.first()?.split_once('-')?;
        let digest = hex::encode(base64::engine::general_purpose::STANDARD.decode(digest).ok()?);
        Some(self.root.join(digest.get(..2)?).join(format!("{algorithm}-{digest}.tgz")))
    }

    /// A kept tarball and its size, verified. One that is damaged is removed. Blocks.
    pub(crate) fn get(&self, integrity: &str) -> Option<(File, u64)> {
        let path = self.path(integrity)?;
        let mut file = File::open(&path).ok()?;
        let (mut hasher, expected) = strongest(integrity)?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => hasher.update(&buffer[..read]),
                Err(error) => {
                    tracing::warn!(%error, "{} could not be read", path.display());
                    return None;
                }
            }
        }
        if !expected.contains(&hasher.finish().as_str()) {
            tracing::warn!("{} is damaged, and is fetched again", path.display());
            self.forget(integrity);
            return None;
        }
        let size = file.metadata().ok()?.len();
        file.rewind().ok()?;
        usage::touch(&path);
        Some((file, size))
    }

    /// Removes a tarball.
    pub(crate) fn forget(&self, integrity: &str) {
        let Some(path) = self.path(integrity) else { return };
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::warn!(%error, "{} could not be removed", path.display());
        }
    }

    /// Keeps a tarball that was verified against this integrity.
    pub(crate) fn keep(&self, integrity: &str, file: NamedTempFile) -> Result<File, RegistryError> {
        let Some(path) = self.path(integrity) else {
            return Err(RegistryError::Store(format!("`{integrity}` names no hash")));
        };
        let folder = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder).map_err(|error| RegistryError::io("creating", folder, &error))?;
        file.persist(&path).map_err(|error| RegistryError::io("writing", &path, &error.error))
    }
}
