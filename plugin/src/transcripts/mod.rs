//! Claude Code's session files: a list of them, and one read as a conversation.
//!
//! Format: `~/.claude/projects/<encoded working directory>/<session>.jsonl`, one JSON object a line, appended while the
//! session runs. `CLAUDE_CONFIG_DIR` names another place than `~/.claude`.

mod items;
mod lines;

pub use items::{Item, Transcript};

use serde::Serialize;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// Most sessions listed.
const MOST_LISTED: usize = 500;

/// One session in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The project's folder name.
    pub project: String,
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// The working directory.
    pub cwd: Option<String>,
    /// When it was last written, RFC 3339.
    pub updated_at: String,
    /// How many `render_ui` calls are in it.
    pub artifacts: usize,
}

/// The folder of projects.
pub fn root() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".claude"));
    let set = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    set.or_else(home).unwrap_or_default().join("projects")
}

/// Sessions below `root`, the most recently written first. What cannot be read is left out.
pub fn list(root: &Path) -> Vec<Summary> {
    let mut found: Vec<(SystemTime, PathBuf)> = folders(root).flat_map(|folder| sessions(&folder)).collect();
    found.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    found.truncate(MOST_LISTED);
    found.into_iter().filter_map(|(time, path)| summary(time, &path)).collect()
}

fn folders(root: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(root).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).filter(|path| path.is_dir())
}

fn sessions(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let files =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path))).collect()
}

fn summary(time: SystemTime, path: &Path) -> Option<Summary> {
    let transcript = items::read(path).ok()?;
    let updated = time::OffsetDateTime::from(time).format(&time::format_description::well_known::Rfc3339).ok()?;
    Some(Summary {
        project: path.parent()?.file_name()?.to_str()?.to_owned(),
        session: path.file_stem()?.to_str()?.to_owned(),
        artifacts: transcript.items.iter().filter(|item| item.code.is_some()).count(),
        title: transcript.title,
        cwd: transcript.cwd,
        updated_at: updated,
    })
}

/// One session below `root`; `None` when there is none of that name.
///
/// # Errors
/// The file is there and cannot be read.
pub fn read(root: &Path, project: &str, session: &str) -> std::io::Result<Option<Transcript>> {
    // Both came from an address: each must be one name, never a path.
    if !is_name(project) || !is_name(session) {
        return Ok(None);
    }
    match items::read(&root.join(project).join(format!("{session}.jsonl"))) {
        Ok(transcript) => Ok(Some(transcript)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_name(text: &str) -> bool {
    let mut parts = Path::new(text).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(name)), None) if name == text)
        && !text.contains('\0')
}
