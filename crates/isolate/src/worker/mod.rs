//! The child's side: a loop that reads a job, runs it in a fresh JavaScript runtime, and writes the answer.

mod confined;
mod fence;
mod script;

use crate::confine::Confined;
use crate::wire::{self, ANSWER_VARIABLE, Ask, HEAP_VARIABLE, Say};
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// What a confined program's first line on standard error begins with when the system lacks a fence.
pub const FENCES_MISSING: &str = confined::MISSING;

/// The largest job that is read; the parent's limit is below it.
const JOB_BYTES: usize = 512 << 20;

/// Serves jobs on standard input until it ends. Must be called before the program starts any thread: the fences hold for
/// the thread that raises them and for those it starts later. With a [`Confined`] among the arguments it becomes that
/// program instead.
pub fn worker_main() -> ! {
    if let Some(spec) = Confined::among(std::env::args_os()) {
        confined::run(spec);
    }
    let code = match serve() {
        Ok(()) => 0,
        Err(_) => 1, // nobody reads what this process would say
    };
    std::process::exit(code)
}

/// Raises the fences and tries each; prints one JSON object that says which hold here. With the argument `confined`
/// those around a program that is not ours. For tests.
pub fn probe_main() -> ! {
    let confined = std::env::args().any(|argument| argument == "confined");
    let spec = Confined { address_space: 4 << 30, processor_seconds: 60, ..Confined::default() };
    let missing = if confined { fence::confine(&spec) } else { fence::raise(256 << 20) };
    let tried = fence::probe();
    println!("{}", serde_json::json!({ "missing": missing, "refused": tried }));
    std::process::exit(0)
}

fn serve() -> std::io::Result<()> {
    let number = |name: &str, default: usize| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let heap = number(HEAP_VARIABLE, 256 << 20);
    let answer = number(ANSWER_VARIABLE, 1 << 20);
    let (mut input, mut output) = pipes()?;
    let events = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut runtime = Some(script::Runtime::new(heap));
    let missing = fence::raise(heap);
    wire::write(&mut output, &Say::Ready { missing })?;
    while let Some(message) = wire::read(&mut input, JOB_BYTES)? {
        let ask: Ask = serde_json::from_slice(&message)?;
        drop(message);
        let fresh = runtime.take().unwrap_or_else(|| script::Runtime::new(heap));
        let said = events.block_on(script::answer(fresh, ask, answer));
        wire::write(&mut output, &said)?;
        // Made while nobody waits.
        runtime = Some(script::Runtime::new(heap));
    }
    Ok(())
}

/// The job pipe and the answer pipe. The standard streams become `/dev/null`, so that nothing the engine prints is taken
/// for an answer.
fn pipes() -> std::io::Result<(File, File)> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    let aside = |standard: i32| -> std::io::Result<File> {
        // SAFETY: `dup` takes any number; a descriptor that it answers is new and belongs to nobody else.
        let copy = unsafe { libc::dup(standard) };
        if copy < 0 {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: `copy` was just made and is owned here alone.
        let owned = unsafe { OwnedFd::from_raw_fd(copy) };
        // SAFETY: both are open descriptors.
        if unsafe { libc::dup2(null.as_raw_fd(), standard) } < 0 {
            return Err(std::io::Error::last_os_error());
        }
        Ok(File::from(owned))
    };
    Ok((aside(0)?, aside(1)?))
}
