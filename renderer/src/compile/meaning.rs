//! What a module's names mean: its own, imported, supplied, global, or still to be written; and which export is the default.

use super::globals::is_global;
use super::imports::{Imports, nearest};
use super::link::{Id, Linker};
use super::lint::Finding;
use super::lower::DEFAULT;
use super::names::{self, Target};
use super::refs::Use;
use super::surface;
use super::unit::Unit;
use crate::kit_names::{KitNames, REACT};
use swc_atoms::Atom;
use ui4a_types::{Phase, Severity};

/// Most unresolved names that are told, and most for which near names are looked for: a module with more is no module.
const MOST_UNRESOLVED: usize = 100;
const MOST_NEAREST: usize = 20;

/// A name in a module.
#[derive(Debug)]
pub(super) struct Name {
    /// The units that declare it, in order; the last one counts.
    pub owners: Vec<Id>,
    /// The units that use it, in order.
    pub users: Vec<Id>,
    /// Its owner and its meaning when they were last looked at.
    pub owner: Option<Id>,
    pub target: Target,
    /// Whether it was used when imports were last bound.
    pub bound_used: bool,
}

impl std::default::Default for Name {
    fn default() -> Self {
        Self { owners: Vec::new(), users: Vec::new(), owner: None, target: Target::Global, bound_used: false }
    }
}

/// Where the default export comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Default {
    /// A unit of its own.
    Unit,
    /// A name of this module.
    Own(Atom),
    /// An import.
    Import(Target),
    /// There is none.
    Missing,
}

/// Where a name that nobody imported comes from, and its first use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Supply {
    specifier: String,
    exported: Atom,
    at: (u32, u32),
}

/// All uses of a name in the module, joined.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    at: (u32, u32),
    tag: bool,
    called: bool,
    constructed: bool,
    guarded: bool,
}

impl Linker {
    /// All uses of a name, joined.
    pub(super) fn joined(&self, name: &Atom) -> Option<Joined> {
        let mut all: Option<Joined> = None;
        for id in &self.names.get(name)?.users {
            let slot = &self.slots[*id as usize];
            let Some(Use { at, tag, called, constructed, guarded, .. }) = slot.unit().refs.names.get(name) else {
                continue;
            };
            let at = (slot.start + at.0, slot.start + at.1);
            match &mut all {
                Some(joined) => {
                    joined.at = joined.at.min(at);
                    joined.tag |= tag;
                    joined.called |= called;
                    joined.constructed |= constructed;
                    joined.guarded &= guarded;
                }
                None => {
                    all = Some(Joined { at, tag: *tag, called: *called, constructed: *constructed, guarded: *guarded });
                }
            }
        }
        all
    }

    pub(super) fn owner(&self, name: &Atom) -> Option<Id> {
        self.names.get(name)?.owners.last().copied()
    }

    fn is_used(&self, name: &Atom) -> bool {
        self.names.get(name).is_some_and(|known| !known.users.is_empty())
            || self.default_names.iter().any(|(_, default)| default == name)
    }

    /// Binds the imports again if one of the `dirty` names says so.
    pub(super) fn bind(&mut self, dirty: &[Atom]) {
        for name in dirty {
            let is_free = self.owner(name).is_none() && !self.locals.contains(name);
            let supply = is_free.then(|| self.joined(name)).flatten().and_then(|joined| {
                let (specifier, exported) = supplier(name, &joined, &self.kit)?;
                Some(Supply { specifier, exported: exported.into(), at: joined.at })
            });
            if self.supplied.get(name) != supply.as_ref() {
                self.imports_dirty = true;
                match supply {
                    Some(supply) => self.supplied.insert(name.clone(), supply),
                    None => self.supplied.remove(name),
                };
            }
            if self.locals.contains(name) {
                let used = self.is_used(name);
                let known = self.names.entry(name.clone()).or_default();
                self.imports_dirty |= std::mem::replace(&mut known.bound_used, used) != used;
            }
        }
        if std::mem::take(&mut self.imports_dirty) {
            self.imports = self.bound();
            self.version += 1;
        }
    }

    fn bound(&self) -> Imports {
        let mut imports = Imports::default();
        let used = |name: &Atom| self.is_used(name);
        for placed in &self.items[..self.settled.0] {
            if let Some(import) = &placed.item.surface.import {
                imports.add(import, placed.start, &self.kit, &used, !self.whole);
            }
        }
        for slot in &self.slots {
            for (specifier, at) in &slot.unit().refs.dynamic {
                imports.dynamic(specifier, slot.start + at);
            }
        }
        for (name, Supply { specifier, exported, at }) in &self.supplied {
            imports.supply(name, specifier, exported, *at);
        }
        imports
    }

    /// What a name means. A name that nobody has yet may still be written.
    pub(super) fn target(&mut self, name: &Atom) -> Target {
        let owned = self.owner(name).is_some();
        let mut awaited = false;
        let target = if owned {
            Target::Own
        } else if let Some(target) = self.imports.bindings.get(name) {
            target.clone()
        } else {
            match self.joined(name) {
                None => Target::Global,
                Some(joined) if joined.guarded || is_global(name) => Target::Global,
                // What only makes elements gets a stand-in, so that the rest is shown.
                Some(joined) if self.whole && (!joined.tag || joined.called || joined.constructed) => Target::Global,
                Some(joined) => {
                    awaited = joined.tag;
                    Target::Own
                }
            }
        };
        let changed = if awaited { self.pending.insert(name.clone()) } else { self.pending.remove(name) };
        self.layout.rebuild |= changed;
        target
    }

