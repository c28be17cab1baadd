//! Giving modules their names: placeholders become the addresses of what is imported, bottom up, and the sha256 of the
//! result is the module's own name.

use super::locate::placeholder;
use super::raw::Raw;
use super::store::{Facts, Modules};
use super::virtuals::quote;
use crate::RegistryError;
use crate::graph::EntryId;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

/// A linked module.
#[derive(Clone, Debug)]
pub(crate) struct Linked {
    /// `<sha256>.js`.
    pub name: String,
    pub facts: Arc<Facts>,
}

/// Links entries and all that they import. Keeps what it has linked, for the entries after.
#[derive(Debug)]
pub(crate) struct Linker<'a> {
    pub store: &'a Modules,
    pub raws: &'a BTreeMap<EntryId, Arc<Raw>>,
    pub linked: BTreeMap<EntryId, Linked>,
}

/// Deepest chain of modules that import each other. Circles are gone before linking; this bounds the recursion.
const DEPTH: usize = 200;

impl Linker<'_> {
    /// The module of an entry.
    ///
    /// # Errors
    /// Something that it imports was not built, or the store fails.
    pub(crate) fn link(&mut self, entry: &EntryId) -> Result<Linked, RegistryError> {
        self.link_within(entry, DEPTH)
    }

    fn link_within(&mut self, entry: &EntryId, depth: usize) -> Result<Linked, RegistryError> {
        if let Some(linked) = self.linked.get(entry) {
            return Ok(linked.clone());
        }
        let fail = |reason: String| RegistryError::Build { entry: entry.to_string(), reason };
        if depth == 0 {
            return Err(fail("its imports are too deep, or a circle".to_owned()));
        }
        let raw = Arc::clone(self.raws.get(entry).ok_or_else(|| fail("it was not built".to_owned()))?);
        let mut targets = Vec::new();
        // The same code with the same imports is the same module.
        let mut key = raw.code.clone();
        for external in &raw.externals {
            let target = self.link_within(external, depth - 1)?;
            key.push_str(&target.name);
            targets.push((external, target));
        }
        if let Some((name, facts)) = self.store.link(&key) {
            let linked = Linked { name, facts };
            self.linked.insert(entry.clone(), linked.clone());
            return Ok(linked);
        }
        let mut code = self.store.text(&raw.code)?.ok_or_else(|| fail("its code is gone from the cache".to_owned()))?;
        let mut names = raw.names.clone();
        let (mut imports, mut styles) = (BTreeSet::new(), Vec::new());
        let mut warnings = raw.warnings.clone();
        for (external, target) in targets {
            if raw.stars.contains(external) {
                names.extend(target.facts.names.iter().filter(|name| *name != "default").cloned());
            }
            let missing = missing_names(&code, external, &target.facts.names);
            let address = match missing.is_empty() {
                true => target.name.clone(),
                false => {
                    warnings.insert(format!(
                        "{entry} wants {} of {external}, which has no such export",
                        missing.join(", ")
                    ));
                    self.shim(&target.name, &missing)?
                }
            };
            for quote in ['"', '\'', '`'] {
                let (from, to) = (placeholder_end(external, quote), format!("./{address}{quote}"));
                if code.contains(&from) {
                    code = code.replace(&from, &to);
                }
            }
            styles.extend(target.facts.styles.iter().cloned());
            imports.insert(address);
        }
        styles.extend(raw.style.clone());
        let mut unique = BTreeSet::new();
        styles.retain(|style| unique.insert(style.clone()));
        let name = self.store.put(code.as_bytes(), "js")?;
        let facts = Facts {
            names: names.into_iter().collect(),
            styles,
            imports: imports.into_iter().collect(),
            warnings: warnings.into_iter().collect(),
        };
        let linked = Linked { facts: self.store.put_facts(&name, facts)?, name };
        self.store.put_link(&key, &linked.name);
        self.linked.insert(entry.clone(), linked.clone());
        Ok(linked)
    }

    /// A module that is another one with names that it lacks, all `undefined`: a missing name of a package's package must
    /// not keep the whole from loading.
    fn shim(&self, target: &str, missing: &[String]) -> Result<String, RegistryError> {
        let from = quote(&format!("./{target}"));
        let mut code = format!("export*from{from};import*as n from{from};const u=void 0;");
        let named = missing.iter().filter(|name| *name != "default").map(|name| format!("u as {}", quote(name)));
        let mut clause: Vec<String> = named.collect();
        code.push_str("const d=n.default;const m=n[\"module.exports\"];");
        clause.extend(["d as default".to_owned(), "m as \"module.exports\"".to_owned()]);
        code.push_str(&format!("export{{{}}};", clause.join(",")));
        let name = self.store.put(code.as_bytes(), "js")?;
        let known = self.store.facts(target);
        let mut names = known.as_ref().map(|facts| facts.names.clone()).unwrap_or_default();
        names.extend(missing.iter().cloned());
        let styles = known.map(|facts| facts.styles.clone()).unwrap_or_default();
        let facts = Facts { names, styles, imports: vec![target.to_owned()], warnings: Vec::new() };
        self.store.put_facts(&name, facts)?;
        Ok(name)
    }
}

