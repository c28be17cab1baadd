//! Opening a browser, where there is one.

use std::process::{Command, Stdio};

/// Opens an address in the user's browser unless that is turned off. `UI4A_BROWSER` names a program to use; it is given
/// the address. Never waits, and never fails loudly: the address was printed too.
pub fn open(url: &str, allowed: bool) {
    let Some(program) = program().filter(|_| allowed) else { return };
    let started =
        Command::new(&program).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match started {
        // Reaped on a thread of its own, so that it leaves no zombie.
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(error) => tracing::warn!(%error, program, "the browser could not be opened"),
    }
}

fn program() -> Option<String> {
    if let Ok(program) = std::env::var("UI4A_BROWSER") {
        return (!program.is_empty()).then_some(program);
    }
    let windows = std::env::var_os("DISPLAY").is_some() || std::env::var_os("WAYLAND_DISPLAY").is_some();
    if cfg!(target_os = "macos") { Some("open".to_owned()) } else { windows.then(|| "xdg-open".to_owned()) }
}