    pub(super) fn default_export(&self) -> Default {
        let app = self.default_names.iter().find(|(_, name)| name == "App");
        if app.is_none() && self.owner(&Atom::from(DEFAULT)).is_some() {
            return Default::Unit;
        }
        if let Some((_, name)) = app.or(self.default_names.last()) {
            if self.owner(name).is_some() {
                return Default::Own(name.clone());
            }
            if let Some(target) = self.imports.bindings.get(name) {
                return Default::Import(target.clone());
            }
        }
        let app = Atom::from("App");
        if self.owner(&app).is_some() {
            return Default::Own(app);
        }
        self.last_component().map_or(Default::Missing, Default::Own)
    }

    /// Of a whole module that exports nothing, the component to show.
    fn last_component(&self) -> Option<Atom> {
        let shown =
            |unit: &&Unit| unit.name().starts_with(char::is_uppercase) && (unit.refs.jsx || !unit.hooks.is_empty());
        let units = self.slots.iter().rev().map(|slot| slot.unit());
        self.whole.then(|| units.into_iter().find(shown)).flatten().map(|unit| unit.name().into())
    }

    /// Whether a unit's function is a component, which gets a stable proxy. A function that is called as one, or made with
    /// `new`, is not: a proxy calls hooks of its own.
    pub(super) fn is_component(&self, unit: &Unit, used: Option<&Joined>) -> bool {
        if !unit.is_function() || unit.is_deferred() {
            return false;
        }
        let name = unit.name();
        let is_default = name == DEFAULT || matches!(&self.default, Default::Own(default) if default == name);
        let looks = unit.refs.jsx || !unit.hooks.is_empty() || used.is_some_and(|used| used.tag);
        if used.is_some_and(|used| used.constructed || (used.called && unit.hooks.is_empty())) {
            return false;
        }
        is_default || (looks && name.starts_with(char::is_uppercase))
    }

    /// What is wrong with the module's names and exports.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = self.imports.findings.clone();
        for name in self.duplicated.iter().filter(|name| *name != DEFAULT) {
            let owners = self.names.get(name).map_or(&[][..], |known| &known.owners);
            for id in owners.iter().skip(1) {
                let slot = &self.slots[*id as usize];
                let message = format!("{name} is declared twice; the later declaration counts");
                let at = (slot.start, slot.end);
                let finding = Finding::new("duplicate-name", Severity::Error, Phase::Syntax, message, at);
                findings.push(finding.help("Give one of them another name"));
            }
        }
        if self.whole {
            findings.extend(self.default_finding());
            findings.extend(surface::other_defaults(&self.items));
            findings.extend(self.unresolved());
        }
        findings
    }

    fn default_finding(&self) -> Option<Finding> {
        let says = |name: &Atom| self.default_names.iter().any(|(_, said)| said == name);
        match &self.default {
            Default::Own(name) if !says(name) => Some(missing_default(
                Severity::Warning,
                &format!("{name} is shown, but the module has no default export"),
            )),
            Default::Missing => {
                Some(missing_default(Severity::Error, "The module has no default export, so there is nothing to show"))
            }
            _ => None,
        }
    }

    fn unresolved(&self) -> Vec<Finding> {
        let own = self.names.iter().filter(|(_, known)| !known.owners.is_empty()).map(|(name, _)| name.as_str());
        let nearby: Vec<&str> = own.chain(self.kit.names()).chain(REACT.iter().copied()).collect();
        let mut findings = Vec::new();
        for (name, known) in &self.names {
            if !known.owners.is_empty() || self.imports.bindings.contains_key(name) || is_global(name) {
                continue;
            }
            let Some(joined) = self.joined(name).filter(|joined| !joined.guarded) else { continue };
            let message = format!("{name} is not defined or imported");
            let finding = Finding::new("unresolved-name", Severity::Error, Phase::Type, message, joined.at);
            if findings.len() == MOST_UNRESOLVED {
                break;
            }
            if findings.len() >= MOST_NEAREST {
                findings.push(finding.help(format!("Import {name} or define it in this module")));
                continue;
            }
            let locals = names::around(&self.items, joined.at.0);
            let mut near: Vec<String> = Vec::new();
            if locals.iter().any(|local| local == "props") {
                near.push(format!("props.{name}, if it is one of the props"));
            }
            let known = locals.iter().map(Atom::as_str).chain(nearby.iter().copied());
            near.extend(nearest(name, known).into_iter().map(str::to_owned));
            findings.push(if near.is_empty() {
                finding.help(format!("Import {name} or define it in this module"))
            } else {
                finding.help(format!("Nearest: {}", near.join(", ")))
            });
        }
        findings
    }
}

/// Who has a name that the module uses and neither declares nor imports.
fn supplier<'n>(name: &'n Atom, used: &Joined, kit: &KitNames) -> Option<(String, &'n str)> {
    let name = name.as_str();
    let has = |specifier: &str, name: &'n str| Some((specifier.to_owned(), name));
    match name {
        "React" => return has("react", "*"),
        "ReactDOM" => return has("react-dom", "*"),
        "act" | "cache" | "version" => return None,
        _ => {}
    }
    if REACT.contains(&name) && (used.called || !is_global(name)) {
        return has("react", name);
    }
    let found = kit.find(name)?;
    (used.tag || !is_global(name)).then(|| (found.to_owned(), name))
}

fn missing_default(severity: Severity, message: &str) -> Finding {
    Finding::new("missing-default-export", severity, Phase::Syntax, message, (u32::MAX, u32::MAX))
        .help("Write export default function App() { … }")
}
