//! Types: the native TypeScript checker over the model's own text.
//!
//! Owns the checker's process (one, warm, confined), the settings it reads, and what its answers mean for an artifact: its
//! codes become ours, in the positions of the source, and what does no harm at run time is dropped. Knows nothing of
//! registries: it is given the program and a folder with the declarations of the artifact's packages, which holds the files
//! of [`project`].
//!
//! A check that cannot be made is said ([`NotChecked`]), and the next one is tried all the same.

mod findings;
mod lsp;
mod message;
mod process;
pub mod project;
mod sites;

use crate::compile::Compiled;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::Mutex;
use ui4a_types::{Diagnostic, Phase, Severity};

/// Source longer than this many bytes is not checked.
pub const LONGEST_SOURCE: usize = 512 << 10;

/// How the checker is started, and what it may use.
#[derive(Debug)]
pub struct Launch {
    /// A program that calls `ui4a_isolate::worker_main`: it raises the fences and becomes the checker.
    pub launcher: std::process::Command,
    /// The checker: `tsc` of TypeScript 7 or later, with its library beside it.
    pub program: PathBuf,
    /// Folders that hold projects, and what they link to.
    pub readable: Vec<PathBuf>,
    /// Time for one check.
    pub deadline: Duration,
    /// Bytes of resident memory above which the process is replaced after a check.
    pub memory: u64,
}

impl Launch {
    /// The usual limits. A warm check of a page of source takes some 50 ms, a cold one with a chart library 500 ms.
    pub fn new(launcher: std::process::Command, program: PathBuf, readable: Vec<PathBuf>) -> Self {
        Self { launcher, program, readable, deadline: Duration::from_secs(10), memory: 1 << 30 }
    }
}

/// Why types were not checked.
#[derive(Debug, thiserror::Error)]
pub enum NotChecked {
    /// The text is not what a checker can read.
    #[error("the source has syntax errors; mend them first")]
    Syntax,
    /// The text is too long.
    #[error("the source is longer than {} KiB", LONGEST_SOURCE >> 10)]
    TooLong,
    /// It took too long.
    #[error("the checker was stopped after {} s", .0.as_secs_f32())]
    Deadline(Duration),
    /// The process could not be started.
    #[error("the checker could not be started: {0}")]
    Start(String),
    /// The process ended or spoke nonsense.
    #[error("the checker failed: {0}")]
    Failed(String),
    /// What the checker needs is not there.
    #[error("{0}")]
    Missing(String),
}

impl NotChecked {
    /// The same as a finding.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new("types-not-checked", Severity::Hint, Phase::Type, format!("Types were not checked: {self}"))
    }
}

/// A module that is to be checked.
#[derive(Clone, Debug)]
pub struct Module {
    source: String,
    supplied: Vec<String>,
    known: Vec<Diagnostic>,
    ok: bool,
}

impl Module {
    /// A module as it was compiled.
    pub fn new(source: &str, compiled: &Compiled) -> Self {
        Self::of(source, &compiled.supplied, &compiled.diagnostics, compiled.ok)
    }

    pub(crate) fn of(source: &str, supplied: &[String], known: &[Diagnostic], ok: bool) -> Self {
        Self { source: source.to_owned(), supplied: supplied.to_vec(), known: known.to_vec(), ok }
    }

    /// Its text, as the model wrote it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether a checker would have something to say of it.
    ///
    /// # Errors
    /// It is too long, or does not parse.
    pub fn checkable(&self) -> Result<(), NotChecked> {
        if self.source.len() > LONGEST_SOURCE {
            return Err(NotChecked::TooLong);
        }
        if !self.ok || self.known.iter().any(is_syntax_error) {
            return Err(NotChecked::Syntax);
        }
        Ok(())
    }
}

/// One warm checker. Checks are made one after another.
#[derive(Debug)]
pub struct Checker {
    launch: Launch,
    process: Mutex<Option<process::Process>>,
}

impl Checker {
    /// A checker that is started by the first check.
    pub fn new(launch: Launch) -> Self {
        Self { launch, process: Mutex::new(None) }
    }

    /// What the types of a module say against it, in the order of their places. `project` is a folder that holds the files
    /// of [`project::files`] and a `node_modules`; it must not change once it was used.
    ///
    /// # Errors
    /// Nothing could be said.
    ///
    /// # Cancel safety
    /// Dropping the future stops the process; the next check starts another.
    pub async fn check(&self, project: &Path, module: &Module) -> Result<Vec<Diagnostic>, NotChecked> {
        module.checkable()?;
        let text = project::checked_text(&module.source, &module.supplied);
        let raw = self.ask(project, &text).await?;
        Ok(findings::of(&module.source, raw, &module.known))
    }

    /// The process's number, while there is one.
    pub async fn process_id(&self) -> Option<u32> {
        self.process.lock().await.as_ref().and_then(process::Process::id)
    }

    async fn ask(&self, project: &Path, text: &str) -> Result<Vec<lsp::Raw>, NotChecked> {
        let mut place = self.process.lock().await;
        let deadline = tokio::time::Instant::now() + self.launch.deadline;
        let late = NotChecked::Deadline(self.launch.deadline);
        // Taken out while it works: a check that is given up leaves no half-read answer to the next.
        if let Some(mut warm) = place.take() {
            match tokio::time::timeout_at(deadline, warm.check(project, text)).await {
                Ok(Ok(raw)) => return Ok(self.put_back(&mut place, warm, raw)),
                Ok(Err(error)) => tracing::debug!(%error, "the checker is started again"),
                Err(_) => return Err(late),
            }
        }
        let fresh = async {
            let mut process = process::Process::start(&self.launch).await?;
            let raw = process.check(project, text).await?;
            Ok::<_, NotChecked>((process, raw))
        };
        match tokio::time::timeout_at(deadline, fresh).await {
            Ok(Ok((process, raw))) => Ok(self.put_back(&mut place, process, raw)),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(late),
        }
    }

    fn put_back<T>(&self, place: &mut Option<process::Process>, process: process::Process, answer: T) -> T {
        if process.resident().is_none_or(|bytes| bytes <= self.launch.memory) {
            *place = Some(process);
        }
        answer
    }
}

fn is_syntax_error(found: &Diagnostic) -> bool {
    found.phase == Phase::Syntax && found.severity == Severity::Error
}
