//! A built entry that still names its imports by placeholder, and the key by which it is found again.

use super::scene::Scene;
use crate::BUILDER;
use crate::graph::EntryId;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// What a build made of one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Raw {
    /// The blob that holds the code, with placeholders.
    pub code: String,
    /// Names that it exports itself.
    pub names: BTreeSet<String>,
    /// Outside entries of which it exports everything.
    pub stars: BTreeSet<EntryId>,
    /// Outside entries that it imports.
    pub externals: BTreeSet<EntryId>,
    /// Files that went into it, relative to the folder of packages.
    pub inputs: BTreeSet<String>,
    /// Its style sheet, as a module name.
    pub style: Option<String>,
    /// Optional peers that its files import all the same, and that were not there.
    #[serde(default)]
    pub missing_peers: BTreeSet<String>,
    /// What a person should know.
    pub warnings: BTreeSet<String>,
}

/// The key of a build: the builder, the entry, and of every package that may be inlined its bytes and what its imports
/// mean. Nothing else can change the result.
pub(crate) fn key(scene: &Scene, entries: &[EntryId]) -> String {
    #[derive(Serialize)]
    struct Slice<'a> {
        integrity: &'a str,
        /// Name → (package, whether it stays outside).
        edges: BTreeMap<&'a str, (String, bool)>,
    }
    let inside: BTreeSet<_> = entries.iter().map(|entry| &entry.package).collect();
    let mut slices: BTreeMap<String, Slice<'_>> = BTreeMap::new();
    let mut todo: Vec<_> = inside.iter().copied().collect();
    while let Some(id) = todo.pop() {
        let Some(node) = scene.graph.nodes.get(id) else { continue };
        let edges = node
            .edges
            .iter()
            .map(|(name, target)| (name.as_str(), (target.to_string(), scene.singles.contains(target))));
        let slice = Slice { integrity: &node.manifest.integrity, edges: edges.collect() };
        if slices.insert(id.to_string(), slice).is_none() {
            let next = node.edges.values().filter(|target| !scene.singles.contains(*target));
            todo.extend(next.filter(|target| !slices.contains_key(&target.to_string())));
        }
    }
    // Of our own packages, those that the entry's package may name without declaring it.
    let own: Vec<_> = match inside.iter().any(|id| scene.graph.nodes.get(*id).is_some_and(|node| node.own.is_some())) {
        true => scene.graph.nodes.iter().filter(|(_, node)| node.own.is_some()).map(|(id, _)| id.to_string()).collect(),
        false => Vec::new(),
    };
    let singles: Vec<_> = inside.iter().filter(|id| scene.singles.contains(**id)).map(ToString::to_string).collect();
    let text = serde_json::json!([BUILDER, entries, slices, own, singles]).to_string();
    hex::encode(Sha256::digest(text))
}
