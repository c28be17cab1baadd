//! Links lowered statements to a module: what each free name means, and what is wrong with that.

use super::emit;
use super::globals::is_global;
use super::imports::{Imports, nearest};
use super::lint::Finding;
use super::lower::{DEFAULT, Item, Marks};
use super::names::Target;
use super::refs::Use;
use super::unit::{TemplateKey, Unit};
use crate::kit_names::{KitNames, REACT};
use std::collections::{BTreeMap, HashMap, HashSet};
use swc_atoms::Atom;
use ui4a_types::{Phase, Severity};

/// A lowered statement in its place.
pub(crate) struct Placed {
    /// Offset of its first byte in the text.
    pub start: u32,
    /// Offset of the byte after its last.
    pub end: u32,
    pub item: Item,
}

/// How whole the text is.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    /// Whether the model is done.
    pub whole: bool,
    /// Statements that end after this offset of the text are still being written.
    pub settled: u32,
}

/// A linked module.
pub(crate) struct Linked {
    pub imports: Imports,
    pub own: HashMap<Atom, (usize, usize)>,
    /// The default export.
    pub default: Default,
    /// Tags of components that are still to be written.
    pub pending: Vec<Atom>,
    pub findings: Vec<Finding>,
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

/// All uses of a name in the module, joined.
#[derive(Clone, Debug)]
struct Joined {
    at: (u32, u32),
    tag: bool,
    called: bool,
    constructed: bool,
    guarded: bool,
}

/// Links the statements of a module and prints the text of each unit.
pub(crate) fn link(items: &mut [Placed], kit: &KitNames, marks: Marks, extent: Extent) -> Linked {
    let mut findings = Vec::new();
    let own = own_names(items, &mut findings);
    let uses = join_uses(items);
    let mut used: HashSet<Atom> = uses.keys().cloned().collect();
    used.extend(items.iter().filter_map(|placed| placed.item.surface.default_name.clone()));
    let mut imports = Imports::default();
    for placed in items.iter() {
        if let Some(import) = placed.item.surface.import.as_ref().filter(|_| placed.end <= extent.settled) {
            imports.add(import, placed.start, kit, &used, !extent.whole);
        }
    }
    for placed in items.iter() {
        for (specifier, at) in placed.item.units.iter().flat_map(|unit| &unit.refs.dynamic) {
            imports.dynamic(specifier, placed.start + at);
        }
    }
    let default = default_export(items, &own, &imports, extent, &mut findings);
    let mut pending = Vec::new();
    let mut targets: BTreeMap<Atom, Target> = BTreeMap::new();
    let nearby: Vec<&str> = own.keys().map(Atom::as_str).chain(kit.names()).chain(REACT.iter().copied()).collect();
    for (name, joined) in &uses {
        let target = if own.contains_key(name) {
            Target::Own
        } else if let Some(target) = imports.bindings.get(name) {
            target.clone()
        } else if let Some((specifier, exported)) = supplier(name, joined, kit) {
            imports.supply(name, &specifier, exported, joined.at)
        } else if is_global(name) || joined.guarded {
            Target::Global
        } else if !extent.whole {
            if joined.tag {
                pending.push(name.clone());
            }
            Target::Own
        } else {
            findings.push(unresolved(name, joined, &nearby));
            Target::Global
        };
        targets.insert(name.clone(), target);
    }
    let default_name = match &default {
        Default::Own(name) => Some(name.clone()),
        _ => None,
    };
    for placed in items.iter_mut() {
        for unit in &mut placed.item.units {
            let component = is_component(unit, &uses, default_name.as_ref());
            let meanings =
                unit.refs.names.keys().map(|name| targets.get(name).cloned().unwrap_or(Target::Global)).collect();
            let key = TemplateKey { targets: meanings, component };
            if unit.template.as_ref().is_none_or(|(old, _)| *old != key) {
                let template = emit::template(unit, &key, marks, unit.base);
                unit.template = Some((key, template));
            }
        }
    }
    Linked { imports, own, default, pending, findings }
}

fn own_names(items: &[Placed], findings: &mut Vec<Finding>) -> HashMap<Atom, (usize, usize)> {
    let mut own = HashMap::new();
    for (at, placed) in items.iter().enumerate() {
        for (index, unit) in placed.item.units.iter().enumerate() {
            for name in &unit.names {
                if own.insert(name.clone(), (at, index)).is_some() {
                    let message = format!("{name} is declared twice; the later declaration counts");
                    let finding = Finding::new(
                        "duplicate-name",
                        Severity::Error,
                        Phase::Syntax,
                        message,
                        (placed.start, placed.end),
                    );
                    findings.push(finding.help("Give one of them another name"));
                }
            }
        }
    }
    own
}

fn join_uses(items: &[Placed]) -> BTreeMap<Atom, Joined> {
    let mut uses: BTreeMap<Atom, Joined> = BTreeMap::new();
    for placed in items {
        for unit in &placed.item.units {
            for (name, used) in &unit.refs.names {
                let Use { at, tag, called, constructed, guarded, .. } = used.clone();
                let at = (placed.start + at.0, placed.start + at.1);
                uses.entry(name.clone())
                    .and_modify(|joined| {
                        joined.at = joined.at.min(at);
                        joined.tag |= tag;
                        joined.called |= called;
                        joined.constructed |= constructed;
                        joined.guarded &= guarded;
                    })
                    .or_insert(Joined { at, tag, called, constructed, guarded });
            }
        }
    }
    uses
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

fn unresolved(name: &Atom, used: &Joined, nearby: &[&str]) -> Finding {
    let finding = Finding::new(
        "unresolved-name",
        Severity::Error,
        Phase::Type,
        format!("{name} is not defined or imported"),
        used.at,
    );
    let near = nearest(name, nearby.iter().copied());
    if near.is_empty() {
        finding.help(format!("Import {name} or define it in this module"))
    } else {
        finding.help(format!("Nearest: {}", near.join(", ")))
    }
}

fn default_export(
    items: &[Placed],
    own: &HashMap<Atom, (usize, usize)>,
    imports: &Imports,
    extent: Extent,
    findings: &mut Vec<Finding>,
) -> Default {
    if own.contains_key(&Atom::from(DEFAULT)) {
        return Default::Unit;
    }
    if let Some(name) = items.iter().rev().find_map(|placed| placed.item.surface.default_name.as_ref()) {
        if own.contains_key(name) {
            return Default::Own(name.clone());
        }
        if let Some(target) = imports.bindings.get(name) {
            return Default::Import(target.clone());
        }
    }
    let app = Atom::from("App");
    if own.contains_key(&app) {
        if extent.whole {
            findings.push(missing_default(Severity::Warning, "App is shown, but the module has no default export"));
        }
        return Default::Own(app);
    }
    if !extent.whole {
        return Default::Missing;
    }
    let last = items
        .iter()
        .rev()
        .flat_map(|placed| placed.item.units.iter().rev())
        .find(|unit| unit.name().starts_with(char::is_uppercase) && (unit.refs.jsx || !unit.hooks.is_empty()));
    match last {
        Some(unit) => {
            let message = format!("{} is shown, but the module has no default export", unit.name());
            findings.push(missing_default(Severity::Warning, &message));
            Default::Own(unit.name().into())
        }
        None => {
            findings.push(missing_default(
                Severity::Error,
                "The module has no default export, so there is nothing to show",
            ));
            Default::Missing
        }
    }
}

fn missing_default(severity: Severity, message: &str) -> Finding {
    Finding::new("missing-default-export", severity, Phase::Syntax, message, (u32::MAX, u32::MAX))
        .help("Write export default function App() { … }")
}

/// Whether a unit's function is a component, which gets a stable proxy. A function that is called as one, or made with
/// `new`, is not: a proxy calls hooks of its own.
fn is_component(unit: &Unit, uses: &BTreeMap<Atom, Joined>, default: Option<&Atom>) -> bool {
    if !unit.is_function() || unit.is_deferred() {
        return false;
    }
    let name = unit.name();
    let used = unit.names.first().and_then(|name| uses.get(name));
    let is_default = name == DEFAULT || default.is_some_and(|default| default == name);
    let looks = unit.refs.jsx || !unit.hooks.is_empty() || used.is_some_and(|used| used.tag);
    if used.is_some_and(|used| used.constructed || (used.called && unit.hooks.is_empty())) {
        return false;
    }
    is_default || (looks && name.starts_with(char::is_uppercase))
}
