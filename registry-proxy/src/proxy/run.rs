//! One call of [`Proxy::resolve`] under way: what is asked for, what is built, and what is said of it.

use super::progress::{ALWAYS, Request, is_absent, request, state};
use super::resolve::{Changed, ready};
use super::{Proxy, Resolution};
use crate::address::Remote;
use crate::build::group::groups;
use crate::build::link::{Linked, Linker};
use crate::build::raw::Raw;
use crate::build::scene::Scene;
use crate::graph::{EntryId, PackageId};
use crate::{BUILDER, OwnPackage, RegistryError, diagnostics};
use futures::stream::{FuturesUnordered, StreamExt as _};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;
use ui4a_types::{Diagnostic, ImportState, ImportStatus, ImportUse, Lock, LockEntry, LockedPackage};

type Built = BTreeMap<EntryId, Result<Arc<Raw>, RegistryError>>;

/// One call of [`Proxy::resolve`] under way.
pub(super) struct Run<'a> {
    proxy: &'a Proxy,
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
    scene: Option<Arc<Scene>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        proxy: &'a Proxy,
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
            scene: None,
        }
    }

    pub(super) async fn resolve(&mut self) {
        let mut needed_peers = BTreeSet::new();
        loop {
            let scene = self.solve(&needed_peers).await;
            let mut built = self.build(&scene).await;
            let missing: BTreeSet<String> = sound(&built).values().flat_map(|raw| raw.missing_peers.clone()).collect();
            // What the first builds showed to be needed is in the second graph; once is enough.
            if needed_peers.is_empty() && !missing.is_empty() {
                needed_peers = missing;
                continue;
            }
            self.group(&scene, &mut built).await;
            let all = self.entries.keys().cloned().collect();
            self.link(&built, &all);
            return;
        }
    }

    /// Solves the graph, and waits for its packages. What cannot be had has failed afterwards.
    async fn solve(&mut self, needed_peers: &BTreeSet<String>) -> Arc<Scene> {
        let (graph, fetches) = self.proxy.solve(&self.requests, self.lock, needed_peers, &self.own).await;
        self.entries.clear();
        for (specifier, request) in self.requests.clone() {
            match request.entry(&graph) {
                Ok(entry) => {
                    self.entries.insert(specifier, entry);
                }
                Err(error) => self.fail(&specifier, error),
            }
        }
        let direct: BTreeSet<PackageId> = self.entries.values().map(|entry| entry.package.clone()).collect();
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

    /// Builds all wanted entries and what they import, a few at a time. Those that are complete are linked on the way.
    async fn build(&mut self, scene: &Arc<Scene>) -> Built {
        let mut built = Built::new();
        let mut asked: BTreeSet<EntryId> = self.entries.values().cloned().collect();
        // React first: nothing shows without it.
        let mut order: Vec<EntryId> = asked.iter().cloned().collect();
        order.sort_by_key(|entry| !crate::graph::family::is_family(&entry.package.name));
        let builder = &self.proxy.builder;
        let one = |entry: EntryId| async move {
            let answer = builder.entry(scene, &entry).await;
            (entry, answer)
        };
        let mut running: FuturesUnordered<_> = order.into_iter().map(one).collect();
        while let Some((entry, answer)) = running.next().await {
            if let Ok(raw) = &answer {
                for external in &raw.externals {
                    if asked.insert(external.clone()) {
                        running.push(one(external.clone()));
                    }
                }
            }
            built.insert(entry, answer);
            let complete = self.complete(&built, &asked);
            self.link(&built, &complete);
        }
        drop(running);
        built
    }

    /// Specifiers whose modules can be linked before all is built: what they import is built, and no entry that is still
    /// to come can share files with it.
    fn complete(&self, built: &Built, asked: &BTreeSet<EntryId>) -> BTreeSet<String> {
        let mut complete = BTreeSet::new();
        for (specifier, entry) in self.entries.iter().filter(|(specifier, _)| !self.imports.contains_key(*specifier)) {
            let mut seen = BTreeSet::new();
            if first_error(entry, built, &mut seen).is_some() {
                continue;
            }
            let packages: BTreeSet<&PackageId> = seen.iter().map(|entry| &entry.package).collect();
            let of_these = |entry: &&EntryId| packages.contains(&entry.package);
            if !asked.iter().filter(of_these).all(|entry| built.contains_key(entry)) {
                continue;
            }
            let raws: BTreeMap<EntryId, Arc<Raw>> =
                sound(built).into_iter().filter(|(entry, _)| packages.contains(&entry.package)).collect();
            if raws.values().any(|raw| !raw.missing_peers.is_empty()) {
                continue;
            }
            if groups(&raws).is_empty() {
                complete.insert(specifier.clone());
            }
        }
        complete
    }

    /// Replaces entries that cannot be modules of their own by façades of one that holds them all.
    async fn group(&self, scene: &Arc<Scene>, built: &mut Built) {
        let mut tried = BTreeSet::new();
        // A group may import an entry that nobody imported before, and so make another group.
        for _ in 0..8 {
            let raws = sound(built);
            let Some(group) = groups(&raws).into_iter().find(|group| tried.insert(group.clone())) else { return };
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
                let answer = self.proxy.builder.entry(scene, &external).await;
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

    pub(super) fn finish(self, uses: &BTreeMap<String, ImportUse>) -> Resolution {
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
            lock.entries.insert(specifier.clone(), LockEntry { package, version, integrity, module });
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
