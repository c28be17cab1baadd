//! Where modules are kept: blobs by sha256, with what is known of each beside them.

use super::maps::Origin;
use super::raw::Raw;
use crate::RegistryError;
use crate::cache::usage;
use crate::npm::registry::write_whole;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use ui4a_store::Blobs;

/// Entries kept in memory by each map; a full map is emptied, and filled again from disk.
const REMEMBERED: usize = 4_096;
/// How long it is not said again that a thing is used.
const TOUCHED: Duration = Duration::from_secs(300);

/// Builds of one key that are kept: as many graphs as a package is usually found in.
const VARIANTS: usize = 16;

/// A module or one of its assets, as it is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The bytes, verified against the name.
    pub bytes: Vec<u8>,
    /// Its media type.
    pub content_type: &'static str,
}

/// Export names that are shared.
type Names = Arc<BTreeSet<String>>;

/// What is known of a linked module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    /// What it exports, `default` included.
    pub names: Vec<String>,
    /// What its package exports there, when that is more.
    #[serde(default)]
    pub known: Vec<String>,
    /// Style sheets that it and its imports need, as module names, in order.
    pub styles: Vec<String>,
    /// Modules that it imports.
    pub imports: Vec<String>,
    /// Those of them that nothing waits for.
    #[serde(default)]
    pub lazy: Vec<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// Where it comes from, when that has a source map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// The module store.
#[derive(Debug)]
pub(crate) struct Modules {
    blobs: Blobs,
    folder: PathBuf,
    raws: Mutex<HashMap<String, Arc<Vec<Arc<Raw>>>>>,
    facts: Mutex<HashMap<String, Arc<Facts>>>,
    /// Key of an entry → what it exports, where its text tells.
    exports: Mutex<HashMap<String, Arc<Option<Names>>>>,
    /// What was linked → the module that it became.
    links: Mutex<HashMap<String, Arc<String>>>,
    /// Folder of a package → whether copies of it do no harm.
    helpers: Mutex<HashMap<String, Arc<bool>>>,
    /// When a thing was last said to be used, by this process.
    touched: Mutex<HashMap<PathBuf, Instant>>,
    /// Milliseconds after which a module was first ready, in this process.
    took: Mutex<HashMap<String, Arc<u64>>>,
}

impl Modules {
    pub(crate) fn open(cache: &Path) -> Result<Self, RegistryError> {
        let folder = cache.join("builds");
        std::fs::create_dir_all(&folder).map_err(|error| RegistryError::io("creating", &folder, &error))?;
        Ok(Self {
            blobs: Blobs::open(cache.join("blobs"))?,
            folder,
            raws: Mutex::default(),
            facts: Mutex::default(),
            exports: Mutex::default(),
            links: Mutex::default(),
            helpers: Mutex::default(),
            touched: Mutex::default(),
            took: Mutex::default(),
        })
    }

    /// Stores bytes under `<sha256>.<extension>` and returns that name.
    pub(crate) fn put(&self, bytes: &[u8], extension: &str) -> Result<String, RegistryError> {
        Ok(format!("{}.{extension}", self.blobs.put(bytes)?))
    }

    /// A module by name; none when it is not there, damaged, or no name of a module.
    pub(crate) fn get(&self, name: &str) -> Option<Module> {
        let (hash, extension) = name.split_once('.')?;
        let content_type = content_type(extension)?;
        self.blobs.file(hash)?;
        let bytes = match self.blobs.get(hash) {
            Ok(bytes) => bytes?,
            Err(error) => {
                tracing::warn!(%error, "a module could not be read");
                return None;
            }
        };
        self.touch_blob(hash);
        Some(Module { bytes, content_type })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        name.split_once('.').is_some_and(|(hash, _)| self.blobs.has(hash))
    }

    /// The text of a blob.
    pub(crate) fn text(&self, hash: &str) -> Result<Option<String>, RegistryError> {
        let Some(bytes) = self.blobs.get(hash)? else { return Ok(None) };
        Ok(String::from_utf8(bytes).ok())
    }

