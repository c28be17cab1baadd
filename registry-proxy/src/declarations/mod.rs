//! What a TypeScript checker reads: the checker itself, and for each artifact a folder with the declarations of its packages.
//!
//! A folder is `<cache>/types/<hash>/`: a `node_modules` of links to the unpacked packages at their locked versions, laid out
//! as npm would, the declarations from `@types` of those that bring none, and the caller's own files. It is named after all
//! that is in it and never changes. Owns no compiler setting: the files are the caller's.

mod checker;
mod layout;
mod tree;
mod typings;

use crate::graph::PackageId;
use crate::specifier::{Specifier, check_name, parse};
use crate::{Proxy, RegistryError};
use nodejs_semver::Version;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tree::Tree;
use ui4a_types::Lock;
use ui4a_types::import::LockedPackage;

/// The folder of one artifact's declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarations {
    /// The folder.
    pub folder: PathBuf,
    /// Packages whose declarations could not be fetched now. They are asked for again the next time.
    pub missing: Vec<String>,
}

/// A package of the lock, with what it is in the tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Typed {
    /// Where its files are.
    pub folder: PathBuf,
    /// Name as its files import it → package.
    pub edges: BTreeMap<String, PackageId>,
}

impl Proxy {
    /// The folder of the declarations of a lock's packages, with `files` (relative path → text) beside them. It is made
    /// when it is not there, and what it needs is fetched.
    ///
    /// # Errors
    /// React's declarations cannot be had, or the cache cannot be written. What other packages lack is `missing`.
    ///
    /// # Cancel safety
    /// Dropping the future stops it; what was fetched until then is kept.
    pub async fn declarations(
        &self,
        lock: &Lock,
        files: &BTreeMap<String, String>,
    ) -> Result<Declarations, RegistryError> {
        let _lease = crate::cache::lease::take(&self.cache).await;
        let asked = layout::asked(lock, files);
        if let Some(folder) = layout::known(&self.types, &asked) {
            return Ok(Declarations { folder, missing: Vec::new() });
        }
        let packages = locked(lock);
        let mut typed = BTreeMap::new();
        for (id, locked) in &packages {
            typed.insert(id.clone(), self.typed(id, locked, &packages));
        }
        let mut roots: Vec<(String, PackageId)> = self.direct(lock, &packages);
        let (typings, missing) = self.typings(&roots, &mut typed).await?;
        roots.extend(typings);
        if !roots.iter().any(|(name, _)| name == "@types/react") {
            return Err(RegistryError::Store(
                "React was not resolved, so there is nothing to check against".to_owned(),
            ));
        }
        let tree = Tree::new(&roots, &typed);
        let (types, temporary, files, whole) =
            (self.types.clone(), self.packages.temporary().to_owned(), files.clone(), missing.is_empty());
        let made = tokio::task::spawn_blocking(move || {
            let folder = layout::make(&types, &temporary, &tree, &files)?;
            // With something missing the same question must be asked again.
            if whole {
                layout::remember(&types, &asked, &folder)?;
            }
            Ok(folder)
        });
        let folder = made.await.unwrap_or_else(|error| Err(RegistryError::Store(error.to_string())))?;
        Ok(Declarations { folder, missing })
    }

    /// The folders in which [`Proxy::declarations`] and what it links to lie.
    pub fn declaration_folders(&self) -> [PathBuf; 2] {
        [self.types.clone(), self.packages.root().to_owned()]
    }

    /// The specifiers of a lock that no TypeScript resolver reads, such as `three@0.180` or an address, with the bare
    /// specifier that means the same in the folder of its declarations.
    pub fn plain_specifiers(&self, lock: &Lock) -> BTreeMap<String, String> {
        let plain = lock.entries.keys().filter_map(|specifier| {
            let Ok(Specifier::Npm(npm)) = parse(specifier) else { return None };
            let plain = if npm.subpath.is_empty() { npm.name } else { format!("{}/{}", npm.name, npm.subpath) };
            (plain != *specifier).then(|| (specifier.clone(), plain))
        });
        plain.collect()
    }

    /// Where a package's files are, and what it means by the names it imports.
    fn typed(&self, id: &PackageId, locked: &LockedPackage, packages: &BTreeMap<PackageId, LockedPackage>) -> Typed {
        let folder = self.packages.folder(id, &locked.integrity);
        let mut edges = BTreeMap::new();
        if let Some(manifest) = self.registry.known_manifest(id) {
            for (alias, range) in manifest.dependencies.iter().chain(&manifest.peers) {
                if let Some(target) = typings::fitting(alias, range, packages.keys()) {
                    edges.insert(alias.clone(), target);
                }
            }
        }
        Typed { folder, edges }
    }

    /// What stands at the top: the packages that the artifact imports itself, React's, and those that the kit does.
    fn direct(&self, lock: &Lock, packages: &BTreeMap<PackageId, LockedPackage>) -> Vec<(String, PackageId)> {
        let own = self.own_packages();
        let named: BTreeSet<&str> = lock.entries.values().map(|entry| entry.package.as_str()).collect();
        let of_ours = own.iter().filter(|(id, _)| named.contains(id.name.as_str()));
        let wanted = of_ours.flat_map(|(_, package)| package.dependencies.iter());
        let wanted = wanted.map(|(name, version)| PackageId::new(name, version));
        let direct = lock.entries.values().map(|entry| PackageId::new(&entry.package, &entry.version));
        let react = ["react", "react-dom"].into_iter().filter_map(|name| packages.keys().find(|id| id.name == name));
        let all = direct.chain(react.cloned()).chain(wanted).filter(|id| packages.contains_key(id));
        let mut seen = BTreeSet::new();
        all.filter(|id| seen.insert(id.name.clone())).map(|id| (id.name.clone(), id)).collect()
    }
}

/// The packages of a lock. A lock may come from anywhere: names and versions that no registry has are left out.
fn locked(lock: &Lock) -> BTreeMap<PackageId, LockedPackage> {
    let packages = lock.packages.iter().filter_map(|(key, locked)| {
        let (name, _) = key.rsplit_once('@')?;
        let valid = check_name(name).is_ok() && Version::parse(&locked.version).is_ok();
        valid.then(|| (PackageId::new(name, &locked.version), locked.clone()))
    });
    packages.collect()
}
