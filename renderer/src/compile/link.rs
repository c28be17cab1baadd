//! Links lowered statements to a module: what each free name means there.
//!
//! Statements are added in order; those that are still being written are taken back and added anew with each frame. Only
//! names that came, went or changed their use are looked at again, so linking costs what changed. What a name means is
//! `meaning`'s to say, what a unit's hash covers `graph`'s, what its text becomes `cells`'.

use super::cells::Layout;
use super::emit::{self, Template};
use super::imports::Imports;
use super::lint::Finding;
use super::lower::{Item, Marks};
use super::meaning::{Default, Name, Supply};
use super::names::Target;
use super::unit::{TemplateKey, Unit};
use crate::kit_names::KitNames;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use swc_atoms::Atom;

/// A unit's place in its module.
pub(super) type Id = u32;

/// A lowered statement in its place.
#[derive(Clone)]
pub(crate) struct Placed {
    /// Offset of its first byte in the text.
    pub start: u32,
    /// Offset of the byte after its last.
    pub end: u32,
    pub item: Arc<Item>,
    /// The texts last printed of its units.
    pub printed: Vec<Option<Printed>>,
}

impl Placed {
    /// What is wrong with the statement in itself, at offsets in the text.
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        self.item.findings().iter().cloned().map(|mut finding| {
            finding.at = (self.start + finding.at.0, self.start + finding.at.1);
            finding
        })
    }
}

/// A unit's text and the meanings of names that it was printed for.
pub(crate) type Printed = (TemplateKey, Arc<Template>);

/// A unit in its module.
pub(super) struct Slot {
    pub item: Arc<Item>,
    pub unit: usize,
    pub start: u32,
    pub end: u32,
    /// Its function is a component.
    pub component: bool,
    pub printed: Option<Printed>,
    /// A name in it may mean something else now.
    pub reprint: bool,
    /// Hashes of its value and of its hooks, while they hold.
    pub value: Option<String>,
    pub signature: Option<String>,
    /// Its cell's text may be another one now.
    pub stale: bool,
    /// The cell's own name, and its text.
    pub cell: String,
    pub text: String,
}

impl Slot {
    pub fn unit(&self) -> &Unit {
        &self.item.units[self.unit]
    }

    pub fn template(&self) -> Option<&Template> {
        self.printed.as_ref().map(|(_, template)| &**template)
    }
}

/// A module being linked.
pub(crate) struct Linker {
    pub(super) kit: Arc<KitNames>,
    pub(super) marks: Marks,
    /// The model is done: then names and exports are judged too.
    pub(super) whole: bool,
    pub(super) items: Vec<Placed>,
    pub(super) slots: Vec<Slot>,
    /// How many items and slots are over: the others are still being written.
    pub(super) settled: (usize, usize),
    pub(super) names: HashMap<Atom, Name>,
    pub(super) dirty: Vec<Atom>,
    pub(super) imports: Imports,
    pub(super) imports_dirty: bool,
    /// Local names of import statements.
    pub(super) locals: BTreeSet<Atom>,
    /// Names that are used and come from where nobody imported them.
    pub(super) supplied: BTreeMap<Atom, Supply>,
    /// Tags of components that are still to be written.
    pub(super) pending: BTreeSet<Atom>,
    pub(super) duplicated: BTreeSet<Atom>,
    /// Names in `export default name`, with the item that says so.
    pub(super) default_names: Vec<(usize, Atom)>,
    pub(super) default: Default,
    /// What is shown is a component that the module has not exported yet: it may stand elsewhere in a moment.
    pub(super) guessed: bool,
    /// The units that are over, as are all that they name.
    pub(super) written: Vec<bool>,
    pub(super) layout: Layout,
    pub(super) stale: Vec<Id>,
    /// Counts changes of what is imported and found.
    pub(super) version: u64,
}