    pub(crate) fn put_blob(&self, bytes: &[u8]) -> Result<String, RegistryError> {
        Ok(self.blobs.put(bytes)?)
    }

    /// The results of builds of one key that were done before, the newest first, when their code is still there.
    pub(crate) fn raws(&self, key: &str) -> Vec<Arc<Raw>> {
        let known = self.raws.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        let raws = known.unwrap_or_else(|| {
            let read: Arc<Vec<Arc<Raw>>> = Arc::new(self.read(&format!("{key}.raw.json")).unwrap_or_default());
            remember(&self.raws, key, &read);
            read
        });
        let is_whole =
            |raw: &&Arc<Raw>| self.blobs.has(&raw.code) && raw.style.as_ref().is_none_or(|style| self.has(style));
        raws.iter().filter(is_whole).cloned().collect()
    }

    /// Says that the result of a build is used, so that the cache keeps it.
    pub(crate) fn touch_raw(&self, key: &str, raw: &Raw) {
        self.touch(self.folder.join(format!("{key}.raw.json")));
        self.touch_blob(&raw.code);
    }

    /// Keeps the result of a build, beside those of the same key that were answered otherwise.
    pub(crate) fn put_raw(&self, key: &str, raw: Raw) -> Result<Arc<Raw>, RegistryError> {
        let raw = Arc::new(raw);
        let mut all = vec![Arc::clone(&raw)];
        all.extend(self.raws(key).into_iter().filter(|other| other.answers != raw.answers));
        all.truncate(VARIANTS);
        self.write(&format!("{key}.raw.json"), &all)?;
        remember(&self.raws, key, &Arc::new(all));
        Ok(raw)
    }

    /// What is known of a module, when it and all that it loads is there.
    pub(crate) fn facts(&self, name: &str) -> Option<Arc<Facts>> {
        let facts = self.facts_within(name, 64)?;
        self.touch_blob(name);
        for named in facts.imports.iter().chain(&facts.styles) {
            self.touch_blob(named);
        }
        Some(facts)
    }

    /// Says that a stored file is used, so that the cache keeps it.
    pub(crate) fn touch_blob(&self, name: &str) {
        let hash = name.split_once('.').map_or(name, |(hash, _)| hash);
        if let Some(path) = self.blobs.file(hash) {
            self.touch(path);
        }
        self.touch(self.folder.join(format!("{hash}.facts.json")));
    }

    /// Looking at a file's time is cheap but not free: once in a while is enough.
    fn touch(&self, path: PathBuf) {
        let mut touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        if touched.get(&path).is_some_and(|at| at.elapsed() < TOUCHED) {
            return;
        }
        if touched.len() >= 4 * REMEMBERED {
            touched.clear();
        }
        usage::touch(&path);
        touched.insert(path, Instant::now());
    }

    fn facts_within(&self, name: &str, depth: usize) -> Option<Arc<Facts>> {
        let known = self.facts.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if known.is_some() {
            return known.filter(|_| self.has(name));
        }
        let hash = name.split_once('.')?.0;
        if !self.has(name) || depth == 0 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let facts: Facts = self.read(&format!("{hash}.facts.json"))?;
        let whole = facts.styles.iter().all(|style| self.has(style))
            && facts.imports.iter().all(|import| self.facts_within(import, depth - 1).is_some());
        whole.then(|| {
            let facts = Arc::new(facts);
            remember(&self.facts, name, &facts);
            facts
        })
    }

    pub(crate) fn put_facts(&self, name: &str, facts: Facts) -> Result<Arc<Facts>, RegistryError> {
        let hash = name.split_once('.').map_or(name, |(hash, _)| hash);
        self.write(&format!("{hash}.facts.json"), &facts)?;
        let facts = Arc::new(facts);
        remember(&self.facts, name, &facts);
        Ok(facts)
    }

