//! The folders of declarations on disk: `<types>/<hash>/`, and `<types>/asked/<hash>`, which remembers the answer to a
//! question, so that the same lock is always checked against the same declarations.

use super::tree::Tree;
use crate::RegistryError;
use crate::npm::packages::install;
use crate::npm::registry::write_whole;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use ui4a_types::Lock;

/// Folders kept, the newest.
const KEPT: usize = 64;

/// A name for what is asked: the packages of a lock, and the files.
pub(super) fn asked(lock: &Lock, files: &BTreeMap<String, String>) -> String {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    for (key, locked) in &lock.packages {
        add(key);
        add(&locked.integrity);
    }
    for (specifier, entry) in &lock.entries {
        add(specifier);
        add(&entry.package);
        add(&entry.version);
    }
    for (path, text) in files {
        add(path);
        add(text);
    }
    name(hash)
}

fn name(hash: Sha256) -> String {
    hex::encode(hash.finalize())[..32].to_owned()
}

/// The folder that answered before.
pub(super) fn known(types: &Path, asked: &str) -> Option<PathBuf> {
    let name = fs::read_to_string(types.join("asked").join(asked)).ok()?;
    let plain = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let folder = types.join(&name);
    // Links outlive what they lead to, when packages are removed.
    (plain && folder.join("node_modules/react/package.json").is_file()).then_some(folder)
}

/// Remembers an answer.
pub(super) fn remember(types: &Path, asked: &str, folder: &Path) -> Result<(), RegistryError> {
    let answers = types.join("asked");
    fs::create_dir_all(&answers).map_err(|error| RegistryError::io("creating", &answers, &error))?;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    write_whole(&answers.join(asked), &[name.as_bytes()])
}

/// Makes the folder, if it is not there.
pub(super) fn make(
    types: &Path,
    temporary: &Path,
    tree: &Tree,
    files: &BTreeMap<String, String>,
) -> Result<PathBuf, RegistryError> {
    let mut hash = Sha256::new();
    for (path, text) in files {
        hash.update(format!("{path}\0{}\0{text}", text.len()));
    }
    // The order of places follows from what they hold.
    for node in &tree.nodes {
        hash.update(format!("{}\0{:?}\0", node.folder.display(), node.children));
    }
    let folder = types.join(name(hash));
    if !folder.is_dir() {
        forget(types, KEPT);
        install(temporary, &folder, |inner| fill(inner, tree, files))?;
    }
    Ok(folder)
}

fn fill(folder: &Path, tree: &Tree, files: &BTreeMap<String, String>) -> Result<(), RegistryError> {
    for (path, text) in files {
        let path = folder.join(path);
        create(path.parent().unwrap_or(folder))?;
        fs::write(&path, text).map_err(|error| RegistryError::io("writing", &path, &error))?;
    }
    modules(&folder.join("node_modules"), tree, 0)
}

/// Writes the `node_modules` of a place. A package with none of its own is one link; of another, each entry is.
fn modules(folder: &Path, tree: &Tree, at: usize) -> Result<(), RegistryError> {
    for (name, child) in &tree.nodes[at].children {
        let (path, node) = (folder.join(name), &tree.nodes[*child]);
        create(path.parent().unwrap_or(folder))?;
        if node.children.is_empty() {
            link(&node.folder, &path)?;
            continue;
        }
        create(&path)?;
        let entries = fs::read_dir(&node.folder).map_err(|error| RegistryError::io("reading", &node.folder, &error))?;
        for entry in entries.flatten().filter(|entry| entry.file_name() != "node_modules") {
            link(&entry.path(), &path.join(entry.file_name()))?;
        }
        modules(&path.join("node_modules"), tree, *child)?;
    }
    Ok(())
}

fn create(folder: &Path) -> Result<(), RegistryError> {
    fs::create_dir_all(folder).map_err(|error| RegistryError::io("creating", folder, &error))
}

fn link(to: &Path, path: &Path) -> Result<(), RegistryError> {
    symlink(to, path).map_err(|error| RegistryError::io("linking", path, &error))
}

/// Removes all but the newest folders. One that is in use is in its reader's memory, and is made again when asked for.
fn forget(types: &Path, keep: usize) {
    for (below, keep) in [(types.to_owned(), keep), (types.join("asked"), 8 * keep)] {
        let Ok(entries) = fs::read_dir(&below) else { continue };
        let mut all: Vec<(SystemTime, PathBuf)> = entries
            .flatten()
            .filter(|entry| entry.file_name() != "asked")
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        all.sort();
        let surplus = all.len().saturating_sub(keep.saturating_sub(1));
        for (_, path) in all.into_iter().take(surplus) {
            let gone = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            if let Err(error) = gone {
                tracing::warn!(%error, "{} could not be removed", path.display());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_folders_make_room() {
        let types = tempfile::tempdir().expect("a folder");
        for at in 0..5 {
            fs::create_dir(types.path().join(at.to_string())).expect("is made");
        }
        forget(types.path(), 3);
        assert_eq!(fs::read_dir(types.path()).expect("is there").count(), 2);
    }
}
