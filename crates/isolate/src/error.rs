//! Why a job has no answer.

use std::time::Duration;

/// Why a job has no answer. All but the first are the job's own doing, or the machine's limits.
#[derive(Debug, thiserror::Error)]
pub enum IsolateError {
    /// No child could be started.
    #[error("no isolated process could be started ({program}): {reason}")]
    Spawn {
        /// The program.
        program: String,
        /// What was seen.
        reason: String,
    },
    /// The job was killed at its deadline.
    #[error("the code ran longer than {} ms and was stopped", .0.as_millis())]
    Deadline(Duration),
    /// The job used more memory than it may.
    #[error("the code needed more than {} MiB of memory", .0 >> 20)]
    Memory(usize),
    /// The child died.
    #[error("the code ended its process ({0})")]
    Died(String),
    /// The source or the answer is too large.
    #[error("the {what} is larger than {limit} bytes")]
    TooLarge {
        /// `source` or `answer`.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The code threw.
    #[error("the code threw: {0}")]
    Threw(String),
    /// The child does not speak the protocol.
    #[error("the isolated process answered nonsense: {0}")]
    Protocol(String),
}
