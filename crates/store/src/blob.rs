//! Blobs: immutable bytes in files named by their sha256.
//!
//! A blob is written to a temporary sibling, synced, then renamed, so that a name either holds all its bytes or does not
//! exist, whatever is killed when. Two processes may share a folder. Reading verifies.

use crate::StoreError;
use sha2::{Digest, Sha256};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A folder of blobs.
#[derive(Clone, Debug)]
pub struct Blobs {
    root: PathBuf,
}

impl Blobs {
    /// Opens a folder, creating it.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let root = root.into();
        std::fs::create_dir_all(&root).map_err(io("creating", &root))?;
        Ok(Self { root })
    }

    /// Stores bytes and returns their sha256 in lowercase hexadecimal. Storing what is there already writes nothing.
    ///
    /// # Errors
    /// The disk is full or not writable; nothing is left under the final name.
    pub fn put(&self, bytes: &[u8]) -> Result<String, StoreError> {
        let name = hex::encode(Sha256::digest(bytes));
        let path = self.path(&name)?;
        if path.metadata().is_ok_and(|found| found.len() == bytes.len() as u64) {
            return Ok(name);
        }
        let folder = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder).map_err(io("creating", folder))?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(io("writing in", folder))?;
        file.write_all(bytes).map_err(io("writing", &path))?;
        file.as_file().sync_data().map_err(io("syncing", &path))?;
        file.persist(&path).map_err(|error| StoreError::Io { doing: "renaming to", path, source: error.error })?;
        Ok(name)
    }

    /// The bytes of a blob, or `None` when it is not there.
    ///
    /// # Errors
    /// The name is no sha256; the file cannot be read; or its bytes do not match its name, in which case it is removed.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.path(name)?;
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::Io { doing: "reading", path, source }),
        };
        if hex::encode(Sha256::digest(&bytes)) != name {
            std::fs::remove_file(&path).map_err(io("removing damaged", &path))?;
            return Err(StoreError::Corrupt(path));
        }
        Ok(Some(bytes))
    }

    /// Whether a blob is there, unverified.
    pub fn has(&self, name: &str) -> bool {
        self.path(name).is_ok_and(|path| path.is_file())
    }

    /// The file of a blob, whether it is there or not; none of what is no sha256.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        self.path(name).ok()
    }

    fn path(&self, name: &str) -> Result<PathBuf, StoreError> {
        let valid = name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !valid {
            return Err(StoreError::BadName(name.chars().take(80).collect()));
        }
        Ok(self.root.join(&name[..2]).join(name))
    }
}

fn io<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> StoreError + 'a {
    move |source| StoreError::Io { doing, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_verifies_and_forgets_the_damaged() {
        let folder = tempfile::tempdir().expect("a folder");
        let blobs = Blobs::open(folder.path()).expect("opens");
        let name = blobs.put(b"hello").expect("stores");
        assert_eq!(blobs.put(b"hello").expect("stores again"), name);
        assert_eq!(blobs.get(&name).expect("reads").as_deref(), Some(&b"hello"[..]));
        std::fs::write(folder.path().join(&name[..2]).join(&name), b"hullo").expect("damages");
        assert!(matches!(blobs.get(&name), Err(StoreError::Corrupt(_))));
        assert_eq!(blobs.get(&name).expect("is gone"), None);
        assert!(matches!(blobs.get("../../etc/passwd"), Err(StoreError::BadName(_))));
    }
}
