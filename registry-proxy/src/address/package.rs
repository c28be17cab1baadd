//! Files of npm packages that are served as they are: what a classic script, a style sheet or an image of a CDN address is.

use super::{Stored, blocking, no_entry};
use crate::RegistryError;
use crate::build::css::{Assets, style};
use crate::build::locate::Locator;
use crate::build::scene::Scene;
use crate::build::store::{Facts, servable_extension};
use crate::graph::{Graph, PackageId};
use crate::npm::version::{Want, pick};
use crate::proxy::Proxy;
use crate::specifier::NpmSpecifier;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use ui4a_types::{AddressRole, LockEntry};

/// Folders in which packages keep what networks show at the top.
const FOLDERS: [&str; 9] = ["dist", "build", "lib", "umd", "min", "dist/umd", "dist/js", "dist/css", "css"];
/// Folders whose files no network shows under a shorter name: sources, tools, other formats.
const PASSED_OVER: [&str; 9] = ["bin", "docs", "es", "esm", "node_modules", "scripts", "src", "test", "tests"];
/// Most folders and files looked at in search of a file.
const LOOKED_AT: usize = 20_000;

impl Proxy {
    pub(super) async fn package_file(
        &self,
        npm: &NpmSpecifier,
        role: AddressRole,
        locked: Option<&LockEntry>,
    ) -> Result<Stored, RegistryError> {
        self.registry.policy.direct(&npm.name)?;
        let (id, manifest) = self.package_version(npm, locked).await?;
        let folder = self.packages.ensure(&self.registry, &id, &manifest).await?;
        let (npm, store) = (npm.clone(), Arc::clone(&self.store));
        blocking(move || {
            let path = find(&folder, &npm, role).ok_or_else(|| no_entry(&id, &npm.subpath, "it holds no such file"))?;
            let read = |path: &Path| std::fs::read(path).map_err(|error| RegistryError::io("reading", path, &error));
            let name = match role {
                AddressRole::Script => store.put(&read(&path)?, "js")?,
                AddressRole::Asset => {
                    let extension = servable_extension(&path)
                        .ok_or_else(|| no_entry(&id, &npm.subpath, "it is of no type that is shown"))?;
                    store.put(&read(&path)?, &extension)?
                }
                AddressRole::Style => {
                    let folders = BTreeMap::from([(id.clone(), folder)]);
                    let locator = Arc::new(Locator::new());
                    let scene = Scene::new(Graph::default(), BTreeSet::new(), folders, locator, Arc::clone(&store));
                    let sheet = style(&scene, &id, &path, Assets::Stored)
                        .map_err(|reason| RegistryError::Build { entry: id.to_string(), reason })?;
                    let name = store.put(sheet.css.as_bytes(), "css")?;
                    store.put_facts(&name, Facts { styles: named(&sheet.css), ..Facts::default() })?;
                    name
                }
            };
            let integrity = manifest.integrity.clone();
            Ok(Stored { name, package: id.name.clone(), version: id.version.clone(), integrity })
        })
        .await
    }

    /// The version that an address means, and its manifest. The locked one stays as long as it will do.
    async fn package_version(
        &self,
        npm: &NpmSpecifier,
        locked: Option<&LockEntry>,
    ) -> Result<(PackageId, Arc<crate::npm::packument::Manifest>), RegistryError> {
        let want = Want::parse(npm.range.as_deref().unwrap_or("*"));
        let kept = locked.filter(|entry| entry.package == npm.name && want.accepts(&entry.version));
        // An exact version whose manifest is known needs no packument, and so no network.
        let exact = kept.map(|entry| entry.version.clone()).or_else(|| npm.range.clone());
        if let Some(id) = exact.map(|version| PackageId::new(&npm.name, &version))
            && let Some(manifest) = self.registry.known_manifest(&id)
            && kept.is_none_or(|entry| entry.integrity == manifest.integrity)
        {
            return Ok((id, manifest));
        }
        let mut packument = self.registry.packument(&npm.name).await?;
        let mut version = pick(&packument, &want, |_| true);
        if version.is_err() && packument.stale {
            packument = self.registry.newest(&npm.name).await?;
            version = pick(&packument, &want, |_| true);
        }
        let version = version?;
        let id = PackageId::new(&npm.name, &version);
        let manifest = packument.versions.get(&version).ok_or_else(|| no_entry(&id, "", "it has no manifest"))?;
        let manifest = self.registry.remember_manifest(&id, manifest)?;
        Ok((id, manifest))
    }
}

