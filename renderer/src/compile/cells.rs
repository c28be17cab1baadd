//! The cells of a linked module: their text, their order, and what changed in them.
//!
//! A cell's text starts with the hash of what it evaluates eagerly besides itself, transitively, components excepted: those
//! are proxies, looked up when they render, and enter a hash by their identity alone. The sandbox runs a cell again exactly
//! when its text changed. A cell's own text is not in its own hash: while it grows, its patches stay small.

use super::deps::Slot as Placeholder;
use super::hash::{LENGTH, hash};
use super::link::{Id, Linker};
use super::lower::DEFAULT;
use super::meaning::Default as Export;
use super::names::Target;
use super::unfinished::UNFINISHED;
use crate::source_map::CellMap;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use swc_atoms::Atom;
use ui4a_types::edits::edits;
use ui4a_types::frame::{CellPatch, Frame, FrameState, SHORTEST_CODE};

/// The cells in their order.
pub(super) struct Layout {
    entries: Vec<Entry>,
    /// The names of the cells of open statements, as far as they have an influence on the order.
    open: Vec<(Id, String, bool)>,
    /// The order has to be made again.
    pub rebuild: bool,
    /// How many slots that are over were linked.
    pub linked: usize,
    default_text: String,
    unfinished_text: String,
}

impl Layout {
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            open: Vec::new(),
            rebuild: true,
            linked: 0,
            default_text: String::new(),
            unfinished_text: String::new(),
        }
    }
}

struct Entry {
    name: String,
    what: What,
}

#[derive(Clone)]
enum What {
    Unit(Id),
    /// A component that is used and not written yet: it shows nothing until it is. At the end, one that there is not.
    Pending,
    Default,
    Unfinished,
}

impl Linker {
    /// The patch that makes `shown`, which this linker patched last, show what is linked now.
    pub fn patch(&mut self, shown: &mut FrameState) -> Frame {
        let mut changed = std::mem::take(&mut self.stale);
        changed.retain(|id| self.write(*id));
        let mut frame = Frame::default();
        let default_changed = self.write_default();
        let unfinished = self.unfinished();
        let unfinished_changed = unfinished != self.layout.unfinished_text;
        self.layout.unfinished_text = unfinished;
        if self.lay_out() {
            let order: Vec<String> = self.layout.entries.iter().map(|entry| entry.name.clone()).collect();
            for entry in &self.layout.entries {
                edit(shown, &entry.name, &self.text(entry), &mut frame);
            }
            if shown.order != order {
                let stays: HashSet<&String> = order.iter().collect();
                shown.cells.retain(|name, _| stays.contains(name));
                shown.order.clone_from(&order);
                frame.order = Some(order);
            }
            return frame;
        }
        changed.sort_unstable();
        for id in changed {
            let slot = &self.slots[id as usize];
            if !slot.cell.is_empty() {
                edit(shown, &slot.cell, &slot.text, &mut frame);
            }
        }
        for (name, changed) in [(DEFAULT, default_changed), (UNFINISHED, unfinished_changed)] {
            if changed && let Some(entry) = self.layout.entries.iter().rev().take(2).find(|entry| entry.name == name) {
                edit(shown, &entry.name, &self.text(entry), &mut frame);
            }
        }
        frame
    }

    /// Where the pieces of each cell came from, as offsets in the text.
    pub fn maps(&self) -> BTreeMap<String, CellMap> {
        let mut maps = BTreeMap::new();
        for entry in &self.layout.entries {
            if let What::Unit(id) = entry.what
                && let Some(template) = self.slots[id as usize].template()
            {
                let start = self.slots[id as usize].start;
                maps.insert(entry.name.clone(), CellMap::new(start, &template.segments, LENGTH as u32 + 4));
            }
        }
        maps
    }

    fn text<'a>(&'a self, entry: &'a Entry) -> std::borrow::Cow<'a, str> {
        match &entry.what {
            What::Unit(id) => self.slots[*id as usize].text.as_str().into(),
            What::Default => self.layout.default_text.as_str().into(),
            What::Pending if self.whole => {
                // A component that there is not shows what it was given to hold, else its name.
                let name = &entry.name;
                let label =
                    format!("$i[\"react/jsx-runtime\"].jsx(\"span\",{{className:\"ui4a-stub\",children:\"{name}\"}})");
                let made = format!("$.{name} = $c(\"{name}\", \"missing\", (props)=>props.children ?? {label});");
                format!("/*{}*/{made}", hash(["missing", name])).into()
            }
            What::Unfinished => self.layout.unfinished_text.as_str().into(),
            What::Pending => {
                let name = &entry.name;
                format!("/*{}*/$.{name} = $c(\"{name}\", \"pending\", ()=>null);", hash(["pending", name])).into()
            }
        }
    }

