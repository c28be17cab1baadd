//! Which packages are modules of their own, and which are inlined into the one module that uses them.
//!
//! A package is single when two modules would otherwise each hold a copy: a copy has its own contexts, stores and
//! classes. Decided from declared dependencies, and from whether a package has any such thing, so that it is known before
//! anything is built, and so that the same package slice always builds to the same module.

use super::family::is_stateful;
use super::{Graph, PackageId};
use std::collections::{BTreeMap, BTreeSet};

/// The packages that are modules of their own: React's family, what the artifact imports itself, and whatever two of these
/// reach. A peer that only one of them reaches is inlined there, where all that name it find it.
///
/// `own` are our own packages, with what the entries that are imported use of them: what the rest of such a package reaches
/// does not count. `keeps_nothing` tells of a package that copies of it do no harm: they save a request.
pub(crate) fn singles(
    graph: &Graph,
    direct: &BTreeSet<PackageId>,
    own: &BTreeMap<PackageId, BTreeSet<PackageId>>,
    keeps_nothing: &dyn Fn(&PackageId) -> bool,
) -> BTreeSet<PackageId> {
    let mut singles = direct.clone();
    let reach = |from: &PackageId, stop: &BTreeSet<PackageId>| -> BTreeSet<PackageId> {
        let Some(used) = own.get(from) else { return graph.reach(from, stop).into_iter().cloned().collect() };
        let used = used.iter().filter(|next| !stop.contains(*next));
        used.flat_map(|next| graph.reach(next, stop)).cloned().collect()
    };
    let imports = |from: &PackageId| -> BTreeSet<PackageId> {
        let edges = || graph.nodes.get(from).into_iter().flat_map(|node| node.edges.values()).cloned().collect();
        own.get(from).cloned().unwrap_or_else(edges)
    };
    singles.extend(graph.nodes.keys().filter(|id| is_stateful(&id.name)).cloned());
    loop {
        let mut reached: BTreeMap<PackageId, usize> = BTreeMap::new();
        for single in &singles {
            for id in reach(single, &singles) {
                if id != *single {
                    *reached.entry(id).or_default() += 1;
                }
            }
        }
        reached.retain(|id, times| *times > 1 && !keeps_nothing(id));
        let shared: Vec<PackageId> = reached.into_keys().collect();
        // The heads of a shared region are enough: what only they reach is inlined into them.
        let heads: Vec<PackageId> = shared
            .iter()
            .filter(|id| {
                singles.iter().any(|single| imports(single).contains(*id))
                    || graph.nodes.keys().any(|from| !shared.contains(from) && imports(from).contains(*id))
            })
            .cloned()
            .collect();
        let new = if heads.is_empty() { shared } else { heads };
        if new.is_empty() {
            return singles;
        }
        singles.extend(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Node;

    fn graph(edges: &[(&str, &[&str])], peers: &[(&str, &str)]) -> Graph {
        let id = |name: &str| PackageId::new(name, "1.0.0");
        let mut graph = Graph::default();
        for (name, targets) in edges {
            let node = Node {
                manifest: std::sync::Arc::default(),
                edges: targets.iter().map(|target| ((*target).to_owned(), id(target))).collect(),
                peers: peers.iter().filter(|(from, _)| from == name).map(|(_, to)| (*to).to_owned()).collect(),
                broken: BTreeMap::new(),
                own: None,
            };
            graph.nodes.insert(id(name), node);
        }
        graph
    }

    fn names(graph: &Graph, direct: &[&str]) -> Vec<String> {
        let direct = direct.iter().map(|name| PackageId::new(*name, "1.0.0")).collect();
        singles(graph, &direct, &BTreeMap::new(), &|id| id.name == "clsx").into_iter().map(|id| id.name).collect()
    }

    #[test]
    fn what_two_imports_reach_is_single_and_the_rest_is_inlined() {
        let graph = graph(
            &[
                ("codemirror", &["state", "view"]),
                ("lang", &["state", "lezer"]),
                ("view", &["state", "style-mod"]),
                ("state", &["marks"]),
                ("marks", &[]),
                ("lezer", &[]),
                ("style-mod", &[]),
            ],
            &[],
        );
        assert_eq!(names(&graph, &["codemirror", "lang"]), ["codemirror", "lang", "state"]);
        assert_eq!(names(&graph, &["codemirror"]), ["codemirror"]);
    }

    #[test]
    fn the_family_and_what_is_shared_are_single_and_helpers_are_not() {
        let graph = graph(
            &[
                ("a", &["react", "clsx", "core"]),
                ("b", &["react", "clsx"]),
                ("react", &[]),
                ("clsx", &[]),
                ("core", &["peer"]),
                ("peer", &[]),
            ],
            &[("core", "peer")],
        );
        assert_eq!(names(&graph, &["a", "b"]), ["a", "b", "react"]);
        assert_eq!(names(&graph, &["a", "core"]), ["a", "core", "react"]);
    }
}
