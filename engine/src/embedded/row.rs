//! One request while it is computed: a row of the batch.
//!
//! A row says which tokens are to be read next and takes the logits after them, until it is done. It knows nothing of the
//! rows beside it, of threads or of memory.

use super::{
    adapter::Adapter,
    decoder::{Logits, Row as Part},
    grammar::Held,
    model::Words,
    prefix::{Key, Sequence},
    sampling::{self, Sampler},
    weigh::Weighing,
    writing::Writing,
};
use crate::{Chunk, EngineError, Request, StopReason, Weighed, Weight};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};
use tokio::sync::{mpsc, oneshot};

/// Where an answer goes. What waits in it is at most `max_tokens` pieces: the model does not wait for its reader.
pub type Answer = mpsc::UnboundedSender<Result<Chunk, EngineError>>;

/// How far an answer is; readable while it is written.
#[derive(Default)]
pub struct Progress {
    /// Tokens of the prompt.
    pub prompt: AtomicUsize,
    /// Tokens of it that were remembered.
    pub cached: AtomicUsize,
    /// Tokens written.
    pub answer: AtomicUsize,
}

impl Progress {
    /// The last chunk of an answer.
    pub fn done(&self, stop: StopReason) -> Chunk {
        let of = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        Chunk::Done {
            stop,
            prompt_tokens: of(&self.prompt),
            answer_tokens: of(&self.answer),
            cached_tokens: of(&self.cached),
        }
    }
}

/// A request that waits.
pub struct Job {
    /// Who asks.
    pub client: String,
    /// What is asked.
    pub work: Work,
}

/// What a model may be asked.
pub enum Work {
    /// Write an answer.
    Generate(Box<Generate>),
    /// Weigh what may come next.
    Score {
        /// The paths, whole sequences that differ at their ends.
        weighing: Weighing,
        /// Where the log-probabilities go.
        answer: oneshot::Sender<Result<Vec<f32>, EngineError>>,
    },
}

/// An answer to be written.
pub struct Generate {
    /// The prompt's tokens.
    pub prompt: Vec<u32>,
    /// How to write; its messages are not looked at.
    pub request: Request,
    /// What the answer is held to.
    pub grammar: Option<Held>,
    /// What it is written with.
    pub adapter: Option<Arc<Adapter>>,
    /// How far it is.
    pub progress: Arc<Progress>,
    /// Where it goes.
    pub answer: Answer,
}

impl Job {
    /// Whether it only weighs.
    pub fn is_score(&self) -> bool {
        matches!(self.work, Work::Score { .. })
    }

    /// Whether somebody still waits for it.
    pub fn wanted(&self) -> bool {
        match &self.work {
            Work::Generate(job) => !job.request.cancel.is_cancelled() && !job.answer.is_closed(),
            Work::Score { answer, .. } => !answer.is_closed(),
        }
    }

    /// Ends it before it began.
    pub fn refuse(self, error: EngineError) {
        // Nobody listens when the stream was dropped.
        match self.work {
            Work::Generate(job) => drop(job.answer.send(Err(error))),
            Work::Score { answer, .. } => drop(answer.send(Err(error))),
        }
    }

    /// What is read of it at first.
    pub fn prompt(&self) -> &[u32] {
        match &self.work {
            Work::Generate(job) => &job.prompt,
            Work::Score { weighing, .. } => weighing.first(),
        }
    }

    /// With what.
    pub fn key(&self) -> Key {
        match &self.work {
            Work::Generate(job) => job.adapter.as_ref().map(|adapter| adapter.generation().to_owned()),
            Work::Score { .. } => None,
        }
    }

    /// Tokens that it may come to.
    pub fn room(&self, context: usize) -> usize {
        match &self.work {
            Work::Generate(job) => job.prompt.len().saturating_add(job.request.max_tokens).min(context),
            Work::Score { weighing, .. } => weighing.longest().min(context),
        }
    }
}

/// A request that runs.
pub struct Row {
    /// Who asked.
    pub client: String,
    /// What its cache holds the beginning of: the prompt, then what was written.
    pub tokens: Vec<u32>,
    /// What is remembered.
    pub sequence: Sequence,
    began: Instant,
    doing: Doing,
}

enum Doing {
    Write(Box<Write>),
    Weigh { weighing: Weighing, answer: Option<oneshot::Sender<Result<Vec<f32>, EngineError>>> },
}

struct Write {
    request: Request,
    grammar: Option<Held>,
    adapter: Option<Arc<Adapter>>,
    progress: Arc<Progress>,
    answer: Answer,
    sampler: Sampler,
    writing: Writing,
    written: usize,
}

impl Row {
    /// Begins `job` with what is remembered of its prompt. Nothing when there is nothing to compute.
    pub fn new(job: Job, mut sequence: Sequence) -> Option<Self> {
        let client = job.client;
        let (tokens, doing) = match job.work {
            Work::Generate(job) => {
                let Generate { prompt, request, grammar, adapter, progress, answer } = *job;
                progress.cached.store(sequence.cache.len(), Ordering::Relaxed);
                let (sampler, writing) = (Sampler::new(&request), Writing::new(&request.stop));
                let write = Write { request, grammar, adapter, progress, answer, sampler, writing, written: 0 };
                (prompt, Doing::Write(Box::new(write)))
            }
            Work::Score { mut weighing, answer } => match weighing.next() {
                Some(first) if !first.is_empty() => (first, Doing::Weigh { weighing, answer: Some(answer) }),
                _ => {
                    let _ = answer.send(Ok(weighing.weights()));
                    return None;
                }
            },
        };
        // More may be remembered than is read first of a path that is weighed.
        sequence.cache.truncate(tokens.len().saturating_sub(1));
        Some(Self { client, tokens, sequence, began: Instant::now(), doing })
    }

