//! Choosing versions: breadth first, one version of a package where ranges allow, peers unified, React first.

use super::family::{self, LOCKSTEP, is_family};
use super::{Graph, Node, PackageId, Root};
use crate::npm::packument::Manifest;
use crate::npm::registry::Registry;
use crate::npm::version::{Want, pick, target};
use crate::own::OwnPackage;
use crate::{Limits, RegistryError};
use futures::stream::{self, StreamExt as _};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use ui4a_types::Lock;

/// Something that the artifact imports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wanted {
    pub name: String,
    pub range: Option<String>,
}

/// One dependency that is still to be chosen.
#[derive(Clone, Debug)]
struct Ask {
    from: Option<PackageId>,
    alias: String,
    name: String,
    range: String,
    peer: bool,
}

/// Solves the graph of an artifact.
pub(crate) struct Solver<'a> {
    pub registry: &'a Registry,
    pub limits: &'a Limits,
    pub lock: Option<&'a Lock>,
    pub own: &'a BTreeMap<PackageId, Arc<OwnPackage>>,
    /// Optional peers that some file imports without asking: they are installed like others.
    pub needed_peers: &'a BTreeSet<String>,
    /// Called with each npm package as soon as it is chosen, so that its tarball can be on its way.
    pub chosen: &'a (dyn Fn(&PackageId, &Arc<Manifest>) + Send + Sync),
}

/// What has been chosen so far.
#[derive(Default)]
struct Progress {
    graph: Graph,
    versions: BTreeMap<String, BTreeSet<String>>,
    /// React's version, for all that are released with it.
    react: Option<String>,
    /// Ranges that the artifact states itself, and pins of addresses: they hold for the whole graph.
    pins: BTreeMap<String, String>,
    /// Ranges that the artifact states for what it imports itself: our own packages take the same.
    stated: BTreeMap<String, String>,
}

