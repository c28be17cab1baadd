//! Leases: whoever uses the cache holds one for as long as it takes, and nothing is removed meanwhile.
//!
//! A lease is a shared lock on a file of the cache, so it holds over processes and ends with the process that took it,
//! however that ends. Removing wants the lock alone, for moments.

use crate::RegistryError;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

/// Held while something of the cache is used.
#[derive(Debug)]
pub(crate) struct Lease {
    _file: File,
}

fn open(cache: &Path) -> Result<File, RegistryError> {
    let path = cache.join("lease");
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| RegistryError::io("opening", &path, &error))
}

/// Takes a lease. Where the file system has no locks, or the cache cannot be written, there is none to take.
pub(crate) async fn take(cache: &Path) -> Option<Lease> {
    let file = match open(cache) {
        Ok(file) => file,
        Err(error) => {
            tracing::debug!(%error, "no lease on the cache");
            return None;
        }
    };
    match file.try_lock_shared() {
        Ok(()) => Some(Lease { _file: file }),
        Err(TryLockError::Error(error)) => {
            tracing::debug!(%error, "no lease on the cache");
            None
        }
        // Something is being removed: that takes a moment.
        Err(TryLockError::WouldBlock) => {
            let waiting = tokio::task::spawn_blocking(move || file.lock_shared().map(|()| file));
            waiting.await.ok()?.ok().map(|file| Lease { _file: file })
        }
    }
}

/// Takes the cache for oneself, when nobody has used it for a moment. Blocks.
///
/// # Errors
/// It stays in use for longer than `patience`.
pub(crate) fn alone(cache: &Path, patience: Duration) -> Result<Lease, RegistryError> {
    let file = open(cache)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            // Where there are no locks, nobody can hold one.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(Lease { _file: file }),
            Err(TryLockError::WouldBlock) if start.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(20))
            }
            Err(TryLockError::WouldBlock) => {
                let seconds = patience.as_secs();
                return Err(RegistryError::Store(format!(
                    "the cache was in use for {seconds} seconds on end; try again when no interface is being resolved"
                )));
            }
        }
    }
}