    /// Whether somebody still waits for it.
    pub fn wanted(&self) -> bool {
        match &self.doing {
            Doing::Write(write) => !write.request.cancel.is_cancelled() && !write.answer.is_closed(),
            Doing::Weigh { answer, .. } => answer.as_ref().is_some_and(|answer| !answer.is_closed()),
        }
    }

    /// Whether it only weighs.
    pub fn is_score(&self) -> bool {
        matches!(self.doing, Doing::Weigh { .. })
    }

    /// Tokens that its cache does not hold.
    pub fn unread(&self) -> usize {
        self.tokens.len() - self.sequence.cache.len()
    }

    /// Its next `count` tokens as a part of a forward pass.
    pub fn part(&mut self, count: usize) -> Part<'_> {
        let from = self.sequence.cache.len();
        let to = (from + count).min(self.tokens.len());
        let logits = if to == self.tokens.len() { Logits::Last } else { Logits::None };
        let adapter = match &self.doing {
            Doing::Write(write) => write.adapter.as_deref(),
            Doing::Weigh { .. } => None,
        };
        Part { tokens: &self.tokens[from..to], cache: &mut self.sequence.cache, adapter, logits }
    }

    /// Takes the logits after its last token; whether it goes on.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when they are no numbers, or its grammar fails.
    pub fn take(&mut self, logits: Vec<f32>, words: &Words, context: usize) -> Result<bool, EngineError> {
        match &mut self.doing {
            Doing::Write(write) => {
                // There is no room to read another.
                let full = self.sequence.cache.len() >= self.sequence.cache.capacity().min(context);
                match write.take(logits, words, full)? {
                    Ok(token) => {
                        self.tokens.push(token);
                        Ok(true)
                    }
                    Err(stop) => {
                        write.end(stop);
                        Ok(false)
                    }
                }
            }
            Doing::Weigh { weighing, answer } => {
                weighing.take(&logits);
                if let Some(next) = weighing.next() {
                    // The last token is read again, for its logits.
                    let known = super::prefix::shared(&self.tokens, &next).min(next.len() - 1);
                    self.sequence.cache.truncate(known);
                    self.tokens = next;
                    return Ok(true);
                }
                if let Some(answer) = answer.take() {
                    let _ = answer.send(Ok(weighing.weights()));
                }
                Ok(false)
            }
        }
    }

    /// Ends it as somebody who went away asked, or with an error, and gives back what it remembers and how long it took.
    pub fn end(self, error: Option<EngineError>) -> (Sequence, f64) {
        match self.doing {
            Doing::Write(mut write) => match error {
                // Nobody listens when the stream was dropped; that is how it is cancelled.
                Some(error) => drop(write.answer.send(Err(error))),
                None => write.end(StopReason::Cancelled),
            },
            Doing::Weigh { answer, .. } => {
                if let (Some(answer), Some(error)) = (answer, error) {
                    let _ = answer.send(Err(error));
                }
            }
        }
        let mut sequence = self.sequence;
        sequence.tokens = self.tokens;
        sequence.tokens.truncate(sequence.cache.len());
        (sequence, self.began.elapsed().as_secs_f64())
    }
}

impl Write {
    /// The next token, or why there is none.
    fn take(
        &mut self,
        mut logits: Vec<f32>,
        words: &Words,
        full: bool,
    ) -> Result<Result<u32, StopReason>, EngineError> {
        if self.written >= self.request.max_tokens {
            return Ok(Err(StopReason::Length));
        }
        let log = self.request.logprobs.map(|_| sampling::log_softmax(&logits));
        if let Some(grammar) = &mut self.grammar {
            grammar.mask(&mut logits)?;
        }
        let token = self.sampler.next(logits)?;
        if words.tokenizer.is_end(token) {
            return Ok(Err(StopReason::Stop));
        }
        self.written += 1;
        self.progress.answer.store(self.written, Ordering::Relaxed);
        if let Some(log) = log {
            self.tell(Chunk::Weights(vec![weighed(&log, token, self.request.logprobs.unwrap_or(0), words)]));
        }
        let shown = self.writing.push(&words.tokenizer.bytes(token));
        self.show(shown);
        if self.writing.stopped() {
            return Ok(Err(StopReason::Stop));
        }
        if let Some(grammar) = &mut self.grammar
            && !grammar.accept(token)?
        {
            return Ok(Err(StopReason::Stop));
        }
        if self.written >= self.request.max_tokens || full {
            return Ok(Err(StopReason::Length));
        }
        Ok(Ok(token))
    }

    fn show(&self, text: String) {
        if !text.is_empty() {
            self.tell(Chunk::Text(text));
        }
    }

    fn tell(&self, chunk: Chunk) {
        let _ = self.answer.send(Ok(chunk));
    }

    fn end(&mut self, stop: StopReason) {
        if self.answer.is_closed() {
            return;
        }
        let rest = self.writing.finish();
        self.show(rest);
        let stop = if self.writing.stopped() && stop != StopReason::Cancelled { StopReason::Stop } else { stop };
        self.tell(self.progress.done(stop));
    }
}

fn weighed(log: &[f32], token: u32, count: usize, words: &Words) -> Weighed {
    let weight = |id: u32, logprob: f32| Weight { bytes: words.tokenizer.bytes(id), logprob };
    let best = sampling::likeliest(log, count).into_iter().map(|(id, logprob)| weight(id, logprob)).collect();
    Weighed { token: weight(token, log.get(token as usize).copied().unwrap_or(f32::NEG_INFINITY)), best }
}
