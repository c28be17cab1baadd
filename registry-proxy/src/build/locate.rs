//! Which file an import means, as browsers' bundlers read `exports`, `browser`, `module` and `main`.

use crate::RegistryError;
use crate::graph::{EntryId, PackageId};
use oxc_resolver::{ResolveError, ResolveOptions, Resolver};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// How an import is written: a package may answer `import` and `require` with different files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Import,
    Require,
}

/// What an import leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Located {
    /// A file, and the `package.json` that governs it.
    File { path: PathBuf, manifest: Option<PathBuf> },
    /// The package says that browsers get nothing here (`"browser": {"x": false}`).
    Nothing,
}

/// Resolves within packages that lie as [`crate::npm::packages`] puts them. It remembers what was not there, so it is made
/// anew for each scene, when all packages are.
pub(crate) struct Locator {
    import: Resolver,
    require: Resolver,
}

impl std::fmt::Debug for Locator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Locator")
    }
}

fn options(manner: &str) -> ResolveOptions {
    let strings = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    ResolveOptions {
        condition_names: strings(&["browser", manner, "module", "production", "default"]),
        main_fields: strings(&["browser", "module", "main"]),
        alias_fields: vec![strings(&["browser"])],
        extensions: strings(&[".mjs", ".js", ".cjs", ".json", ".jsx"]),
        modules: strings(&["node_modules"]),
        symlinks: false,
        ..ResolveOptions::default()
    }
}

impl Locator {
    pub(crate) fn new() -> Self {
        let import = Resolver::new(options("import"));
        let require = import.clone_with_options(options("require"));
        Self { import, require }
    }

    fn resolver(&self, manner: Manner) -> &Resolver {
        match manner {
            Manner::Import => &self.import,
            Manner::Require => &self.require,
        }
    }

    /// The file of an entry of the package in `folder`. Where `exports` hides a path that is there, the path is taken all
    /// the same: models write such paths, and the tarball holds them.
    ///
    /// # Errors
    /// There is neither such an entry nor such a file.
    pub(crate) fn entry(
        &self,
        folder: &Path,
        id: &PackageId,
        subpath: &str,
        manner: Manner,
    ) -> Result<Located, RegistryError> {
        let base = folder.ancestors().nth(id.name.split('/').count() + 1).unwrap_or(folder);
        let specifier = match subpath {
            "" => id.name.clone(),
            subpath => format!("{}/{subpath}", id.name),
        };
        let resolver = self.resolver(manner);
        match found(resolver.resolve(base, &specifier), folder) {
            Ok(located) => Ok(located),
            Err(reason) => {
                let direct =
                    (!subpath.is_empty()).then(|| found(resolver.resolve(folder, &format!("./{subpath}")), folder));
                match direct {
                    Some(Ok(located)) => Ok(located),
                    _ => Err(RegistryError::NoSuchEntry {
                        package: id.to_string(),
                        entry: if subpath.is_empty() { ".".to_owned() } else { format!("./{subpath}") },
                        reason,
                    }),
                }
            }
        }
    }

    /// The file that a relative or `#` import from `directory` means.
    ///
    /// # Errors
    /// In words: there is none, or it lies outside of the package in `folder`.
    pub(crate) fn inner(
        &self,
        folder: &Path,
        directory: &Path,
        specifier: &str,
        manner: Manner,
    ) -> Result<Located, String> {
        let specifier = specifier.split_once('?').map_or(specifier, |(path, _)| path);
        found(self.resolver(manner).resolve(directory, specifier), folder)
    }
}

fn found(answer: Result<oxc_resolver::Resolution, ResolveError>, folder: &Path) -> Result<Located, String> {
    match answer {
        Ok(resolution) => {
            let manifest = resolution.package_json().map(|json| json.path().to_owned());
            let path = resolution.into_path_buf();
            match path.starts_with(folder) {
                true => Ok(Located::File { path, manifest }),
                false => Err("it leads out of the package".to_owned()),
            }
        }
        Err(ResolveError::Ignored(_)) => Ok(Located::Nothing),
        Err(error) => {
            // Paths of the cache are of no use to a reader.
            let text = error.to_string();
            Err(folder.to_str().map_or(text.clone(), |folder| text.replace(folder, ".")))
        }
    }
}

/// The nearest `package.json` at or above a file, within a package.
pub(crate) fn governing(file: &Path, folder: &Path) -> Option<PathBuf> {
    file.ancestors()
        .skip(1)
        .take_while(|directory| directory.starts_with(folder))
        .map(|directory| directory.join("package.json"))
        .find(|path| path.is_file())
}

/// Splits a bare specifier into package and subpath.
pub(crate) fn split_bare(specifier: &str) -> (&str, &str) {
    let at = match specifier.starts_with('@') {
        true => specifier.match_indices('/').nth(1).map(|(at, _)| at),
        false => specifier.find('/'),
    };
    at.map_or((specifier, ""), |at| (&specifier[..at], specifier[at + 1..].trim_end_matches('/')))
}

/// How a placeholder begins.
pub(crate) const PLACEHOLDER: &str = "ui4a:";

/// A placeholder in built code for the address of an entry's module. It is as long as an address (`./<sha256>.js`), so that
/// what a source map says of the code stays true.
pub(crate) fn placeholder(entry: &EntryId) -> String {
    format!("{PLACEHOLDER}{}", hex::encode(Sha256::digest(entry.to_string())))
}
