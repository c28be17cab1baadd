//! Untrusted code against the real child process.

mod hostile;
mod names;

use std::process::Command;
use std::time::Duration;
use ui4a_isolate::{Limits, Pool};

fn worker() -> Command {
    Command::new(env!("CARGO_BIN_EXE_ui4a-isolate"))
}

fn pool() -> Pool {
    // A loaded machine must not turn work into a deadline.
    Pool::with_limits(worker(), Limits { deadline: Duration::from_secs(30), ..Limits::default() })
}

fn impatient() -> Pool {
    Pool::with_limits(worker(), Limits { deadline: Duration::from_secs(2), ..Limits::default() })
}
