//! What an ES module exports, told from its text and the texts that it re-exports, so that a build can be cut down to the
//! names that are wanted before anything is built.

use super::locate::{Located, Manner};
use super::scene::{Meaning, Scene};
use super::wish::Wish;
use crate::graph::{EntryId, PackageId};
use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;
use oxc_syntax::module_record::{ExportEntry, ExportExportName, ExportImportName};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Deepest chain of `export *` that is followed.
const DEPTH: usize = 24;
/// Most files that are read for one entry.
const FILES: usize = 2_000;

/// The names that a module is cut down to.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// All that the entry exports.
    pub known: Arc<BTreeSet<String>>,
    /// What is built.
    pub names: BTreeSet<String>,
}

/// What the text of an ES module tells of its exports.
#[derive(Debug, Default)]
struct Text {
    names: BTreeSet<String>,
    /// Exported name → specifier, and the name there.
    from_elsewhere: BTreeMap<String, (String, String)>,
    /// Specifiers of `export *`.
    stars: Vec<String>,
}

impl Scene {
    /// The names that an entry exports; none when it is no ES module, or its text does not tell.
    pub(crate) fn exports(&self, entry: &EntryId) -> Option<Arc<BTreeSet<String>>> {
        let edges = self.graph.nodes.get(&entry.package).map(|node| &node.edges);
        let key = format!("{} {edges:?}", super::raw::key(self, std::slice::from_ref(entry), None));
        if let Some(known) = self.store.exports(&key) {
            return known;
        }
        let answer = self.read_exports(entry).map(Arc::new);
        self.store.put_exports(&key, answer.clone());
        answer
    }

    fn read_exports(&self, entry: &EntryId) -> Option<BTreeSet<String>> {
        let Located::File { path, .. } = self.locate(entry, Manner::Import).ok()? else { return None };
        let mut seen = BTreeSet::new();
        let names = self.exports_of(&entry.package, &path, &mut seen, DEPTH)?;
        Some(names)
    }

    fn exports_of(
        &self,
        owner: &PackageId,
        file: &Path,
        seen: &mut BTreeSet<PathBuf>,
        depth: usize,
    ) -> Option<BTreeSet<String>> {
        // A circle of `export *` adds nothing.
        if !seen.insert(file.to_owned()) {
            return Some(BTreeSet::new());
        }
        if depth == 0 || seen.len() > FILES {
            return None;
        }
        let is_script = matches!(file.extension()?.to_str()?, "js" | "mjs" | "jsx");
        let text = std::fs::read_to_string(file).ok().filter(|_| is_script)?;
        let Text { mut names, stars, .. } = read(&text)?;
        for specifier in stars {
            let (owner, file) = self.import_target(owner, file, &specifier)?;
            let mut more = self.exports_of(&owner, &file, seen, depth - 1)?;
            more.remove("default");
            names.extend(more);
        }
        Some(names)
    }

    /// Owner and file of what `file` imports.
    fn import_target(&self, owner: &PackageId, file: &Path, specifier: &str) -> Option<(PackageId, PathBuf)> {
        let folder = self.folder(owner)?;
        let inner = specifier.starts_with(['.', '#']);
        let located = match inner {
            true => Meaning::Own(self.locator.inner(folder, file.parent()?, specifier, Manner::Import).ok()?),
            false => self.bare(owner, specifier, Manner::Import),
        };
        match located {
            Meaning::Own(Located::File { path, .. }) => Some((owner.clone(), path)),
            Meaning::Entry(entry) => match self.locate(&entry, Manner::Import).ok()? {
                Located::File { path, .. } => Some((entry.package, path)),
                Located::Nothing => None,
            },
            _ => None,
        }
    }

    /// What an entry can be cut down to; none when all of it is wanted, or nothing is won by cutting.
    pub(crate) fn cut(&self, entry: &EntryId, wish: &Wish) -> Option<Cut> {
        let Wish::Names(wanted) = wish else { return None };
        // What is ours is built once for all artifacts.
        if self.graph.nodes.get(&entry.package).is_none_or(|node| node.own.is_some()) {
            return None;
        }
        let known = self.exports(entry)?;
        // `import x from` of a module without a default means its namespace.
        if wanted.contains("default") && !known.contains("default") {
            return None;
        }
        let names: BTreeSet<String> = wanted.intersection(&known).cloned().collect();
        (!names.is_empty() && names.len() < known.len()).then_some(Cut { known, names })
    }
}

