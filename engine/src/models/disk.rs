//! Disk work of a pull: free space, the lock, hashing, and the step to the final name.

use crate::EngineError;
use sha2::{Digest, Sha256};
use std::ffi::CString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Refuses when `dir` has no room for `needed` more bytes. Where the system does not say, there is room.
pub fn check_space(dir: &Path, needed: u64) -> Result<(), EngineError> {
    match free(dir) {
        Some(free) if free < needed => Err(EngineError::NoSpace { dir: dir.to_owned(), needed, free }),
        _ => Ok(()),
    }
}

/// Bytes that this user may still write in `dir`.
fn free(dir: &Path) -> Option<u64> {
    let path = CString::new(dir.as_os_str().as_bytes()).ok()?;
    // SAFETY: an all-zero `statvfs` is a valid value of this plain C struct.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: `path` ends in NUL and `found` is writable; both live through the call.
    let answer = unsafe { libc::statvfs(path.as_ptr(), &raw mut found) };
    #[allow(clippy::unnecessary_cast)] // the widths of these fields differ between systems
    (answer == 0).then(|| (found.f_bavail as u64).saturating_mul(found.f_frsize as u64))
}

/// What a failed write in `path` means when `needed` bytes were still to come.
pub fn write_error(path: &Path, needed: u64, error: std::io::Error) -> EngineError {
    if matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) {
        let dir = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        return EngineError::NoSpace { dir: dir.to_owned(), needed, free: free(dir).unwrap_or(0) };
    }
    EngineError::io(path, error)
}

/// Holds off other pulls of the same model until the answer is dropped.
pub fn lock(work: &Path, id: &str) -> Result<File, EngineError> {
    let path = work.join("lock");
    let file = File::create(&path).map_err(|error| write_error(&path, 0, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(EngineError::Fetch {
            what: format!("the model `{id}`"),
            reason: "another program is fetching it right now".to_owned(),
        }),
        Err(std::fs::TryLockError::Error(error)) => Err(EngineError::io(path, error)),
    }
}

/// Hashes the file, deletes it if the hash is wrong.
pub fn check(path: &Path, expected: &str) -> Result<(), EngineError> {
    let found = hash(path).map_err(|error| EngineError::io(path, error))?;
    if found == expected {
        return Ok(());
    }
    std::fs::remove_file(path).map_err(|error| EngineError::io(path, error))?;
    Err(EngineError::WrongHash { path: path.to_owned(), found, expected: expected.to_owned() })
}

/// Checks `from`, and gives it its final name, to last through a power cut.
pub fn accept(from: &Path, to: &Path, expected: &str) -> Result<(), EngineError> {
    check(from, expected)?;
    let sync = |path: &Path| File::open(path).and_then(|file| file.sync_all());
    sync(from)
        .and_then(|()| std::fs::rename(from, to))
        .and_then(|()| to.parent().map_or(Ok(()), sync))
        .map_err(|error| write_error(to, 0, error))
}

fn hash(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex::encode(hasher.finalize())),
            read => hasher.update(&buffer[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_says_how_many_bytes_are_missing() {
        let dir = tempfile::tempdir().expect("a folder");
        let error = check_space(dir.path(), u64::MAX).expect_err("no disk is that large");
        assert!(matches!(error, EngineError::NoSpace { needed: u64::MAX, .. }));
        let full = std::io::Error::from_raw_os_error(libc::ENOSPC);
        let error = write_error(&dir.path().join("x"), 77, full);
        assert!(error.to_string().contains("77 more bytes"), "{error}");
    }
}
