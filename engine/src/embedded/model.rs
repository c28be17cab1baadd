//! A model without a thread: tokens in, logits out, and the memory of earlier prompts.
//!
//! What [`super::worker`] runs for requests, and what benches and the comparison with llama.cpp call directly. Split in
//! two so that prompts can be prepared while the model computes: [`Words`] may be shared, [`Model`] may not.

use super::{
    adapter::Adapter,
    cache::KvCache,
    config::Config,
    decoder::{Decoder, Logits, Row as Part},
    gguf::Gguf,
    grammar::{Grammars, Held},
    prefix::{Key, Prefixes, Sequence},
    sampling,
    template::Template,
    tokenizer::Tokenizer,
};
use crate::{EngineError, Grammar, Message, Tools};
use std::{path::Path, sync::Arc};

/// Tokens read in one forward pass: cancelling is noticed after each. Larger chunks read faster (the weights are
/// unpacked once a chunk), smaller ones end sooner.
pub const PREFILL_CHUNK: usize = 256;
/// Tokens of a prompt and its answer together, where the options do not say: 900 MB of keys and values on the default
/// model when full.
const DEFAULT_CONTEXT: usize = 16_384;

/// Bytes of keys and values of prompts that are remembered, where the options do not say.
const PREFIX_BYTES: usize = 1 << 30;

/// How a model is run.
#[derive(Clone, Debug, Default)]
pub struct EmbeddedOptions {
    /// Threads that compute; the machine's available parallelism when `None`.
    pub threads: Option<usize>,
    /// Tokens of a prompt and its answer together, at most the model's own limit; the lesser of that and 16,384 when
    /// `None`.
    pub context: Option<usize>,
    /// Requests that are computed together; eight when `None`.
    pub rows: Option<usize>,
    /// Requests that may wait; 64 when `None`.
    pub waiting: Option<usize>,
    /// Bytes of keys and values of earlier prompts that are remembered; 1 GiB when `None`.
    pub prefix_bytes: Option<usize>,
}

/// A model's text side: its tokeniser and its chat template.
pub struct Words {
    /// The tokeniser.
    pub tokenizer: Tokenizer,
    /// The chat template.
    pub template: Template,
    grammars: Grammars,
}

impl Words {
    /// The tokens of a conversation, up to where the rest of an answer that begins with `prefill` comes.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when the template or the tokeniser fails.
    pub fn prompt(&self, messages: &[Message], prefill: &str) -> Result<Vec<u32>, EngineError> {
        self.prompt_with(messages, &Tools::default(), prefill)
    }

    /// As [`Words::prompt`], with tools that may be called.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when the template or the tokeniser fails.
    pub fn prompt_with(&self, messages: &[Message], tools: &Tools, prefill: &str) -> Result<Vec<u32>, EngineError> {
        let rendered = self.template.render(&self.tokenizer, messages, tools, prefill)?;
        let mut ids = self.tokenizer.encode_markup(&rendered.text, rendered.guard)?;
        if let Some(bos) = self.tokenizer.leading().filter(|bos| ids.first() != Some(bos)) {
            ids.insert(0, bos);
        }
        Ok(ids)
    }

    /// What holds an answer to `grammar`.
    ///
    /// # Errors
    /// [`EngineError::Grammar`] when no answer can be held to it.
    pub(super) fn hold(&self, grammar: &Grammar) -> Result<Held, EngineError> {
        self.grammars.hold(&self.tokenizer, grammar)
    }
}

/// A model, ready to compute.
pub struct Model {
    decoder: Decoder,
    words: Arc<Words>,
    prefixes: Prefixes,
    context: usize,
    pool: Arc<rayon::ThreadPool>,
}

