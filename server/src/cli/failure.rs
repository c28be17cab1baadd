//! How a command ends when it fails.

use std::process::ExitCode;
use ui4a_engine::EngineError;

/// What a command answers.
pub type Outcome = Result<ExitCode, Failure>;

/// A failure and its exit code.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    error: anyhow::Error,
}

impl Failure {
    /// Exit 1: what was given is bad.
    pub fn bad(error: impl Into<anyhow::Error>) -> Self {
        Self { code: 1, error: error.into() }
    }

    /// Exit 2: an unknown option, command or model.
    pub fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self { code: 2, error: error.into() }
    }

    /// Exit 3: disk, network, port.
    pub fn environment(error: impl Into<anyhow::Error>) -> Self {
        Self { code: 3, error: error.into() }
    }

    /// Prints the message and gives the exit code.
    pub fn report(self) -> ExitCode {
        eprintln!("error: {:#}", self.error);
        ExitCode::from(self.code)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<EngineError>() {
            Ok(error) => error.into(),
            Err(error) => Self::environment(error),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::BrokenModel { .. } | EngineError::PromptTooLong { .. } | EngineError::WrongHash { .. } => {
                Self::bad(error)
            }
            EngineError::UnknownModel { .. } | EngineError::BadAddress { .. } => Self::usage(error),
            _ => Self::environment(error),
        }
    }
}
