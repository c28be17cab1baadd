//! Making a cache smaller: what was not used for longest goes first, and what a lock names never does.
//!
//! What was used a moment ago stays too: it may be on its way into a lock. Removing is done in batches, each while nobody
//! holds a lease; a thing is renamed away first, so that it is there whole or not at all whenever the program is killed.

use super::usage::{self, Item};
use super::{Cache, lease};
use crate::RegistryError;
use crate::build::store::Facts;
use crate::graph::PackageId;
use crate::npm::packages::Packages;
use crate::npm::registry::file_name;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use ui4a_types::Lock;

/// How long the cache may stay in use before a batch gives up.
const PATIENCE: Duration = Duration::from_secs(60);
/// Things that are removed while the cache is held.
const BATCH: usize = 200;

/// What is wanted of [`Cache::collect`].
#[derive(Clone, Copy, Debug)]
pub struct Collect {
    /// Bytes that may stay.
    pub most: u64,
    /// What was used within this time stays.
    pub unused_for: Duration,
    /// Whether to only count.
    pub dry: bool,
}

/// What [`Cache::collect`] did, or would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Collected {
    /// Bytes before.
    pub before: u64,
    /// Bytes after.
    pub after: u64,
    /// Things removed.
    pub removed: u64,
    /// Bytes that locks keep.
    pub locked: u64,
}

/// What locks name.
#[derive(Default)]
struct Kept {
    paths: HashSet<PathBuf>,
}

impl Cache {
    /// Removes what was not used for longest until at most `most` bytes are left. What `locks` name stays: the modules with
    /// all that they load, and the packages they were built from. Blocks.
    ///
    /// # Errors
    /// The cache cannot be read or written, or stays in use; what was removed until then is.
    pub fn collect(&self, wanted: Collect, locks: &[Lock]) -> Result<Collected, RegistryError> {
        let kept = self.kept(locks)?;
        let now = SystemTime::now();
        let old = |item: &Item| now.duration_since(item.used).is_ok_and(|age| age >= wanted.unused_for);
        let mut done = Collected::default();
        let mut candidates = Vec::new();
        let mut rubbish = Vec::new();
        for item in self.items()? {
            done.before += item.bytes;
            match () {
                () if kept.paths.contains(&item.path) => done.locked += item.bytes,
                // What a killed process was writing.
                () if is_temporary(&item.path, &self.root) => rubbish.extend(old(&item).then_some(item)),
                () if old(&item) => candidates.push(item),
                () => {}
            }
        }
        done.after = done.before;
        candidates.sort_by(|a, b| a.used.cmp(&b.used).then_with(|| a.path.cmp(&b.path)));
        let mut chosen = rubbish;
        let mut left = done.before - chosen.iter().map(|item| item.bytes).sum::<u64>();
        for item in candidates {
            if left <= wanted.most {
                break;
            }
            left -= item.bytes;
            chosen.push(item);
        }
        for batch in chosen.chunks(BATCH) {
            let removed = if wanted.dry { batch.iter().map(|item| item.bytes).collect() } else { self.remove(batch)? };
            done.removed += removed.len() as u64;
            done.after -= removed.iter().sum::<u64>();
        }
        Ok(done)
    }

