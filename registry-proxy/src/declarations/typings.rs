//! Packages that bring no declarations of their own, and what `@types` has for them.

use super::Typed;
use crate::graph::PackageId;
use crate::npm::packument::{Manifest, Packument};
use crate::npm::version::{Want, pick, target};
use crate::{Proxy, RegistryError};
use nodejs_semver::Version;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

/// Most packages fetched for their declarations alone.
const MOST: usize = 64;

type Chosen = (PackageId, Arc<Manifest>);

impl Proxy {
    /// What `@types` has for those of `roots` that declare nothing, as further roots; all of it, with what it depends on,
    /// is added to `typed`. The second answer names what could not be fetched now.
    ///
    /// # Errors
    /// React's cannot be fetched: without them there is nothing to check.
    pub(super) async fn typings(
        &self,
        roots: &[(String, PackageId)],
        typed: &mut BTreeMap<PackageId, Typed>,
    ) -> Result<(Vec<(String, PackageId)>, Vec<String>), RegistryError> {
        let (mut tops, mut missing) = (Vec::new(), Vec::new());
        let mut queue: VecDeque<Chosen> = VecDeque::new();
        for (_, id) in roots {
            if typed.get(id).is_some_and(|typed| declares(&typed.folder)) {
                continue;
            }
            match self.typings_of(id).await {
                Ok(Some(chosen)) => {
                    tops.push((chosen.0.name.clone(), chosen.0.clone()));
                    queue.push_back(chosen);
                }
                Ok(None) => {}
                Err(error) if id.name == "react" => return Err(error),
                Err(error) => without(&id.name, &error, &mut missing),
            }
        }
        let mut count = 0;
        while let Some((id, manifest)) = queue.pop_front() {
            if typed.contains_key(&id) || count == MOST {
                continue;
            }
            count += 1;
            let folder = match self.packages.ensure(&self.registry, &id, &manifest).await {
                Ok(folder) => folder,
                Err(error) if id.name == "@types/react" => return Err(error),
                Err(error) => {
                    without(&id.name, &error, &mut missing);
                    continue;
                }
            };
            let mut edges = BTreeMap::new();
            for (alias, range) in &manifest.dependencies {
                if let Some(known) = fitting(alias, range, typed.keys()) {
                    edges.insert(alias.clone(), known);
                    continue;
                }
                match self.choose(alias, range).await {
                    Ok(chosen) => {
                        edges.insert(alias.clone(), chosen.0.clone());
                        queue.push_back(chosen);
                    }
                    Err(error) => without(alias, &error, &mut missing),
                }
            }
            typed.insert(id, Typed { folder, edges });
        }
        Ok((tops, missing))
    }

    /// The package in `@types` for a package, at the version nearest to its own; none when there is no such package.
    async fn typings_of(&self, id: &PackageId) -> Result<Option<Chosen>, RegistryError> {
        let name = match id.name.strip_prefix('@') {
            Some(scoped) => format!("@types/{}", scoped.replace('/', "__")),
            None => format!("@types/{}", id.name),
        };
        if id.name.starts_with("@types/") {
            return Ok(None);
        }
        let packument = match self.registry.packument(&name).await {
            Err(RegistryError::NoSuchPackage { .. }) => return Ok(None),
            answer => answer?,
        };
        let Some(version) = nearest(&packument, &id.version) else { return Ok(None) };
        let Some(manifest) = packument.versions.get(&version) else { return Ok(None) };
        Ok(Some((PackageId::new(name, version), Arc::new(manifest.clone()))))
    }

    async fn choose(&self, alias: &str, range: &str) -> Result<Chosen, RegistryError> {
        let refuse = |reason| RegistryError::Specifier { specifier: alias.to_owned(), reason };
        let (name, range) = target(alias, range).map_err(refuse)?;
        let packument = self.registry.packument(name).await?;
        let version = pick(&packument, &Want::parse(range), |_| true)?;
        let manifest = packument.versions.get(&version).cloned().unwrap_or_default();
        Ok((PackageId::new(name, version), Arc::new(manifest)))
    }
}

/// A package whose declarations cannot be had is missing when they may be had another time.
fn without(name: &str, error: &RegistryError, missing: &mut Vec<String>) {
    tracing::debug!(name, %error, "no declarations");
    if matches!(
        error,
        RegistryError::Unreachable { .. }
            | RegistryError::BadAnswer { .. }
            | RegistryError::Unauthorized { .. }
            | RegistryError::NoRegistry
            | RegistryError::Io { .. }
            | RegistryError::Store(_)
    ) {
        missing.push(name.to_owned());
    }
}

