//! A built entry that still names its imports by placeholder, and the key by which it is found again.

use super::locate::Manner;
use super::scene::{Meaning, Scene};
use super::wish::Wish;
use crate::BUILDER;
use crate::graph::{EntryId, PackageId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// What a build made of one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Raw {
    /// The blob that holds the code, with placeholders.
    pub code: String,
    /// The blob that holds the source map of the code.
    #[serde(default)]
    pub map: Option<String>,
    /// Names that it exports itself.
    pub names: BTreeSet<String>,
    /// When it was cut down to some names: all that the entry exports.
    #[serde(default)]
    pub known: Option<BTreeSet<String>>,
    /// When it was cut down: to these.
    #[serde(default)]
    pub cut: Option<BTreeSet<String>>,
    /// Entry, as it is shown → what is taken of it.
    #[serde(default)]
    pub taken: BTreeMap<String, Wish>,
    /// Outside entries that nothing waits for: they are imported when code asks for them.
    #[serde(default)]
    pub lazy: BTreeSet<EntryId>,
    /// For one that only gives names to a part of a larger module: that module, and the part's number in it.
    #[serde(default)]
    pub part_of: Option<(EntryId, usize)>,
    /// Outside entries of which it exports everything.
    pub stars: BTreeSet<EntryId>,
    /// Outside entries that it imports.
    pub externals: BTreeSet<EntryId>,
    /// What it asked of the graph.
    #[serde(default)]
    pub answers: Answers,
    /// Files that went into it, relative to the folder of packages.
    pub inputs: BTreeSet<String>,
    /// Its style sheet, as a module name.
    pub style: Option<String>,
    /// Optional peers that its files import all the same, and that were not there.
    #[serde(default)]
    pub missing_peers: BTreeSet<String>,
    /// What a person should know.
    pub warnings: BTreeSet<String>,
}

impl Raw {
    /// Whether it holds all of what is wished for that there is.
    pub(crate) fn covers(&self, wish: &Wish) -> bool {
        let (Some(cut), Some(known)) = (&self.cut, &self.known) else { return true };
        match wish {
            Wish::All => false,
            Wish::Names(names) => names.iter().all(|name| cut.contains(name) || !known.contains(name)),
        }
    }
}

/// Something that a build asked of the graph: what an import means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Question {
    /// The package whose file imports.
    pub owner: PackageId,
    /// What it imports.
    pub specifier: String,
    /// Whether it does so by `require`.
    pub require: bool,
}

/// What a build asked, and was answered. A graph that answers the same makes the same module: so one build serves every
/// artifact for which nothing that it looked at differs, whatever else they import.
pub(crate) type Answers = Vec<(Question, String)>;

impl Scene {
    /// What this graph answers.
    pub(crate) fn answer(&self, question: &Question) -> String {
        let manner = if question.require { Manner::Require } else { Manner::Import };
        match self.bare(&question.owner, &question.specifier, manner) {
            Meaning::Own(_) => "own".to_owned(),
            Meaning::Nothing => "nothing".to_owned(),
            Meaning::Builtin(_) => "builtin".to_owned(),
            Meaning::Needs { package, .. } => format!("needs {package}"),
            Meaning::Missing(_) => "missing".to_owned(),
            Meaning::Entry(entry) => {
                let place = if self.is_outside(&question.owner, &entry.package) { "outside" } else { "inside" };
                format!("{entry} {} {place}", self.integrity(&entry.package))
            }
        }
    }

    /// Whether the graph answers what a build was answered.
    pub(crate) fn agrees(&self, raw: &Raw) -> bool {
        raw.answers.iter().all(|(question, answer)| self.answer(question) == *answer)
    }

    fn integrity(&self, id: &PackageId) -> &str {
        self.graph.nodes.get(id).map_or("", |node| node.manifest.integrity.as_str())
    }
}

/// The key of a build: the builder, the entries with the bytes of their packages, and the names that they are cut down to.
/// Builds of one key differ by what they were answered.
pub(crate) fn key(scene: &Scene, entries: &[EntryId], names: Option<&BTreeSet<String>>) -> String {
    let entries: Vec<_> = entries.iter().map(|entry| (entry, scene.integrity(&entry.package))).collect();
    let text = serde_json::json!([BUILDER, entries, names]).to_string();
    hex::encode(Sha256::digest(text))
}
