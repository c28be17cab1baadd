//! Dynamic chunks: what an entry imports only when its code asks for it stays out of the module that it starts with.
//!
//! An entry is split in at most three kinds of modules: what it starts with, what that shares with code that is loaded
//! later (one module, so that nothing starts in a chain), and the later code. A module is named after its bytes, so none may
//! name one that names it: where a package's own files make such a circle, code finds what it loads later in a table that the
//! entry fills ([`table`]).

use super::locate::placeholder;
use super::virtuals::quote;
use crate::graph::EntryId;
use rolldown_common::{
    ChunkFilenamesOutputOption, ChunkOptimizationOption, ChunkingContext, CodeSplittingMode,
    ManualCodeSplittingOptions, MatchGroup, MatchGroupName, OutputChunk,
};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// Bytes that must be left out for a split to be worth its requests.
pub(crate) const WORTH: usize = 100_000;

/// How the subpath of a chunk begins.
pub(crate) const CHUNK: &str = "+chunk-";

/// The key under which a chunk of a build is stored. After [`CHUNK`], it is the subpath under which it takes part in linking.
pub(crate) fn chunk_key(entry_key: &str, file: &str) -> String {
    hex::encode(Sha256::digest(format!("{entry_key} {file}")))
}

/// How code is split: by what is imported dynamically, with all that the start shares with it in one chunk.
pub(crate) fn splitting(entry: &str) -> CodeSplittingMode {
    let entry = entry.to_owned();
    let shared: Arc<OnceLock<BTreeSet<String>>> = Arc::default();
    let name = move |id: &str, context: &ChunkingContext| {
        let shared = shared.get_or_init(|| shared_with_later(&entry, context));
        let name = shared.contains(id).then(|| "shared".to_owned());
        Box::pin(async move { Ok(name) }) as std::pin::Pin<Box<dyn Future<Output = _> + Send>>
    };
    CodeSplittingMode::Advanced(ManualCodeSplittingOptions {
        groups: Some(vec![MatchGroup { name: MatchGroupName::Dynamic(Arc::new(name)), ..MatchGroup::default() }]),
        ..ManualCodeSplittingOptions::default()
    })
}

/// Chunks are not merged back into the entry.
pub(crate) fn unmerged() -> ChunkOptimizationOption {
    ChunkOptimizationOption::Bool(false)
}

/// Names of files that say nothing and are found again in code.
pub(crate) fn file_names() -> ChunkFilenamesOutputOption {
    ChunkFilenamesOutputOption::String("ui4a-chunk-[name]-[hash].js".to_owned())
}

/// Modules that both the start and something that is loaded later need.
fn shared_with_later(entry: &str, context: &ChunkingContext) -> BTreeSet<String> {
    let mut later: BTreeSet<String> = BTreeSet::new();
    let start = reach([entry.to_owned()].into(), context, &mut later);
    let (mut roots, mut reached) = (BTreeSet::new(), BTreeSet::new());
    // What is loaded later may load more.
    while roots.len() < later.len() {
        roots = later.clone();
        reached = reach(roots.clone(), context, &mut later);
    }
    start.intersection(&reached).cloned().collect()
}

/// All that is imported statically from `roots`; `later` gains what is imported dynamically on the way.
fn reach(roots: BTreeSet<String>, context: &ChunkingContext, later: &mut BTreeSet<String>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut todo: Vec<String> = roots.into_iter().collect();
    while let Some(id) = todo.pop() {
        if seen.contains(&id) {
            continue;
        }
        if let Some(info) = context.get_module_info(&id) {
            todo.extend(info.imported_ids.iter().map(|id| id.as_str().to_owned()));
            later.extend(info.dynamically_imported_ids.iter().map(|id| id.as_str().to_owned()));
        }
        seen.insert(id);
    }
    seen
}

/// How the chunks of a build hang together.
pub(crate) struct Shape {
    /// Something large is left out of what the page starts with, and no circle of static imports stands in the way.
    pub is_useful: bool,
    /// Some chunk loads one that imports it.
    pub has_circle: bool,
}

/// Reads how chunks import each other.
pub(crate) fn shape(chunks: &[Arc<OutputChunk>]) -> Shape {
    let by_file: BTreeMap<&str, &Arc<OutputChunk>> =
        chunks.iter().map(|chunk| (chunk.filename.as_str(), chunk)).collect();
    let next = |file: &str, dynamic: bool| -> Vec<String> {
        let Some(chunk) = by_file.get(file) else { return Vec::new() };
        let later = if dynamic { &chunk.dynamic_imports[..] } else { &[] };
        chunk
            .imports
            .iter()
            .chain(later)
            .map(ToString::to_string)
            .filter(|file| by_file.contains_key(&**file))
            .collect()
    };
    let reached = |from: &str, dynamic: bool| {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut todo = next(from, dynamic);
        while let Some(file) = todo.pop() {
            if seen.insert(file.clone()) {
                todo.extend(next(&file, dynamic));
            }
        }
        seen
    };
    let circle = |dynamic: bool| by_file.keys().any(|file| reached(file, dynamic).contains(*file));
    let Some(entry) = chunks.iter().find(|chunk| chunk.is_entry) else {
        return Shape { is_useful: false, has_circle: false };
    };
    let start = reached(&entry.filename, false);
    let left_out = chunks.iter().filter(|chunk| !chunk.is_entry && !start.contains(chunk.filename.as_str()));
    let bytes: usize = left_out.map(|chunk| chunk.code.len()).sum();
    // Nothing may import the entry: its façade is made last.
    let entry_is_free = !by_file.keys().any(|file| reached(file, true).contains(entry.filename.as_str()));
    Shape { is_useful: bytes >= WORTH && !circle(false) && entry_is_free, has_circle: circle(true) }
}

/// Where code finds the addresses of what it loads later.
const TABLE: &str = "globalThis.__ui4a_later";

/// The module that fills the table. It holds addresses as strings and imports nothing.
pub(crate) fn table(later: &BTreeSet<&EntryId>) -> String {
    let mut code = format!("const t={TABLE}??={{}};");
    for id in later {
        let address = quote(&placeholder(id));
        code.push_str(&format!("t[{}]=new URL({address},import.meta.url).href;", quote(&id.subpath)));
    }
    code
}

/// The code with its dynamic imports of `id` led through the table.
pub(crate) fn through_table(code: &str, id: &EntryId) -> String {
    let mut code = code.to_owned();
    for mark in ['"', '\'', '`'] {
        let direct = format!("import({mark}{}{mark})", placeholder(id));
        code = code.replace(&direct, &format!("import({TABLE}[{}])", quote(&id.subpath)));
    }
    code
}
