//! Fetching models from a hub and from wheels that the tests make.

use anyhow::{Context, Result};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures::StreamExt;
use sha2::{Digest, Sha256};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use ui4a_engine::EngineError;
use ui4a_engine::models::{self, HubFile, Model, Part, Progress, Sources, Stage, State};

fn bytes() -> Vec<u8> {
    (0..300_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).take(900_000).collect()
}

fn model(parts: usize, hub: bool) -> Model {
    let content = bytes();
    Model {
        id: "tiny".to_owned(),
        about: String::new(),
        file: "tiny.gguf".to_owned(),
        bytes: content.len() as u64,
        sha256: hex::encode(Sha256::digest(&content)),
        licence: "MIT".to_owned(),
        hub: hub.then(|| HubFile { repository: "owner/tiny".to_owned(), file: "tiny.gguf".to_owned() }),
        parts: (1..=parts)
            .map(|n| Part {
                package: format!("tiny-slice{n}"),
                version: "1.0".to_owned(),
                member: format!("tiny_slice{n}/data/part.bin"),
            })
            .collect(),
    }
}

fn sources(model: Model, hub: Option<String>, python: &Path) -> Sources {
    Sources { catalogue: vec![model], hub, python: python.to_string_lossy().into_owned() }
}

async fn pull(dir: &Path, sources: &Sources) -> Result<PathBuf, EngineError> {
    models::pull(dir, "tiny", sources, &|_| {}, &CancellationToken::new()).await
}

async fn hub(reply: impl Fn(u64) -> Response + Clone + Send + Sync + 'static) -> Result<String> {
    let route = get(move |headers: HeaderMap| async move {
        let range = headers.get(header::RANGE).and_then(|value| value.to_str().ok()).unwrap_or("bytes=0-");
        reply(range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap_or(0))
    });
    let app = Router::new().route("/owner/tiny/resolve/main/tiny.gguf", route);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(url)
}

/// The bytes from `start`, cut off after `limit` where there is one.
fn slice(start: u64, limit: Option<usize>) -> Response {
    let content = bytes();
    let rest = content[start as usize..].to_vec();
    let range = format!("bytes {start}-{}/{}", content.len() - 1, content.len());
    let body = match limit {
        None => Body::from(rest),
        Some(limit) => {
            let sent = Bytes::from(rest[..limit.min(rest.len())].to_vec());
            let broken = futures::stream::iter([Ok(sent), Err(std::io::Error::other("cut"))]);
            Body::from_stream(broken.then(|item| async {
                tokio::task::yield_now().await;
                item
            }))
        }
    };
    (StatusCode::PARTIAL_CONTENT, [(header::CONTENT_RANGE, range)], body).into_response()
}

/// A folder of wheels that carry the model in `parts` slices, and a Python that knows no other index.
fn wheels(parts: usize) -> Result<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir()?;
    let content = bytes();
    let size = content.len().div_ceil(parts);
    for (at, slice) in content.chunks(size).enumerate() {
        let name = format!("tiny_slice{}", at + 1);
        std::fs::write(folder.path().join("slice"), slice)?;
        let script = "import sys, zipfile
name, source, target = sys.argv[1:]
meta = 'Metadata-Version: 2.1\\nName: %s\\nVersion: 1.0\\n' % name.replace('_', '-')
with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as wheel:
    wheel.write(source, name + '/data/part.bin')
    wheel.writestr(name + '-1.0.dist-info/METADATA', meta)
    wheel.writestr(name + '-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nTag: py3-none-any\\n')
    wheel.writestr(name + '-1.0.dist-info/RECORD', '')
";
        let target = folder.path().join(format!("{name}-1.0-py3-none-any.whl"));
        let made = std::process::Command::new("python3")
            .args(["-c", script, &name])
            .args([folder.path().join("slice"), target])
            .status()?;
        anyhow::ensure!(made.success(), "no wheel");
    }
    let python = python(folder.path(), "PIP_NO_INDEX=1")?;
    Ok((folder, python))
}

