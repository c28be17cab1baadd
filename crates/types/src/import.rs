//! Imports of an artifact: what it asks for, how far that has come, and the lock that pins it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far an import has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImportStatus {
    /// Being resolved, fetched or built.
    Resolving,
    /// `url` can be loaded.
    Ready,
    /// There is no such package or name: the sandbox shows a stand-in.
    Stub,
    /// It exists but could not be fetched or built.
    Failed,
}

/// One import of an artifact, as the page and the sandbox are told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportState {
    /// How far it has come.
    pub state: ImportStatus,
    /// The npm package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Root-relative address of the built module on any sandbox origin: `/m/<sha256>.js`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The names that the package exports here, `default` included; the module may hold only those that are imported.
    #[serde(default)]
    pub names: Vec<String>,
    /// Names that the artifact imports and the module lacks → the name whose export stands in for each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub aliases: BTreeMap<String, String>,
    /// Addresses of the modules that the module imports, and of those that they import: asked for at once, they make no
    /// chain of requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preload: Vec<String>,
    /// Addresses of style sheets that the module needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub styles: Vec<String>,
    /// Milliseconds it took.
    #[serde(default)]
    pub ms: u64,
    /// What went wrong, when something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What an artifact's source takes from one specifier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportUse {
    /// Imported names; `default` for a default import, `*` for the namespace.
    pub names: Vec<String>,
    /// Line of the specifier in the model's source, from 1.
    pub line: u32,
    /// Column of the specifier, from 1, in UTF-16 units.
    pub column: u32,
    /// Line and column of each name in its import, where they are known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub places: BTreeMap<String, (u32, u32)>,
}

/// A package pinned by a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockedPackage {
    /// Exact version.
    pub version: String,
    /// Subresource-Integrity string of the tarball, or `sha256-…` of an address's body.
    pub integrity: String,
}

/// A specifier pinned by a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockEntry {
    /// The npm package, or the address.
    pub package: String,
    /// Its version; empty for an address.
    pub version: String,
    /// Integrity of what was fetched.
    pub integrity: String,
    /// sha256 of the built module, lowercase hex; for an address with a role, the name of the stored file.
    pub module: String,
    /// The names that the module was cut down to; empty when it is whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// All that must be kept for an artifact to load the same modules for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    /// The builder that made the modules; part of every module's key.
    #[serde(default)]
    pub builder: String,
    /// Specifier as written → what it stands for.
    #[serde(default)]
    pub entries: BTreeMap<String, LockEntry>,
    /// `name@version` of every package in the graph → its integrity.
    #[serde(default)]
    pub packages: BTreeMap<String, LockedPackage>,
}
