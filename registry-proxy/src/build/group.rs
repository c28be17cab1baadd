//! Entries that are one module: those that share files, those that import each other in a circle, and those that are only
//! ever loaded together.
//!
//! They are bundled together, and each gets a façade that names its exports.

use super::bundler::{Builder, Job, chunks_are_there};
use super::locate::{Located, Manner, placeholder};
use super::names::{Kind, kind};
use super::raw::{Raw, key};
use super::scene::Scene;
use super::virtuals::{GIVEN, commonjs_wrapper, quote};
use crate::RegistryError;
use crate::graph::EntryId;
use crate::graph::family::is_stateful;
use rolldown::OutputFormat;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

/// Sets of entries that are not modules of their own, each with at least two members. `direct` is what the artifact imports;
/// `keeps_nothing` tells of a file that copies of its package do no harm.
pub(crate) fn groups(
    raws: &BTreeMap<EntryId, Arc<Raw>>,
    direct: &BTreeSet<EntryId>,
    keeps_nothing: &dyn Fn(&str) -> bool,
) -> Vec<BTreeSet<EntryId>> {
    let ids: Vec<&EntryId> = raws.keys().collect();
    let mut sets: Vec<usize> = (0..ids.len()).collect();
    fn find(sets: &mut [usize], mut at: usize) -> usize {
        while sets[at] != at {
            sets[at] = sets[sets[at]];
            at = sets[at];
        }
        at
    }
    let mut holder: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, id) in ids.iter().enumerate() {
        for input in &raws[*id].inputs {
            match holder.get(input.as_str()) {
                Some(_) if keeps_nothing(input) => {}
                // A copy in a module that is not of the same package is inlined there on purpose.
                Some(other) if ids[*other].package == id.package => {
                    let (a, b) = (find(&mut sets, *other), find(&mut sets, index));
                    sets[a.max(b)] = a.min(b);
                }
                Some(_) => {}
                None => {
                    holder.insert(input, index);
                }
            }
        }
    }
    for set in circles(raws).into_iter().chain(together(raws, direct)) {
        let members: Vec<usize> =
            ids.iter().enumerate().filter(|(_, id)| set.contains(**id)).map(|(at, _)| at).collect();
        for pair in members.windows(2) {
            let (a, b) = (find(&mut sets, pair[0]), find(&mut sets, pair[1]));
            sets[a.max(b)] = a.min(b);
        }
    }
    let mut grouped: BTreeMap<usize, BTreeSet<EntryId>> = BTreeMap::new();
    for (index, id) in ids.iter().enumerate() {
        grouped.entry(find(&mut sets, index)).or_default().insert((*id).clone());
    }
    grouped.into_values().filter(|group| group.len() > 1).collect()
}

/// Whether an entry, which the artifact may not import itself, can be put into one module with others.
pub(crate) fn joins(entry: &EntryId, raw: &Raw) -> bool {
    let is_made_here = raw.part_of.is_some() || entry.subpath.starts_with('+');
    // React stays what it is in every artifact, and so does what is ours. What exports all of another keeps its façade.
    let stays = is_stateful(&entry.package.name) || entry.package.name.starts_with('$') || !raw.stars.is_empty();
    !is_made_here && !stays && !raw.inputs.is_empty()
}

/// Entries that the same imports of the artifact, and the same later imports of code, lead to: whoever loads one loads all.
/// What one set imports of another is led to from more places, so no circle comes of it.
fn together(raws: &BTreeMap<EntryId, Arc<Raw>>, direct: &BTreeSet<EntryId>) -> Vec<BTreeSet<EntryId>> {
    let roots: BTreeSet<&EntryId> = direct.iter().chain(raws.values().flat_map(|raw| &raw.lazy)).collect();
    let mut led_from: BTreeMap<&EntryId, BTreeSet<&EntryId>> = BTreeMap::new();
    for root in &roots {
        let mut todo = vec![*root];
        while let Some(id) = todo.pop() {
            if !led_from.entry(id).or_default().insert(*root) {
                continue;
            }
            let raw = raws.get(id).into_iter();
            todo.extend(raw.flat_map(|raw| raw.externals.iter().filter(|external| !raw.lazy.contains(external))));
        }
    }
    let mut sets: BTreeMap<BTreeSet<&EntryId>, BTreeSet<EntryId>> = BTreeMap::new();
    for (id, _) in raws.iter().filter(|(id, raw)| !roots.contains(id) && joins(id, raw)) {
        if let Some(from) = led_from.remove(id) {
            sets.entry(from).or_default().insert(id.clone());
        }
    }
    sets.into_values().filter(|set| set.len() > 1).collect()
}