/// Names of stored files that a style sheet mentions.
fn named(css: &str) -> Vec<String> {
    let parts = css.split("./").skip(1).filter_map(|part| part.split([')', '"', '\'']).next());
    let mut names: Vec<String> =
        parts.filter(|part| part.len() > 65 && part.as_bytes()[64] == b'.').map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// The file of a package that an address means, inside the package's folder.
fn find(folder: &Path, npm: &NpmSpecifier, role: AddressRole) -> Option<PathBuf> {
    if npm.subpath.is_empty() {
        return main_file(folder, role);
    }
    let mut tried = vec![npm.subpath.clone()];
    if npm.loose {
        let base = npm.subpath.rsplit('/').next().unwrap_or_default();
        tried.extend(FOLDERS.iter().map(|folder| format!("{folder}/{}", npm.subpath)));
        tried.extend(FOLDERS.iter().map(|folder| format!("{folder}/{base}")));
    }
    // These networks minify what the package does not.
    let plain: Vec<String> = tried.iter().filter_map(|path| unminified(path)).collect();
    tried.extend(plain);
    let extension = if role == AddressRole::Style { ".css" } else { ".js" };
    let written = tried.clone();
    tried.extend(written.iter().map(|path| format!("{path}{extension}")));
    let direct = tried.iter().find_map(|path| inside(folder, path));
    direct.or_else(|| if npm.loose { by_name(folder, &npm.subpath) } else { None })
}

/// A file of the folder, links and `..` resolved.
fn inside(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = folder.join(path).canonicalize().ok()?;
    (path.starts_with(folder.canonicalize().ok()?) && path.is_file()).then_some(path)
}

fn unminified(path: &str) -> Option<String> {
    path.contains(".min.").then(|| path.replace(".min.", "."))
}

/// What a package says is its file for browsers.
fn main_file(folder: &Path, role: AddressRole) -> Option<PathBuf> {
    let text = std::fs::read(folder.join("package.json")).ok()?;
    let manifest: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let fields: &[&str] = match role {
        AddressRole::Style => &["style", "unpkg", "jsdelivr", "main"],
        _ => &["unpkg", "jsdelivr", "browser", "main"],
    };
    let named = fields.iter().filter_map(|field| manifest.get(*field)?.as_str());
    let named = named.filter(|path| role != AddressRole::Style || path.ends_with(".css"));
    let tried = named.flat_map(|path| [path.to_owned(), format!("{path}.js"), format!("{path}/index.js")]);
    tried.chain(["index.js".to_owned()]).find_map(|path| inside(folder, path.trim_start_matches("./")))
}

/// The file with this name, minified or not, that lies least deep.
fn by_name(folder: &Path, subpath: &str) -> Option<PathBuf> {
    let base = subpath.rsplit('/').next()?.to_ascii_lowercase();
    let plain = unminified(&base).unwrap_or_else(|| base.clone());
    let (mut level, mut looked) = (vec![folder.to_owned()], 0_usize);
    while !level.is_empty() {
        let (mut next, mut second) = (Vec::new(), None);
        for directory in level {
            for entry in std::fs::read_dir(&directory).ok()?.flatten() {
                looked += 1;
                if looked > LOOKED_AT {
                    return None;
                }
                let Ok(kind) = entry.file_type() else { continue };
                let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
                if kind.is_dir() {
                    if PASSED_OVER.contains(&name.as_str()) {
                        continue;
                    }
                    next.push(entry.path());
                } else if kind.is_file() && name == base {
                    return Some(entry.path());
                } else if kind.is_file() && name == plain {
                    second = Some(entry.path());
                }
            }
        }
        if second.is_some() {
            return second;
        }
        next.sort();
        level = next;
    }
    None
}