/// A `python3` that notes what it is asked to fetch in `log`, and sees the wheels of `folder`.
fn python(folder: &Path, settings: &str) -> Result<PathBuf> {
    let path = folder.join("python");
    let at = folder.display();
    let script = format!("#!/bin/sh\necho \"$@\" >>'{at}/log'\nPIP_FIND_LINKS='{at}' {settings} exec python3 \"$@\"\n");
    std::fs::write(&path, script)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

fn fetched(folder: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
    log.lines()
        .filter_map(|line| line.rsplit_once("==").map(|_| line.rsplit(' ').next().unwrap_or("").to_owned()))
        .collect()
}

#[tokio::test]
async fn a_broken_hub_download_goes_on_where_it_broke() -> Result<()> {
    let starts = Arc::new(Mutex::new(Vec::new()));
    let seen = starts.clone();
    let url = hub(move |start| {
        seen.lock().expect("no test panics here").push(start);
        slice(start, (start == 0).then_some(400_000))
    })
    .await?;
    let dir = tempfile::tempdir()?;
    let stages = Mutex::new(Vec::new());
    let note = |progress: Progress| {
        assert!(progress.done <= progress.total);
        stages.lock().expect("no test panics here").push(progress.stage);
    };
    let from = sources(model(0, true), Some(url), Path::new("none"));
    let path = models::pull(dir.path(), "tiny", &from, &note, &CancellationToken::new()).await?;
    assert_eq!(std::fs::read(&path)?, bytes());
    let starts = starts.lock().expect("no test panics here").clone();
    assert_eq!(starts, [0, 400_000]);
    let mut stages = stages.into_inner().expect("no test panics here");
    stages.dedup();
    assert_eq!(stages, [Stage::Connecting, Stage::Hub, Stage::Checking]);
    assert_eq!(models::list(dir.path(), &from.catalogue)[0].state, State::Present);
    assert!(!dir.path().join(".parts/tiny").exists());
    assert!(models::rm(dir.path(), &from.catalogue, "tiny")? && !path.exists());
    assert!(!models::rm(dir.path(), &from.catalogue, "tiny")?);
    Ok(())
}

#[tokio::test]
async fn a_file_with_the_wrong_hash_is_deleted_and_said_so() -> Result<()> {
    let url = hub(|start| slice(start, None)).await?;
    let dir = tempfile::tempdir()?;
    let other = Model { sha256: "0".repeat(64), ..model(0, true) };
    let Err(error) = pull(dir.path(), &sources(other, Some(url), Path::new("none"))).await else {
        anyhow::bail!("the hash is wrong")
    };
    assert!(matches!(error, EngineError::WrongHash { .. }), "{error}");
    assert!(error.to_string().contains("was deleted"), "{error}");
    assert!(!dir.path().join("tiny.gguf").exists() && !dir.path().join(".parts/tiny/hub").exists());
    Ok(())
}

#[tokio::test]
async fn a_present_file_that_was_damaged_is_found_by_verify() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("tiny.gguf");
    let mut content = bytes();
    content[5] ^= 1;
    std::fs::write(&path, content)?;
    let known = [model(0, true)];
    assert!(matches!(models::verify(dir.path(), &known, "tiny"), Err(EngineError::WrongHash { .. })));
    assert!(!path.exists());
    Ok(())
}

#[tokio::test]
async fn another_file_under_the_name_is_not_taken() -> Result<()> {
    let url = hub(|_| "<html>Please log in</html>".into_response()).await?;
    let dir = tempfile::tempdir()?;
    let Err(error) = pull(dir.path(), &sources(model(0, true), Some(url), Path::new("none"))).await else {
        anyhow::bail!("that is no model")
    };
    assert!(error.to_string().contains("another file"), "{error}");
    Ok(())
}

#[tokio::test]
async fn a_silent_hub_is_given_up_and_wheels_are_taken() -> Result<()> {
    // It accepts connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", silent.local_addr()?);
    let (folder, python) = wheels(3)?;
    let dir = tempfile::tempdir()?;
    let started = Instant::now();
    let path = pull(dir.path(), &sources(model(3, true), Some(url), &python)).await?;
    assert_eq!(std::fs::read(path)?, bytes());
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    assert_eq!(fetched(folder.path()), ["tiny-slice1==1.0", "tiny-slice2==1.0", "tiny-slice3==1.0"]);
    Ok(())
}

