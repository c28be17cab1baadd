//! Modules that are served, kept in memory up to a bound, with their compressed forms kept on disk beside the blobs.
//!
//! A compressed form is made the first time that a client would take it, behind that client's back, and is checked against
//! the module whenever it is read from disk.

use super::encode::Encoding;
use crate::build::store;
use crate::npm::registry::write_whole;
use bytes::Bytes;
use http::HeaderValue;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Modules smaller than this are not worth a compressed form.
const SMALL: usize = 1_024;

/// A module in memory.
#[derive(Debug)]
pub(crate) struct Module {
    /// `<sha256>.<extension>`.
    name: String,
    pub bytes: Bytes,
    pub content_type: &'static str,
    pub etag: HeaderValue,
    /// Compressed forms; none for one that is not smaller.
    encoded: Mutex<HashMap<Encoding, Option<Bytes>>>,
}

impl Module {
    /// Whether it gets smaller by compressing, by its type and size.
    pub(crate) fn compresses(&self) -> bool {
        let kind = self.content_type;
        let text = kind.starts_with("text/")
            || ["application/json", "application/wasm", "image/svg+xml", "font/ttf", "font/otf"].contains(&kind);
        text && self.bytes.len() >= SMALL
    }

    fn weight(&self) -> usize {
        // Compressed forms are at most as large, and mostly a third.
        2 * self.bytes.len() + 1_024
    }
}

#[derive(Debug, Default)]
struct Known {
    modules: HashMap<String, (Arc<Module>, u64)>,
    bytes: usize,
    clock: u64,
}

/// The modules in memory.
#[derive(Debug)]
pub(crate) struct Served {
    known: Mutex<Known>,
    most: usize,
    folder: Arc<PathBuf>,
    /// Compressed forms that are being made.
    making: Arc<Mutex<BTreeSet<PathBuf>>>,
    /// One at a time: the processor has better things to do.
    slot: Arc<Semaphore>,
}

impl Served {
    pub(crate) fn new(cache: &Path, most: usize) -> Self {
        Self {
            known: Mutex::default(),
            most,
            folder: Arc::new(cache.join("encoded")),
            making: Arc::default(),
            slot: Arc::new(Semaphore::new(1)),
        }
    }

    /// A module that is in memory.
    pub(crate) fn known(&self, name: &str) -> Option<Arc<Module>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.clock += 1;
        let clock = known.clock;
        let (module, used) = known.modules.get_mut(name)?;
        *used = clock;
        Some(Arc::clone(module))
    }

    /// Keeps a module in memory, in place of those that were not used for longest.
    pub(crate) fn keep(&self, name: String, module: store::Module) -> Arc<Module> {
        let hash = name.split('.').next().unwrap_or_default();
        let etag = HeaderValue::from_str(&format!("\"{hash}\"")).unwrap_or(HeaderValue::from_static("\"\""));
        let (bytes, content_type) = (Bytes::from(module.bytes), module.content_type);
        let module = Arc::new(Module { name: name.clone(), bytes, content_type, etag, encoded: Mutex::default() });
        let weight = module.weight();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if weight > self.most / 2 {
            return module;
        }
        while known.bytes + weight > self.most {
            let oldest = known.modules.iter().min_by_key(|(_, (_, used))| *used).map(|(name, _)| name.clone());
            let Some((gone, _)) = oldest.and_then(|name| known.modules.remove(&name)) else { break };
            known.bytes -= gone.weight();
        }
        known.clock += 1;
        let clock = known.clock;
        known.bytes += weight;
        if let Some((before, _)) = known.modules.insert(name, (Arc::clone(&module), clock)) {
            known.bytes -= before.weight();
        }
        module
    }

    /// A compressed form, if it is there. One that is not is made for the next who asks.
    pub(crate) async fn encoded(&self, module: &Module, encoding: Encoding) -> Option<Bytes> {
        if let Some(known) = module.encoded.lock().unwrap_or_else(PoisonError::into_inner).get(&encoding) {
            return known.clone();
        }
        let file = self.file(module, encoding)?;
        if !tokio::fs::try_exists(&file).await.unwrap_or(false) {
            self.make(module, encoding, file);
            return None;
        }
        let bytes = module.bytes.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let encoded = std::fs::read(&file).ok()?;
            // An empty file says that it gets no smaller.
            if encoded.is_empty() || encoding.is_of(&encoded, &bytes) {
                return Some(encoded);
            }
            tracing::warn!("{} is damaged, and is made again", file.display());
            drop(std::fs::remove_file(&file));
            None
        });
        let encoded = Bytes::from(reading.await.ok()??);
        let encoded = Some(encoded).filter(|encoded| !encoded.is_empty());
        module.encoded.lock().unwrap_or_else(PoisonError::into_inner).insert(encoding, encoded.clone());
        encoded
    }

    fn file(&self, module: &Module, encoding: Encoding) -> Option<PathBuf> {
        let hash = module.name.split('.').next()?;
        Some(self.folder.join(hash.get(..2)?).join(format!("{hash}.{}", encoding.name())))
    }

    fn make(&self, module: &Module, encoding: Encoding, file: PathBuf) {
        if !self.making.lock().unwrap_or_else(PoisonError::into_inner).insert(file.clone()) {
            return;
        }
        let (bytes, making, slot) = (module.bytes.clone(), Arc::clone(&self.making), Arc::clone(&self.slot));
        tokio::spawn(async move {
            // The semaphore is never closed.
            let _slot = slot.acquire_owned().await;
            let target = file.clone();
            let made = tokio::task::spawn_blocking(move || {
                let mut encoded = encoding.encode(&bytes)?;
                if encoded.len() >= bytes.len() {
                    encoded.clear();
                }
                std::fs::create_dir_all(target.parent().unwrap_or(&target))?;
                write_whole(&target, &[&encoded]).map_err(std::io::Error::other)
            });
            if let Ok(Err(error)) = made.await {
                tracing::warn!(%error, "{} could not be written", file.display());
            }
            making.lock().unwrap_or_else(PoisonError::into_inner).remove(&file);
        });
    }
}