impl Solver<'_> {
    /// The graph of `wanted`, own packages, and `pins` (name → range that holds everywhere). React and react-dom are
    /// always in it.
    ///
    /// # Errors
    /// None as a whole: what cannot be had is an error at its root, or in the node that depends on it.
    pub(crate) async fn solve(&self, wanted: &[Wanted], own: &[PackageId], pins: &BTreeMap<String, String>) -> Graph {
        let stated = wanted.iter().filter_map(|wanted| Some((wanted.name.clone(), wanted.range.clone()?))).collect();
        let mut progress = Progress { pins: pins.clone(), stated, ..Progress::default() };
        let mut asks = Vec::new();
        for id in own {
            let Some(package) = self.own.get(id) else { continue };
            let manifest = Arc::new(package.manifest());
            let mut node = Node { own: Some(Arc::clone(package)), ..new_node(Arc::clone(&manifest)) };
            for ask in dependencies(id, &manifest) {
                // What a fetched module imports, the artifact names by it.
                match self.registry.policy.direct(&ask.name) {
                    Err(error) if id.name.starts_with("$web/") => drop(node.broken.insert(ask.alias, error)),
                    _ => asks.push(ask),
                }
            }
            progress.graph.nodes.insert(id.clone(), node);
        }
        if let Err(error) = self.choose_react(wanted, &mut progress).await {
            let named = wanted.iter().filter(|wanted| LOCKSTEP.contains(&wanted.name.as_str()));
            for wanted in named {
                progress.graph.roots.insert(root(wanted), Err(error.clone()));
            }
            for name in ["react", "react-dom"] {
                progress
                    .graph
                    .roots
                    .entry(Root { name: name.to_owned(), range: None })
                    .or_insert_with(|| Err(error.clone()));
            }
        }
        // Those that state a range choose before those that take what there is.
        let mut direct: Vec<&Wanted> = wanted.iter().collect();
        direct.sort_by_key(|wanted| (wanted.range.is_none(), wanted.name.clone()));
        for wanted in direct {
            if let Err(error) = self.registry.policy.direct(&wanted.name) {
                let range = wanted.range.clone().filter(|range| range != "*");
                progress.graph.roots.insert(Root { name: wanted.name.clone(), range }, Err(error));
                continue;
            }
            let range = wanted.range.clone().unwrap_or_else(|| "*".to_owned());
            asks.insert(
                0,
                Ask { from: None, alias: wanted.name.clone(), name: wanted.name.clone(), range, peer: false },
            );
        }
        asks.sort_by_key(|ask| (ask.from.is_some() && ask.range == "*", ask.from.is_none() && ask.range == "*"));
        loop {
            self.breadth_first(asks, &mut progress).await;
            asks = self.peers(&mut progress);
            if asks.is_empty() {
                break;
            }
        }
        optional_peers(&mut progress);
        progress.graph
    }

    async fn choose_react(&self, wanted: &[Wanted], progress: &mut Progress) -> Result<(), RegistryError> {
        let mut ranges: Vec<Wanted> = wanted.to_vec();
        ranges.retain(|wanted| wanted.range.is_some());
        let pins = progress.pins.iter().map(|(name, range)| Wanted { name: name.clone(), range: Some(range.clone()) });
        ranges.extend(pins);
        let stated = ranges.iter().any(|wanted| LOCKSTEP.contains(&wanted.name.as_str()) && wanted.range.is_some());
        let locked = self.locked("react").next();
        // Only an exact version is a choice: a module that was fetched takes what there is.
        let exact = |version: &&String| nodejs_semver::Version::parse(version).is_ok();
        let own = self.own.values().filter_map(|package| package.dependencies.get("react")).find(exact);
        let accepts = |version: &str| {
            let family = ranges.iter().filter(|wanted| matches!(wanted.name.as_str(), "react" | "react-dom"));
            family.filter_map(|wanted| wanted.range.as_deref()).map(Want::parse).all(|want| want.accepts(version))
        };
        let version = match (locked, own) {
            (Some(locked), _) if accepts(&locked) => locked,
            (_, Some(own)) if !stated || accepts(own) => own.clone(),
            _ => {
                let packument = self.registry.packument("react").await?;
                family::react_version(&packument, &ranges)?
            }
        };
        progress.react = Some(version.clone());
        for name in ["react", "react-dom"] {
            self.take(name, &version, progress).await?;
            progress
                .graph
                .roots
                .insert(Root { name: name.to_owned(), range: None }, Ok(PackageId::new(name, &version)));
        }
        Ok(())
    }

    /// Puts an exact version into the graph.
    async fn take(&self, name: &str, version: &str, progress: &mut Progress) -> Result<PackageId, RegistryError> {
        let id = PackageId::new(name, version);
        if progress.graph.nodes.contains_key(&id) {
            return Ok(id);
        }
        if progress.graph.nodes.len() >= self.limits.packages {
            let limit = self.limits.packages as u64;
            return Err(RegistryError::Limit { name: name.to_owned(), what: "packages in one artifact", limit });
        }
        let known = self.registry.known_manifest(&id).filter(|manifest| self.lock_agrees(&id, manifest));
        let manifest = match known {
            Some(manifest) => manifest,
            None => {
                let packument = self.registry.packument(name).await?;
                let found = packument.version(version)?;
                let mut found = found.clone();
                // What the lock says was verified once; the registry does not get to change it.
                if let Some(locked) = self.lock.and_then(|lock| lock.packages.get(&id.to_string())) {
                    found.integrity.clone_from(&locked.integrity);
                }
                self.registry.remember_manifest(&id, &found)?
            }
        };
        (self.chosen)(&id, &manifest);
        progress.graph.nodes.insert(id.clone(), new_node(manifest));
        progress.versions.entry(name.to_owned()).or_default().insert(version.to_owned());
        Ok(id)
    }

    fn lock_agrees(&self, id: &PackageId, manifest: &Manifest) -> bool {
        self.lock
            .and_then(|lock| lock.packages.get(&id.to_string()))
            .is_none_or(|locked| locked.integrity == manifest.integrity)
    }

    fn locked(&self, name: &str) -> impl Iterator<Item = String> {
        let packages = self.lock.into_iter().flat_map(|lock| &lock.packages);
        let name = name.to_owned();
        let policy = Arc::clone(&self.registry.policy);
        packages.filter_map(move |(key, package)| {
            let found = key.rsplit_once('@').is_some_and(|(before, _)| before == name);
            (found && policy.version(&name, &package.version).is_ok()).then(|| package.version.clone())
        })
    }

    async fn breadth_first(&self, mut level: Vec<Ask>, progress: &mut Progress) {
        // Nodes that React brought are not yet expanded.
        let unexpanded: Vec<PackageId> = progress.graph.nodes.keys().cloned().collect();
        for id in unexpanded {
            let node = &progress.graph.nodes[&id];
            if node.own.is_none() && node.edges.is_empty() && node.broken.is_empty() {
                level.extend(dependencies(&id, &node.manifest));
            }
        }
        while !level.is_empty() {
            self.prefetch(&level, progress).await;
            let mut next = Vec::new();
            for ask in level {
                let before = progress.graph.nodes.len();
                let answer = self.choose(&ask, progress).await;
                if let Ok(id) = &answer
                    && progress.graph.nodes.len() > before
                    && let Some(node) = progress.graph.nodes.get(id)
                {
                    next.extend(dependencies(id, &node.manifest));
                }
                record(&ask, answer, progress);
            }
            level = next;
        }
    }

    /// Brings the packuments that a level needs, in parallel. Failures are met again, and reported, when choosing.
    async fn prefetch(&self, level: &[Ask], progress: &Progress) {
        let wanted = level.iter().filter(|ask| self.without_packument(ask, progress).is_none());
        let names: BTreeSet<String> = wanted.map(|ask| ask.name.clone()).collect();
        // Owned names: a future over borrowed ones is not general enough to be spawned (rust-lang/rust#102211).
        let registry = &self.registry;
        let fetches = names.into_iter().map(|name| async move { registry.packument(&name).await });
        stream::iter(fetches).buffer_unordered(self.limits.requests).for_each(|_| async {}).await;
    }

    /// A version that can be chosen from what is known: the family's, one already chosen, or the lock's.
    fn without_packument(&self, ask: &Ask, progress: &Progress) -> Option<String> {
        if let (Some(react), true) = (&progress.react, LOCKSTEP.contains(&ask.name.as_str())) {
            return Some(react.clone());
        }
        let want = self.want(ask, progress);
        let taken = progress.versions.get(&ask.name);
        if is_family(&ask.name)
            && let Some(version) = taken.and_then(|versions| versions.first())
        {
            return Some(version.clone());
        }
        let highest = |versions: Vec<String>| {
            let fitting = versions.into_iter().filter(|version| want.accepts(version));
            fitting.max_by_key(|version| nodejs_semver::Version::parse(version).ok())
        };
        taken
            .and_then(|versions| highest(versions.iter().cloned().collect()))
            .or_else(|| highest(self.locked(&ask.name).collect()))
            .or_else(|| {
                // An exact version whose manifest is known needs no packument.
                let exact = ask.range.trim().trim_start_matches('=');
                self.registry.known_manifest(&PackageId::new(&ask.name, exact)).map(|_| exact.to_owned())
            })
    }

    fn want(&self, ask: &Ask, progress: &Progress) -> Want {
        let pinned = progress.pins.get(&ask.name).filter(|_| ask.range == "*" || ask.from.is_some());
        // A package of ours is part of the artifact: what the artifact says of a version holds for it too.
        let is_ours = ask.from.as_ref().is_some_and(|from| self.own.contains_key(from));
        let stated = progress.stated.get(&ask.name).filter(|_| is_ours);
        Want::parse(pinned.or(stated).unwrap_or(&ask.range))
    }

    async fn choose(&self, ask: &Ask, progress: &mut Progress) -> Result<PackageId, RegistryError> {
        if let Some(version) = self.without_packument(ask, progress) {
            match self.take(&ask.name, &version, progress).await {
                // Not everything in lockstep has every version: `react-is` may lag behind.
                Err(RegistryError::NoSuchVersion { .. }) if ask.name == "react-is" => {}
                answer => return answer,
            }
        }
        let packument = self.registry.packument(&ask.name).await?;
        let react = progress.react.clone();
        let suits = |version: &str| {
            let (Some(react), Some(manifest)) = (&react, packument.versions.get(version)) else { return true };
            manifest.peers.get("react").is_none_or(|range| Want::parse(range).accepts(react))
        };
        let want = self.want(ask, progress);
        let version = match pick(&packument, &want, suits) {
            // What an old packument lacks may have been published since.
            Err(_) if packument.stale => pick(&*self.registry.newest(&ask.name).await?, &want, |_| true)?,
            answer => answer?,
        };
        self.take(&ask.name, &version, progress).await
    }

    /// Links peers to what was chosen; asks for those that are nowhere yet.
    fn peers(&self, progress: &mut Progress) -> Vec<Ask> {
        let mut asks = Vec::new();
        let ids: Vec<PackageId> = progress.graph.nodes.keys().cloned().collect();
        for id in ids {
            let manifest = Arc::clone(&progress.graph.nodes[&id].manifest);
            for (alias, range) in &manifest.peers {
                let done = progress.graph.nodes[&id].edges.contains_key(alias)
                    || progress.graph.nodes[&id].broken.contains_key(alias);
                if done || (manifest.optional_peers.contains(alias) && !self.needed_peers.contains(alias)) {
                    continue;
                }
                let Ok((name, range)) = target(alias, range) else { continue };
                match best(progress, name, range) {
                    Some((version, fits)) => {
                        if !fits {
                            let note = format!(
                                "{id} asks for {name} {range} and gets {version}, the one that this artifact has"
                            );
                            progress.graph.notes.push(note);
                        }
                        link(progress, &id, alias, PackageId::new(name, version));
                    }
                    None => asks.push(Ask {
                        from: Some(id.clone()),
                        alias: alias.clone(),
                        name: name.to_owned(),
                        range: range.to_owned(),
                        peer: true,
                    }),
                }
            }
        }
        asks
    }
}

