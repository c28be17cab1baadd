//! Requests that wait for a model: who is let in, who is next, who is sent away.
//!
//! A bounded list behind a lock. Clients are served in turn: next is a request of the client with the fewest that run,
//! among those of whoever was served longest ago; weighing labels goes before writing, since a turn waits for it. Knows
//! nothing of what a request does to a model.

use super::row::Job;
use crate::{EngineError, Load};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// Clients whose last turn is remembered; beyond, those who do not wait are forgotten.
const CLIENTS: usize = 1024;

/// What the worker says of a request that would be next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It begins now.
    Take,
    /// Another one may go first.
    Later,
    /// Nobody may go first: there is no room.
    Full,
}

/// The requests that wait, shared between those who ask and the thread that computes.
pub struct Queue {
    state: Mutex<State>,
    wake: Condvar,
    most: usize,
    rows: usize,
}

struct State {
    waiting: VecDeque<Job>,
    running: usize,
    /// Requests that were taken so far, and when each client's last was.
    turn: u64,
    served: HashMap<String, u64>,
    /// Nobody asks any more.
    closed: bool,
    /// The thread computes.
    alive: bool,
    /// What a request takes, in the mean of late.
    seconds: f64,
}

impl Queue {
    /// A queue in which `most` may wait while `rows` run.
    pub fn new(most: usize, rows: usize) -> Self {
        let state = State {
            waiting: VecDeque::new(),
            running: 0,
            turn: 0,
            served: HashMap::new(),
            closed: false,
            alive: true,
            seconds: 5.0,
        };
        Self { state: Mutex::new(state), wake: Condvar::new(), most, rows }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `job` in.
    ///
    /// # Errors
    /// [`EngineError::Full`] when too many wait, [`EngineError::Compute`] when nobody computes any more.
    pub fn push(&self, job: Job) -> Result<(), EngineError> {
        let mut state = self.state();
        if !state.alive {
            return Err(gone());
        }
        state.waiting.retain(Job::wanted);
        if state.waiting.len() >= self.most {
            let turns = state.waiting.len() as f64 / self.rows as f64;
            let seconds = (state.seconds * turns).ceil().clamp(1.0, 300.0) as u64;
            return Err(EngineError::Full { waiting: state.waiting.len(), seconds });
        }
        state.waiting.push_back(job);
        self.wake.notify_one();
        Ok(())
    }

    /// The next request that `judge` takes; `running` are the clients of those that run. With none of them it waits for
    /// one; nothing then means that nobody asks any more.
    pub fn take(&self, running: &[&str], judge: impl Fn(&Job) -> Verdict) -> Option<Job> {
        let mut state = self.state();
        loop {
            state.running = running.len();
            state.waiting.retain(Job::wanted);
            let share = |job: &Job| running.iter().filter(|client| **client == job.client).count();
            let mut order: Vec<usize> = (0..state.waiting.len()).collect();
            let last = |job: &Job| state.served.get(&job.client).copied().unwrap_or(0);
            order.sort_by_key(|i| {
                let job = &state.waiting[*i];
                (!job.is_score(), share(job), last(job), *i)
            });
            for i in order {
                match judge(&state.waiting[i]) {
                    Verdict::Take => {
                        state.running += 1;
                        let job = state.waiting.remove(i);
                        job.iter().filter(|job| !job.is_score()).for_each(|job| state.serve(&job.client));
                        return job;
                    }
                    Verdict::Later => {}
                    Verdict::Full => break,
                }
            }
            if !running.is_empty() || state.closed {
                return None;
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A request took so long.
    pub fn took(&self, seconds: f64) {
        let mut state = self.state();
        state.seconds = state.seconds * 0.8 + seconds * 0.2;
    }

    /// Nobody will ask any more.
    pub fn close(&self) {
        self.state().closed = true;
        self.wake.notify_one();
    }

    /// Nobody computes any more: who waits is told.
    pub fn end(&self) {
        let mut state = self.state();
        state.alive = false;
        state.running = 0;
        // Dropping a request closes its channel, which its reader is told of.
        state.waiting.clear();
    }

    /// How busy it is.
    pub fn load(&self) -> Load {
        let state = self.state();
        Load { running: state.running, waiting: state.waiting.len(), most_waiting: self.most, alive: state.alive }
    }
}

impl State {
    fn serve(&mut self, client: &str) {
        self.turn += 1;
        if self.served.len() >= CLIENTS {
            let waiting = &self.waiting;
            self.served.retain(|known, _| waiting.iter().any(|job| job.client == *known));
        }
        self.served.insert(client.to_owned(), self.turn);
    }
}

/// The thread has ended.
pub fn gone() -> EngineError {
    EngineError::Compute("its thread has ended; start the program again".into())
}