    /// Bytes of the cache.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn bytes(&self) -> Result<u64, RegistryError> {
        Ok(self.items()?.iter().map(|item| item.bytes).sum())
    }

    /// All that counts, each thing as it is removed. What other programs keep in the folder (models) is none of it.
    fn items(&self) -> Result<Vec<Item>, RegistryError> {
        let mut items = Vec::new();
        for folder in ["packages", "metadata", "builds", "addresses", "types", "tmp"] {
            items.extend(usage::files(&self.root.join(folder))?);
        }
        for folder in ["blobs", "tarballs", "encoded"] {
            items.extend(usage::files_below(&self.root.join(folder))?);
        }
        // The answers to what was asked for are small, and stay with the folder that they name.
        items.retain(|item| item.path != self.root.join("types/asked"));
        Ok(items)
    }

    /// The paths of what locks name.
    fn kept(&self, locks: &[Lock]) -> Result<Kept, RegistryError> {
        let packages = Packages::open(&self.root, &self.limits)?;
        let (mut kept, mut modules) = (Kept::default(), Vec::new());
        for lock in locks {
            for entry in lock.entries.values() {
                // A module's hash, or a stored file's name.
                modules.push(entry.module.split('.').next().unwrap_or_default().to_owned());
            }
            for (key, locked) in &lock.packages {
                let Some((name, _)) =
                    key.rsplit_once('@').filter(|(name, _)| crate::specifier::check_name(name).is_ok())
                else {
                    continue;
                };
                let id = PackageId::new(name, &locked.version);
                kept.paths.insert(self.root.join("metadata").join(file_name("manifest", &id.to_string())));
                // One of the two is enough: the package can be unpacked from its tarball.
                match packages.tarballs.path(&locked.integrity).filter(|path| path.is_file()) {
                    Some(tarball) => kept.paths.insert(tarball),
                    None => kept.paths.insert(packages.outer(&packages.folder(&id, &locked.integrity)).to_owned()),
                };
            }
        }
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut known: HashMap<PathBuf, Option<Facts>> = HashMap::new();
        while let Some(hash) = modules.pop() {
            if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) || !seen.insert(hash.clone()) {
                continue;
            }
            let facts = self.root.join("builds").join(format!("{hash}.facts.json"));
            let read =
                known.entry(facts.clone()).or_insert_with(|| serde_json::from_slice(&std::fs::read(&facts).ok()?).ok());
            let named = read.iter().flat_map(|facts| facts.imports.iter().chain(&facts.styles));
            modules.extend(named.map(|name| name.split('.').next().unwrap_or_default().to_owned()));
            // Files that the text itself names: chunks, workers, fonts.
            let blob = self.root.join("blobs").join(&hash[..2]).join(&hash);
            if let Ok(text) = std::fs::read(&blob) {
                modules.extend(named_in(&text));
            }
            kept.paths.extend([facts, blob]);
        }
        Ok(kept)
    }

    /// Removes things while nobody uses the cache; those that were used since they were chosen stay.
    fn remove(&self, batch: &[Item]) -> Result<Vec<u64>, RegistryError> {
        let grave = tempfile::Builder::new()
            .prefix("gc-")
            .tempdir_in(self.root.join("tmp"))
            .map_err(|error| RegistryError::io("creating a folder in", self.root.join("tmp"), &error))?;
        let mut removed = Vec::new();
        {
            let _alone = lease::alone(&self.root, PATIENCE)?;
            let mut packages = false;
            for (at, item) in batch.iter().enumerate() {
                let Ok(used) = item.path.symlink_metadata().and_then(|found| found.modified()) else { continue };
                if used != item.used {
                    continue;
                }
                match std::fs::rename(&item.path, grave.path().join(at.to_string())) {
                    Ok(()) => removed.push(item.bytes),
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(RegistryError::io("removing", &item.path, &error)),
                }
                packages |= item.path.parent() == Some(&self.root.join("packages"));
            }
            // Folders of declarations are links into packages.
            if packages {
                match std::fs::rename(self.root.join("types"), grave.path().join("types")) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(RegistryError::io("removing", self.root.join("types"), &error));
                    }
                    _ => {}
                }
            }
        }
        // The folder goes with all that is in it; nobody waits for that.
        grave.close().map_err(|error| RegistryError::io("emptying", self.root.join("tmp"), &error))?;
        Ok(removed)
    }
}

/// Hashes of stored files that a text names, as `<hash>.<extension>`.
fn named_in(text: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut run = 0;
    for (at, byte) in text.iter().enumerate() {
        if byte.is_ascii_digit() || (b'a'..=b'f').contains(byte) {
            run += 1;
            continue;
        }
        if run == 64 && *byte == b'.' {
            found.extend(std::str::from_utf8(&text[at - 64..at]).ok().map(str::to_owned));
        }
        run = 0;
    }
    found
}

fn is_temporary(path: &Path, root: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with(".tmp") || path.parent() == Some(&root.join("tmp"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_text_are_whole_hashes() {
        let hash = "0a".repeat(32);
        let text = format!("import\"./{hash}.js\";url(./{hash}.woff2);{hash}0.js;x{hash};./{hash}.");
        assert_eq!(named_in(text.as_bytes()).len(), 3, "two names, and one whose extension is cut off");
    }
}
