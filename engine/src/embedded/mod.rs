//! The embedded engine: one decoder over a mapped GGUF file.
//!
//! Runs Llama-family, Qwen2 and Qwen3 models on the CPU, with nothing but the file: its tokeniser and chat template come
//! from its own metadata. [`Embedded`] is the [`Backend`]; beneath it, from the file up: `gguf` (the format), `weights` and
//! `kernels` (blocks computed where they are mapped), `config`, `adapter`, `decoder` and `cache` (one forward pass over
//! many rows), `tokenizer` and `template` (text), `prefix` (what is remembered), `sampling`, `grammar`, `weigh` and
//! `writing` (an answer), `queue` (who waits), `row`, `model` and `worker` (one thread that owns it all). It knows nothing
//! of profiles, of catalogues, or of where a file comes from.

mod adapter;
mod cache;
mod config;
mod decoder;
mod gguf;
mod grammar;
mod kernels;
mod model;
mod prefix;
mod queue;
mod row;
mod sampling;
mod template;
mod tokenizer;
mod weigh;
mod weights;
mod worker;
mod writing;

pub use adapter::Adapter;
pub use model::{EmbeddedOptions, Model, PREFILL_CHUNK, Words};
pub use template::{Rendered, Template};
pub use tokenizer::Tokenizer;

use crate::{AdapterInfo, Backend, Chunk, EngineError, Load, Request, ScorePrompt, StopReason};
use async_trait::async_trait;
use config::Config;
use futures::stream::{self, BoxStream, StreamExt};
use queue::{Queue, gone};
use row::{Generate, Job, Progress, Work};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, PoisonError, RwLock},
};
use tokio::sync::{mpsc, oneshot};
use weigh::Weighing;

/// Requests that are computed together, where the options do not say.
const ROWS: usize = 8;
/// Requests that may wait, where the options do not say.
const WAITING: usize = 64;
/// Adapters that may be loaded.
const MOST_ADAPTERS: usize = 64;

/// A model file that answers requests, several together.
pub struct Embedded {
    name: String,
    context: usize,
    config: Config,
    words: Arc<Words>,
    queue: Arc<Queue>,
    adapters: RwLock<BTreeMap<String, (AdapterInfo, Arc<Adapter>)>>,
}

impl Embedded {
    /// Opens the model file at `path` and starts its thread. Takes as long as reading the header: the weights are
    /// mapped and read when they are first needed.
    ///
    /// # Errors
    /// [`EngineError::Io`] when the file cannot be read, [`EngineError::BrokenModel`] when it is damaged or not of a
    /// kind that runs here, [`EngineError::Compute`] when threads cannot be started.
    pub fn open(path: &Path, options: EmbeddedOptions) -> Result<Self, EngineError> {
        let model = Model::open(path, &options)?;
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let rows = options.rows.unwrap_or(ROWS).max(1);
        let queue = Arc::new(Queue::new(options.waiting.unwrap_or(WAITING).max(1), rows));
        let (context, config, words) = (model.context(), model.config().clone(), model.words().clone());
        worker::start(model, queue.clone(), rows)?;
        Ok(Self { name, context, config, words, queue, adapters: RwLock::default() })
    }

    /// Runs `work` with the text side where it does not hold up other requests: a long text takes a second.
    async fn words<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Words) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let words = self.words.clone();
        tokio::task::spawn_blocking(move || work(&words)).await.map_err(|e| EngineError::Compute(e.to_string()))?
    }

    fn adapter(&self, name: &str) -> Result<Arc<Adapter>, EngineError> {
        let loaded = self.adapters.read().unwrap_or_else(PoisonError::into_inner);
        loaded.get(name).map(|(_, adapter)| adapter.clone()).ok_or_else(|| unknown(name, loaded.keys()))
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.queue.close();
    }
}

fn unknown<'a>(name: &str, loaded: impl Iterator<Item = &'a String>) -> EngineError {
    let loaded = loaded.map(String::as_str).collect::<Vec<_>>().join(", ");
    EngineError::UnknownAdapter { name: name.to_owned(), loaded }
}

#[async_trait]
impl Backend for Embedded {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn context(&self) -> usize {
        self.context
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.words.tokenizer.encode(text).map_or(text.len(), |ids| ids.len())
    }

