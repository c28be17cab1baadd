//! All that a build may see: the graph, where its packages lie, and which of them are single.

use super::locate::{Located, Locator, Manner, split_bare};
use super::store::Modules;
use crate::graph::{EntryId, Graph, PackageId};
use crate::specifier::{is_node_builtin, stand_in_for};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Bare names → what a package's `browser` field puts in their place, `None` for nothing.
type Replacements = BTreeMap<String, Option<String>>;

/// What builds share. Immutable but for its caches.
#[derive(Debug)]
pub(crate) struct Scene {
    pub graph: Graph,
    pub singles: BTreeSet<PackageId>,
    /// Package → its folder.
    pub folders: BTreeMap<PackageId, PathBuf>,
    /// First folder below the root → package.
    owners: HashMap<PathBuf, PackageId>,
    pub locator: Arc<Locator>,
    pub store: Arc<Modules>,
    browser_fields: Mutex<HashMap<PackageId, Arc<Replacements>>>,
}

/// What a bare specifier in a package's file means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A file of the package itself.
    Own(Located),
    /// An entry of a package.
    Entry(EntryId),
    /// Nothing, by the package's own word.
    Nothing,
    /// A module of Node's that browsers cannot have.
    Builtin(String),
    /// A module of Node's that a package can stand for, which is not in the graph.
    Needs { package: &'static str, builtin: String },
    /// What the graph does not hold, and why if that is known.
    Missing(String),
}

impl Scene {
    pub(crate) fn new(
        graph: Graph,
        singles: BTreeSet<PackageId>,
        folders: BTreeMap<PackageId, PathBuf>,
        locator: Arc<Locator>,
        store: Arc<Modules>,
    ) -> Self {
        let owners = folders.iter().map(|(id, folder)| (folder.clone(), id.clone())).collect();
        Self { graph, singles, folders, owners, locator, store, browser_fields: Mutex::default() }
    }

    pub(crate) fn folder(&self, id: &PackageId) -> Option<&Path> {
        self.folders.get(id).map(PathBuf::as_path)
    }

    /// The package that a file belongs to.
    pub(crate) fn owner(&self, file: &Path) -> Option<&PackageId> {
        file.ancestors().find_map(|folder| self.owners.get(folder))
    }

    /// What a bare specifier means to a file of `owner`.
    pub(crate) fn bare(&self, owner: &PackageId, specifier: &str, manner: Manner) -> Meaning {
        let mut specifier = specifier.split_once('?').map_or(specifier, |(path, _)| path);
        let replaced;
        match self.browser_field(owner).get(specifier) {
            Some(None) => return Meaning::Nothing,
            Some(Some(other)) if other.starts_with('.') => {
                let Some(folder) = self.folder(owner) else { return Meaning::Missing(String::new()) };
                return match self.locator.inner(folder, folder, other, manner) {
                    Ok(located) => Meaning::Own(located),
                    Err(reason) => Meaning::Missing(reason),
                };
            }
            Some(Some(other)) => {
                replaced = other.clone();
                specifier = &replaced;
            }
            None => {}
        }
        if let Some((package, subpath)) = self.bare_package(owner, specifier) {
            return Meaning::Entry(EntryId { package, subpath });
        }
        if is_node_builtin(specifier) {
            let builtin = specifier.trim_start_matches("node:").to_owned();
            let Some((package, subpath)) = stand_in_for(&builtin) else { return Meaning::Builtin(builtin) };
            return match self.graph.hoisted(package) {
                Some(id) => Meaning::Entry(EntryId { package: id.clone(), subpath: subpath.to_owned() }),
                None => Meaning::Needs { package, builtin },
            };
        }
        let (name, _) = split_bare(specifier);
        let broken = self.graph.nodes.get(owner).and_then(|node| node.broken.get(name));
        Meaning::Missing(broken.map_or_else(|| format!("{owner} does not declare it"), ToString::to_string))
    }

    /// Package and subpath of a bare specifier: itself, a dependency, one of ours, or one that happens to be there.
    pub(crate) fn bare_package(&self, owner: &PackageId, specifier: &str) -> Option<(PackageId, String)> {
        let node = self.graph.nodes.get(owner)?;
        if node.own.is_some() {
            let ours = self.graph.nodes.iter().filter_map(|(id, node)| {
                let subpath = node.own.as_ref()?.subpath(specifier)?;
                Some((id, subpath))
            });
            if let Some((id, subpath)) = ours.max_by_key(|(id, _)| id.name.len()) {
                return Some((id.clone(), subpath));
            }
        }
        if specifier.starts_with("node:") {
            return None;
        }
        let (name, subpath) = split_bare(specifier);
        if name == owner.name {
            return Some((owner.clone(), subpath.to_owned()));
        }
        if let Some(to) = self.graph.aliases.get(owner).and_then(|aliases| aliases.get(name)) {
            let parts = [to.subpath.as_str(), subpath].into_iter().filter(|part| !part.is_empty());
            return Some((to.package.clone(), parts.collect::<Vec<_>>().join("/")));
        }
        let declared = node.edges.get(name);
        let id = match declared {
            Some(id) => id,
            None if is_node_builtin(specifier) => return None,
            None => self.graph.hoisted(name)?,
        };
        Some((id.clone(), subpath.to_owned()))
    }

    /// Whether a package is a module of its own for those who import it from `owner`.
    pub(crate) fn is_outside(&self, owner: &PackageId, package: &PackageId) -> bool {
        let own = self.graph.nodes.get(owner).and_then(|node| node.own.as_ref());
        self.singles.contains(package) && !own.is_some_and(|own| own.inlined.contains(&package.name))
    }

    /// The file of an entry.
    pub(crate) fn locate(&self, entry: &EntryId, manner: Manner) -> Result<Located, crate::RegistryError> {
        let missing = |reason: &str| crate::RegistryError::NoSuchEntry {
            package: entry.package.to_string(),
            entry: entry.subpath.clone(),
            reason: reason.to_owned(),
        };
        let folder = self.folder(&entry.package).ok_or_else(|| missing("the package is not there"))?;
        if let Some(own) = self.graph.nodes.get(&entry.package).and_then(|node| node.own.as_ref()) {
            let file = own.entries.get(&entry.subpath).ok_or_else(|| missing("this part does not exist"))?;
            return Ok(Located::File { path: folder.join(file), manifest: Some(folder.join("package.json")) });
        }
        self.locator.entry(folder, &entry.package, &entry.subpath, manner)
    }

    /// The bare names of the object form of a package's `browser` field.
    fn browser_field(&self, id: &PackageId) -> Arc<Replacements> {
        let mut fields = self.browser_fields.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = fields.get(id) {
            return Arc::clone(known);
        }
        let read = || -> Option<Replacements> {
            let text = std::fs::read(self.folder(id)?.join("package.json")).ok()?;
            let json: serde_json::Value = serde_json::from_slice(&text).ok()?;
            let map = json.get("browser")?.as_object()?;
            let bare = map.iter().filter(|(key, _)| !key.starts_with('.'));
            Some(bare.map(|(key, value)| (key.clone(), value.as_str().map(str::to_owned))).collect())
        };
        let field = Arc::new(read().unwrap_or_default());
        fields.insert(id.clone(), Arc::clone(&field));
        field
    }
}