impl Linker {
    /// A module without statements.
    pub fn new(kit: Arc<KitNames>, marks: Marks, whole: bool) -> Self {
        Self {
            kit,
            marks,
            whole,
            items: Vec::new(),
            slots: Vec::new(),
            settled: (0, 0),
            names: HashMap::new(),
            dirty: Vec::new(),
            imports: Imports::default(),
            imports_dirty: false,
            locals: BTreeSet::new(),
            supplied: BTreeMap::new(),
            pending: BTreeSet::new(),
            duplicated: BTreeSet::new(),
            default_names: Vec::new(),
            default: Default::Missing,
            guessed: false,
            written: Vec::new(),
            layout: Layout::new(),
            stale: Vec::new(),
            version: 0,
        }
    }

    /// Adds a statement that is over, behind all others. None is open.
    pub fn settle(&mut self, placed: Placed) {
        debug_assert_eq!(self.settled, (self.items.len(), self.slots.len()));
        if let Some(import) = &placed.item.surface.import {
            self.imports_dirty = true;
            for local in import.bindings.iter().map(|binding| &binding.local).filter(|local| !local.is_empty()) {
                self.locals.insert(local.clone());
                self.dirty.push(local.clone());
            }
        }
        self.layout.rebuild = true;
        self.version += 1;
        self.push(placed);
        self.settled = (self.items.len(), self.slots.len());
    }

    /// Adds a statement that is still being written, behind all others.
    pub fn open(&mut self, placed: Placed) {
        self.push(placed);
    }

    fn push(&mut self, placed: Placed) {
        for (unit, own) in placed.item.units.iter().enumerate() {
            let id = self.slots.len() as Id;
            for name in &own.names {
                self.names.entry(name.clone()).or_default().owners.push(id);
                self.dirty.push(name.clone());
            }
            for name in own.refs.names.keys() {
                self.names.entry(name.clone()).or_default().users.push(id);
                self.dirty.push(name.clone());
            }
            self.imports_dirty |= !own.refs.dynamic.is_empty();
            self.slots.push(Slot {
                item: Arc::clone(&placed.item),
                unit,
                start: placed.start,
                end: placed.end,
                component: false,
                printed: placed.printed.get(unit).cloned().flatten(),
                reprint: true,
                value: None,
                signature: None,
                stale: false,
                cell: String::new(),
                text: String::new(),
            });
        }
        if let Some(name) = &placed.item.surface.default_name {
            self.default_names.push((self.items.len(), name.clone()));
            self.dirty.push(name.clone());
        }
        self.items.push(placed);
    }

    /// Takes back the statements that are still being written, with the texts printed of them.
    pub fn retract(&mut self) -> Vec<Placed> {
        let mut slots = self.slots.split_off(self.settled.1);
        let mut items = self.items.split_off(self.settled.0);
        while self.default_names.last().is_some_and(|(item, _)| *item >= self.settled.0) {
            self.dirty.extend(self.default_names.pop().map(|(_, name)| name));
        }
        let settled = self.settled.1 as Id;
        for slot in &slots {
            let unit = slot.unit();
            for name in unit.names.iter().chain(unit.refs.names.keys()) {
                if let Some(known) = self.names.get_mut(name) {
                    known.owners.truncate(known.owners.partition_point(|id| *id < settled));
                    known.users.truncate(known.users.partition_point(|id| *id < settled));
                }
                self.dirty.push(name.clone());
            }
            self.imports_dirty |= !unit.refs.dynamic.is_empty();
        }
        self.stale.retain(|id| *id < settled);
        let mut printed = slots.drain(..).map(|slot| slot.printed);
        for item in &mut items {
            item.printed = printed.by_ref().take(item.item.units.len()).collect();
        }
        items
    }

