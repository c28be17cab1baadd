//! The thread that owns a model: requests at different places go through it together.
//!
//! Each step reads one token of every row that writes and a piece of those that are still reading, in one forward pass.
//! Before each, rows that nobody waits for any more leave, and others come in. A request that fails ends alone: the
//! thread and the queue go on.

use super::{
    model::{Model, PREFILL_CHUNK, failed},
    prefix::{Sequence, WORTH_COPYING, shared},
    queue::{Queue, Verdict},
    row::{Job, Row},
};
use crate::EngineError;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

/// Tokens of prompts that are read in a step while others write: they wait for each step.
const READ_BESIDE: usize = 48;
/// Rows for weighing labels, beside those that write: a turn waits for them.
const ROWS_TO_WEIGH: usize = 2;
/// Bytes of keys and values that running requests may come to have; one runs in any case.
const RUNNING_BYTES: usize = 6 << 30;
/// A request waits for another that reads what it begins with, if that spares it so many tokens.
const WORTH_WAITING: usize = 16;

/// Starts the thread of `model`, which computes `rows` requests together. It ends when the queue is closed.
///
/// # Errors
/// [`EngineError::Compute`] when no thread can be started.
pub fn start(model: Model, queue: Arc<Queue>, rows: usize) -> Result<(), EngineError> {
    let pool = model.pool();
    let run = move || {
        // Whatever ends the thread, those who wait are told.
        let ending = Ending(queue);
        let mut batch = Batch { model, rows: Vec::new(), most: rows };
        // Inside the pool, so that matrix products split among its threads without waking one to begin with.
        while pool.install(|| batch.admit(&ending.0)) {
            pool.install(|| batch.step(&ending.0));
        }
    };
    std::thread::Builder::new()
        .name("model".into())
        .spawn(run)
        .map_err(|e| EngineError::Compute(format!("its thread cannot be started: {e}")))?;
    Ok(())
}

struct Ending(Arc<Queue>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end();
    }
}

struct Batch {
    model: Model,
    rows: Vec<Row>,
    most: usize,
}

impl Batch {
    /// Lets go of rows that nobody waits for and takes in others; waits when there are none. Nothing is left to do when
    /// it answers no.
    fn admit(&mut self, queue: &Queue) -> bool {
        let (stay, leave) = std::mem::take(&mut self.rows).into_iter().partition(Row::wanted);
        self.rows = stay;
        for row in leave {
            self.keep(row, None, queue);
        }
        loop {
            let running: Vec<&str> = self.rows.iter().map(|row| row.client.as_str()).collect();
            let Some(job) = queue.take(&running, |job| self.judge(job)) else { return !self.rows.is_empty() };
            self.begin(job);
        }
    }

    fn judge(&self, job: &Job) -> Verdict {
        if self.rows.is_empty() {
            return Verdict::Take;
        }
        let (weighing, writing) = (self.rows.iter().filter(|row| row.is_score()).count(), self.rows.len());
        let writing = writing - weighing;
        let room = if job.is_score() { weighing < ROWS_TO_WEIGH } else { writing < self.most };
        if !room {
            return Verdict::Later;
        }
        let running: usize = self.rows.iter().map(|row| row.sequence.cache.capacity()).sum();
        if (running + job.room(self.model.context())) * self.model.config().token_bytes() > RUNNING_BYTES {
            return Verdict::Full;
        }
        let (key, prompt) = (job.key(), job.prompt());
        let known = self.model.known(&key, prompt);
        let soon = self.rows.iter().filter(|row| row.sequence.key == key && row.unread() > 1).any(|row| {
            let common = shared(&row.tokens, prompt);
            let read = row.sequence.cache.len().min(common);
            common >= known.max(read) + WORTH_WAITING
        });
        if soon { Verdict::Later } else { Verdict::Take }
    }

