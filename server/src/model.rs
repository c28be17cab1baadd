//! The model that answers: loaded when it is first asked, once.

use crate::adapters::Adapters;
use crate::paths::Paths;
use crate::settings::Settings;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{OnceCell, watch};
use ui4a_engine::embedded::{Embedded, EmbeddedOptions};
use ui4a_engine::mol::{Profile, Router};
use ui4a_engine::openai::OpenAi;
use ui4a_engine::{Backend, EngineError, models};

/// The model file is not there.
#[derive(Debug, thiserror::Error)]
#[error(
    "the model {id} is not on this machine. Fetch it with `ui4a model pull {id}`, or use a model server (openai.base_url)"
)]
pub struct Missing {
    id: String,
}

/// A model, and how it is asked.
pub struct Model {
    name: String,
    source: Source,
    threads: Option<usize>,
    profile: Profile,
    router: Router,
    loaded: OnceCell<Arc<dyn Backend>>,
    adapters: Adapters,
    warmed: AtomicBool,
    at_work: watch::Sender<usize>,
}

/// Somebody waits for the model, for as long as this lives.
pub struct AtWork(watch::Sender<usize>);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

enum Source {
    File(PathBuf),
    Server(crate::settings::OpenAi),
}

impl Model {
    /// The model that the settings name. Loads nothing.
    ///
    /// # Errors
    /// No model of that name is known; the nearest names are told.
    pub fn new(settings: &Settings, paths: &Paths) -> Result<Self> {
        let (name, source) = match &settings.openai {
            Some(server) => (server.model.clone(), Source::Server(server.clone())),
            None => (settings.model.clone(), Source::File(file(&settings.model, &paths.models())?)),
        };
        let profile = Profile::builtin();
        let router = Router::new(&profile);
        Ok(Self {
            name,
            source,
            threads: settings.threads,
            profile,
            router,
            loaded: OnceCell::new(),
            adapters: Adapters::open(paths)?,
            warmed: AtomicBool::new(false),
            at_work: watch::Sender::new(0),
        })
    }

    /// A short name for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `embedded`, or the server's address.
    pub fn provider(&self) -> &str {
        match &self.source {
            Source::File(_) => "embedded",
            Source::Server(server) => &server.base_url,
        }
    }

    /// What the specialists are told.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The adapters that answer under names of their own.
    pub fn adapters(&self) -> &Adapters {
        &self.adapters
    }

    /// Whether it could answer now, in a word: `server`, `loaded`, `on disk`, or what is wrong: `missing`, `ended`.
    pub fn state(&self) -> (bool, &'static str) {
        match (&self.source, self.loaded.get().and_then(|backend| backend.load())) {
            (Source::Server(_), _) => (true, "server"),
            (Source::File(_), Some(load)) if load.alive => (true, "loaded"),
            (Source::File(_), Some(_)) => (false, "ended"),
            (Source::File(path), None) if path.is_file() => (true, "on disk"),
            (Source::File(_), None) => (false, "missing"),
        }
    }

    /// How busy it is, once it is loaded here.
    pub fn load(&self) -> Option<ui4a_engine::Load> {
        self.loaded.get().and_then(|backend| backend.load())
    }

    /// Who chooses the specialist.
    pub fn router(&self) -> &Router {
        &self.router
    }

    /// Whether the model is on this machine and nobody has warmed it yet; true once.
    pub fn wants_warming(&self) -> bool {
        matches!(&self.source, Source::File(path) if path.is_file()) && !self.warmed.swap(true, Ordering::Relaxed)
    }

    /// Says that somebody waits for the model, until the answer is dropped: what nobody waits for makes way.
    pub fn at_work(&self) -> AtWork {
        self.at_work.send_modify(|count| *count += 1);
        AtWork(self.at_work.clone())
    }

    /// How many wait for the model.
    pub fn waiting(&self) -> watch::Receiver<usize> {
        self.at_work.subscribe()
    }

    /// The model, loaded.
    ///
    /// # Errors
    /// The file is missing or broken, or the address of the server is none. Asked again, it tries again.
    pub async fn backend(&self) -> Result<Arc<dyn Backend>> {
        self.loaded.get_or_try_init(|| self.open()).await.cloned()
    }

    async fn open(&self) -> Result<Arc<dyn Backend>> {
        match &self.source {
            Source::Server(server) => {
                let asked = OpenAi::new(&server.base_url, server.api_key.clone(), &server.model)?;
                Ok(Arc::new(asked.context_tokens(server.context_tokens)))
            }
            Source::File(path) if !path.is_file() => Err(Missing { id: self.name.clone() }.into()),
            Source::File(path) => {
                let (path, threads) = (path.clone(), self.threads);
                let opened = tokio::task::spawn_blocking(move || {
                    Embedded::open(&path, EmbeddedOptions { threads, ..Default::default() })
                });
                let backend = opened.await??;
                self.adapters.restore(&backend).await;
                Ok(Arc::new(backend))
            }
        }
    }
}

/// The file of a model: a path to a GGUF file, or the id of one in the catalogue.
///
/// # Errors
/// It is neither; the nearest ids are told.
pub fn file(model: &str, folder: &Path) -> Result<PathBuf, EngineError> {
    if model.ends_with(".gguf") || model.contains('/') {
        return Ok(PathBuf::from(model));
    }
    let catalogue = models::catalogue();
    let known = models::list(folder, &catalogue).into_iter().find(|row| row.model.id == model);
    match known {
        Some(row) => Ok(row.path),
        // Told with the nearest names.
        None => models::path(folder, &catalogue, model).map(|_| folder.join(model)),
    }
}