    /// Writes a unit's cell again. Whether it is another one.
    fn write(&mut self, id: Id) -> bool {
        let slot = &mut self.slots[id as usize];
        slot.stale = false;
        let item = Arc::clone(&slot.item);
        let unit = &item.units[slot.unit];
        let Some((_, template)) = slot.printed.clone() else { return false };
        let mut text = String::new();
        if !template.text.is_empty() {
            let hash = self.surroundings(id);
            let filled = template.filled(&unit.slots, |placeholder| match placeholder {
                Placeholder::Signature => self.signature(id),
                Placeholder::Skeleton(_) => self.skeleton(id),
                Placeholder::Callback { text, refs } => self.with_refs(text, refs, id),
            });
            text = format!("/*{hash}*/{filled}");
        }
        if unit.is_effect() && (id as usize) < self.settled.1 {
            // Its name holds its hash.
            self.layout.rebuild = true;
        }
        let slot = &mut self.slots[id as usize];
        let is_other = slot.text != text;
        slot.text = text;
        is_other
    }

    fn write_default(&mut self) -> bool {
        let text = match self.default.clone() {
            Export::Own(name) => {
                let Some(owner) = self.owner(&name) else { return false };
                let hash = hash([DEFAULT, &self.part(&name, owner)]);
                format!("/*{hash}*/$.{DEFAULT} = $.{name};")
            }
            Export::Import(Target::Import { specifier, name }) => {
                let lookup = |text: &str| serde_json::to_string(text).unwrap_or_default();
                let hash = hash([DEFAULT, &specifier, &name]);
                format!("/*{hash}*/$.{DEFAULT} = $i[{}][{}];", lookup(&specifier), lookup(&name))
            }
            Export::Unit | Export::Import(_) | Export::Missing => String::new(),
        };
        let is_other = self.layout.default_text != text;
        self.layout.default_text = text;
        is_other
    }

    /// Makes the order of the cells again, if something may have changed it. Whether it did.
    fn lay_out(&mut self) -> bool {
        let open: Vec<(Id, String, bool)> = (self.settled.1..self.slots.len())
            .filter_map(|id| {
                let slot = &self.slots[id];
                let shown = !slot.unit().is_effect() && !slot.text.is_empty();
                shown.then(|| (id as Id, joined(&slot.unit().names), slot.unit().is_hoisted()))
            })
            .collect();
        // An open statement's slot is a new one each time, in the same place as long as nothing else changed.
        if open == self.layout.open && !self.layout.rebuild {
            let names = self.layout.entries.iter().filter_map(|entry| match entry.what {
                What::Unit(id) if id as usize >= self.settled.1 => Some((id, entry.name.clone())),
                _ => None,
            });
            for (id, name) in names.collect::<Vec<_>>() {
                if let Some(slot) = self.slots.get_mut(id as usize) {
                    slot.cell = name;
                }
            }
            return false;
        }
        self.layout.open = open;
        self.layout.rebuild = false;
        let mut entries: Vec<Entry> = Vec::with_capacity(self.slots.len() + 1);
        let mut taken: HashSet<String> = HashSet::new();
        let mut push = |name: String, what: What| {
            let mut unique = name.clone();
            let mut count = 1;
            while !taken.insert(unique.clone()) {
                count += 1;
                unique = format!("{name}.{count}");
            }
            entries.push(Entry { name: unique, what });
        };
        for hoisted in [true, false] {
            for id in 0..self.slots.len() as Id {
                let slot = &self.slots[id as usize];
                let unfinished_effect = slot.unit().is_effect() && id as usize >= self.settled.1;
                if slot.unit().is_hoisted() != hoisted
                    || slot.unit().name() == DEFAULT
                    || unfinished_effect
                    || slot.text.is_empty()
                {
                    continue;
                }
                let names = joined(&slot.unit().names);
                let name = if names.is_empty() { format!("$effect-{}", self.value(id)) } else { names };
                push(name, What::Unit(id));
            }
        }
        for name in &self.pending {
            push(name.to_string(), What::Pending);
        }
        match &self.default {
            Export::Unit => {
                if let Some(id) = self.owner(&Atom::from(DEFAULT)) {
                    push(DEFAULT.to_owned(), What::Unit(id));
                }
            }
            _ if self.layout.default_text.is_empty() => {}
            _ => push(DEFAULT.to_owned(), What::Default),
        }
        if !self.layout.unfinished_text.is_empty() {
            push(UNFINISHED.to_owned(), What::Unfinished);
        }
        for entry in &entries {
            if let What::Unit(id) = entry.what {
                self.slots[id as usize].cell.clone_from(&entry.name);
            }
        }
        self.layout.entries = entries;
        true
    }
}

fn joined(names: &[Atom]) -> String {
    names.iter().map(Atom::as_str).collect::<Vec<_>>().join(",")
}

/// Makes a cell's text another one, if it is.
fn edit(shown: &mut FrameState, name: &str, text: &str, frame: &mut Frame) {
    let old = shown.cells.get(name).map_or("", String::as_str);
    if old != text {
        frame.cells.extend(
            edits(old, text, SHORTEST_CODE).into_iter().map(|patch| CellPatch { cell: name.to_owned(), patch }),
        );
        shown.cells.insert(name.to_owned(), text.to_owned());
    }
}
