//! The one graph of an artifact: packages, what each means by a name, and which must be single in the page.
//!
//! Knows nothing of files or modules.

pub(crate) mod family;
pub(crate) mod share;
pub(crate) mod solve;

use crate::RegistryError;
use crate::npm::packument::Manifest;
use crate::own::OwnPackage;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// A package and its exact version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct PackageId {
    pub name: String,
    pub version: String,
}

impl PackageId {
    pub(crate) fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into() }
    }
}

impl fmt::Display for PackageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

/// An entry of a package: what one specifier leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct EntryId {
    pub package: PackageId,
    /// Without a leading slash; empty for the main entry.
    pub subpath: String,
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.subpath.as_str() {
            "" => self.package.fmt(f),
            subpath => write!(f, "{}/{subpath}", self.package),
        }
    }
}

/// A package in the graph.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub manifest: Arc<Manifest>,
    /// Name as its files import it → package.
    pub edges: BTreeMap<String, PackageId>,
    /// Those of `edges` that are peers.
    pub peers: BTreeSet<String>,
    /// Dependencies that could not be had.
    pub broken: BTreeMap<String, RegistryError>,
    /// Set for packages of our own.
    pub own: Option<Arc<OwnPackage>>,
}

/// The packages of an artifact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub nodes: BTreeMap<PackageId, Node>,
    /// Own and directly imported packages by the specifier's package name and range → what was chosen.
    pub roots: BTreeMap<Root, Result<PackageId, RegistryError>>,
    /// Package → what it gets in place of what it imports, by name.
    pub aliases: BTreeMap<PackageId, BTreeMap<String, EntryId>>,
    /// What a person should know of the choices.
    pub notes: Vec<String>,
}

/// What an artifact's specifier asks of the graph: a name with a range.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Root {
    pub name: String,
    pub range: Option<String>,
}

impl Graph {
    /// Puts other packages in the place of what `root`, and all that it reaches, import. React's own packages stay as they
    /// are: the page needs them.
    pub(crate) fn put_in_place(&mut self, root: &PackageId, aliases: &BTreeMap<String, EntryId>) {
        let reached: Vec<PackageId> = self.reach(root, &BTreeSet::new()).into_iter().cloned().collect();
        for id in reached.into_iter().filter(|id| !family::is_stateful(&id.name)) {
            let Some(node) = self.nodes.get_mut(&id) else { continue };
            let others = aliases.iter().filter(|(_, to)| to.package.name != id.name);
            for (name, to) in others {
                if let Some(edge) = node.edges.get_mut(name) {
                    *edge = to.package.clone();
                }
                self.aliases.entry(id.clone()).or_default().insert(name.clone(), to.clone());
            }
        }
    }

    /// A package of this name that any other may reach although it does not declare it, as a shared `node_modules` would
    /// let it: the highest version.
    pub(crate) fn hoisted(&self, name: &str) -> Option<&PackageId> {
        let versions = self.nodes.keys().filter(|id| id.name == name);
        versions.max_by_key(|id| nodejs_semver::Version::parse(&id.version).ok())
    }

    /// All that a package reaches, itself included, without passing through `stop`.
    pub(crate) fn reach<'a>(&'a self, from: &'a PackageId, stop: &BTreeSet<PackageId>) -> BTreeSet<&'a PackageId> {
        let mut seen = BTreeSet::from([from]);
        let mut todo = vec![from];
        while let Some(id) = todo.pop() {
            for next in self.nodes.get(id).into_iter().flat_map(|node| node.edges.values()) {
                if !stop.contains(next) && seen.insert(next) {
                    todo.push(next);
                }
            }
        }
        seen
    }
}
