//! The cells of a linked module: their hashes, their text, their order.
//!
//! A cell's text starts with the hash of what it evaluates eagerly besides itself, transitively, components excepted: those
//! are proxies, looked up when they render, and enter a hash by their identity alone. The sandbox runs a cell again exactly
//! when its text changed. A cell's own text is not in its own hash: while it grows, its patches stay small.

use super::deps::Slot;
use super::emit::Template;
use super::hash::{LENGTH, hash};
use super::link::{Default, Linked, Placed};
use super::lower::DEFAULT;
use super::names::Target;
use super::unit::{Shape, Unit};
use crate::source_map::CellMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use swc_atoms::Atom;
use ui4a_types::frame::FrameState;

/// The cells of a module and where each came from.
pub(crate) struct Cells {
    pub state: FrameState,
    pub maps: BTreeMap<String, CellMap>,
}

/// Makes the cells. Statements that end after `settled` are unfinished: those that run for what they do are left out.
pub(crate) fn cells(items: &[Placed], linked: &Linked, settled: u32) -> Cells {
    let hasher = Hasher { items, linked, values: RefCell::default(), signatures: RefCell::default() };
    let mut maker =
        Maker { hasher, out: Cells { state: FrameState::default(), maps: BTreeMap::new() }, taken: HashSet::new() };
    for hoisted in [true, false] {
        for (at, placed) in items.iter().enumerate() {
            for (index, unit) in placed.item.units.iter().enumerate() {
                let unfinished_effect = unit.is_effect() && placed.end > settled;
                if unit.is_hoisted() == hoisted && unit.name() != DEFAULT && !unfinished_effect {
                    maker.unit((at, index));
                }
            }
        }
    }
    for name in &linked.pending {
        maker.pending(name);
    }
    maker.default();
    maker.out
}

struct Maker<'a> {
    hasher: Hasher<'a>,
    out: Cells,
    taken: HashSet<String>,
}

impl Maker<'_> {
    fn unit(&mut self, place: (usize, usize)) {
        let placed = &self.hasher.items[place.0];
        let unit = &placed.item.units[place.1];
        let Some((_, template)) = &unit.template else { return };
        if template.text.is_empty() {
            return;
        }
        let hash = self.hasher.surroundings(place);
        let text = template.filled(&unit.slots, |slot| match slot {
            Slot::Signature => self.hasher.signature(place),
            Slot::Skeleton(_) => self.hasher.skeleton(place),
            Slot::Callback { text, refs } => self.hasher.with_refs(text, refs, place),
        });
        let name = if unit.names.is_empty() {
            format!("$effect-{}", self.hasher.value(place))
        } else {
            unit.names.iter().map(Atom::as_str).collect::<Vec<_>>().join(",")
        };
        let map = CellMap::new(placed.start, &template.segments, LENGTH as u32 + 4);
        self.push(name, &hash, &text, Some(map));
    }

    /// A component that is used and not written yet: it shows nothing until it is.
    fn pending(&mut self, name: &str) {
        let text = format!("$.{name} = $c(\"{name}\", \"pending\", ()=>null);");
        let hash = hash(["pending", name]);
        self.push(name.to_owned(), &hash, &text, None);
    }

    fn default(&mut self) {
        match &self.hasher.linked.default {
            Default::Unit => {
                if let Some(place) = self.hasher.linked.own.get(&Atom::from(DEFAULT)) {
                    self.unit(*place);
                }
            }
            Default::Own(name) => {
                let Some(place) = self.hasher.linked.own.get(name) else { return };
                let hash = hash([DEFAULT, &self.hasher.part(name, *place)]);
                let text = format!("$.{DEFAULT} = $.{name};");
                self.push(DEFAULT.to_owned(), &hash, &text, None);
            }
            Default::Import(Target::Import { specifier, name }) => {
                let lookup = |text: &str| serde_json::to_string(text).unwrap_or_default();
                let text = format!("$.{DEFAULT} = $i[{}][{}];", lookup(specifier), lookup(name));
                let hash = hash([DEFAULT, specifier, name]);
                self.push(DEFAULT.to_owned(), &hash, &text, None);
            }
            Default::Import(_) | Default::Missing => {}
        }
    }

    fn push(&mut self, name: String, hash: &str, text: &str, map: Option<CellMap>) {
        let mut unique = name.clone();
        let mut count = 1;
        while !self.taken.insert(unique.clone()) {
            count += 1;
            unique = format!("{name}.{count}");
        }
        self.out.state.order.push(unique.clone());
        self.out.state.cells.insert(unique.clone(), format!("/*{hash}*/{text}"));
        if let Some(map) = map {
            self.out.maps.insert(unique, map);
        }
    }
}