    /// Settles what every name means, and prints again what that changed.
    pub fn link(&mut self) {
        let mut dirty = std::mem::take(&mut self.dirty);
        dirty.sort_unstable();
        dirty.dedup();
        self.bind(&dirty);
        let default = self.default_export();
        if default != self.default {
            for default in [&default, &self.default] {
                if let Default::Own(name) = default {
                    dirty.push(name.clone());
                }
            }
            self.default = default;
            self.layout.rebuild = true;
            self.version += 1;
        }
        let mut reprint: Vec<Id> = (self.settled.1 as Id..self.slots.len() as Id).collect();
        reprint.extend((self.layout.linked as Id)..self.settled.1 as Id);
        let mut changed: Vec<Id> = Vec::new();
        for name in &dirty {
            self.name(name, &mut reprint, &mut changed);
        }
        self.layout.linked = self.settled.1;
        for id in reprint {
            if self.print(id) {
                changed.push(id);
            }
        }
        self.invalidate(changed);
    }

    /// Looks at a name again: what it means, whose it is, and whether what it names is a component.
    fn name(&mut self, name: &Atom, reprint: &mut Vec<Id>, changed: &mut Vec<Id>) {
        let target = self.target(name);
        let joined = self.joined(name);
        let Some(known) = self.names.get_mut(name) else { return };
        let owner = known.owners.last().copied();
        // An open owner is a new one each time.
        if known.owner != owner || owner.is_some_and(|owner| owner as usize >= self.settled.1) {
            known.owner = owner;
            changed.extend(&known.users);
        }
        if known.target != target {
            known.target = target;
            for id in &known.users {
                self.slots[*id as usize].reprint = true;
                reprint.push(*id);
            }
        }
        if known.owners.len() > 1 {
            self.duplicated.insert(name.clone());
            self.version += 1;
        } else if self.duplicated.remove(name) {
            self.version += 1;
        }
        for id in known.owners.clone() {
            let slot = &self.slots[id as usize];
            if slot.unit().names.first() != Some(name) {
                continue;
            }
            let component = self.is_component(slot.unit(), joined.as_ref());
            let slot = &mut self.slots[id as usize];
            if slot.component != component {
                slot.component = component;
                slot.reprint = true;
                reprint.push(id);
                changed.push(id);
            }
        }
    }

    /// Prints a unit if a name in it means something else than when it was last printed. Whether it did.
    fn print(&mut self, id: Id) -> bool {
        let slot = &self.slots[id as usize];
        if !slot.reprint {
            return false;
        }
        let unit = slot.unit();
        let meaning = |name| self.names.get(name).map_or(Target::Global, |known: &Name| known.target.clone());
        let key = TemplateKey { targets: unit.refs.names.keys().map(meaning).collect(), component: slot.component };
        let printed = match &slot.printed {
            Some((old, _)) if *old == key => None,
            _ => {
                let template = Arc::new(emit::template(unit, &key, self.marks, unit.base));
                Some((key, template))
            }
        };
        let slot = &mut self.slots[id as usize];
        slot.reprint = false;
        let is_new = slot.text.is_empty();
        let is_other = printed.is_some();
        if is_other {
            slot.printed = printed;
        }
        is_new || is_other
    }

    /// Forgets the hashes of units that changed and of all that depend on them.
    fn invalidate(&mut self, mut changed: Vec<Id>) {
        while let Some(id) = changed.pop() {
            let slot = &mut self.slots[id as usize];
            if std::mem::replace(&mut slot.stale, true) {
                continue;
            }
            (slot.value, slot.signature) = (None, None);
            self.stale.push(id);
            let item = Arc::clone(&slot.item);
            for name in &item.units[slot.unit].names {
                if let Some(known) = self.names.get(name) {
                    changed.extend(&known.users);
                }
            }
        }
    }

    /// All statements, in order.
    pub fn items(&self) -> &[Placed] {
        &self.items
    }

    /// The statements that are over, in order.
    pub fn settled(&self) -> &[Placed] {
        &self.items[..self.settled.0]
    }

    /// Makes the next patch compare every cell.
    pub fn compare_all(&mut self) {
        self.layout.rebuild = true;
    }

    /// A number that grows whenever what is imported or found may have changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What the module takes from elsewhere.
    pub fn imports(&self) -> &Imports {
        &self.imports
    }
}