/// The highest of `known` that a dependency means.
pub(super) fn fitting<'a>(alias: &str, range: &str, known: impl Iterator<Item = &'a PackageId>) -> Option<PackageId> {
    let (name, range) = target(alias, range).ok()?;
    let want = Want::parse(range);
    let fits = known.filter(|id| id.name == name && want.accepts(&id.version));
    fits.max_by_key(|id| Version::parse(&id.version).ok()).cloned()
}

/// `@types` follows the major and minor version of what it declares: the highest not above it, of the same major version
/// if there is one.
fn nearest(packument: &Packument, version: &str) -> Option<String> {
    let own = Version::parse(version).ok()?;
    let all = packument.versions.keys().filter_map(|text| Some((Version::parse(text).ok()?, text)));
    let rank = |found: &Version| {
        let same = found.major() == own.major();
        (!found.is_prerelease(), same, (found.major(), found.minor()) <= (own.major(), own.minor()))
    };
    let best = all.max_by(|a, b| rank(&a.0).cmp(&rank(&b.0)).then_with(|| a.0.cmp(&b.0)));
    best.map(|(_, text)| text.clone())
}

/// Whether a package says where its declarations are, or has them where TypeScript looks without being told.
fn declares(folder: &Path) -> bool {
    let Ok(text) = std::fs::read(folder.join("package.json")) else { return false };
    let Ok(manifest) = serde_json::from_slice::<serde_json::Value>(&text) else { return false };
    let told = ["types", "typings", "typesVersions"].iter().any(|key| manifest.get(key).is_some());
    let main = manifest.get("main").and_then(serde_json::Value::as_str).unwrap_or("index.js");
    let beside = main.rsplit_once('.').map_or(main, |(stem, _)| stem).to_owned() + ".d.ts";
    told || folder.join("index.d.ts").is_file()
        || inside(folder, &beside)
        || manifest.get("exports").is_some_and(|exports| in_exports(exports, folder, 0))
}

/// Whether a path of a package's own manifest is a file in it.
fn inside(folder: &Path, path: &str) -> bool {
    let normal =
        |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir);
    Path::new(path).components().all(normal) && folder.join(path).is_file()
}

/// Whether some entry of `exports` has the condition `types`, or a declaration beside its module.
fn in_exports(exports: &serde_json::Value, folder: &Path, depth: usize) -> bool {
    match exports {
        serde_json::Value::Object(conditions) if depth < 8 => conditions
            .iter()
            .any(|(key, value)| (key == "types" && !value.is_null()) || in_exports(value, folder, depth + 1)),
        serde_json::Value::String(path) if !path.contains('*') => {
            [(".mjs", ".d.mts"), (".cjs", ".d.cts"), (".js", ".d.ts")].iter().any(|(ending, declared)| {
                path.strip_suffix(ending).is_some_and(|stem| inside(folder, &format!("{stem}{declared}")))
            })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_follow_the_package_they_are_for() {
        let versions = ["18.3.1", "19.2.0", "19.3.3", "19.4.0", "20.0.0-rc.1"];
        let versions = versions.map(|version| (version.to_owned(), Manifest::default())).into();
        let packument = Packument { name: "@types/react".into(), versions, ..Packument::default() };
        let near = |version| nearest(&packument, version);
        assert_eq!(near("19.3.1").as_deref(), Some("19.3.3"));
        assert_eq!(near("18.3.1").as_deref(), Some("18.3.1"));
        assert_eq!(near("17.0.0").as_deref(), Some("19.4.0"), "the highest when there is nothing near");
    }

    #[test]
    fn a_package_declares_by_types_by_exports_or_by_what_lies_beside() {
        let package = |manifest: &str, files: &[&str]| {
            let folder = tempfile::tempdir().expect("a folder");
            std::fs::write(folder.path().join("package.json"), manifest).expect("is written");
            for file in files {
                std::fs::write(folder.path().join(file), "").expect("is written");
            }
            declares(folder.path())
        };
        assert!(package(r#"{"types": "x.d.ts"}"#, &[]));
        assert!(package(r#"{"exports": {".": {"import": {"types": "./x.d.mts", "default": "./x.mjs"}}}}"#, &[]));
        assert!(package(r#"{"exports": "./x.mjs"}"#, &["x.d.mts"]));
        assert!(package(r#"{"main": "lib.js"}"#, &["lib.d.ts"]));
        assert!(!package(r#"{"main": "../../etc/passwd", "exports": {".": "./x.js"}}"#, &["x.js"]));
        assert!(!package("not JSON", &["index.js"]));
    }
}