/// Strongly connected sets of entries: each reaches the others and is reached by them.
fn circles(raws: &BTreeMap<EntryId, Arc<Raw>>) -> Vec<BTreeSet<EntryId>> {
    let reach = |from: &EntryId| {
        let mut seen = BTreeSet::new();
        let mut todo = vec![from.clone()];
        while let Some(id) = todo.pop() {
            for next in raws.get(&id).into_iter().flat_map(|raw| &raw.externals) {
                if seen.insert(next.clone()) {
                    todo.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<EntryId, BTreeSet<EntryId>> = raws.keys().map(|id| (id.clone(), reach(id))).collect();
    let mut found: Vec<BTreeSet<EntryId>> = Vec::new();
    for (id, set) in reached.iter().filter(|(id, set)| set.contains(*id)) {
        if found.iter().any(|circle| circle.contains(id)) {
            continue;
        }
        let circle = set.iter().filter(|other| reached.get(*other).is_some_and(|back| back.contains(id))).cloned();
        found.push(circle.collect());
    }
    found
}

impl Builder {
    /// Bundles a group into one module, and returns it with a façade for each member.
    ///
    /// # Errors
    /// The bundler refuses.
    pub(crate) async fn group(
        &self,
        scene: &Arc<Scene>,
        group: &BTreeSet<EntryId>,
        raws: &BTreeMap<EntryId, Arc<Raw>>,
    ) -> Result<BTreeMap<EntryId, Arc<Raw>>, RegistryError> {
        let members: Vec<EntryId> = group.iter().cloned().collect();
        // What each was built for is part of what they are together.
        let wanted: BTreeSet<String> = members
            .iter()
            .filter_map(|member| Some((member, raws.get(member)?.cut.as_ref()?)))
            .flat_map(|(member, names)| names.iter().map(move |name| format!("{member} {name}")))
            .collect();
        let key = key(scene, &members, Some(&wanted));
        let whole = EntryId { package: members[0].package.clone(), subpath: format!("+group-{}", &key[..16]) };
        let known =
            scene.store.raws(&key).iter().find(|raw| scene.agrees(raw) && chunks_are_there(scene, raw)).cloned();
        let raw = match known {
            Some(raw) => {
                scene.store.touch_raw(&key, &raw);
                raw
            }
            None => {
                let job = self.group_job(scene, group, &members, raws, &whole)?;
                let bundle = self.run_split(job).await?;
                scene.store.put_raw(&key, self.raws(scene, bundle, &whole, &key)?)?
            }
        };
        let mut made = BTreeMap::new();
        for (index, member) in members.iter().enumerate() {
            let Some(own) = raws.get(member) else { continue };
            made.insert(member.clone(), Arc::new(facade(scene, &whole, index, own)?));
        }
        made.insert(whole, raw);
        Ok(made)
    }

    fn group_job(
        &self,
        scene: &Arc<Scene>,
        group: &BTreeSet<EntryId>,
        members: &[EntryId],
        raws: &BTreeMap<EntryId, Arc<Raw>>,
        whole: &EntryId,
    ) -> Result<Job, RegistryError> {
        let mut given = BTreeMap::new();
        let mut text = String::new();
        for (index, member) in members.iter().enumerate() {
            let Located::File { path, .. } = scene.locate(member, Manner::Import)? else { continue };
            let names = raws.get(member).map(|raw| raw.names.clone()).unwrap_or_default();
            let file = path.to_string_lossy().into_owned();
            let kind =
                kind(scene, &member.package, &path).map_err(|error| RegistryError::io("reading", &path, &error))?;
            let (source, common) = match kind {
                Kind::CommonJs(_) => {
                    given.insert(format!("member{index}"), commonjs_wrapper(&file, &names));
                    (format!("{GIVEN}member{index}"), true)
                }
                _ => (file, false),
            };
            let extra = common.then_some("module.exports");
            for name in names.iter().map(String::as_str).chain(extra) {
                let _ = writeln!(
                    text,
                    "export {{ {} as {} }} from {};",
                    quote(name),
                    quote(&member_name(index, name)),
                    quote(&source)
                );
            }
            let _ = writeln!(text, "import {};", quote(&source));
        }
        given.insert("group".to_owned(), text);
        Ok(Job {
            scene: Arc::clone(scene),
            inside: group.clone(),
            given,
            specifiers: BTreeMap::new(),
            input: format!("{GIVEN}group"),
            whole: false,
            format: OutputFormat::Esm,
            minify: true,
            map: true,
            name: whole.to_string(),
        })
    }
}

pub(super) fn member_name(index: usize, name: &str) -> String {
    format!("m{index}${name}")
}

fn facade(scene: &Scene, whole: &EntryId, index: usize, own: &Raw) -> Result<Raw, RegistryError> {
    let mut text = String::new();
    let from = quote(&placeholder(whole));
    let clause: Vec<String> =
        own.names.iter().map(|name| format!("{} as {}", quote(&member_name(index, name)), quote(name))).collect();
    let _ = write!(text, "import{from};export{{{}}}from{from};", clause.join(","));
    // The view that `require` wants, for members that are CommonJS: an import of what may be missing is by namespace.
    let _ = write!(
        text,
        "import*as n from{from};const m=n[{0}];export{{m as \"module.exports\"}};",
        quote(&member_name(index, "module.exports"))
    );
    for star in &own.stars {
        let _ = write!(text, "export*from{};", quote(&placeholder(star)));
    }
    let mut externals: BTreeSet<EntryId> = own.stars.clone();
    externals.insert(whole.clone());
    let part_of = own.stars.is_empty().then(|| (whole.clone(), index));
    Ok(Raw {
        code: scene.store.put_blob(text.as_bytes())?,
        names: own.names.clone(),
        stars: own.stars.clone(),
        externals,
        part_of,
        cut: own.cut.clone(),
        known: own.known.clone(),
        style: own.style.clone(),
        missing_peers: own.missing_peers.clone(),
        warnings: own.warnings.clone(),
        ..Raw::default()
    })
}