impl Scene {
    /// For each name of a cut, the file that defines it and its name there. Where a package says that its files have no
    /// side effects, those between the entry and that file need not be read: of thousands of icons, three.
    pub(crate) fn origins(&self, entry: &EntryId, file: &Path, cut: &Cut) -> Vec<(String, PathBuf, String)> {
        let direct = self.folder(&entry.package).is_some_and(has_no_side_effects);
        let mut read_before = BTreeMap::new();
        let origin = |name: &String| {
            let found = if direct { self.origin(&entry.package, file, name, &mut read_before, DEPTH) } else { None };
            let (path, original) = found.unwrap_or_else(|| (file.to_owned(), name.clone()));
            (name.clone(), path, original)
        };
        cut.names.iter().map(origin).collect()
    }

    fn origin(
        &self,
        owner: &PackageId,
        file: &Path,
        name: &str,
        read_before: &mut BTreeMap<PathBuf, Option<Arc<Text>>>,
        depth: usize,
    ) -> Option<(PathBuf, String)> {
        let read_file = || std::fs::read_to_string(file).ok().and_then(|text| read(&text)).map(Arc::new);
        let text = read_before.entry(file.to_owned()).or_insert_with(read_file).clone()?;
        let inside = |specifier: &str| {
            let target = if specifier.starts_with('.') { self.import_target(owner, file, specifier) } else { None };
            target.map(|(_, path)| path)
        };
        let here = || Some((file.to_owned(), name.to_owned()));
        if depth == 0 {
            return here();
        }
        if let Some((specifier, original)) = text.from_elsewhere.get(name) {
            let further =
                inside(specifier).and_then(|path| self.origin(owner, &path, original, read_before, depth - 1));
            return further.or_else(here);
        }
        if text.names.contains(name) {
            return here();
        }
        text.stars.iter().find_map(|specifier| {
            let path = inside(specifier)?;
            self.origin(owner, &path, name, read_before, depth - 1)
        })
    }
}

/// Whether a package says that its scripts have no side effects.
fn has_no_side_effects(folder: &Path) -> bool {
    let read = || -> Option<serde_json::Value> {
        let manifest: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("package.json")).ok()?).ok()?;
        manifest.get("sideEffects").cloned()
    };
    let is_style = |pattern: &serde_json::Value| {
        pattern.as_str().is_some_and(|text| [".css", ".scss", ".less"].iter().any(|end| text.ends_with(end)))
    };
    match read() {
        Some(serde_json::Value::Bool(has)) => !has,
        Some(serde_json::Value::Array(patterns)) => patterns.iter().all(is_style),
        _ => false,
    }
}

/// What a text exports; none when it is no ES module.
fn read(text: &str) -> Option<Text> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::mjs().with_jsx(true)).parse();
    let record = &parsed.module_record;
    if parsed.panicked || !record.has_module_syntax {
        return None;
    }
    let exported = |entry: &ExportEntry<'_>| match &entry.export_name {
        ExportExportName::Name(name) => Some(name.name.to_string()),
        ExportExportName::Default(_) => Some("default".to_owned()),
        ExportExportName::Null => None,
    };
    let mut read = Text::default();
    read.names.extend(record.local_export_entries.iter().filter_map(exported));
    // `import d from "x"; export { d }`: the parser tells the local name in place of `default`.
    let defaults: BTreeSet<u32> = record
        .import_entries
        .iter()
        .filter(|import| import.import_name.is_default())
        .map(|import| import.local_name.span.start)
        .collect();
    for entry in &record.indirect_export_entries {
        let Some(name) = exported(entry) else { continue };
        if let (Some(request), ExportImportName::Name(original)) = (&entry.module_request, &entry.import_name) {
            let is_default = defaults.contains(&original.span.start);
            let original = if is_default { "default".to_owned() } else { original.name.to_string() };
            read.from_elsewhere.insert(name.clone(), (request.name.to_string(), original));
        }
        read.names.insert(name);
    }
    let stars = record.star_export_entries.iter();
    read.stars = stars.filter_map(|entry| Some(entry.module_request.as_ref()?.name.to_string())).collect();
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_read_from_text() {
        let read_text = read(
            "export * from './a.js'; export * as ns from './b.js'; export { x as y, default as Z } from './c.js';\n\
             import W from './w.js'; export { W as V }; export default function () {} export const p = 1, { q } = {};",
        )
        .expect("a module");
        let names: Vec<_> = read_text.names.iter().map(String::as_str).collect();
        assert_eq!(names, ["V", "Z", "default", "ns", "p", "q", "y"]);
        assert_eq!(read_text.stars, ["./a.js"]);
        let from = |name: &str| read_text.from_elsewhere.get(name).map(|(file, name)| (file.as_str(), name.as_str()));
        assert_eq!(from("Z"), Some(("./c.js", "default")));
        assert_eq!(from("V"), Some(("./w.js", "default")));
        assert_eq!((from("ns"), from("p")), (None, None));
        assert!(read("exports.a = 1; module.exports = require('./b');").is_none());
    }
}
