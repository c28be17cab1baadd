//! The parent's side: children started ahead, one job each at a time, killed at the deadline.

use crate::IsolateError;
use crate::wire::{self, ANSWER_VARIABLE, Ask, HEAP_VARIABLE, Say};
use serde_json::Value;
use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::Semaphore;

/// Jobs after which a child is replaced: the engine leaks about 0.9 MB a job, and panics near the 278th.
const JOBS_A_CHILD: usize = 100;
/// A child that is not ready by now is broken. Starting one takes some 30 ms on an idle machine.
const READY_WITHIN: Duration = Duration::from_secs(20);

/// What a job may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Children that run at once.
    pub children: usize,
    /// Time from sending a job to its answer.
    pub deadline: Duration,
    /// Bytes of the JavaScript heap.
    pub heap: usize,
    /// Bytes of a source.
    pub source: usize,
    /// Bytes of an answer's JSON.
    pub answer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { children: 2, deadline: Duration::from_secs(5), heap: 256 << 20, source: 32 << 20, answer: 1 << 20 }
    }
}

/// A script to run.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The script. Its completion value, awaited if it is a promise, is the answer.
    pub source: String,
    /// What the script reads as the global `input`.
    pub input: Value,
}

/// Children that run jobs.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    program: OsString,
    arguments: Vec<OsString>,
    limits: Limits,
    free: Semaphore,
    idle: Mutex<Vec<Worker>>,
    warned: AtomicBool,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("program", &self.shared.program).finish_non_exhaustive()
    }
}

impl Pool {
    /// A pool whose children run `command`, a program that calls [`crate::worker_main`]. Its program and arguments are
    /// used; its environment is not: children have none.
    pub fn new(command: Command) -> Self {
        Self::with_limits(command, Limits::default())
    }

