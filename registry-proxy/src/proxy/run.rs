//! One call of [`Proxy::resolve`] under way: what is asked for, what is built, and what is said of it.

use super::order::Order;
use super::progress::{ALWAYS, Request, is_absent, request, state};
use super::resolve::{Changed, ready};
use super::{Proxy, Resolution};
use crate::address::Remote;
use crate::build::group::{groups, joins};
use crate::build::link::{Linked, Linker};
use crate::build::raw::Raw;
use crate::build::scene::Scene;
use crate::build::wish::Wish;
use crate::graph::{EntryId, PackageId};
use crate::specifier::is_stand_in;
use crate::{BUILDER, OwnPackage, RegistryError, diagnostics, icons};
use futures::stream::{FuturesUnordered, StreamExt as _};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;
use ui4a_types::{Diagnostic, ImportState, ImportStatus, ImportUse, Lock, LockEntry, LockedPackage};

/// Most groups of an artifact.
const GROUPS: usize = 64;

pub(super) type Built = BTreeMap<EntryId, Result<Arc<Raw>, RegistryError>>;

/// One call of [`Proxy::resolve`] under way.
pub(super) struct Run<'a> {
    proxy: &'a Proxy,
    uses: &'a BTreeMap<String, ImportUse>,
    requests: BTreeMap<String, Request>,
    /// Our own packages, and those made of fetched modules.
    own: BTreeMap<PackageId, Arc<OwnPackage>>,
    remote: Remote,
    lock: Option<&'a Lock>,
    changed: Changed<'a>,
    start: Instant,
    imports: BTreeMap<String, ImportState>,
    errors: BTreeMap<String, RegistryError>,
    entries: BTreeMap<String, EntryId>,
    linked: BTreeMap<EntryId, Linked>,
    /// Entry → the names that its module was cut down to.
    cuts: BTreeMap<EntryId, Vec<String>>,
    scene: Option<Arc<Scene>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        proxy: &'a Proxy,
        uses: &'a BTreeMap<String, ImportUse>,
        specifiers: &BTreeSet<&str>,
        remote: Remote,
        lock: Option<&'a Lock>,
        changed: Changed<'a>,
        start: Instant,
    ) -> Self {
        let mut own = proxy.own_packages();
        let requests: BTreeMap<String, Request> =
            specifiers.iter().map(|specifier| ((*specifier).to_owned(), request(specifier, &own, &remote))).collect();
        own.extend(remote.packages());
        // What the lock has ready stays ready, unless it must change.
        let known = |specifier: &str| {
            let entry = lock.filter(|lock| lock.builder == BUILDER)?.entries.get(specifier)?;
            proxy.store.facts(&format!("{}.js", entry.module))
        };
        for specifier in requests.keys().filter(|specifier| known(specifier).is_none()) {
            changed(specifier, &state(ImportStatus::Resolving));
        }
        Self {
            proxy,
            uses,
            requests,
            own,
            remote,
            lock,
            changed,
            start,
            imports: BTreeMap::new(),
            errors: BTreeMap::new(),
            entries: BTreeMap::new(),
            linked: BTreeMap::new(),
            cuts: BTreeMap::new(),
            scene: None,
        }
    }

    pub(super) async fn resolve(&mut self) {
        // What was needed once is needed again.
        let locked = self.lock.iter().flat_map(|lock| lock.packages.keys()).filter_map(|key| key.rsplit_once('@'));
        let mut needed: BTreeSet<String> =
            locked.map(|(name, _)| name).filter(|name| is_stand_in(name)).map(str::to_owned).collect();
        loop {
            let scene = self.solve(&needed).await;
            let mut built = self.build(&scene).await;
            let missing: BTreeSet<String> = sound(&built).values().flat_map(|raw| raw.missing_peers.clone()).collect();
            // What builds show to be needed is in the next graph.
            if !missing.is_subset(&needed) {
                needed.extend(missing);
                continue;
            }
            self.group(&scene, &mut built).await;
            let all = self.entries.keys().cloned().collect();
            self.link(&built, &all);
            return;
        }
    }

    /// Solves the graph, and waits for its packages. What cannot be had has failed afterwards.
    async fn solve(&mut self, needed: &BTreeSet<String>) -> Arc<Scene> {
        let (graph, fetches) = self.proxy.solve(&self.requests, self.lock, needed, &self.own).await;
        self.entries.clear();
        for (specifier, request) in self.requests.clone() {
            match request.entry(&graph) {
                Ok(entry) => {
                    self.entries.insert(specifier, entry);
                }
                Err(error) => self.fail(&specifier, error),
            }
        }
        let direct: BTreeSet<EntryId> = self.entries.values().cloned().collect();
        let (scene, failed) = self.proxy.scene(graph, fetches, &direct).await;
        self.scene = Some(Arc::clone(&scene));
        // What depends on a package that could not be had cannot be built.
        for (specifier, entry) in self.entries.clone() {
            let reached = scene.graph.reach(&entry.package, &BTreeSet::new());
            let missing = reached.iter().find_map(|id| failed.get(*id));
            let broken = reached.iter().find_map(|id| scene.graph.nodes.get(*id)?.broken.values().next());
            if let Some(error) = missing.or(broken) {
                let error = error.clone();
                self.entries.remove(&specifier);
                self.fail(&specifier, error);
            }
        }
        scene
    }

    /// What is wanted of each entry that is imported, as far as the artifact itself says: its names, the icons that stand for
    /// those that are not there, and what its module already holds, so that it changes only to gain names.
    fn wishes(&self, scene: &Scene) -> BTreeMap<EntryId, Wish> {
        let mut wishes: BTreeMap<EntryId, Wish> = BTreeMap::new();
        for (specifier, entry) in &self.entries {
            let used = self.uses.get(specifier);
            let mut wish = used.map_or(Wish::All, |used| Wish::of_import(&used.names));
            if let (Some(used), Some(known)) = (used, scene.exports(entry)) {
                let known: Vec<String> = known.iter().cloned().collect();
                let stand_ins = icons::stand_ins(&entry.package.name, &used.names, &known);
                wish.add(&Wish::names(stand_ins.into_values()));
            }
            let locked = self.lock.and_then(|lock| lock.entries.get(specifier));
            if let Some(locked) =
                locked.filter(|locked| locked.package == entry.package.name && locked.version == entry.package.version)
            {
                wish.add(&Wish::of_import(&locked.names));
            }
            wishes.entry(entry.clone()).or_default().add(&wish);
        }
        wishes
    }

    /// Builds all wanted entries and what they import, a few at a time. Those that are complete are linked on the way.
    async fn build(&mut self, scene: &Arc<Scene>) -> Built {
        let mut built = Built::new();
        let mut order = Order::new(scene, self.wishes(scene));
        let builder = Arc::clone(&self.proxy.builder);
        let mut running = FuturesUnordered::new();
        loop {
            for (entry, wish) in order.next() {
                let builder = Arc::clone(&builder);
                running.push(async move {
                    let answer = builder.entry(scene, &entry, &wish).await;
                    (entry, answer)
                });
            }
            let Some((entry, answer)) = running.next().await else { break };
            order.done(&entry, answer.as_ref().ok());
            built.insert(entry, answer);
            let complete = self.complete(&built, &order);
            self.link(&built, &complete);
        }
        drop(running);
        built
    }

    /// Specifiers whose modules can be linked before all is built: what they import is built, and no entry that is still
    /// to come can share files, or be put into one module, with it.
    fn complete(&self, built: &Built, order: &Order<'_>) -> BTreeSet<String> {
        let mut complete = BTreeSet::new();
        let direct: BTreeSet<EntryId> = self.entries.values().cloned().collect();
        for (specifier, entry) in self.entries.iter().filter(|(specifier, _)| !self.imports.contains_key(*specifier)) {
            let mut seen = BTreeSet::new();
            if first_error(entry, built, &mut seen).is_some() {
                continue;
            }
            let packages: BTreeSet<&PackageId> = seen.iter().map(|entry| &entry.package).collect();
            let of_these = |entry: &&EntryId| packages.contains(&entry.package);
            if order.unfinished().any(|entry| of_these(&entry)) {
                continue;
            }
            let raws: BTreeMap<EntryId, Arc<Raw>> =
                sound(built).into_iter().filter(|(entry, _)| packages.contains(&entry.package)).collect();
            if raws.values().any(|raw| !raw.missing_peers.is_empty()) {
                continue;
            }
            let shared = seen.iter().filter(|entry| !direct.contains(*entry));
            if shared.filter_map(|entry| Some((entry, raws.get(entry)?))).any(|(entry, raw)| joins(entry, raw)) {
                continue;
            }
            if groups(&raws, &direct, &self.keeps_nothing()).is_empty() {
                complete.insert(specifier.clone());
            }
        }
        complete
    }

    /// Tells of a file, by its path in the folder of packages, that copies of its package do no harm.
    fn keeps_nothing(&self) -> impl Fn(&str) -> bool + use<'a> {
        let (scene, store) = (self.scene.clone(), Arc::clone(&self.proxy.store));
        let packages = self.proxy.cache.join("packages");
        move |input| {
            let owner = scene.as_ref().and_then(|scene| scene.folder(scene.owner(&packages.join(input))?));
            owner.is_some_and(|folder| store.keeps_nothing(folder))
        }
    }

    /// Replaces entries that are no modules of their own by façades of one that holds them all.
    async fn group(&self, scene: &Arc<Scene>, built: &mut Built) {
        let mut tried = BTreeSet::new();
        let direct: BTreeSet<EntryId> = self.entries.values().cloned().collect();
        // A group may import an entry that nobody imported before, and so make another group.
        for _ in 0..GROUPS {
            let raws = sound(built);
            let Some(group) =
                groups(&raws, &direct, &self.keeps_nothing()).into_iter().find(|group| tried.insert(group.clone()))
            else {
                return;
            };
            match self.proxy.builder.group(scene, &group, &raws).await {
                Ok(made) => built.extend(made.into_iter().map(|(id, raw)| (id, Ok(raw)))),
                Err(error) => {
                    for member in group {
                        built.insert(member, Err(error.clone()));
                    }
                }
            }
            let missing: Vec<EntryId> = sound(built)
                .values()
                .flat_map(|raw| raw.externals.clone())
                .filter(|external| !built.contains_key(external))
                .collect();
            for external in missing {
                let answer = self.proxy.builder.entry(scene, &external, &Wish::All).await;
                built.insert(external, answer);
            }
        }
    }

    /// Links `specifiers` and says what became of them, where that is news.
    fn link(&mut self, built: &Built, specifiers: &BTreeSet<String>) {
        if specifiers.is_empty() {
            return;
        }
        let raws = sound(built);
        let mut linker = Linker { store: &self.proxy.store, raws: &raws, linked: BTreeMap::new() };
        let mut answers = Vec::new();
        for (specifier, entry) in self.entries.iter().filter(|(specifier, _)| specifiers.contains(*specifier)) {
            let answer = match first_error(entry, built, &mut BTreeSet::new()) {
                Some(error) => Err(error),
                None => linker.link(entry),
            };
            answers.push((specifier.clone(), entry.package.clone(), answer));
        }
        self.linked.extend(linker.linked);
        for entry in self.entries.values() {
            let cut = raws.get(entry).and_then(|raw| raw.cut.as_ref());
            self.cuts.insert(entry.clone(), cut.into_iter().flatten().cloned().collect());
        }
        for (specifier, package, answer) in answers {
            match answer {
                Ok(linked) => {
                    let mut ready = ready(&self.proxy.store, &package, &linked, self.start);
                    if self.remote.package(&specifier).is_some() {
                        (ready.package, ready.version) = (None, None);
                    }
                    if self.imports.get(&specifier).is_none_or(|known| known.url != ready.url) {
                        (self.changed)(&specifier, &ready);
                        self.imports.insert(specifier, ready);
                    }
                }
                Err(error) => self.fail(&specifier, error),
            }
        }
    }

    fn fail(&mut self, specifier: &str, error: RegistryError) {
        let status = if is_absent(&error) { ImportStatus::Stub } else { ImportStatus::Failed };
        let failed = ImportState { error: Some(error.to_string()), ..state(status) };
        if self.imports.get(specifier) != Some(&failed) {
            (self.changed)(specifier, &failed);
        }
        self.imports.insert(specifier.to_owned(), failed);
        self.errors.insert(specifier.to_owned(), error);
    }

    pub(super) fn finish(self) -> Resolution {
        let uses = self.uses;
        let own = self.proxy.own_packages();
        let names: Vec<String> =
            own.iter()
                .flat_map(|(id, package)| {
                    package.entries.keys().map(|subpath| {
                        if subpath.is_empty() { id.name.clone() } else { format!("{}/{subpath}", id.name) }
                    })
                })
                .collect();
        let mut found: Vec<Diagnostic> = Vec::new();
        for (specifier, error) in &self.errors {
            found.push(match &self.requests[specifier] {
                Request::NodeBuiltin(name) => diagnostics::node_builtin(specifier, uses.get(specifier), name),
                _ => diagnostics::failed(specifier, uses.get(specifier), error, &names),
            });
        }
        let mut lock = Lock { builder: BUILDER.to_owned(), ..Lock::default() };
        let Some(scene) = &self.scene else { return Resolution { imports: self.imports, lock, diagnostics: found } };
        for (specifier, entry) in &self.entries {
            let used = uses.get(specifier);
            let Some(linked) =
                self.linked.get(entry).filter(|_| used.is_some() || ALWAYS.contains(&specifier.as_str()))
            else {
                continue;
            };
            let integrity =
                scene.graph.nodes.get(&entry.package).map(|node| node.manifest.integrity.clone()).unwrap_or_default();
            let module = linked.name.split_once('.').map_or_else(String::new, |(hash, _)| hash.to_owned());
            let (package, version, integrity) = match self.remote.integrity(specifier) {
                Some(integrity) => (specifier.clone(), String::new(), integrity.to_owned()),
                None => (entry.package.name.clone(), entry.package.version.clone(), integrity),
            };
            let names = self.cuts.get(entry).cloned().unwrap_or_default();
            lock.entries.insert(specifier.clone(), LockEntry { package, version, integrity, module, names });
            if used.is_none() {
                continue;
            }
            found.extend(
                linked.facts.warnings.iter().map(|warning| diagnostics::note("package-note", specifier, used, warning)),
            );
            if let Some(reason) =
                scene.graph.nodes.get(&entry.package).and_then(|node| node.manifest.deprecated.as_deref())
            {
                let message =
                    format!("{} is deprecated: {}", entry.package, reason.chars().take(300).collect::<String>());
                found.push(diagnostics::note("deprecated-package", specifier, used, &message));
            }
        }
        for (id, node) in scene.graph.nodes.iter().filter(|(_, node)| node.own.is_none()) {
            let locked = LockedPackage { version: id.version.clone(), integrity: node.manifest.integrity.clone() };
            lock.packages.insert(id.to_string(), locked);
        }
        found.extend(scene.graph.notes.iter().map(|note| diagnostics::note("peer-version", "", None, note)));
        Resolution { imports: self.imports, lock, diagnostics: found }
    }
}

fn sound(built: &Built) -> BTreeMap<EntryId, Arc<Raw>> {
    built.iter().filter_map(|(id, raw)| Some((id.clone(), Arc::clone(raw.as_ref().ok()?)))).collect()
}

/// Why an entry cannot be linked: it, or something that it imports, was not built.
fn first_error(entry: &EntryId, built: &Built, seen: &mut BTreeSet<EntryId>) -> Option<RegistryError> {
    if !seen.insert(entry.clone()) {
        return None;
    }
    match built.get(entry) {
        None => Some(RegistryError::Build { entry: entry.to_string(), reason: "it was not built".to_owned() }),
        Some(Err(error)) => Some(error.clone()),
        Some(Ok(raw)) => raw.externals.iter().find_map(|external| first_error(external, built, seen)),
    }
}
