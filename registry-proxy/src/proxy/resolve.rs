//! Resolving the imports of an artifact: replay what is locked, solve one graph, fetch, build, link, and say so at each step.

use super::progress::{ALWAYS, Request, state};
use super::run::Run;
use super::{Proxy, Resolution};
use crate::build::link::Linked;
use crate::build::locate::{Locator, split_bare};
use crate::build::scene::Scene;
use crate::build::store::Modules;
use crate::build::wish::Wish;
use crate::cache::lease;
use crate::graph::share::singles;
use crate::graph::solve::{Solver, Wanted};
use crate::graph::{EntryId, Graph, PackageId};
use crate::specifier::is_stand_in;
use crate::{OwnPackage, RegistryError, diagnostics, icons};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::task::JoinHandle;
use ui4a_types::{AddressRole, ImportState, ImportStatus, ImportUse, Lock};

pub(super) type Changed<'a> = &'a (dyn Fn(&str, &ImportState) + Send + Sync);
type Fetch = JoinHandle<Result<std::path::PathBuf, RegistryError>>;

impl Proxy {
    /// Resolves the imports of an artifact as one graph, and builds their modules. `changed` is told of each specifier as
    /// it becomes resolving, ready, a stub or failed.
    ///
    /// With a `lock` that names all of them and whose modules are there, nothing is asked of any registry and the modules
    /// are the same; otherwise its versions are kept wherever they still satisfy what is asked.
    ///
    /// Never fails as a whole: each import has its state, and what went wrong is among the diagnostics.
    ///
    /// # Cancel safety
    /// Dropping the future stops it; what was fetched and built until then is kept.
    pub async fn resolve(
        &self,
        uses: &BTreeMap<String, ImportUse>,
        lock: Option<&Lock>,
        changed: Changed<'_>,
    ) -> Resolution {
        let start = Instant::now();
        let _lease = lease::take(&self.cache).await;
        let (mut resolution, addresses) = futures::future::join(
            self.resolve_modules(uses, lock, changed, start),
            self.addresses(uses, lock, changed, start),
        )
        .await;
        resolution.imports.extend(addresses.imports);
        resolution.lock.entries.extend(addresses.entries);
        resolution.lock.packages.extend(addresses.packages);
        resolution.diagnostics.extend(addresses.diagnostics);
        resolution
    }

    async fn resolve_modules(
        &self,
        uses: &BTreeMap<String, ImportUse>,
        lock: Option<&Lock>,
        changed: Changed<'_>,
        start: Instant,
    ) -> Resolution {
        let tell = changed;
        let told = |specifier: &str, state: &ImportState| match stand_ins(specifier, state, uses) {
            aliases if aliases.is_empty() => tell(specifier, state),
            aliases => tell(specifier, &ImportState { aliases, ..state.clone() }),
        };
        let changed: Changed<'_> = &told;
        let modules = || uses.keys().filter(|key| AddressRole::of_key(key).is_none());
        let mut specifiers: BTreeSet<&str> = ALWAYS.iter().copied().collect();
        specifiers.extend(modules().map(String::as_str).take(self.limits.specifiers));
        let mut resolution = match lock.and_then(|lock| self.replay(&specifiers, uses, lock, start)) {
            Some(replayed) => {
                for (specifier, state) in &replayed.imports {
                    changed(specifier, state);
                }
                replayed
            }
            None => {
                let remote = self.remote_modules(specifiers.iter().copied()).await;
                let mut run = Run::new(self, uses, &specifiers, remote, lock, changed, start);
                run.resolve().await;
                run.finish()
            }
        };
        for specifier in modules().skip(self.limits.specifiers) {
            let (name, limit) = ("this artifact".to_owned(), self.limits.specifiers as u64);
            let error = RegistryError::Limit { name, what: "imports", limit };
            resolution.diagnostics.push(diagnostics::failed(specifier, uses.get(specifier), &error, &[]));
            let failed = ImportState { error: Some(error.to_string()), ..state(ImportStatus::Failed) };
            changed(specifier, &failed);
            resolution.imports.insert(specifier.clone(), failed);
        }
        for (specifier, used) in uses {
            let Some(import) =
                resolution.imports.get_mut(specifier).filter(|import| import.state == ImportStatus::Ready)
            else {
                continue;
            };
            import.aliases = stand_ins(specifier, import, uses);
            let unknown = used.names.iter().filter(|name| *name != "*" && !import.names.contains(name));
            let found = unknown.map(|name| match import.aliases.get(name) {
                Some(shown) => diagnostics::repaired_icon(specifier, Some(used), name, shown),
                None => diagnostics::unknown_export(specifier, Some(used), name, &import.names),
            });
            resolution.diagnostics.extend(found);
        }
        resolution
    }