    /// A pool with other limits.
    pub fn with_limits(command: Command, limits: Limits) -> Self {
        let shared = Shared {
            program: command.get_program().to_owned(),
            arguments: command.get_args().map(ToOwned::to_owned).collect(),
            limits,
            free: Semaphore::new(limits.children.max(1)),
            idle: Mutex::default(),
            warned: AtomicBool::new(false),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Starts a child ahead of the first job.
    ///
    /// # Errors
    /// [`IsolateError::Spawn`].
    pub fn warm(&self) -> Result<(), IsolateError> {
        let worker = self.shared.spawn()?;
        self.shared.put_back(worker);
        Ok(())
    }

    /// Evaluates a CommonJS bundle and lists its own enumerable export names, `default` and `__esModule` among them.
    /// What it requires and the document are stand-ins that do nothing.
    ///
    /// # Errors
    /// See [`IsolateError`].
    ///
    /// # Cancel safety
    /// Dropping the future kills the child.
    pub async fn names(&self, source: &str) -> Result<Vec<String>, IsolateError> {
        let seconds = self.shared.cpu_seconds();
        let json = self.ask(source.len(), &Ask::Names { source: source.to_owned(), seconds }).await?;
        serde_json::from_str(&json).map_err(|error| IsolateError::Protocol(error.to_string()))
    }

    /// Runs a script and answers its JSON value.
    ///
    /// # Errors
    /// See [`IsolateError`].
    ///
    /// # Cancel safety
    /// Dropping the future kills the child.
    pub async fn run(&self, job: Job) -> Result<Value, IsolateError> {
        let seconds = self.shared.cpu_seconds();
        let json = self.ask(job.source.len(), &Ask::Run { source: job.source, input: job.input, seconds }).await?;
        serde_json::from_str(&json).map_err(|error| IsolateError::Protocol(error.to_string()))
    }

    async fn ask(&self, size: usize, ask: &Ask) -> Result<String, IsolateError> {
        let shared = &self.shared;
        let limits = shared.limits;
        if size > limits.source {
            return Err(IsolateError::TooLarge { what: "source", limit: limits.source });
        }
        let message = wire::frame(ask).map_err(|error| IsolateError::Protocol(error.to_string()))?;
        // The semaphore is never closed.
        let Ok(_turn) = shared.free.acquire().await else {
            return Err(IsolateError::Protocol("the pool is closed".to_owned()));
        };
        let mut worker = shared.ready().await?;
        // One is started now for the next job, while this one runs.
        shared.keep_one_ahead();
        let said = match tokio::time::timeout(limits.deadline, worker.exchange(&message, limits.answer)).await {
            Ok(said) => said,
            Err(_) => {
                worker.kill().await;
                return Err(IsolateError::Deadline(limits.deadline));
            }
        };
        let answer = match said {
            Ok(Say::Done { json }) => Ok(json),
            Ok(Say::Threw { message }) if message.contains("out of memory") => Err(IsolateError::Memory(limits.heap)),
            Ok(Say::Threw { message }) => Err(IsolateError::Threw(message)),
            Ok(Say::Large) => Err(IsolateError::TooLarge { what: "answer", limit: limits.answer }),
            Ok(Say::Ready { .. }) => Err(IsolateError::Protocol("it is ready twice".to_owned())),
            Err(Gone::Nonsense(reason)) => {
                worker.kill().await;
                return Err(IsolateError::Protocol(reason));
            }
            Err(Gone::Ended) => return Err(IsolateError::Died(worker.kill().await)),
        };
        worker.jobs += 1;
        // A heap that was exhausted may be in any state.
        if worker.jobs < JOBS_A_CHILD && !matches!(answer, Err(IsolateError::Memory(_))) {
            shared.put_back(worker);
        }
        answer
    }
}

impl Shared {
    /// A limit on CPU time for the case that nobody is left to kill the child: above the deadline, so that it never
    /// comes first.
    fn cpu_seconds(&self) -> u64 {
        self.limits.deadline.as_secs() + 2
    }

    fn spawn(&self) -> Result<Worker, IsolateError> {
        let fail =
            |reason: String| IsolateError::Spawn { program: self.program.to_string_lossy().into_owned(), reason };
        let mut command = tokio::process::Command::new(&self.program);
        command.args(&self.arguments).env_clear();
        // Unverified bytecode must not be kept on disk.
        command.env("V82JSC_NO_BC_CACHE", "1");
        command.env(HEAP_VARIABLE, self.limits.heap.to_string()).env(ANSWER_VARIABLE, self.limits.answer.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).current_dir("/").kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| fail(error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(fail("no pipes".to_owned()));
        };
        Ok(Worker { child, input, output, jobs: 0, ready: false })
    }

    /// A child that has said that it is ready.
    async fn ready(&self) -> Result<Worker, IsolateError> {
        let waiting = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut worker = match waiting {
            Some(worker) => worker,
            None => self.spawn()?,
        };
        if worker.ready {
            return Ok(worker);
        }
        let fail =
            |reason: String| IsolateError::Spawn { program: self.program.to_string_lossy().into_owned(), reason };
        match tokio::time::timeout(READY_WITHIN, worker.read(self.limits.answer)).await {
            Err(_) => Err(fail(format!("it was not ready after {} seconds", READY_WITHIN.as_secs()))),
            Ok(Ok(Say::Ready { missing })) => {
                if !missing.is_empty() && !self.warned.swap(true, Ordering::Relaxed) {
                    let missing = missing.join("; ");
                    tracing::warn!(missing, "this system isolates untrusted code less than it could");
                }
                worker.ready = true;
                Ok(worker)
            }
            Ok(Ok(other)) => Err(fail(format!("it began with {other:?}"))),
            Ok(Err(Gone::Nonsense(reason))) => Err(fail(reason)),
            Ok(Err(Gone::Ended)) => Err(fail(worker.kill().await)),
        }
    }

    fn keep_one_ahead(&self) {
        if !self.idle.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            return;
        }
        match self.spawn() {
            Ok(worker) => self.put_back(worker),
            // The next job tries again, and tells its caller.
            Err(error) => tracing::warn!(%error, "no child could be started ahead"),
        }
    }

    fn put_back(&self, worker: Worker) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < self.limits.children.max(1) {
            // Used ones last, so that they are taken first and the fresh one stays ahead.
            idle.push(worker);
        }
    }
}

/// One child. Dropping it kills it.
struct Worker {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    jobs: usize,
    ready: bool,
}

/// Why a child said nothing.
enum Gone {
    /// The pipe ended.
    Ended,
    /// It said something that is not the protocol.
    Nonsense(String),
}

impl Worker {
    async fn exchange(&mut self, message: &[u8], answer: usize) -> Result<Say, Gone> {
        let sent = async {
            self.input.write_all(message).await?;
            self.input.flush().await
        };
        sent.await.map_err(|_| Gone::Ended)?;
        self.read(answer).await
    }

    /// Reads one message. An answer may be escaped JSON text, up to six times as long.
    async fn read(&mut self, answer: usize) -> Result<Say, Gone> {
        let mut head = [0; 4];
        self.output.read_exact(&mut head).await.map_err(|_| Gone::Ended)?;
        let length = u32::from_le_bytes(head) as usize;
        if length > answer.saturating_mul(6) + 4096 {
            return Err(Gone::Nonsense(format!("a message of {length} bytes")));
        }
        let mut message = vec![0; length];
        self.output.read_exact(&mut message).await.map_err(|_| Gone::Ended)?;
        serde_json::from_slice(&message).map_err(|error| Gone::Nonsense(error.to_string()))
    }

    /// Kills the child and says how it ended.
    async fn kill(mut self) -> String {
        // One that ended by itself says why; one that runs on is killed.
        let ended = tokio::time::timeout(Duration::from_millis(200), self.child.wait()).await;
        if let Ok(Ok(status)) = ended {
            return status.to_string();
        }
        match self.child.kill().await {
            Ok(()) => "killed".to_owned(),
            Err(error) => error.to_string(),
        }
    }
}
