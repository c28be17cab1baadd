//! The embedded engine: one decoder over a mapped GGUF file.
//!
//! Runs Llama-family and Qwen2 models on the CPU, with nothing but the file: its tokeniser and chat template come from
//! its own metadata. [`Embedded`] is the [`Backend`]; beneath it, from the file up: `gguf` (the format), `weights` and
//! `kernels` (blocks computed where they are mapped), `config`, `decoder` and `cache` (one forward pass), `tokenizer`
//! and `template` (text), `prefix` (what is remembered), `sampling` and `writing` (an answer), `model` and `worker` (one
//! thread that owns it all). It knows nothing of profiles, of catalogues, or of where a file comes from.

mod cache;
mod config;
mod decoder;
mod gguf;
mod kernels;
mod model;
mod prefix;
mod sampling;
mod template;
mod tokenizer;
mod weights;
mod worker;
mod writing;

pub use model::{EmbeddedOptions, Model, PREFILL_CHUNK, Words};
pub use template::{Rendered, Template};
pub use tokenizer::Tokenizer;

use crate::{Backend, Chunk, EngineError, Request, ScorePrompt, StopReason};
use async_trait::async_trait;
use futures::stream::{self, BoxStream, StreamExt};
use std::{path::Path, sync::Arc};
use tokio::sync::{mpsc, oneshot};
use worker::{Job, Progress};

/// A model file that answers requests, one at a time, in the order they came.
pub struct Embedded {
    name: String,
    context: usize,
    words: Arc<Words>,
    queue: mpsc::Sender<Job>,
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
        Ok(Self { name, context: model.context(), words: model.words().clone(), queue: worker::start(model)? })
    }

    /// Runs `work` with the text side where it does not hold up other requests: a long text takes a second.
    async fn words<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Words) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let words = self.words.clone();
        tokio::task::spawn_blocking(move || work(&words)).await.map_err(|e| EngineError::Compute(e.to_string()))?
    }
}

fn gone() -> EngineError {
    EngineError::Compute("its thread has ended; start the program again".into())
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
        let messages = std::mem::take(&mut request.messages);
        let prefill = request.prefill.take().unwrap_or_default();
        let prompt = self.words(move |words| words.prompt(&messages, &prefill)).await?;
        if prompt.len() >= self.context {
            return Err(EngineError::PromptTooLong { tokens: prompt.len(), limit: self.context - 1 });
        }
        let progress = Arc::new(Progress::default());
        progress.prompt.store(prompt.len(), std::sync::atomic::Ordering::Relaxed);
        let cancel = request.cancel.clone();
        let (answer, pieces) = mpsc::unbounded_channel();
        let job = Job::Generate { prompt, request, progress: progress.clone(), answer };
        self.queue.send(job).await.map_err(|_| gone())?;
        // Ends at once when cancelled, also while the request waits or a prompt is being read; dropping `pieces` tells
        // the model's thread.
        let next = move |mut pieces: Option<mpsc::UnboundedReceiver<_>>| {
            let (cancel, progress) = (cancel.clone(), progress.clone());
            async move {
                let mut receiver = pieces.take()?;
                let piece = tokio::select! {
                    biased;
                    piece = receiver.recv() => piece.unwrap_or_else(|| Err(gone())),
                    () = cancel.cancelled() => Ok(progress.done(StopReason::Cancelled)),
                };
                let last = !matches!(piece, Ok(Chunk::Text(_) | Chunk::Reasoning(_) | Chunk::ToolCall { .. }));
                Some((piece, (!last).then_some(receiver)))
            }
        };
        Ok(stream::unfold(Some(pieces), next).boxed())
    }

    async fn score(&self, prompt: &ScorePrompt, labels: &[String]) -> Result<Vec<f32>, EngineError> {
        let (prompt, labels) = (prompt.clone(), labels.to_vec());
        let path =
            move |words: &Words, label: &String| words.prompt(&prompt.messages, &format!("{}{label}", prompt.prefill));
        let paths =
            self.words(move |words| labels.iter().map(|l| path(words, l)).collect::<Result<Vec<_>, _>>()).await?;
        let (answer, weights) = oneshot::channel();
        self.queue.send(Job::Score { paths, answer }).await.map_err(|_| gone())?;
        weights.await.map_err(|_| gone())?
    }
}