    /// The resolution that a lock describes, when it names every specifier, and all its modules are there with the names that
    /// are wanted now. Whatever built them: the same lock is the same bytes.
    fn replay(
        &self,
        specifiers: &BTreeSet<&str>,
        uses: &BTreeMap<String, ImportUse>,
        lock: &Lock,
        start: Instant,
    ) -> Option<Resolution> {
        if !self.registry.policy.admits(lock) {
            return None;
        }
        let mut imports = BTreeMap::new();
        for specifier in specifiers {
            let entry = lock.entries.get(*specifier)?;
            let name = format!("{}.js", entry.module);
            let facts = self.store.facts(&name)?;
            let package = PackageId::new(&entry.package, &entry.version);
            let ready = ready(&self.store, &package, &Linked { name, facts }, start);
            if !entry.names.is_empty() && !holds(specifier, &ready, &entry.names, uses) {
                return None;
            }
            imports.insert((*specifier).to_owned(), ready);
        }
        Some(Resolution { imports, lock: lock.clone(), diagnostics: Vec::new() })
    }

    /// Solves the graph of requests, with tarballs on their way as soon as their versions are chosen.
    pub(super) async fn solve(
        &self,
        requests: &BTreeMap<String, Request>,
        lock: Option<&Lock>,
        needed: &BTreeSet<String>,
        own: &BTreeMap<PackageId, Arc<OwnPackage>>,
    ) -> (Graph, BTreeMap<PackageId, Fetch>) {
        let fetches: Mutex<BTreeMap<PackageId, Fetch>> = Mutex::default();
        let chosen = |id: &PackageId, manifest: &Arc<crate::npm::packument::Manifest>| {
            let (packages, registry) = (Arc::clone(&self.packages), Arc::clone(&self.registry));
            let (key, id, manifest) = (id.clone(), id.clone(), Arc::clone(manifest));
            let fetch = tokio::spawn(async move { packages.ensure(&registry, &id, &manifest).await });
            fetches.lock().unwrap_or_else(PoisonError::into_inner).insert(key, fetch);
        };
        let solver =
            Solver { registry: &self.registry, limits: &self.limits, lock, needed_peers: needed, own, chosen: &chosen };
        let mut wanted: BTreeSet<Wanted> = requests.values().filter_map(Request::wanted).collect();
        let stand_ins = needed.iter().filter(|name| is_stand_in(name));
        wanted.extend(stand_ins.map(|name| Wanted { name: name.clone(), range: None }));
        let mut pins = BTreeMap::new();
        for request in requests.values() {
            if let Request::Npm(npm) = request {
                pins.extend(npm.pins.clone());
                wanted.extend(npm.aliases.values().map(|to| Wanted { name: to.name.clone(), range: to.range.clone() }));
            }
        }
        let wanted: Vec<Wanted> = wanted.into_iter().collect();
        let mut ours: BTreeSet<PackageId> = BTreeSet::new();
        for request in requests.values() {
            if let Request::Own(entry) = request {
                ours.insert(entry.package.clone());
            }
        }
        // A package of ours may import the others: all take part as soon as one does.
        let ours: Vec<PackageId> = if ours.is_empty() { Vec::new() } else { own.keys().cloned().collect() };
        let mut graph = solver.solve(&wanted, &ours, &pins).await;
        put_in_place(&mut graph, requests);
        (graph, fetches.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for the tarballs, and lays out what builds may see.
    pub(super) async fn scene(
        &self,
        graph: Graph,
        fetches: BTreeMap<PackageId, Fetch>,
        direct: &BTreeSet<EntryId>,
    ) -> (Arc<Scene>, BTreeMap<PackageId, RegistryError>) {
        let (mut folders, mut failed) = (BTreeMap::new(), BTreeMap::new());
        for (id, fetch) in fetches {
            let answer =
                fetch.await.unwrap_or_else(|error| Err(RegistryError::Store(format!("fetching stopped: {error}"))));
            match answer {
                Ok(folder) => {
                    folders.insert(id, folder);
                }
                Err(error) => {
                    failed.insert(id, error);
                }
            }
        }
        for (id, node) in &graph.nodes {
            let Some(own) = &node.own else { continue };
            match self.packages.write_own(id, own) {
                Ok(folder) => {
                    folders.insert(id.clone(), folder);
                }
                Err(error) => {
                    failed.insert(id.clone(), error);
                }
            }
        }
        let packages = direct.iter().map(|entry| entry.package.clone()).collect();
        let keeps_nothing = |id: &PackageId| {
            let is_ours = graph.nodes.get(id).is_none_or(|node| node.own.is_some());
            !is_ours && folders.get(id).is_some_and(|folder| self.store.keeps_nothing(folder))
        };
        let singles = singles(&graph, &packages, &own_imports(&graph, direct), &keeps_nothing);
        (Arc::new(Scene::new(graph, singles, folders, Arc::new(Locator::new()), Arc::clone(&self.store))), failed)
    }
}

/// Puts what addresses name (`?alias=`) in the place of what their packages import.
fn put_in_place(graph: &mut Graph, requests: &BTreeMap<String, Request>) {
    for request in requests.values() {
        let Request::Npm(npm) = request else { continue };
        let Ok(root) = request.entry(graph) else { continue };
        let mut aliases = BTreeMap::new();
        for (name, to) in &npm.aliases {
            match Request::Npm(to.clone()).entry(graph) {
                Ok(entry) => drop(aliases.insert(name.clone(), entry)),
                Err(error) => graph.notes.push(format!("`{name}` is not replaced in {}: {error}", root.package)),
            }
        }
        if !aliases.is_empty() {
            graph.put_in_place(&root.package, &aliases);
        }
    }
}

/// What the entries that are imported use of our own packages: package → the packages that their files import.
fn own_imports(graph: &Graph, direct: &BTreeSet<EntryId>) -> BTreeMap<PackageId, BTreeSet<PackageId>> {
    let mut used: BTreeMap<&PackageId, BTreeSet<&str>> = BTreeMap::new();
    for entry in direct {
        used.entry(&entry.package).or_default().insert(&entry.subpath);
    }
    let own = graph.nodes.iter().filter_map(|(id, node)| Some((id, node, node.own.as_ref()?)));
    own.map(|(id, node, own)| {
        let entries = used.get(id).cloned().unwrap_or_else(|| own.entries.keys().map(String::as_str).collect());
        let names = own.imports(entries);
        let inlined = |name: &str| own.inlined.contains(name);
        let packages = names.iter().map(|specifier| split_bare(specifier).0).filter(|name| !inlined(name));
        (id.clone(), packages.filter_map(|name| node.edges.get(name).cloned()).collect())
    })
    .collect()
}

/// The icons to show for those that a ready package of icons lacks.
fn stand_ins(specifier: &str, import: &ImportState, uses: &BTreeMap<String, ImportUse>) -> BTreeMap<String, String> {
    let (Some(package), Some(used)) = (import.package.as_deref(), uses.get(specifier)) else { return BTreeMap::new() };
    if import.state != ImportStatus::Ready {
        return BTreeMap::new();
    }
    icons::stand_ins(package, &used.names, &import.names)
}

/// Whether a module that was cut down to `names` has all that is wanted of it now.
fn holds(specifier: &str, ready: &ImportState, names: &[String], uses: &BTreeMap<String, ImportUse>) -> bool {
    let Some(used) = uses.get(specifier) else { return false };
    let Wish::Names(wanted) = Wish::of_import(&used.names) else { return false };
    let shown = stand_ins(specifier, ready, uses);
    let mut wanted = wanted.iter().chain(shown.values());
    wanted.all(|name| names.contains(name) || (name != "default" && !ready.names.contains(name)))
}

pub(super) fn ready(store: &Modules, package: &PackageId, linked: &Linked, start: Instant) -> ImportState {
    ImportState {
        package: Some(package.name.clone()),
        version: Some(package.version.clone()),
        url: Some(format!("/m/{}", linked.name)),
        names: if linked.facts.known.is_empty() { linked.facts.names.clone() } else { linked.facts.known.clone() },
        preload: store.waits_for(&linked.name).into_iter().map(|name| format!("/m/{name}")).collect(),
        styles: linked.facts.styles.iter().map(|style| format!("/m/{style}")).collect(),
        ms: store.took(&linked.name, u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)),
        ..state(ImportStatus::Ready)
    }
}
