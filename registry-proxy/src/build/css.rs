//! Style sheets of packages: `@import`s joined, fonts and images stored beside them, CSS modules named.

use super::locate::{Located, Manner, split_bare};
use super::scene::Scene;
use super::store::servable_extension;
use crate::graph::{EntryId, PackageId};
use base64::Engine as _;
use lightningcss::css_modules::Config as CssModules;
use lightningcss::dependencies::{Dependency, DependencyOptions};
use lightningcss::printer::PrinterOptions;
use lightningcss::stylesheet::{ParserOptions, StyleSheet};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A style sheet, ready to be served from where modules are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Style {
    pub css: String,
    /// For CSS modules: name as written → class names.
    pub names: BTreeMap<String, String>,
}

/// How an address of an asset is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assets {
    /// As a module of its own, relative.
    Stored,
    /// As a `data:` URL.
    Embedded,
}

/// Largest asset that is embedded.
const EMBED: u64 = 4 << 20;

/// Reads a style sheet and all that it imports.
///
/// # Errors
/// In words: it cannot be read or parsed.
pub(crate) fn style(scene: &Scene, owner: &PackageId, file: &Path, assets: Assets) -> Result<Style, String> {
    let mut seen = BTreeSet::new();
    join(scene, owner, file, assets, &mut seen)
}

fn join(
    scene: &Scene,
    owner: &PackageId,
    file: &Path,
    assets: Assets,
    seen: &mut BTreeSet<PathBuf>,
) -> Result<Style, String> {
    if !seen.insert(file.to_owned()) {
        return Ok(Style::default());
    }
    let text = std::fs::read_to_string(file).map_err(|error| format!("a style sheet cannot be read: {error}"))?;
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let options = ParserOptions {
        filename: format!("{}/{name}", owner.name),
        css_modules: name.contains(".module.").then(CssModules::default),
        error_recovery: true,
        ..ParserOptions::default()
    };
    let sheet = StyleSheet::parse(&text, options).map_err(|error| format!("{name} does not parse: {error}"))?;
    let printed = sheet
        .to_css(PrinterOptions {
            minify: true,
            analyze_dependencies: Some(DependencyOptions { remove_imports: true }),
            ..PrinterOptions::default()
        })
        .map_err(|error| format!("{name} cannot be written: {error}"))?;
    let mut style = Style { css: String::new(), names: BTreeMap::new() };
    let mut body = printed.code;
    for dependency in printed.dependencies.into_iter().flatten() {
        match dependency {
            Dependency::Import(import) => {
                let Some((owner, path)) = target(scene, owner, file, &import.url) else { continue };
                let mut inner = join(scene, &owner, &path, assets, seen)?.css;
                if let Some(supports) = import.supports {
                    inner = format!("@supports {supports}{{{inner}}}");
                }
                if let Some(media) = import.media {
                    inner = format!("@media {media}{{{inner}}}");
                }
                style.css.push_str(&inner);
            }
            Dependency::Url(url) => {
                let address = target(scene, owner, file, &url.url)
                    .and_then(|(_, path)| asset(scene, &path, assets))
                    .unwrap_or(url.url);
                body = body.replace(&url.placeholder, &address);
            }
        }
    }
    style.css.push_str(&body);
    for (name, export) in printed.exports.into_iter().flatten() {
        style.names.insert(name, export.name);
    }
    Ok(style)
}

/// The file that an address in a style sheet means; none for `data:`, `#id` and addresses elsewhere.
fn target(scene: &Scene, owner: &PackageId, file: &Path, address: &str) -> Option<(PackageId, PathBuf)> {
    let address = address.split(['?', '#']).next().filter(|address| !address.is_empty())?;
    if address.contains(':') || address.starts_with('/') {
        return None;
    }
    let folder = scene.folder(owner)?;
    let relative = address.strip_prefix('~').unwrap_or(address);
    let plain = file.parent()?.join(relative.trim_start_matches("./"));
    if plain.is_file() && !relative.contains("..") {
        return Some((owner.clone(), plain));
    }
    let dotted = if relative.starts_with('.') { relative.to_owned() } else { format!("./{relative}") };
    if let Ok(Located::File { path, .. }) = scene.locator.inner(folder, file.parent()?, &dotted, Manner::Import) {
        return Some((owner.clone(), path));
    }
    let (name, _) = split_bare(relative);
    if name.starts_with('.') {
        return None;
    }
    let (package, subpath) = scene.bare_package(owner, relative)?;
    match scene.locate(&EntryId { package: package.clone(), subpath }, Manner::Import).ok()? {
        Located::File { path, .. } => Some((package, path)),
        Located::Nothing => None,
    }
}

/// The address of a file of a package: stored beside the modules, or embedded. None when it is of no type that is served.
pub(crate) fn asset(scene: &Scene, path: &Path, assets: Assets) -> Option<String> {
    let extension = servable_extension(path)?;
    let bytes = std::fs::read(path).ok()?;
    match assets {
        Assets::Embedded if bytes.len() as u64 <= EMBED => {
            let module = scene.store.put(&bytes, &extension).ok().and_then(|name| scene.store.get(&name))?;
            let encoded = base64::engine::general_purpose::STANDARD.encode(&bytes);
            Some(format!("data:{};base64,{encoded}", module.content_type.replace(' ', "")))
        }
        Assets::Embedded => None,
        Assets::Stored => Some(format!("./{}", scene.store.put(&bytes, &extension).ok()?)),
    }
}