    /// Where a module comes from, when that is known.
    pub(crate) fn origin(&self, name: &str) -> Option<Origin> {
        let hash = name.split_once('.')?.0;
        self.blobs.file(hash)?;
        self.read::<Facts>(&format!("{hash}.facts.json"))?.origin
    }

    /// What an entry exports, if it was read before.
    pub(crate) fn exports(&self, key: &str) -> Option<Option<Names>> {
        let known = self.exports.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        known.map(|names| (*names).clone())
    }

    pub(crate) fn put_exports(&self, key: &str, names: Option<Names>) {
        remember(&self.exports, key, &Arc::new(names));
    }

    /// The modules that a module waits for, and those that they wait for.
    pub(crate) fn waits_for(&self, name: &str) -> BTreeSet<String> {
        let (mut found, mut todo) = (BTreeSet::new(), vec![name.to_owned()]);
        while let Some(next) = todo.pop() {
            let Some(facts) = self.facts(&next) else { continue };
            let waits = facts.imports.iter().filter(|import| !facts.lazy.contains(import));
            todo.extend(waits.filter(|import| found.insert((*import).clone())).cloned());
        }
        found
    }

    /// The module that code became when it was linked to the same modules before, in this process.
    pub(crate) fn link(&self, key: &str) -> Option<(String, Arc<Facts>)> {
        let name = self.links.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()?;
        let facts = self.facts(&name)?;
        Some((name.as_str().to_owned(), facts))
    }

    pub(crate) fn put_link(&self, key: &str, name: &str) {
        remember(&self.links, key, &Arc::new(name.to_owned()));
    }

    /// Whether copies of the package in a folder do no harm. The folder is named after what is in it.
    pub(crate) fn keeps_nothing(&self, folder: &Path) -> bool {
        let key = folder.to_string_lossy().into_owned();
        let known = self.helpers.lock().unwrap_or_else(PoisonError::into_inner).get(&key).map(|known| **known);
        known.unwrap_or_else(|| {
            let answer = super::stateless::keeps_nothing(folder);
            remember(&self.helpers, &key, &Arc::new(answer));
            answer
        })
    }

    /// How long a module took to be ready the first time it was: what is said of it stays the same.
    pub(crate) fn took(&self, name: &str, milliseconds: u64) -> u64 {
        let known = self.took.lock().unwrap_or_else(PoisonError::into_inner).get(name).map(|known| **known);
        known.unwrap_or_else(|| {
            remember(&self.took, name, &Arc::new(milliseconds));
            milliseconds
        })
    }

    fn read<T: serde::de::DeserializeOwned>(&self, file: &str) -> Option<T> {
        serde_json::from_slice(&std::fs::read(self.folder.join(file)).ok()?).ok()
    }

    fn write(&self, file: &str, value: &impl Serialize) -> Result<(), RegistryError> {
        let text = serde_json::to_vec(value).map_err(|error| RegistryError::Store(error.to_string()))?;
        write_whole(&self.folder.join(file), &[&text])
    }
}

fn remember<T>(map: &Mutex<HashMap<String, Arc<T>>>, key: &str, value: &Arc<T>) {
    let mut map = map.lock().unwrap_or_else(PoisonError::into_inner);
    if map.len() >= REMEMBERED {
        map.clear();
    }
    map.insert(key.to_owned(), Arc::clone(value));
}

/// The media types that are served. Nothing that a browser would open as a document is among them.
fn content_type(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        // Alone an SVG is a document that may hold scripts; the router adds a policy that stops them.
        "svg" => "image/svg+xml",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "ogg" => "audio/ogg",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "glb" | "bin" | "eot" => "application/octet-stream",
        "txt" | "glsl" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

/// The extension under which a file of a package can be served, if any.
pub(crate) fn servable_extension(path: &Path) -> Option<String> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    content_type(&extension).map(|_| extension)
}
