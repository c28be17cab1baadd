//! The hashes of a module's units: of what evaluating one gives, and of the hooks that a component calls.
//!
//! Hashes are transitive. Units that depend on each other in a circle are hashed as one, so that a hash never depends on
//! where the walk began. The walk keeps its own stack: a chain of declarations may be as long as the source.

use super::deps::Slot as Placeholder;
use super::hash::hash;
use super::link::{Id, Linker};
use super::unit::Shape;
use std::collections::HashMap;
use swc_atoms::Atom;

/// What is hashed of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Node {
    /// What evaluating it gives: its text and what it evaluates eagerly. Of a function, what calling it may give: its text
    /// and all it names.
    Value(Id),
    /// The hooks that its function calls.
    Signature(Id),
}

/// A piece of what is hashed.
enum Part {
    Text(String),
    /// `prefix`, the hash of a node, `suffix`; with a skeleton, the hash of the skeleton and the node's.
    Of {
        prefix: String,
        node: Node,
        skeleton: Option<String>,
        suffix: &'static str,
    },
}

/// A node whose parts are being walked.
struct Step {
    node: Node,
    parts: Vec<Part>,
    next: usize,
    index: usize,
    low: usize,
}

impl Linker {
    /// The hash of what evaluating a unit gives.
    pub(super) fn value(&mut self, id: Id) -> String {
        self.digest(Node::Value(id))
    }

    /// The hash of a function's hooks.
    pub(super) fn signature(&mut self, id: Id) -> String {
        self.digest(Node::Signature(id))
    }

    /// The identity of a `memo` or `forwardRef` component: the wrapper without the function, and the function's signature.
    pub(super) fn skeleton(&mut self, id: Id) -> String {
        let signature = self.signature(id);
        hash([self.skeleton_text(id).as_str(), &signature])
    }

    /// The hash of what a unit evaluates eagerly besides its own text. A function evaluates nothing; a call may use all that
    /// is named around it.
    pub(super) fn surroundings(&mut self, id: Id) -> String {
        let unit = self.slots[id as usize].unit();
        let eager = |used: &super::refs::Use| used.eager || (unit.refs.calls && !unit.is_function());
        match &unit.shape {
            Shape::Function { .. } => hash([]),
            // What the wrapper names is in its skeleton; the function inside is looked up when it renders.
            Shape::Wrapped { .. } => self.skeleton(id),
            _ => {
                let names: Vec<Atom> =
                    unit.refs.names.iter().filter(|(_, used)| eager(used)).map(|(name, _)| name.clone()).collect();
                self.with_refs("", &names, id)
            }
        }
    }

    /// A text's hash with the values that it names.
    pub(super) fn with_refs(&mut self, text: &str, names: &[Atom], id: Id) -> String {
        let parts = self.refs(text, names, id);
        self.resolve(parts)
    }

    /// What a top-level name adds to the hash of what uses it.
    pub(super) fn part(&mut self, name: &Atom, id: Id) -> String {
        let part = self.part_of(name, id);
        self.spell(&part)
    }

    fn resolve(&mut self, parts: Vec<Part>) -> String {
        let texts: Vec<String> = parts.iter().map(|part| self.spell(part)).collect();
        hash(texts.iter().map(String::as_str))
    }

    fn spell(&mut self, part: &Part) -> String {
        match part {
            Part::Text(text) => text.clone(),
            Part::Of { node, .. } => {
                let digest = self.digest(*node);
                spelt(part, &digest)
            }
        }
    }

    fn skeleton_text(&self, id: Id) -> String {
        let slots = &self.slots[id as usize].unit().slots;
        let text = slots.iter().find_map(|slot| match slot {
            Placeholder::Skeleton(text) => Some(text.clone()),
            _ => None,
        });
        text.unwrap_or_default()
    }

    fn part_of(&self, name: &str, id: Id) -> Part {
        let slot = &self.slots[id as usize];
        let (node, skeleton) = match &slot.unit().shape {
            _ if slot.component => (Node::Signature(id), None),
            Shape::Wrapped { .. } => (Node::Signature(id), Some(self.skeleton_text(id))),
            _ => (Node::Value(id), None),
        };
        Part::Of { prefix: format!("{name}:"), node, skeleton, suffix: "" }
    }