fn placeholder_end(entry: &EntryId, quote: char) -> String {
    format!("{}{quote}", placeholder(entry))
}

/// Whether built code names an entry.
pub(crate) fn names_entry(code: &str, entry: &EntryId) -> bool {
    ['"', '\'', '`'].into_iter().any(|quote| code.contains(&placeholder_end(entry, quote)))
}

/// Whether built code says `export * from` an entry.
pub(crate) fn exports_all(code: &str, entry: &EntryId) -> bool {
    static STAR: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"export\s*\*\s*from\s*["'`]([^"'`]*)["'`]"#).ok());
    let wanted = placeholder(entry);
    STAR.as_ref().is_some_and(|star| star.captures_iter(code).any(|found| found[1] == wanted))
}

/// Names that built code binds from an entry and that the entry's module does not export.
fn missing_names(code: &str, entry: &EntryId, known: &[String]) -> Vec<String> {
    let mut missing = BTreeSet::new();
    for quote in ['"', '\'', '`'] {
        for (at, _) in code.match_indices(&format!("{quote}{}", placeholder_end(entry, quote))) {
            missing.extend(
                bound_names(&code[..at]).into_iter().filter(|name| !known.contains(name) && name != "module.exports"),
            );
        }
    }
    missing.into_iter().collect()
}

/// The names of the `import`/`export` clause that ends before a `from "…"`.
fn bound_names(before: &str) -> Vec<String> {
    let before = before.trim_end();
    let Some(clause) = before.strip_suffix("from").map(str::trim_end) else { return Vec::new() };
    let mut names = Vec::new();
    let head = match clause.strip_suffix('}') {
        Some(inner) => {
            let Some(open) = inner.rfind('{') else { return Vec::new() };
            for part in inner[open + 1..].split(',') {
                let imported = part.split(" as ").next().unwrap_or(part).trim().trim_matches(['"', '\'']);
                if !imported.is_empty() {
                    names.push(imported.to_owned());
                }
            }
            inner[..open].trim_end()
        }
        None => clause,
    };
    // `import d from`, `import d,{…} from`: the default. `import * as n from` ends in a name too, after `as`.
    let head = head.trim_end_matches(',').trim_end();
    let start = head.rfind([';', '}', '\n']).map_or(0, |at| at + 1);
    let head = head[start..].trim();
    if let Some(rest) = head.strip_prefix("import")
        && !rest.contains('*')
        && !rest.trim().is_empty()
    {
        names.push("default".to_owned());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_read() {
        assert_eq!(bound_names("var a;import{useState as u,b}from"), ["useState", "b"]);
        assert_eq!(bound_names("x();import r,{c as d} from "), ["c", "default"]);
        assert_eq!(bound_names("import r from"), ["default"]);
        assert!(bound_names("import*as r from").is_empty());
        assert!(bound_names("import").is_empty());
        assert_eq!(bound_names("export{a as b}from"), ["a"]);
    }
}
