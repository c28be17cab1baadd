//! A model without a thread: prompts in, logits out, with the memory of earlier prompts.
//!
//! What [`super::worker`] runs for requests, and what benches and the comparison with llama.cpp call directly. Split in
//! two so that prompts can be prepared while the model computes: [`Words`] may be shared, [`Model`] may not.

use super::{
    cache::KvCache,
    config::Config,
    decoder::{Decoder, Logits},
    gguf::Gguf,
    prefix::{Prefixes, Sequence},
    sampling,
    template::Template,
    tokenizer::Tokenizer,
};
use crate::{EngineError, Message};
use std::{path::Path, sync::Arc};

/// Tokens read in one forward pass: cancelling is noticed after each. Larger chunks read faster (the weights are
/// unpacked once a chunk), smaller ones end sooner.
pub const PREFILL_CHUNK: usize = 256;
/// Tokens of a prompt and its answer together, where the options do not say: 900 MB of keys and values on the default
/// model when full.
const DEFAULT_CONTEXT: usize = 16_384;

/// How a model is run.
#[derive(Clone, Debug, Default)]
pub struct EmbeddedOptions {
    /// Threads that compute; the machine's available parallelism when `None`.
    pub threads: Option<usize>,
    /// Tokens of a prompt and its answer together, at most the model's own limit; the lesser of that and 16,384 when
    /// `None`.
    pub context: Option<usize>,
}

/// A model's text side: its tokeniser and its chat template.
pub struct Words {
    /// The tokeniser.
    pub tokenizer: Tokenizer,
    /// The chat template.
    pub template: Template,
}

impl Words {
    /// The tokens of a conversation, up to where the rest of an answer that begins with `prefill` comes.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when the template or the tokeniser fails.
    pub fn prompt(&self, messages: &[Message], prefill: &str) -> Result<Vec<u32>, EngineError> {
        let rendered = self.template.render(&self.tokenizer, messages, prefill)?;
        let mut ids = self.tokenizer.encode_markup(&rendered.text, rendered.guard)?;
        if let Some(bos) = self.tokenizer.leading().filter(|bos| ids.first() != Some(bos)) {
            ids.insert(0, bos);
        }
        Ok(ids)
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
        let words = Arc::new(Words { tokenizer, template: Template::read(&gguf)? });
        Ok(Self { decoder, words, prefixes: Prefixes::default(), context, pool: Arc::new(pool) })
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

    /// Reads `prompt` but for what is still known of it, and gives the logits after it; nothing when `go_on`, asked
    /// before each chunk, says no. `room` is how many tokens may follow.
    ///
    /// # Errors
    /// [`EngineError::PromptTooLong`] when it fills the context, [`EngineError::Compute`] when the model fails.
    pub(super) fn read(
        &mut self,
        prompt: &[u32],
        room: usize,
        go_on: &dyn Fn() -> bool,
    ) -> Result<(Sequence, Option<Vec<f32>>), EngineError> {
        if prompt.len() >= self.context {
            return Err(EngineError::PromptTooLong { tokens: prompt.len(), limit: self.context - 1 });
        }
        let capacity = prompt.len().saturating_add(room).min(self.context);
        let mut sequence = self.prefixes.take(self.decoder.config(), prompt, capacity).map_err(failed)?;
        let mut logits = None;
        let start = sequence.tokens.len();
        for chunk in prompt[start..].chunks(PREFILL_CHUNK) {
            if !go_on() {
                return Ok((sequence, None));
            }
            let last = sequence.tokens.len() + chunk.len() == prompt.len();
            let wanted = if last { Logits::Last } else { Logits::None };
            logits = self.decoder.forward(chunk, &mut sequence.cache, wanted).map_err(failed)?;
            sequence.tokens.extend_from_slice(chunk);
        }
        let logits = logits.ok_or_else(|| EngineError::Compute("the prompt has no tokens".into()))?;
        Ok((sequence, Some(floats(&logits)?)))
    }

    /// The logits after `token`, which goes after `sequence`.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when the model fails or the sequence is full.
    pub(super) fn step(&self, sequence: &mut Sequence, token: u32) -> Result<Vec<f32>, EngineError> {
        let logits = self.decoder.forward(&[token], &mut sequence.cache, Logits::Last).map_err(failed)?;
        sequence.tokens.push(token);
        floats(&logits.ok_or_else(|| EngineError::Compute("no logits".into()))?)
    }

    /// Keeps what was read, for prompts that begin the same.
    pub(super) fn keep(&mut self, sequence: Sequence) {
        self.prefixes.give(self.decoder.config(), sequence);
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
                let logits = self.decoder.forward(chunk, &mut cache, Logits::All).map_err(failed)?;
                let logits = floats(&logits.ok_or_else(|| EngineError::Compute("no logits".into()))?)?;
                for row in logits.chunks_exact(self.decoder.vocabulary()) {
                    best.push(sampling::best(row)?);
                }
            }
            Ok(best)
        })
    }

    /// Log-probabilities of each of `paths` being how a sequence goes on after what they all share. They may branch
    /// more than once; what a path has after it is alone is not weighed. One that ends where another goes on has what
    /// the others leave.
    ///
    /// # Errors
    /// [`EngineError::PromptTooLong`], [`EngineError::Compute`].
    pub(super) fn weigh(&mut self, paths: &[Vec<u32>]) -> Result<Vec<f32>, EngineError> {
        let mut weights = vec![0.0; paths.len()];
        let mut groups = vec![(0.0, (0..paths.len()).collect::<Vec<_>>())];
        while let Some((base, group)) = groups.pop() {
            let [first, rest @ ..] = group.as_slice() else { continue };
            let first = &paths[*first];
            let shared = rest.iter().map(|i| paths[*i].iter().zip(first).take_while(|(a, b)| a == b).count());
            let shared = shared.fold(first.len(), usize::min);
            if rest.is_empty() || group.iter().all(|i| paths[*i].len() == shared) {
                group.iter().for_each(|i| weights[*i] = base);
                continue;
            }
            let (sequence, logits) = self.read(&first[..shared], 1, &|| true)?;
            self.keep(sequence);
            let log = sampling::log_softmax(&logits.unwrap_or_default());
            let next = |i: &usize| paths[*i].get(shared).copied();
            let mut tokens: Vec<u32> = group.iter().filter_map(next).collect();
            tokens.sort_unstable();
            tokens.dedup();
            let weight = |token: &u32| log.get(*token as usize).copied().unwrap_or(f32::NEG_INFINITY);
            let taken: f32 = tokens.iter().map(|t| weight(t).exp()).sum();
            let ended: Vec<usize> = group.iter().copied().filter(|i| next(i).is_none()).collect();
            groups.push((base + (1.0 - taken).max(f32::MIN_POSITIVE).ln(), ended));
            for token in tokens {
                let members = group.iter().copied().filter(|i| next(i) == Some(token)).collect();
                groups.push((base + weight(&token), members));
            }
        }
        Ok(weights)
    }
}

fn floats(logits: &candle_core::Tensor) -> Result<Vec<f32>, EngineError> {
    logits.flatten_all().and_then(|t| t.to_vec1()).map_err(failed)
}

fn failed(e: candle_core::Error) -> EngineError {
    EngineError::Compute(e.to_string())
}