type Place = (usize, usize);

/// Transitive hashes, each computed once. A cycle ends where it closes.
struct Hasher<'a> {
    items: &'a [Placed],
    linked: &'a Linked,
    values: RefCell<HashMap<Place, Option<String>>>,
    signatures: RefCell<HashMap<Place, Option<String>>>,
}

impl<'a> Hasher<'a> {
    fn at(&self, place: Place) -> &'a Unit {
        &self.items[place.0].item.units[place.1]
    }

    fn template(&self, place: Place) -> Option<&'a Template> {
        self.at(place).template.as_ref().map(|(_, template)| template)
    }

    fn memo(cache: &RefCell<HashMap<Place, Option<String>>>, place: Place, compute: impl FnOnce() -> String) -> String {
        if let Some(known) = cache.borrow().get(&place) {
            return known.clone().unwrap_or_else(|| "cycle".to_owned());
        }
        cache.borrow_mut().insert(place, None);
        let value = compute();
        cache.borrow_mut().insert(place, Some(value.clone()));
        value
    }

    /// The hash of what evaluating a unit gives: its text and what it evaluates eagerly. Of a function, what calling it may
    /// give: its text and all it names.
    fn value(&self, place: Place) -> String {
        Self::memo(&self.values, place, || {
            let unit = self.at(place);
            let all = unit.is_function() || unit.refs.calls;
            let names = unit.refs.names.iter().filter(|(_, used)| all || used.eager).map(|(name, _)| name);
            let text = self.template(place).map_or("", |template| template.digest.as_str());
            self.with_refs(text, names, place)
        })
    }

    /// The hash of what a unit evaluates eagerly besides its own text. A function evaluates nothing; a call may use all that
    /// is named around it.
    fn surroundings(&self, place: Place) -> String {
        let unit = self.at(place);
        let names = unit.refs.names.iter().filter(|(_, used)| used.eager || (unit.refs.calls && !unit.is_function()));
        match &unit.shape {
            Shape::Function { .. } => hash([]),
            // What the wrapper names is in its skeleton; the function inside is looked up when it renders.
            Shape::Wrapped { .. } => self.skeleton(place),
            _ => self.with_refs("", names.map(|(name, _)| name), place),
        }
    }

    /// A text's hash with the values that it names.
    fn with_refs<'n>(&self, text: &str, names: impl IntoIterator<Item = &'n Atom>, place: Place) -> String {
        let mut parts = vec![text.to_owned()];
        for name in names {
            if let Some(own) = self.linked.own.get(name).filter(|own| **own != place) {
                parts.push(self.part(name, *own));
            }
        }
        hash(parts.iter().map(String::as_str))
    }

    /// What a top-level name adds to the hash of what uses it.
    fn part(&self, name: &str, place: Place) -> String {
        let unit = self.at(place);
        let is_component = unit.template.as_ref().is_some_and(|(key, _)| key.component);
        let part = match &unit.shape {
            _ if is_component => self.signature(place),
            Shape::Wrapped { .. } => self.skeleton(place),
            _ => self.value(place),
        };
        format!("{name}:{part}")
    }

    /// The hook signature of a unit's function.
    fn signature(&self, place: Place) -> String {
        Self::memo(&self.signatures, place, || {
            let unit = self.at(place);
            let mut parts = Vec::new();
            for call in &unit.hooks {
                parts.push(format!("{}({};{})", call.name, call.pattern, call.initial));
                for name in &call.initial_refs {
                    if let Some(own) = self.linked.own.get(name).filter(|own| **own != place) {
                        parts.push(self.part(name, *own));
                    }
                }
                // A hook of the model's own counts with the hooks that it calls.
                if let Some(own) = self.linked.own.get(&call.name).filter(|own| self.at(**own).is_function()) {
                    parts.push(format!("{{{}}}", self.signature(*own)));
                }
            }
            hash(parts.iter().map(String::as_str))
        })
    }

    /// The identity of a `memo` or `forwardRef` component: the wrapper without the function, and the function's signature.
    fn skeleton(&self, place: Place) -> String {
        let unit = self.at(place);
        let text = unit.slots.iter().find_map(|slot| match slot {
            Slot::Skeleton(text) => Some(text.as_str()),
            _ => None,
        });
        hash([text.unwrap_or(""), &self.signature(place)])
    }
}