impl Model {
    /// Maps the model file at `path`.
    ///
    /// # Errors
    /// [`EngineError::Io`] when it cannot be read, [`EngineError::BrokenModel`] when it is damaged or not of a kind that
    /// runs here.
    pub fn open(path: &Path, options: &EmbeddedOptions) -> Result<Self, EngineError> {
        let gguf = Arc::new(Gguf::open(path)?);
        let config = Config::read(&gguf)?;
        let context = options.context.unwrap_or(DEFAULT_CONTEXT).min(config.context).max(1);
        let threads =
            options.threads.or_else(|| std::thread::available_parallelism().ok().map(Into::into)).unwrap_or(1).max(1);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("model-{i}"))
            .build()
            .map_err(|e| EngineError::Compute(format!("its {threads} threads cannot be started: {e}")))?;
        let decoder = Decoder::open(&gguf, config, context)?;
        let tokenizer = Tokenizer::read(&gguf)?;
        if tokenizer.len() > decoder.vocabulary() {
            let reason = format!("it names {} tokens and has vectors for {}", tokenizer.len(), decoder.vocabulary());
            return Err(gguf.broken(reason));
        }
        let words = Arc::new(Words { tokenizer, template: Template::read(&gguf)?, grammars: Grammars::default() });
        Ok(Self {
            decoder,
            words,
            prefixes: Prefixes::new(options.prefix_bytes.unwrap_or(PREFIX_BYTES)),
            context,
            pool: Arc::new(pool),
        })
    }

    /// The text side, to share.
    pub fn words(&self) -> &Arc<Words> {
        &self.words
    }

    /// Tokens that a prompt and its answer may have together.
    pub fn context(&self) -> usize {
        self.context
    }

    /// The threads that compute. Work that is not run inside them uses rayon's global ones.
    pub(super) fn pool(&self) -> Arc<rayon::ThreadPool> {
        self.pool.clone()
    }

    /// Its shape.
    pub(super) fn config(&self) -> &Config {
        self.decoder.config()
    }

    /// How many tokens of `prompt` are remembered.
    pub(super) fn known(&self, key: &Key, prompt: &[u32]) -> usize {
        self.prefixes.known(key, prompt)
    }

    /// A sequence with what is remembered of `prompt`, and room for `capacity` tokens.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub(super) fn remembered(&mut self, key: &Key, prompt: &[u32], capacity: usize) -> candle_core::Result<Sequence> {
        self.prefixes.take(self.decoder.config(), key, prompt, capacity)
    }

    /// Keeps what was read, for prompts that begin the same.
    pub(super) fn keep(&mut self, sequence: Sequence) {
        self.prefixes.give(self.decoder.config(), sequence);
    }

    /// Reads the parts of several sequences, and gives the logits after those that want them, in their order.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when the model fails; no sequence has then changed.
    pub(super) fn read(&self, parts: &mut [Part<'_>]) -> Result<Vec<Vec<f32>>, EngineError> {
        let Some(logits) = self.decoder.forward(parts).map_err(failed)? else { return Ok(Vec::new()) };
        let logits = floats(&logits)?;
        Ok(logits.chunks_exact(self.decoder.vocabulary()).map(<[f32]>::to_vec).collect())
    }

    /// The adapter in the folder `dir`, for this model.
    ///
    /// # Errors
    /// [`EngineError::Io`], [`EngineError::BrokenAdapter`].
    pub fn adapter(&self, dir: &Path) -> Result<Adapter, EngineError> {
        Adapter::open(dir, self.decoder.config())
    }

    /// All logits of several sequences, each with its adapter, computed in one pass and not kept: a list a token, one
    /// sequence after the other.
    ///
    /// # Errors
    /// [`EngineError::PromptTooLong`], [`EngineError::Compute`].
    pub fn logits(&self, rows: &[(&[u32], Option<&Adapter>)]) -> Result<Vec<Vec<f32>>, EngineError> {
        self.pool.install(|| {
            let new = |tokens: &[u32]| KvCache::new(self.decoder.config(), tokens.len()).map_err(failed);
            let mut caches = rows.iter().map(|(tokens, _)| new(tokens)).collect::<Result<Vec<_>, _>>()?;
            let parts = rows.iter().zip(&mut caches);
            let part = |((tokens, adapter), cache)| Part { tokens, cache, adapter, logits: Logits::All };
            let mut parts: Vec<Part<'_>> = parts.map(|((t, a), cache)| part(((*t, *a), cache))).collect();
            self.read(&mut parts)
        })
    }

    /// Forgets all that was read.
    pub fn forget(&mut self) {
        self.prefixes.clear();
    }

    /// The best next token after each of `tokens`, all read in one go and not kept.
    ///
    /// # Errors
    /// [`EngineError::PromptTooLong`], [`EngineError::Compute`].
    pub fn best_tokens(&self, tokens: &[u32]) -> Result<Vec<u32>, EngineError> {
        if tokens.len() > self.context {
            return Err(EngineError::PromptTooLong { tokens: tokens.len(), limit: self.context });
        }
        self.pool.install(|| {
            let mut cache = KvCache::new(self.decoder.config(), tokens.len()).map_err(failed)?;
            let mut best = Vec::with_capacity(tokens.len());
            for chunk in tokens.chunks(PREFILL_CHUNK) {
                let part = Part { tokens: chunk, cache: &mut cache, adapter: None, logits: Logits::All };
                for logits in self.read(&mut [part])? {
                    best.push(sampling::best(&logits)?);
                }
            }
            Ok(best)
        })
    }
}

fn floats(logits: &candle_core::Tensor) -> Result<Vec<f32>, EngineError> {
    logits.flatten_all().and_then(|t| t.to_vec1()).map_err(failed)
}

pub(super) fn failed(e: candle_core::Error) -> EngineError {
    EngineError::Compute(e.to_string())
}
