//! Giving modules their names: placeholders become the addresses of what is imported, bottom up, and the sha256 of the
//! result is the module's own name.

use super::clauses;
use super::group::member_name;
use super::locate::placeholder;
use super::maps::{COMMENT, Origin};
use super::raw::Raw;
use super::store::{Facts, Modules};
use super::virtuals::quote;
use crate::RegistryError;
use crate::graph::EntryId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
        let mut code = None;
        let mut targets = Vec::new();
        // The same code with the same imports is the same module.
        let mut key = raw.code.clone();
        for external in &raw.externals {
            let mut external = external.clone();
            // What only gives names to a part of a larger module is passed over where names are all that is wanted.
            if let Some((whole, index)) = self.raws.get(&external).and_then(|raw| raw.part_of.clone()) {
                let text = match code.take() {
                    Some(text) => text,
                    None => self.text(&raw, entry)?,
                };
                let (from, to) = (placeholder(&external), placeholder(&whole));
                let moved = clauses::redirected(&text, &from, &to, |name| member_name(index, name));
                if moved.is_some() {
                    key.push_str(&format!("{external}={index}"));
                    external = whole;
                }
                code = Some(moved.unwrap_or(text));
            }
            let target = self.link_within(&external, depth - 1)?;
            key.push_str(&target.name);
            targets.push((external, target));
        }
        if let Some((name, facts)) = self.store.link(&key) {
            let linked = Linked { name, facts };
            self.linked.insert(entry.clone(), linked.clone());
            return Ok(linked);
        }
        let mut code = match code {
            Some(code) => code,
            None => self.text(&raw, entry)?,
        };
        let mut names = raw.names.clone();
        let (mut imports, mut lazy, mut styles) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        let mut warnings = raw.warnings.clone();
        for (external, target) in &targets {
            if raw.stars.contains(external) {
                names.extend(target.facts.names.iter().filter(|name| *name != "default").cloned());
            }
            let from = placeholder(external);
            let uses = clauses::uses(&code, &from);
            let missing = clauses::missing(&uses, &target.facts.names);
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
            if raw.lazy.contains(external) {
                lazy.insert(address.clone());
            }
            code = code.replace(&from, &format!("./{address}"));
            styles.extend(target.facts.styles.iter().cloned());
            imports.insert(address);
        }
        styles.extend(raw.style.clone());
        let mut unique = BTreeSet::new();
        styles.retain(|style| unique.insert(style.clone()));
        let origin = raw.map.clone().map(|map| Origin { code: raw.code.clone(), map });
        if origin.is_some() {
            code.push_str(COMMENT);
        }
        let name = self.store.put(code.as_bytes(), "js")?;
        let facts = Facts {
            origin,
            names: names.into_iter().collect(),
            known: raw.known.iter().flatten().cloned().collect(),
            styles,
            imports: imports.into_iter().collect(),
            lazy: lazy.into_iter().collect(),
            warnings: warnings.into_iter().collect(),
        };
        let linked = Linked { facts: self.store.put_facts(&name, facts)?, name };
        self.store.put_link(&key, &linked.name);
        self.linked.insert(entry.clone(), linked.clone());
        Ok(linked)
    }

    fn text(&self, raw: &Raw, entry: &EntryId) -> Result<String, RegistryError> {
        let gone = || RegistryError::Build {
            entry: entry.to_string(),
            reason: "its code is gone from the cache; try again".to_owned(),
        };
        self.store.text(&raw.code)?.ok_or_else(gone)
    }

    /// A module that is another one with names that it lacks: those of a CommonJS module are looked up when it has run, the
    /// rest is `undefined`. A missing name of a package's package must not keep the whole from loading.
    fn shim(&self, target: &str, missing: &[String]) -> Result<String, RegistryError> {
        let from = quote(&format!("./{target}"));
        let mut code =
            format!("export*from{from};import*as n from{from};const d=n.default;const m=n[\"module.exports\"];");
        let mut clause = vec!["d as default".to_owned(), "m as \"module.exports\"".to_owned()];
        for (at, name) in missing.iter().filter(|name| *name != "default").enumerate() {
            code.push_str(&format!("const v{at}=m?.[{}];", quote(name)));
            clause.push(format!("v{at} as {}", quote(name)));
        }
        code.push_str(&format!("export{{{}}};", clause.join(",")));
        let name = self.store.put(code.as_bytes(), "js")?;
        let known = self.store.facts(target);
        let mut names = known.as_ref().map(|facts| facts.names.clone()).unwrap_or_default();
        names.extend(missing.iter().cloned());
        let styles = known.map(|facts| facts.styles.clone()).unwrap_or_default();
        let facts = Facts { names, styles, imports: vec![target.to_owned()], ..Facts::default() };
        self.store.put_facts(&name, facts)?;
        Ok(name)
    }
}
