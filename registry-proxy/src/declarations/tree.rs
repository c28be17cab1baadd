//! Which package stands where in a `node_modules`: at the top where it can, below who needs another version where not.

use super::Typed;
use crate::graph::PackageId;
use crate::specifier::check_name;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

/// Most places of a tree.
const MOST: usize = 4_000;
/// Most levels of `node_modules`.
const DEEPEST: usize = 8;

/// A `node_modules` that is still to be written.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The first is the folder that holds everything, and no package.
    pub nodes: Vec<Node>,
}

/// A place in it.
#[derive(Debug)]
pub(crate) struct Node {
    /// Where the package's files are.
    pub folder: PathBuf,
    /// Name → place, in its own `node_modules`.
    pub children: BTreeMap<String, usize>,
    id: Option<PackageId>,
    parent: usize,
    depth: usize,
}

impl Tree {
    /// Places `roots` (name → package) at the top, and all that they reach as near to the top as versions allow.
    pub fn new(roots: &[(String, PackageId)], typed: &BTreeMap<PackageId, Typed>) -> Self {
        let top = Node { folder: PathBuf::new(), children: BTreeMap::new(), id: None, parent: 0, depth: 0 };
        let mut tree = Self { nodes: vec![top] };
        let mut queue: VecDeque<usize> = VecDeque::new();
        for (name, id) in roots {
            if !tree.nodes[0].children.contains_key(name) {
                queue.extend(tree.place(0, name, id, typed));
            }
        }
        while let Some(at) = queue.pop_front() {
            let Some(edges) = tree.nodes[at].id.as_ref().and_then(|id| typed.get(id)).map(|typed| &typed.edges) else {
                continue;
            };
            for (name, id) in edges {
                let found = tree.find(at, name);
                let below = match found {
                    Some(found) if tree.nodes[found].id.as_ref() == Some(id) => continue,
                    Some(_) => at,
                    None => 0,
                };
                queue.extend(tree.place(below, name, id, typed));
            }
        }
        tree
    }

    fn place(&mut self, below: usize, name: &str, id: &PackageId, typed: &BTreeMap<PackageId, Typed>) -> Option<usize> {
        let (at, depth) = (self.nodes.len(), self.nodes[below].depth + 1);
        let package = typed.get(id)?;
        // Names come from registries: one that is no name would lead elsewhere.
        if check_name(name).is_err() || at == MOST || depth > DEEPEST {
            return None;
        }
        self.nodes[below].children.insert(name.to_owned(), at);
        let (folder, id) = (package.folder.clone(), Some(id.clone()));
        self.nodes.push(Node { folder, children: BTreeMap::new(), id, parent: below, depth });
        Some(at)
    }

    /// What a package at `at` gets when it imports `name`.
    fn find(&self, mut at: usize, name: &str) -> Option<usize> {
        loop {
            if let Some(found) = self.nodes[at].children.get(name) {
                return Some(*found);
            }
            if at == 0 {
                return None;
            }
            at = self.nodes[at].parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> PackageId {
        let (name, version) = text.rsplit_once('@').expect("a version");
        PackageId::new(name, version)
    }

    #[test]
    fn another_version_stands_below_who_needs_it() {
        let package = |edges: &[(&str, &str)]| Typed {
            folder: PathBuf::new(),
            edges: edges.iter().map(|(name, to)| ((*name).to_owned(), id(to))).collect(),
        };
        let typed = BTreeMap::from([
            (id("a@1.0.0"), package(&[("b", "b@2.0.0"), ("c", "c@1.0.0")])),
            (id("b@1.0.0"), package(&[])),
            (id("b@2.0.0"), package(&[("c", "c@1.0.0"), ("a", "a@1.0.0")])),
            (id("c@1.0.0"), package(&[("../x", "b@1.0.0")])),
        ]);
        let tree = Tree::new(&[("a".into(), id("a@1.0.0")), ("b".into(), id("b@1.0.0"))], &typed);
        let names = |at: usize| tree.nodes[at].children.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(0), ["a", "b", "c"]);
        let a = tree.nodes[0].children["a"];
        assert_eq!(names(a), ["b"]);
        assert_eq!(tree.nodes[tree.nodes[a].children["b"]].id, Some(id("b@2.0.0")));
        assert_eq!(names(tree.nodes[0].children["c"]), Vec::<String>::new(), "a name that leads elsewhere is left out");
        assert_eq!(tree.nodes.len(), 5);
    }
}
