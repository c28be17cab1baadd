//! Who may import whom, and which crate alone names which library (ARCHITECTURE.md, “Workspace”).

use anyhow::Result;
use cargo_metadata::{DependencyKind, MetadataCommand};
use std::path::Path;

/// Crate → which of our crates it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("ui4a-types", &[]),
    ("ui4a-isolate", &["ui4a-types"]),
    ("ui4a-store", &["ui4a-types"]),
    ("ui4a-engine", &["ui4a-types"]),
    ("ui4a-web", &["ui4a-types"]),
    ("ui4a-plugin", &["ui4a-types"]),
    ("ui4a-renderer", &["ui4a-types", "ui4a-isolate"]),
    ("ui4a-registry-proxy", &["ui4a-types", "ui4a-isolate", "ui4a-store"]),
    (
        "ui4a-server",
        &[
            "ui4a-types",
            "ui4a-isolate",
            "ui4a-store",
            "ui4a-engine",
            "ui4a-renderer",
            "ui4a-registry-proxy",
            "ui4a-web",
            "ui4a-plugin",
        ],
    ),
    ("ui4a-tests", &[]),
    ("xtask", &[]),
];

/// Prefix of a library's name → the crates that alone may depend on it.
const FENCES: &[(&str, &[&str])] = &[
    ("swc", &["ui4a-renderer"]),
    ("oxc", &["ui4a-registry-proxy"]),
    ("rolldown", &["ui4a-registry-proxy"]),
    ("deno_core", &["ui4a-isolate"]),
    ("candle", &["ui4a-engine"]),
    ("cudarc", &["ui4a-engine"]),
    ("rusqlite", &["ui4a-store"]),
    ("axum", &["ui4a-server", "ui4a-registry-proxy", "ui4a-plugin", "ui4a-tests"]),
];

/// Every dependency that crosses a line.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let metadata = MetadataCommand::new().manifest_path(root.join("Cargo.toml")).no_deps().exec()?;
    let mut broken = Vec::new();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        let Some((_, allowed)) = MAY_USE.iter().find(|(owner, _)| *owner == name) else {
            broken.push(format!("{name} is not in xtask's table of crates; add it with what it may use"));
            continue;
        };
        // What only a crate's tests use crosses no line of the product.
        for dependency in
            package.dependencies.iter().filter(|dependency| dependency.kind != DependencyKind::Development)
        {
            let uses = dependency.name.as_str();
            if uses.starts_with("ui4a-") && !allowed.contains(&uses) {
                broken.push(format!(
                    "{name} may not use {uses}; define a trait or plain data in {name} and let server supply it"
                ));
            }
            for (_, owners) in
                FENCES.iter().filter(|(prefix, owners)| uses.starts_with(prefix) && !owners.contains(&name))
            {
                broken.push(format!("{name} may not depend on {uses}; only {} may", owners.join(", ")));
            }
        }
    }
    Ok(broken)
}