    /// Makes a row of `job`, with the most that is remembered of its prompt, here or in a row beside it.
    fn begin(&mut self, job: Job) {
        let (key, room) = (job.key(), job.room(self.model.context()).max(job.prompt().len()));
        let prompt = job.prompt();
        let known = self.model.known(&key, prompt);
        let most = prompt.len().saturating_sub(1);
        let beside = self.rows.iter().filter(|row| row.sequence.key == key);
        let beside = beside.map(|row| (shared(&row.tokens, prompt).min(row.sequence.cache.len()).min(most), row));
        let beside = beside.max_by_key(|(count, _)| *count).filter(|(count, _)| *count >= known + WORTH_COPYING);
        let sequence = match beside {
            Some((count, row)) => row.sequence.cache.fork(self.model.config(), count, room).map(|cache| Sequence {
                tokens: prompt[..count].to_vec(),
                cache,
                key: key.clone(),
            }),
            None => self.model.remembered(&key, prompt, room),
        };
        match sequence.map_err(failed) {
            Ok(sequence) => self.rows.extend(Row::new(job, sequence)),
            Err(error) => job.refuse(error),
        }
    }

    /// One forward pass, and what comes of it.
    fn step(&mut self, queue: &Queue) {
        let shares = shares(&self.rows);
        let outcome = guarded(|| read(&self.model, &mut self.rows, &shares));
        let mut results = match outcome {
            Ok(Ok(results)) => results,
            // Whose fault it is shows when each is read alone; none has changed.
            Ok(Err(_)) if self.rows.len() > 1 => {
                let alone = self.rows.iter_mut().zip(&shares).map(|(row, share)| {
                    if *share == 0 {
                        return Ok(None);
                    }
                    let read = guarded(|| read(&self.model, std::slice::from_mut(row), &[*share]));
                    read.and_then(|read| read).map(|mut read| read.pop().flatten())
                });
                alone.map(|read| read.unwrap_or_else(|e| Some(Err(e)))).collect()
            }
            Ok(Err(error)) => vec![Some(Err(error))],
            Err(error) => {
                // What was in memory then is not trusted any more.
                self.model.forget();
                let said = error.to_string();
                for row in self.rows.drain(..) {
                    let _ = row.end(Some(EngineError::Compute(said.clone())));
                }
                return;
            }
        };
        let (words, context) = (self.model.words().clone(), self.model.context());
        let mut going = Vec::with_capacity(self.rows.len());
        for (mut row, result) in std::mem::take(&mut self.rows).into_iter().zip(results.drain(..)) {
            let taken = match result {
                None => Ok(true),
                Some(Ok(logits)) => guarded(|| row.take(logits, &words, context)).and_then(|taken| taken),
                Some(Err(error)) => Err(error),
            };
            match taken {
                Ok(true) => going.push(row),
                Ok(false) => self.keep(row, None, queue),
                Err(error) => self.keep(row, Some(error), queue),
            }
        }
        self.rows = going;
    }

    fn keep(&mut self, row: Row, error: Option<EngineError>, queue: &Queue) {
        let wrote = !row.is_score();
        let (sequence, seconds) = row.end(error);
        if wrote {
            queue.took(seconds);
        }
        self.model.keep(sequence);
    }
}

/// How many tokens each row reads in the next step.
fn shares(rows: &[Row]) -> Vec<usize> {
    let writes = |row: &Row| row.unread() == 1;
    let mut left = if rows.iter().any(writes) { READ_BESIDE } else { PREFILL_CHUNK };
    let mut shares = vec![0; rows.len()];
    // Those that weigh are first: a turn waits for them.
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|i| !rows[*i].is_score());
    for i in order {
        if writes(&rows[i]) {
            shares[i] = 1;
        } else {
            shares[i] = rows[i].unread().min(left);
            left -= shares[i];
        }
    }
    shares
}

type Outcome = Option<Result<Vec<f32>, EngineError>>;

/// Reads the next tokens of each row; the logits of those that are at their end.
fn read(model: &Model, rows: &mut [Row], shares: &[usize]) -> Result<Vec<Outcome>, EngineError> {
    let whole: Vec<bool> = rows.iter().zip(shares).map(|(row, share)| *share > 0 && *share == row.unread()).collect();
    let mut parts: Vec<_> =
        rows.iter_mut().zip(shares).filter(|(_, share)| **share > 0).map(|(row, share)| row.part(*share)).collect();
    let mut logits = model.read(&mut parts)?.into_iter();
    Ok(whole.into_iter().map(|whole| if whole { logits.next().map(Ok) } else { None }).collect())
}

/// Turns a panic in a kernel into an error.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, EngineError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        EngineError::Compute(format!("it broke off: {}", said.unwrap_or("for no stated reason")))
    })
}
