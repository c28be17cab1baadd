//! The plugin folder, embedded in the program so that it can be put anywhere.

use std::path::{Path, PathBuf};

/// Path in the plugin's folder → its text.
const FILES: &[(&str, &str)] = &[
    (".claude-plugin/marketplace.json", include_str!("../../.claude-plugin/marketplace.json")),
    ("plugin/.claude-plugin/plugin.json", include_str!("../.claude-plugin/plugin.json")),
    ("plugin/.mcp.json", include_str!("../.mcp.json")),
    ("plugin/commands/ui4a.md", include_str!("../commands/ui4a.md")),
    ("plugin/skills/ui4a/SKILL.md", include_str!("../skills/ui4a/SKILL.md")),
];

/// The plugin could not be written.
#[derive(Debug, thiserror::Error)]
#[error("writing {path}: {source}")]
pub struct InstallError {
    path: PathBuf,
    source: std::io::Error,
}

/// Whether the plugin is usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Whether every file is there as this program has it.
    pub installed: bool,
    /// Whether `ui4a` is on the PATH, as the plugin's MCP settings expect.
    pub on_path: bool,
}

/// Writes a marketplace with the plugin in it below `folder`.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path) -> Result<(), InstallError> {
    for (name, text) in FILES {
        let path = folder.join(name);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
        written.map_err(|source| InstallError { path, source })?;
    }
    Ok(())
}

/// What there is.
pub fn status(folder: &Path) -> Status {
    let same =
        |(name, text): &(&str, &str)| std::fs::read_to_string(folder.join(name)).is_ok_and(|found| found == *text);
    let path = std::env::var_os("PATH").unwrap_or_default();
    Status {
        installed: FILES.iter().all(same),
        on_path: std::env::split_paths(&path).any(|folder| folder.join("ui4a").is_file()),
    }
}

/// How an assistant takes the plugin from `folder`.
pub fn instructions(folder: &Path) -> String {
    format!(
        "The plugin is in {0}. In Claude Code:\n  /plugin marketplace add {0}\n  /plugin install ui4a@ui4a\nThen /ui4a shows things.",
        folder.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_whole_and_parses() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!status(folder.path()).installed);
        write(folder.path()).expect("writes");
        assert!(status(folder.path()).installed);
        for name in [".claude-plugin/marketplace.json", "plugin/.claude-plugin/plugin.json", "plugin/.mcp.json"] {
            let text = std::fs::read_to_string(folder.path().join(name)).expect("is there");
            serde_json::from_str::<serde_json::Value>(&text).expect("is JSON");
        }
    }

    #[test]
    fn every_file_of_the_plugin_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut found = Vec::new();
        for folder in [".claude-plugin", "commands", "skills/ui4a"] {
            for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
                let name = entry.expect("an entry").file_name().into_string().expect("a name");
                found.push(format!("plugin/{folder}/{name}"));
            }
        }
        for name in found {
            assert!(FILES.iter().any(|(known, _)| *known == name), "{name} is not in FILES");
        }
    }
}