/// Optional peers are used when they are there, never installed.
fn optional_peers(progress: &mut Progress) {
    let ids: Vec<PackageId> = progress.graph.nodes.keys().cloned().collect();
    for id in ids {
        let manifest = Arc::clone(&progress.graph.nodes[&id].manifest);
        for alias in &manifest.optional_peers {
            let range = manifest.peers.get(alias).map_or("*", String::as_str);
            if progress.graph.nodes[&id].edges.contains_key(alias) {
                continue;
            }
            if let Ok((name, range)) = target(alias, range)
                && let Some((version, _)) = best(progress, name, range)
            {
                link(progress, &id, alias, PackageId::new(name, version));
            }
        }
    }
}

/// The chosen version that fits best, and whether it fits at all.
fn best(progress: &Progress, name: &str, range: &str) -> Option<(String, bool)> {
    let want = Want::parse(range);
    let versions = progress.versions.get(name)?;
    versions
        .iter()
        .map(|version| (version.clone(), want.accepts(version)))
        .max_by_key(|(version, fits)| (*fits, nodejs_semver::Version::parse(version).ok()))
}

fn link(progress: &mut Progress, id: &PackageId, alias: &str, target: PackageId) {
    if let Some(node) = progress.graph.nodes.get_mut(id) {
        node.edges.insert(alias.to_owned(), target);
        node.peers.insert(alias.to_owned());
    }
}