#[tokio::test]
async fn finished_slices_are_not_fetched_again() -> Result<()> {
    let (folder, python) = wheels(3)?;
    let third = folder.path().join("tiny_slice3-1.0-py3-none-any.whl");
    let away = folder.path().join("away");
    std::fs::rename(&third, &away)?;
    let dir = tempfile::tempdir()?;
    let from = sources(model(3, false), None, &python);
    let Err(error) = pull(dir.path(), &from).await else { anyhow::bail!("a slice is missing") };
    assert!(
        error.to_string().contains("tiny-slice3") && error.to_string().contains("finished parts are kept"),
        "{error}"
    );
    assert_eq!(models::list(dir.path(), &from.catalogue)[0].state, State::Partial(600_000));
    assert!(!dir.path().join("tiny.gguf").exists());
    std::fs::rename(&away, &third)?;
    std::fs::remove_file(folder.path().join("log"))?;
    let path = pull(dir.path(), &from).await?;
    assert_eq!(std::fs::read(path)?, bytes());
    assert_eq!(fetched(folder.path()), ["tiny-slice3==1.0"]);
    Ok(())
}

#[tokio::test]
async fn without_network_or_python_the_message_says_what_to_do() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let closed = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let python = python(folder.path(), &format!("PIP_INDEX_URL=http://{closed}/simple"))?;
    let dir = tempfile::tempdir()?;
    let from = sources(model(2, true), Some(format!("http://{closed}")), &python);
    let Err(error) = pull(dir.path(), &from).await else { anyhow::bail!("there is no network") };
    let said = error.to_string();
    assert!(said.contains("the hub http://127.0.0.1") && said.contains("Check the network"), "{said}");
    assert!(said.contains("no connection to the package index"), "{said}");
    let from = sources(model(2, false), None, Path::new("/nonexistent/python3"));
    let Err(error) = pull(dir.path(), &from).await else { anyhow::bail!("there is no python") };
    assert!(matches!(error, EngineError::NoPython { .. }), "{error}");
    Ok(())
}

#[tokio::test]
async fn a_model_larger_than_the_disk_is_refused_before_a_byte_is_fetched() -> Result<()> {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let url = hub(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        let range = format!("bytes 0-1/{}", u64::MAX / 4);
        (StatusCode::PARTIAL_CONTENT, [(header::CONTENT_RANGE, range)], Body::from("ab")).into_response()
    })
    .await?;
    let dir = tempfile::tempdir()?;
    let vast = Model { bytes: u64::MAX / 4, ..model(0, true) };
    let Err(error) = pull(dir.path(), &sources(vast, Some(url), Path::new("none"))).await else {
        anyhow::bail!("no disk is that large")
    };
    assert!(matches!(error, EngineError::NoSpace { .. }), "{error}");
    assert!(error.to_string().contains(&(u64::MAX / 4).to_string()), "{error}");
    assert_eq!(std::fs::metadata(dir.path().join(".parts/tiny/hub")).map_or(0, |data| data.len()), 0);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    Ok(())
}

#[tokio::test]
async fn a_cancelled_pull_keeps_what_it_has_and_one_pull_runs_at_a_time() -> Result<()> {
    let url = hub(|start| {
        let first = futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from(bytes()[..100_000].to_vec()))]);
        let range = format!("bytes {start}-899999/900000");
        let body = Body::from_stream(first.chain(futures::stream::pending()));
        (StatusCode::PARTIAL_CONTENT, [(header::CONTENT_RANGE, range)], body).into_response()
    })
    .await?;
    let dir = tempfile::tempdir()?;
    let from = sources(model(0, true), Some(url), Path::new("none"));
    let cancel = CancellationToken::new();
    let (send, mut arrived) = tokio::sync::mpsc::unbounded_channel();
    let (folder, first_from, first_cancel) = (dir.path().to_owned(), from.clone(), cancel.clone());
    let first = tokio::spawn(async move {
        let note = move |progress: Progress| {
            // The test listens until it has seen enough.
            let _ = send.send(progress.done);
        };
        models::pull(&folder, "tiny", &first_from, &note, &first_cancel).await
    });
    while arrived.recv().await.context("the pull ended")? < 100_000 {}
    let Err(second) = pull(dir.path(), &from).await else { anyhow::bail!("two at a time") };
    assert!(second.to_string().contains("another program"), "{second}");
    cancel.cancel();
    assert!(matches!(first.await?, Err(EngineError::Cancelled)));
    assert_eq!(models::list(dir.path(), &from.catalogue)[0].state, State::Partial(100_000));
    Ok(())
}

#[tokio::test]
async fn an_unknown_id_gets_the_nearest_name() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let from = sources(model(0, true), None, Path::new("none"));
    let Err(error) = models::pull(dir.path(), "tinny", &from, &|_| {}, &CancellationToken::new()).await else {
        anyhow::bail!("there is no such model")
    };
    assert!(error.to_string().contains("Did you mean `tiny`?"), "{error}");
    Ok(())
}
