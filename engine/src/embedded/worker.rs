//! The thread that owns a model, and the queue in front of it.
//!
//! One request computes at a time; the others wait in order. A request that fails, or that nobody waits for any more,
//! ends alone: the thread and the queue go on.

use super::{model::Model, sampling::Sampler, writing::Writing};
use crate::{Chunk, EngineError, Request, StopReason};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::sync::{mpsc, oneshot};

/// Requests that may wait; the next ones wait to be let into the queue.
const QUEUE: usize = 64;

/// Where an answer goes. What waits in it is at most `max_tokens` pieces: the model does not wait for its reader.
pub type Answer = mpsc::UnboundedSender<Result<Chunk, EngineError>>;

/// How far an answer is; readable while it is written.
#[derive(Default)]
pub struct Progress {
    /// Tokens of the prompt.
    pub prompt: AtomicUsize,
    /// Tokens written.
    pub answer: AtomicUsize,
}

impl Progress {
    /// The last chunk of an answer.
    pub fn done(&self, stop: StopReason) -> Chunk {
        Chunk::Done {
            stop,
            prompt_tokens: self.prompt.load(Ordering::Relaxed),
            answer_tokens: self.answer.load(Ordering::Relaxed),
        }
    }
}

/// What a model may be asked.
pub enum Job {
    /// Write an answer.
    Generate {
        /// The prompt's tokens.
        prompt: Vec<u32>,
        /// How to write; its messages are not looked at.
        request: Request,
        /// How far it is.
        progress: Arc<Progress>,
        /// Where it goes.
        answer: Answer,
    },
    /// Weigh what may come next.
    Score {
        /// Whole sequences that differ at their ends.
        paths: Vec<Vec<u32>>,
        /// Where the log-probabilities go.
        answer: oneshot::Sender<Result<Vec<f32>, EngineError>>,
    },
}

/// Starts the thread of `model`. It ends when the queue is dropped.
///
/// # Errors
/// [`EngineError::Compute`] when no thread can be started.
pub fn start(mut model: Model) -> Result<mpsc::Sender<Job>, EngineError> {
    let (queue, mut jobs) = mpsc::channel::<Job>(QUEUE);
    let pool = model.pool();
    let run = move || {
        while let Some(job) = jobs.blocking_recv() {
            // Inside the pool, so that matrix products split among its threads without waking one to begin with.
            pool.install(|| serve(&mut model, job));
        }
    };
    std::thread::Builder::new()
        .name("model".into())
        .spawn(run)
        .map_err(|e| EngineError::Compute(format!("its thread cannot be started: {e}")))?;
    Ok(queue)
}

fn serve(model: &mut Model, job: Job) {
    match job {
        Job::Generate { prompt, request, progress, answer } => {
            let written = guarded(model, |model| write(model, &prompt, &request, &progress, &answer));
            // Nobody listens when the stream was dropped; that is how it is cancelled.
            let _ = answer.send(written.map(|stop| progress.done(stop)));
        }
        Job::Score { paths, answer } => {
            if !answer.is_closed() {
                let _ = answer.send(guarded(model, |model| model.weigh(&paths)));
            }
        }
    }
}

/// Turns a panic in a kernel into an error; what was in memory then is not trusted any more.
fn guarded<T>(model: &mut Model, work: impl FnOnce(&mut Model) -> Result<T, EngineError>) -> Result<T, EngineError> {
    catch_unwind(AssertUnwindSafe(|| work(model))).unwrap_or_else(|panic| {
        model.forget();
        let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(EngineError::Compute(format!("it broke off: {}", said.unwrap_or("for no stated reason"))))
    })
}

fn write(
    model: &mut Model,
    prompt: &[u32],
    request: &Request,
    progress: &Progress,
    answer: &Answer,
) -> Result<StopReason, EngineError> {
    let wanted = || !request.cancel.is_cancelled() && !answer.is_closed();
    let (mut sequence, logits) = model.read(prompt, request.max_tokens, &wanted)?;
    let stop = match logits {
        Some(logits) => answer_on(model, &mut sequence, logits, request, progress, answer, &wanted),
        None => Ok(StopReason::Cancelled),
    };
    model.keep(sequence);
    stop
}

fn answer_on(
    model: &Model,
    sequence: &mut super::prefix::Sequence,
    mut logits: Vec<f32>,
    request: &Request,
    progress: &Progress,
    answer: &Answer,
    wanted: &dyn Fn() -> bool,
) -> Result<StopReason, EngineError> {
    let words = model.words().clone();
    let mut sampler = Sampler::new(request);
    let mut writing = Writing::new(&request.stop);
    let send = |text: String| {
        if !text.is_empty() {
            let _ = answer.send(Ok(Chunk::Text(text)));
        }
    };
    let mut written = 0;
    let stop = loop {
        if !wanted() {
            break StopReason::Cancelled;
        }
        if written >= request.max_tokens {
            break StopReason::Length;
        }
        let token = sampler.next(logits)?;
        if words.tokenizer.is_end(token) {
            break StopReason::Stop;
        }
        written += 1;
        progress.answer.store(written, Ordering::Relaxed);
        send(writing.push(&words.tokenizer.bytes(token)));
        if writing.stopped() {
            break StopReason::Stop;
        }
        if written >= request.max_tokens || sequence.cache.len() >= sequence.cache.capacity().min(model.context()) {
            break StopReason::Length;
        }
        logits = model.step(sequence, token)?;
    };
    send(writing.finish());
    Ok(if writing.stopped() { StopReason::Stop } else { stop })
}
