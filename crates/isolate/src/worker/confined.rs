//! The launcher: raises the fences, then becomes the program.

use super::fence;
use crate::confine::Confined;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// What the launcher's first line on standard error begins with when a fence is missing.
pub(crate) const MISSING: &str = "ui4a: fences missing: ";

/// Becomes the program, or says why not and ends.
pub(super) fn run(spec: Result<Confined, serde_json::Error>) -> ! {
    let error = match spec {
        Ok(spec) => become_it(&spec),
        Err(error) => error.to_string(),
    };
    eprintln!("ui4a: {error}");
    std::process::exit(127)
}

fn become_it(spec: &Confined) -> String {
    if let Err(error) = std::env::set_current_dir(&spec.folder) {
        return format!("{}: {error}", spec.folder.display());
    }
    let missing = fence::confine(spec);
    if !missing.is_empty() {
        eprintln!("{MISSING}{}", missing.join("; "));
    }
    let mut command = Command::new(&spec.program);
    command.args(&spec.arguments).env_clear().envs(&spec.environment);
    format!("{}: {}", spec.program.display(), command.exec())
}
