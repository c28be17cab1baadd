//! Programs that are not ours and read hostile text: started under the same kind of fences as the workers.
//!
//! A small process of ours raises the fences and then becomes the program, so that nothing of the parent's state is
//! touched between `fork` and `exec`. The program has no environment but what is given, reads the named places alone,
//! writes no file, opens no socket and starts no other process.

use crate::IsolateError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The word that tells the launcher what it is for; the description follows it.
pub(crate) const WORD: &str = "confined";

/// What a confined program is and may use.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Confined {
    /// The program, by its whole path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its environment, all of it.
    pub environment: BTreeMap<String, String>,
    /// Folders and files that it may read.
    pub readable: Vec<PathBuf>,
    /// Where it starts.
    pub folder: PathBuf,
    /// Bytes of address space.
    pub address_space: u64,
    /// Seconds of processor time in its life: for the case that nobody is left to stop it.
    pub processor_seconds: u64,
}

impl Confined {
    /// The command that starts it. `launcher` is a program that calls [`crate::worker_main`]: its program and arguments
    /// are used, its environment is not. Standard streams are pipes; the process is killed when it is dropped.
    ///
    /// # Errors
    /// A path is not UTF-8.
    pub fn command(&self, launcher: &Command) -> Result<tokio::process::Command, IsolateError> {
        let spec = serde_json::to_string(self).map_err(|error| IsolateError::Spawn {
            program: self.program.display().to_string(),
            reason: error.to_string(),
        })?;
        let mut command = tokio::process::Command::new(launcher.get_program());
        command.args(launcher.get_args()).arg(WORD).arg(spec).env_clear().current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        Ok(command)
    }

    /// The description among a launcher's arguments, if it is there.
    pub(crate) fn among(arguments: impl Iterator<Item = OsString>) -> Option<Result<Self, serde_json::Error>> {
        let mut arguments = arguments.skip_while(|argument| argument != WORD).skip(1);
        let spec = arguments.next()?;
        Some(serde_json::from_str(&spec.to_string_lossy()))
    }
}
