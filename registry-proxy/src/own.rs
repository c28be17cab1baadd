//! Packages of our own: the kit, the chat and state hooks, and the aliases that models write for them.
//!
//! They take part in the same graph as npm packages, so that they share React, recharts and whatever else the artifact
//! imports itself.

use crate::RegistryError;
use crate::npm::packument::Manifest;
use regex::Regex;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

/// A package that comes from the program itself.
#[derive(Clone, Debug, Default)]
pub struct OwnPackage {
    /// The first part of its specifiers, e.g. `$ui4a/ui`. The longest name that fits a specifier wins.
    pub name: String,
    /// Compiled ES modules (types and JSX gone) and style sheets by path, e.g. `ui/index.js`. They import each other by
    /// relative paths with extensions, or by specifier; two entries of one package import each other by specifier.
    pub files: BTreeMap<String, String>,
    /// Subpath (`""` for the name itself) → file.
    pub entries: BTreeMap<String, String>,
    /// npm packages that the files import → exact version.
    pub dependencies: BTreeMap<String, String>,
    /// npm packages of which its files hold copies of their own, whatever else an artifact imports of them: what is taken
    /// keeps no state that others would miss.
    pub inlined: BTreeSet<String>,
    /// Other specifiers (`@/lib/utils`, or with a last `*` for a prefix, `@/components/ui/*`) → subpath.
    pub aliases: BTreeMap<String, String>,
}

impl OwnPackage {
    /// A version that changes with every byte of the package.
    pub(crate) fn version(&self) -> String {
        let mut hash = Sha256::new();
        for map in [&self.files, &self.entries, &self.dependencies] {
            for (key, value) in map {
                hash.update((key.len() as u64).to_le_bytes());
                hash.update(key);
                hash.update((value.len() as u64).to_le_bytes());
                hash.update(value);
            }
            hash.update([0xff]);
        }
        for name in &self.inlined {
            hash.update(name);
            hash.update([0xff]);
        }
        format!("0.0.0-{}", &hex::encode(hash.finalize())[..16])
    }

    /// The subpath that a specifier stands for: by name, then by alias.
    pub(crate) fn subpath(&self, specifier: &str) -> Option<String> {
        if specifier == self.name {
            return Some(String::new());
        }
        if let Some(rest) = specifier.strip_prefix(&self.name).and_then(|rest| rest.strip_prefix('/')) {
            return Some(rest.to_owned());
        }
        if let Some(subpath) = self.aliases.get(specifier) {
            return Some(subpath.clone());
        }
        let prefixes = self.aliases.iter().filter_map(|(alias, subpath)| Some((alias.strip_suffix('*')?, subpath)));
        prefixes
            .filter(|(prefix, _)| specifier.len() > prefix.len() && specifier.starts_with(prefix))
            .max_by_key(|(prefix, _)| prefix.len())
            .map(|(_, subpath)| subpath.clone())
    }

    /// The specifiers that the files of these entries import, themselves or through others of the package.
    pub(crate) fn imports<'e>(&self, subpaths: impl IntoIterator<Item = &'e str>) -> BTreeSet<String> {
        static IMPORT: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(r#"(?:\bfrom|\bimport)\s*\(?\s*["'`]([^"'`\s]+)["'`]"#).ok());
        let entry = |subpath: &str| self.entries.get(subpath).cloned();
        let mut todo: Vec<String> = subpaths.into_iter().filter_map(entry).collect();
        let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
        while let Some(file) = todo.pop() {
            let Some(text) = self.files.get(&file).filter(|_| seen.insert(file.clone())) else { continue };
            for import in IMPORT.iter().flat_map(|import| import.captures_iter(text)) {
                let specifier = &import[1];
                match self.subpath(specifier) {
                    _ if specifier.starts_with('.') => todo.extend(beside(&file, specifier)),
                    Some(subpath) => todo.extend(entry(&subpath)),
                    None => {
                        found.insert(specifier.to_owned());
                    }
                }
            }
        }
        found
    }

    pub(crate) fn manifest(&self) -> Manifest {
        Manifest { dependencies: self.dependencies.clone(), ..Manifest::default() }
    }

    /// Writes the package below `folder`, which must be new.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), RegistryError> {
        let write = |path: &Path, text: &str| -> Result<(), RegistryError> {
            let parent = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent).map_err(|error| RegistryError::io("creating", parent, &error))?;
            std::fs::write(path, text).map_err(|error| RegistryError::io("writing", path, &error))
        };
        for (path, text) in &self.files {
            write(&folder.join(path), text)?;
        }
        let manifest = serde_json::json!({"name": self.name, "type": "module"});
        write(&folder.join("package.json"), &manifest.to_string())
    }
}

/// The path that a relative import from `file` means.
fn beside(file: &str, specifier: &str) -> Option<String> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_and_prefixes_lead_to_subpaths() {
        let aliases = [("@/components/ui/*", ""), ("@/components/ui/chart", "charts"), ("$macaron/ui", "")];
        let own = OwnPackage {
            name: "$ui4a/ui".into(),
            aliases: aliases.map(|(a, b)| (a.to_owned(), b.to_owned())).into(),
            ..OwnPackage::default()
        };
        assert_eq!(own.subpath("$ui4a/ui").as_deref(), Some(""));
        assert_eq!(own.subpath("$ui4a/ui/charts").as_deref(), Some("charts"));
        assert_eq!(own.subpath("$macaron/ui").as_deref(), Some(""));
        assert_eq!(own.subpath("@/components/ui/button").as_deref(), Some(""));
        assert_eq!(own.subpath("@/components/ui/chart").as_deref(), Some("charts"));
        assert_eq!(own.subpath("$ui4a/uikit"), None);
    }

    #[test]
    fn an_entry_imports_what_its_files_do() {
        let files = [
            ("index.js", "import { a } from \"./parts/a.js\"; export * from 'clsx';"),
            ("parts/a.js", "import b from '../b.js'; const later = () => import(\"katex\");"),
            ("b.js", "import \"$ui4a/ui/charts\";"),
            ("charts.js", "import { x } from 'recharts';"),
            ("other.js", "import 'three';"),
        ];
        let own = OwnPackage {
            name: "$ui4a/ui".into(),
            files: files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(),
            entries: [("", "index.js"), ("charts", "charts.js"), ("other", "other.js")]
                .map(|(subpath, file)| (subpath.to_owned(), file.to_owned()))
                .into(),
            ..OwnPackage::default()
        };
        assert_eq!(own.imports([""]), ["clsx", "katex", "recharts"].map(str::to_owned).into());
        assert_eq!(own.imports(["charts"]), ["recharts".to_owned()].into());
    }
}
