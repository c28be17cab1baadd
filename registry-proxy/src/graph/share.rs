//! Which packages are modules of their own, and which are inlined into the one module that uses them.
//!
//! A package is single when two modules would otherwise each hold a copy: a copy has its own contexts, stores and
//! classes. Decided from declared dependencies alone, so that it is known before anything is built, and so that the same
//! package slice always builds to the same module.

use super::family::is_family;
use super::{Graph, PackageId};
use std::collections::{BTreeMap, BTreeSet};

/// Helpers that keep no state and define no type that others test for: copies do no harm, requests do.
pub(crate) const STATELESS: &[&str] = &[
    "@babel/runtime",
    "@swc/helpers",
    "class-variance-authority",
    "classnames",
    "clsx",
    "csstype",
    "dequal",
    "fast-deep-equal",
    "fast-equals",
    "hoist-non-react-statics",
    "is-plain-object",
    "lodash.debounce",
    "lodash.throttle",
    "object-assign",
    "tailwind-merge",
    "tiny-invariant",
    "tslib",
];

/// The packages that are modules of their own: React's family, what the artifact imports itself, peers, and whatever two
/// of these reach.
pub(crate) fn singles(graph: &Graph, direct: &BTreeSet<PackageId>) -> BTreeSet<PackageId> {
    let mut singles = direct.clone();
    for (id, node) in &graph.nodes {
        if is_family(&id.name) {
            singles.insert(id.clone());
        }
        let peers = node.peers.iter().filter_map(|name| node.edges.get(name));
        singles.extend(peers.filter(|peer| !is_stateless(peer)).cloned());
    }
    loop {
        let mut reached: BTreeMap<&PackageId, usize> = BTreeMap::new();
        for single in &singles {
            for id in graph.reach(single, &singles) {
                if id != single && !is_stateless(id) {
                    *reached.entry(id).or_default() += 1;
                }
            }
        }
        let shared: Vec<PackageId> =
            reached.into_iter().filter(|(_, times)| *times > 1).map(|(id, _)| id.clone()).collect();
        // The heads of a shared region are enough: what only they reach is inlined into them.
        let heads: Vec<PackageId> = shared
            .iter()
            .filter(|id| {
                singles.iter().any(|single| {
                    graph.nodes.get(single).is_some_and(|node| node.edges.values().any(|next| next == *id))
                }) || graph
                    .nodes
                    .iter()
                    .any(|(from, node)| !shared.contains(from) && node.edges.values().any(|next| next == *id))
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

fn is_stateless(id: &PackageId) -> bool {
    STATELESS.contains(&id.name.as_str())
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
        singles(graph, &direct).into_iter().map(|id| id.name).collect()
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
    fn peers_and_the_family_are_single_and_helpers_are_not() {
        let graph = graph(
            &[
                ("a", &["react", "clsx", "core"]),
                ("b", &["react", "clsx"]),
                ("react", &[]),
                ("clsx", &[]),
                ("core", &[]),
            ],
            &[("a", "core")],
        );
        assert_eq!(names(&graph, &["a", "b"]), ["a", "b", "core", "react"]);
    }
}