    async fn generate(
        &self,
        mut request: Request,
    ) -> Result<BoxStream<'static, Result<Chunk, EngineError>>, EngineError> {
        let adapter = request.adapter.as_deref().map(|name| self.adapter(name)).transpose()?;
        let messages = std::mem::take(&mut request.messages);
        let tools = std::mem::take(&mut request.tools);
        let mut prefill = request.prefill.take().unwrap_or_default();
        let mut wanted = request.grammar.take();
        // A call that must come is begun, and held to the schemas of what is offered.
        let opening = tools.must().then(|| format!("{}\n", crate::tools::OPEN));
        if let Some(opening) = &opening {
            prefill.push_str(opening);
            wanted = Some(crate::Grammar::JsonSchema(tools.call_schema()));
        }
        let offered = tools.clone();
        let prepare = move |words: &Words| {
            let prompt = words.prompt_with(&messages, &offered, &prefill)?;
            Ok((prompt, wanted.map(|grammar| words.hold(&grammar)).transpose()?))
        };
        let (prompt, grammar) = self.words(prepare).await?;
        if prompt.len() >= self.context {
            return Err(EngineError::PromptTooLong { tokens: prompt.len(), limit: self.context - 1 });
        }
        let progress = Arc::new(Progress::default());
        progress.prompt.store(prompt.len(), std::sync::atomic::Ordering::Relaxed);
        let (cancel, client) = (request.cancel.clone(), request.client.clone());
        let (answer, pieces) = mpsc::unbounded_channel();
        let job = Generate { prompt, request, grammar, adapter, progress: progress.clone(), answer };
        self.queue.push(Job { client, work: Work::Generate(Box::new(job)) })?;
        // Ends at once when cancelled, also while the request waits or a prompt is being read; dropping `pieces` tells
        // the model's thread.
        let next = move |mut pieces: Option<mpsc::UnboundedReceiver<_>>| {
            let (cancel, progress) = (cancel.clone(), progress.clone());
            async move {
                let mut receiver = pieces.take()?;
                let piece = tokio::select! {
                    biased;
                    piece = receiver.recv() => piece.unwrap_or_else(|| match cancel.is_cancelled() {
                        true => Ok(progress.done(StopReason::Cancelled)),
                        false => Err(gone()),
                    }),
                    () = cancel.cancelled() => Ok(progress.done(StopReason::Cancelled)),
                };
                let last = matches!(piece, Err(_) | Ok(Chunk::Done { .. }));
                Some((piece, (!last).then_some(receiver)))
            }
        };
        let answer = stream::unfold(Some(pieces), next);
        if !tools.any() {
            return Ok(answer.boxed());
        }
        let begun = stream::iter(opening.map(|opening| Ok(Chunk::Text(opening))));
        Ok(crate::tools::read(begun.chain(answer), &tools).boxed())
    }

    async fn score(&self, prompt: &ScorePrompt, labels: &[String]) -> Result<Vec<f32>, EngineError> {
        let (prompt, labels) = (prompt.clone(), labels.to_vec());
        let path =
            move |words: &Words, label: &String| words.prompt(&prompt.messages, &format!("{}{label}", prompt.prefill));
        let paths =
            self.words(move |words| labels.iter().map(|l| path(words, l)).collect::<Result<Vec<_>, _>>()).await?;
        let longest = paths.iter().map(Vec::len).max().unwrap_or(0);
        if longest >= self.context {
            return Err(EngineError::PromptTooLong { tokens: longest, limit: self.context - 1 });
        }
        let (answer, weights) = oneshot::channel();
        let work = Work::Score { weighing: Weighing::new(paths), answer };
        self.queue.push(Job { client: String::new(), work })?;
        weights.await.map_err(|_| gone())?
    }

    fn adapters(&self) -> Vec<AdapterInfo> {
        let loaded = self.adapters.read().unwrap_or_else(PoisonError::into_inner);
        loaded.values().map(|(info, _)| info.clone()).collect()
    }

    async fn load_adapter(&self, name: &str, path: &Path) -> Result<AdapterInfo, EngineError> {
        let (dir, config) = (path.to_owned(), self.config.clone());
        let opened = tokio::task::spawn_blocking(move || Adapter::open(&dir, &config));
        let adapter = opened.await.map_err(|e| EngineError::Compute(e.to_string()))??;
        let info = AdapterInfo {
            name: name.to_owned(),
            path: path.to_owned(),
            generation: adapter.generation().to_owned(),
            rank: adapter.rank(),
            bytes: adapter.bytes(),
        };
        let mut loaded = self.adapters.write().unwrap_or_else(PoisonError::into_inner);
        if loaded.len() >= MOST_ADAPTERS && !loaded.contains_key(name) {
            let reason = format!("{MOST_ADAPTERS} adapters are loaded already; unload one first");
            return Err(EngineError::BrokenAdapter { path: path.to_owned(), reason });
        }
        loaded.insert(name.to_owned(), (info.clone(), Arc::new(adapter)));
        Ok(info)
    }

    fn unload_adapter(&self, name: &str) -> Result<AdapterInfo, EngineError> {
        let mut loaded = self.adapters.write().unwrap_or_else(PoisonError::into_inner);
        match loaded.remove(name) {
            Some((info, _)) => Ok(info),
            None => Err(unknown(name, loaded.keys())),
        }
    }

    fn load(&self) -> Option<Load> {
        Some(self.queue.load())
    }
}
