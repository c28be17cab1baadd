//! The user's own npm registry behind a door of ours, which can be shut, cut answers short, or move a dist-tag.

use anyhow::{Context as _, Result, ensure};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::JoinHandle;

/// What the door does to answers.
#[derive(Clone, Debug, Default)]
pub struct Manners {
    /// Tarballs whose path contains this end after half of their bytes.
    pub cut: Option<String>,
    /// Everything is answered with this status.
    pub status: Option<u16>,
    /// Package → (dist-tag, version) that its packument gets.
    pub tags: BTreeMap<String, (String, String)>,
}

struct Door {
    /// Without a trailing slash.
    real: String,
    address: String,
    client: reqwest::Client,
    manners: Mutex<Manners>,
    asked: Mutex<Vec<String>>,
}

/// A door to the registry; it is shut when dropped.
pub struct Upstream {
    /// Its address, to be set as `npm_config_registry`.
    pub address: String,
    door: Arc<Door>,
    task: JoinHandle<()>,
}

impl Upstream {
    /// Opens a door to the registry that npm is set to.
    ///
    /// # Errors
    /// npm does not say which.
    pub async fn open() -> Result<Self> {
        let said = Command::new("npm").args(["config", "get", "registry"]).output().await.context("npm")?;
        let real = String::from_utf8(said.stdout)?.trim().trim_end_matches('/').to_owned();
        ensure!(real.starts_with("http"), "npm is set to no registry");
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}", listener.local_addr()?);
        let (manners, asked) = (Mutex::default(), Mutex::default());
        let door = Arc::new(Door { real, address: address.clone(), client: reqwest::Client::new(), manners, asked });
        let app = Router::new().fallback(pass).with_state(Arc::clone(&door));
        let task = tokio::spawn(async move {
            // It serves until it is aborted.
            let _ = axum::serve(listener, app).await;
        });
        Ok(Self { address, door, task })
    }

    /// The environment of a program that asks it.
    pub fn env(&self) -> Vec<(String, String)> {
        vec![("npm_config_registry".to_owned(), format!("{}/", self.address))]
    }

    /// Changes what it does.
    pub fn manners(&self) -> MutexGuard<'_, Manners> {
        self.door.manners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every path that it was asked for.
    pub fn asked(&self) -> Vec<String> {
        self.door.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on connections are refused.
    pub async fn shut(&mut self) {
        self.task.abort();
        // Ends once the listener is dropped.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(State(door): State<Arc<Door>>, request: Request) -> Response {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    door.asked.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
    let manners = door.manners.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(status) = manners.status {
        return StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY).into_response();
    }
    let mut asked = door.client.get(format!("{}{path}", door.real));
    if let Some(accept) = request.headers().get(header::ACCEPT) {
        asked = asked.header(header::ACCEPT, accept);
    }
    match asked.send().await {
        Ok(answer) => answered(&door, &manners, &path, answer).await,
        Err(error) => (StatusCode::BAD_GATEWAY, error.to_string()).into_response(),
    }
}

async fn answered(door: &Door, manners: &Manners, path: &str, answer: reqwest::Response) -> Response {
    let status = answer.status();
    let media = answer.headers().get(header::CONTENT_TYPE).cloned();
    let bytes = match answer.bytes().await {
        Ok(bytes) => bytes,
        Err(error) => return (StatusCode::BAD_GATEWAY, error.to_string()).into_response(),
    };
    let media = media.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    if media.to_str().is_ok_and(|media| media.contains("json")) {
        let text = String::from_utf8_lossy(&bytes).replace(&door.real, &door.address);
        let name = path.trim_start_matches('/').replace("%2f", "/").replace("%2F", "/");
        let text = manners.tags.get(&name).map_or_else(|| text.clone(), |tag| tagged(&text, tag));
        return (status, [(header::CONTENT_TYPE, media)], text).into_response();
    }
    let half = bytes.slice(..bytes.len() / 2);
    if !manners.cut.as_ref().is_some_and(|part| path.contains(part.as_str())) {
        return (status, [(header::CONTENT_TYPE, media)], bytes).into_response();
    }
    // The connection breaks after half of what was announced.
    let parts = [Ok(half), Err(std::io::Error::other("cut"))];
    let length = [(header::CONTENT_LENGTH, bytes.len().to_string())];
    (status, length, Body::from_stream(futures::stream::iter(parts))).into_response()
}

fn tagged(text: &str, (tag, version): &(String, String)) -> String {
    let Ok(mut packument) = serde_json::from_str::<serde_json::Value>(text) else { return text.to_owned() };
    packument["dist-tags"][tag] = version.as_str().into();
    packument.to_string()
}