    fn refs<'n>(&self, text: &str, names: impl IntoIterator<Item = &'n Atom>, id: Id) -> Vec<Part> {
        let mut parts = vec![Part::Text(text.to_owned())];
        for name in names {
            if let Some(own) = self.owner(name).filter(|own| *own != id) {
                parts.push(self.part_of(name, own));
            }
        }
        parts
    }

    /// What a node's hash is made of.
    fn parts(&self, node: Node) -> Vec<Part> {
        match node {
            Node::Value(id) => {
                let slot = &self.slots[id as usize];
                let unit = slot.unit();
                let all = unit.is_function() || unit.refs.calls;
                let names = unit.refs.names.iter().filter(|(_, used)| all || used.eager).map(|(name, _)| name);
                self.refs(slot.template().map_or("", |template| template.digest.as_str()), names, id)
            }
            Node::Signature(id) => {
                let mut parts = Vec::new();
                for call in &self.slots[id as usize].unit().hooks {
                    parts.push(Part::Text(format!("{}({};{})", call.name, call.pattern, call.initial)));
                    for name in &call.initial_refs {
                        if let Some(own) = self.owner(name).filter(|own| *own != id) {
                            parts.push(self.part_of(name, own));
                        }
                    }
                    // A hook of the model's own counts with the hooks that it calls.
                    if let Some(own) = self.owner(&call.name)
                        && self.slots[own as usize].unit().is_function()
                    {
                        let node = Node::Signature(own);
                        parts.push(Part::Of { prefix: "{".to_owned(), node, skeleton: None, suffix: "}" });
                    }
                }
                parts
            }
        }
    }

    fn known(&self, node: Node) -> Option<&String> {
        match node {
            Node::Value(id) => self.slots[id as usize].value.as_ref(),
            Node::Signature(id) => self.slots[id as usize].signature.as_ref(),
        }
    }

    fn keep(&mut self, node: Node, digest: String) {
        match node {
            Node::Value(id) => self.slots[id as usize].value = Some(digest),
            Node::Signature(id) => self.slots[id as usize].signature = Some(digest),
        }
    }

    /// The hash of a node, of those that it depends on first (Tarjan's algorithm, without recursion).
    fn digest(&mut self, root: Node) -> String {
        if let Some(known) = self.known(root) {
            return known.clone();
        }
        let mut indices: HashMap<Node, usize> = HashMap::from([(root, 0)]);
        let mut steps = vec![Step { node: root, parts: self.parts(root), next: 0, index: 0, low: 0 }];
        // Nodes that were walked and whose circle is not closed yet, in the order of their ends.
        let mut waiting: Vec<Step> = Vec::new();
        while let Some(step) = steps.last_mut() {
            let Some(part) = step.parts.get(step.next) else {
                let Some(done) = steps.pop() else { break };
                if let Some(below) = steps.last_mut() {
                    below.low = below.low.min(done.low);
                }
                let (index, low) = (done.index, done.low);
                waiting.push(done);
                if low == index {
                    // What was met after this node and waits still is in its circle.
                    let start = waiting.partition_point(|other| other.index < index);
                    let circle = waiting.drain(start..).collect();
                    self.hash_circle(circle);
                }
                continue;
            };
            step.next += 1;
            let Part::Of { node, .. } = *part else { continue };
            if self.known(node).is_some() {
                continue;
            }
            match indices.get(&node) {
                Some(index) => step.low = step.low.min(*index),
                None => {
                    let index = indices.len();
                    indices.insert(node, index);
                    steps.push(Step { node, parts: self.parts(node), next: 0, index, low: index });
                }
            }
        }
        self.known(root).cloned().unwrap_or_default()
    }

    /// Hashes nodes that depend on each other, or one that depends on none of them.
    fn hash_circle(&mut self, mut circle: Vec<Step>) {
        circle.sort_by_key(|step| self.key(step.node));
        let inside: HashMap<Node, String> = circle.iter().map(|step| (step.node, self.key(step.node))).collect();
        let mut turns = false;
        let spelt: Vec<Vec<String>> = circle
            .iter()
            .map(|step| {
                let spell = |part: &Part| match part {
                    Part::Text(text) => text.clone(),
                    Part::Of { node, .. } => match inside.get(node) {
                        Some(key) => {
                            turns = true;
                            spelt(part, key)
                        }
                        None => spelt(part, self.known(*node).map_or("", String::as_str)),
                    },
                };
                step.parts.iter().map(spell).collect()
            })
            .collect();
        if let ([step], false) = (&circle[..], turns) {
            let digest = hash(spelt[0].iter().map(String::as_str));
            self.keep(step.node, digest);
            return;
        }
        let all = hash(spelt.iter().flatten().map(String::as_str));
        for step in &circle {
            let digest = hash([all.as_str(), &self.key(step.node)]);
            self.keep(step.node, digest);
        }
    }

    /// What tells a node from the others of its circle, whatever its place.
    fn key(&self, node: Node) -> String {
        match node {
            Node::Value(id) => format!("value {}", self.slots[id as usize].unit().name()),
            Node::Signature(id) => format!("signature {}", self.slots[id as usize].unit().name()),
        }
    }
}

/// A part with the hash of its node.
fn spelt(part: &Part, digest: &str) -> String {
    match part {
        Part::Text(text) => text.clone(),
        Part::Of { prefix, skeleton: None, suffix, .. } => format!("{prefix}{digest}{suffix}"),
        Part::Of { prefix, skeleton: Some(skeleton), suffix, .. } => {
            format!("{prefix}{}{suffix}", hash([skeleton.as_str(), digest]))
        }
    }
}
