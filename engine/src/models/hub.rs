//! Fetching from a model hub, resumed by Range.

use super::disk::{check_space, write_error};
use super::{HubFile, Model, OnProgress, Progress, Stage};
use crate::EngineError;
use futures::StreamExt;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_RANGE, RANGE};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncWriteExt;

/// What is gathered here, in the work folder.
pub const FILE: &str = "hub";

/// A hub that has not answered by now is given up: there is another source.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// Silence in the middle of the file, after which the connection is made anew.
const STALLED_AFTER: Duration = Duration::from_secs(30);
/// Connections that are tried once the hub is known to answer.
const TRIES: usize = 4;

/// Why the hub did not give the file.
pub enum Failure {
    /// Something here: another source would fail too.
    Here(EngineError),
    /// The hub: another source may have it.
    There(String),
}

/// Fetches the whole file into `work`.
pub async fn fetch(
    work: &Path,
    model: &Model,
    endpoint: &str,
    file: &HubFile,
    progress: OnProgress<'_>,
) -> Result<PathBuf, Failure> {
    let path = work.join(FILE);
    let url = format!("{endpoint}/{}/resolve/main/{}", file.repository, file.file);
    let client = reqwest::Client::builder()
        .connect_timeout(ANSWER_WITHIN)
        .read_timeout(STALLED_AFTER)
        .redirect(reqwest::redirect::Policy::limited(5))
        .build()
        .map_err(|error| Failure::There(crate::openai::cause(&error)))?;
    let mut last = String::new();
    for attempt in 0..TRIES {
        match attempt_once(&client, &url, &path, model, progress).await {
            Ok(()) => return Ok(path),
            Err(Attempt::Broken(reason)) => last = reason,
            Err(Attempt::Give(failure)) => return Err(failure),
        }
        tracing::info!(url, attempt, reason = last, "the download broke and is resumed");
    }
    Err(Failure::There(last))
}

enum Attempt {
    /// The connection broke after some of the file: worth another.
    Broken(String),
    /// Not worth another.
    Give(Failure),
}

fn there(reason: impl Into<String>) -> Attempt {
    Attempt::Give(Failure::There(reason.into()))
}

async fn attempt_once(
    client: &reqwest::Client,
    url: &str,
    path: &Path,
    model: &Model,
    progress: OnProgress<'_>,
) -> Result<(), Attempt> {
    let mut have = tokio::fs::metadata(path).await.map_or(0, |data| data.len());
    if have > model.bytes {
        have = 0;
    }
    if have == model.bytes {
        return Ok(());
    }
    let request = client.get(url).header(RANGE, format!("bytes={have}-")).send();
    let answer = tokio::time::timeout(ANSWER_WITHIN, request)
        .await
        .map_err(|_| there(format!("no answer within {} seconds", ANSWER_WITHIN.as_secs())))?
        .map_err(|error| there(crate::openai::cause(&error)))?;
    let (start, total) = match answer.status() {
        StatusCode::PARTIAL_CONTENT => range(&answer).ok_or_else(|| there("it sent an unreadable range"))?,
        StatusCode::OK => (0, answer.content_length()),
        status => return Err(there(format!("status {status}"))),
    };
    if total.is_some_and(|total| total != model.bytes) || start > have {
        return Err(there("it has another file under this name"));
    }
    let here = |error| Attempt::Give(Failure::Here(error));
    let folder = path.parent().unwrap_or(path);
    check_space(folder, model.bytes - start).map_err(here)?;
    let open = async {
        let file = tokio::fs::OpenOptions::new().create(true).truncate(false).write(true).open(path).await?;
        file.set_len(start).await?;
        let mut file = file;
        tokio::io::AsyncSeekExt::seek(&mut file, std::io::SeekFrom::Start(start)).await?;
        std::io::Result::Ok(file)
    };
    let mut file = open.await.map_err(|error| here(write_error(path, model.bytes - start, error)))?;
    let mut done = start;
    let mut body = answer.bytes_stream();
    let ended = loop {
        let Some(bytes) = body.next().await else { break None };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => break Some(crate::openai::cause(&error)),
        };
        if done + bytes.len() as u64 > model.bytes {
            return Err(there("it sent more than the file"));
        }
        // Flushed before it is counted: what a cancelled pull was told of is there for the next one.
        let written = async { file.write_all(&bytes).await.and(file.flush().await) };
        written.await.map_err(|error| here(write_error(path, model.bytes - done, error)))?;
        done += bytes.len() as u64;
        progress(Progress { stage: Stage::Hub, done, total: model.bytes });
    };
    if done == model.bytes {
        return Ok(());
    }
    let reason = ended.unwrap_or_else(|| "the connection ended early".to_owned());
    Err(if done > start { Attempt::Broken(reason) } else { there(reason) })
}

/// The first byte and the size of the whole, as `Content-Range` says.
fn range(answer: &reqwest::Response) -> Option<(u64, Option<u64>)> {
    let text = answer.headers().get(CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes ")?;
    let (span, total) = text.split_once('/')?;
    Some((span.split_once('-')?.0.parse().ok()?, total.parse().ok()))
}