fn record(ask: &Ask, answer: Result<PackageId, RegistryError>, progress: &mut Progress) {
    match &ask.from {
        None => {
            let range = Some(ask.range.clone()).filter(|range| range != "*");
            progress.graph.roots.insert(Root { name: ask.name.clone(), range }, answer);
        }
        Some(from) => {
            let Some(node) = progress.graph.nodes.get_mut(from) else { return };
            match answer {
                Ok(id) => {
                    node.edges.insert(ask.alias.clone(), id);
                    if ask.peer {
                        node.peers.insert(ask.alias.clone());
                    }
                }
                Err(error) => {
                    node.broken.insert(ask.alias.clone(), error);
                }
            }
        }
    }
}

fn root(wanted: &Wanted) -> Root {
    Root { name: wanted.name.clone(), range: wanted.range.clone() }
}

fn new_node(manifest: Arc<Manifest>) -> Node {
    Node { manifest, edges: BTreeMap::new(), peers: BTreeSet::new(), broken: BTreeMap::new(), own: None }
}

fn dependencies(id: &PackageId, manifest: &Manifest) -> Vec<Ask> {
    let asks = manifest.dependencies.iter().filter_map(|(alias, range)| {
        // What does not come from a registry is met again when a file imports it.
        let (name, range) = target(alias, range).ok()?;
        Some(Ask {
            from: Some(id.clone()),
            alias: alias.clone(),
            name: name.to_owned(),
            range: range.to_owned(),
            peer: false,
        })
    });
    asks.collect()
}
