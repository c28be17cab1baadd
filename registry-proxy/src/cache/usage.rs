//! When things were last used, as the times of their files, and walking over them.

use crate::RegistryError;
use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How old the time of a file may be before using it writes a new one.
const GRAIN: Duration = Duration::from_secs(600);

/// Says that a file or folder is used now. What cannot be written is left as it is: it is only looked upon as older.
pub(crate) fn touch(path: &Path) {
    let now = SystemTime::now();
    let Ok(modified) = path.metadata().and_then(|found| found.modified()) else { return };
    if now.duration_since(modified).is_ok_and(|age| age < GRAIN) {
        return;
    }
    let touched = File::open(path).and_then(|file| file.set_times(FileTimes::new().set_modified(now)));
    if let Err(error) = touched {
        tracing::debug!(%error, "{} could not be touched", path.display());
    }
}

/// A file, or a folder that is used as one.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub path: PathBuf,
    pub bytes: u64,
    pub used: SystemTime,
}

/// The entries of a folder, a folder's size being that of all in it. None when there is no such folder.
pub(crate) fn files(folder: &Path) -> Result<Vec<Item>, RegistryError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RegistryError::io("reading", folder, &error)),
    };
    let mut items = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| RegistryError::io("reading", folder, &error))?;
        // What another process removed meanwhile is gone.
        let Ok(found) = entry.metadata() else { continue };
        let bytes = if found.is_dir() { size(&entry.path()) } else { found.len() };
        let used = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        items.push(Item { path: entry.path(), bytes, used });
    }
    Ok(items)
}

/// The entries of the folders of a folder.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<Item>, RegistryError> {
    let mut items = Vec::new();
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RegistryError::io("reading", folder, &error)),
    };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        items.extend(files(&entry.path())?);
    }
    Ok(items)
}

/// Bytes of all files in a folder. Links count as nothing and are not followed.
fn size(folder: &Path) -> u64 {
    let mut bytes = 0;
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(found) if found.is_dir() => todo.push(entry.path()),
                Ok(found) if found.is_file() => bytes += found.len(),
                _ => {}
            }
        }
    }
    bytes
}
