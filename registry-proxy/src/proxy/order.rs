//! The order of builds: what takes names of a module is built before it, so that the module is cut down once, to all of them.
//!
//! React and whatever is wanted whole waits for nothing.

use crate::build::raw::Raw;
use crate::build::scene::Scene;
use crate::build::wish::Wish;
use crate::graph::{EntryId, PackageId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is still to be built, and for which names.
pub(super) struct Order<'s> {
    scene: &'s Scene,
    wishes: BTreeMap<EntryId, Wish>,
    waiting: BTreeSet<EntryId>,
    running: BTreeSet<EntryId>,
    /// What was built, and whether it was cut down.
    built: BTreeMap<EntryId, Arc<Raw>>,
    /// Package → the packages that its files may import.
    reach: BTreeMap<PackageId, BTreeSet<PackageId>>,
}

impl<'s> Order<'s> {
    pub(super) fn new(scene: &'s Scene, wishes: BTreeMap<EntryId, Wish>) -> Self {
        let waiting: BTreeSet<EntryId> = wishes.keys().cloned().collect();
        let mut order = Self {
            scene,
            wishes,
            waiting: BTreeSet::new(),
            running: BTreeSet::new(),
            built: BTreeMap::new(),
            reach: BTreeMap::new(),
        };
        waiting.into_iter().for_each(|entry| order.wait(entry));
        order
    }

    fn wait(&mut self, entry: EntryId) {
        let reach = || self.scene.graph.reach(&entry.package, &BTreeSet::new()).into_iter().cloned().collect();
        self.reach.entry(entry.package.clone()).or_insert_with(reach);
        self.waiting.insert(entry);
    }

    /// The entries that can be built now, with what is wished of each. When all wait for each other, all.
    pub(super) fn next(&mut self) -> Vec<(EntryId, Wish)> {
        let mut next: Vec<EntryId> = self.waiting.iter().filter(|entry| !self.must_wait(entry)).cloned().collect();
        if next.is_empty() && self.running.is_empty() {
            next = self.waiting.iter().cloned().collect();
        }
        // React first: nothing shows without it.
        next.sort_by_key(|entry| !crate::graph::family::is_family(&entry.package.name));
        for entry in &next {
            self.waiting.remove(entry);
            self.running.insert(entry.clone());
        }
        next.into_iter().map(|entry| (entry.clone(), self.wishes.get(&entry).cloned().unwrap_or(Wish::All))).collect()
    }

    /// Whether something that is not built yet may want more of an entry.
    fn must_wait(&self, entry: &EntryId) -> bool {
        if self.wishes.get(entry).is_none_or(|wish| *wish == Wish::All) {
            return false;
        }
        self.unfinished().any(|other| match other.package == entry.package {
            true => entry.subpath.is_empty() && !other.subpath.is_empty(),
            false => self.reaches(&other.package, &entry.package) && !self.reaches(&entry.package, &other.package),
        })
    }

    fn reaches(&self, from: &PackageId, to: &PackageId) -> bool {
        self.reach.get(from).is_some_and(|reach| reach.contains(to))
    }

    /// Everything that is not built yet.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = &EntryId> {
        self.waiting.iter().chain(&self.running)
    }

    /// Takes note of what a build needs of others; those that lack something of it are built again.
    pub(super) fn done(&mut self, entry: &EntryId, raw: Option<&Arc<Raw>>) {
        self.running.remove(entry);
        let Some(raw) = raw else { return };
        self.built.insert(entry.clone(), Arc::clone(raw));
        let mut touched = vec![entry.clone()];
        for external in &raw.externals {
            let taken = raw.taken.get(&external.to_string()).cloned().unwrap_or(Wish::All);
            self.wishes.entry(external.clone()).or_default().add(&taken);
            touched.push(external.clone());
        }
        for entry in touched {
            let lacks = match self.built.get(&entry) {
                Some(raw) => self.wishes.get(&entry).is_some_and(|wish| !raw.covers(wish)),
                None => true,
            };
            if lacks && !self.running.contains(&entry) {
                self.wait(entry);
            }
        }
    }
}
