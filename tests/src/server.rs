//! A `ui4a serve` of its own for a test.

use crate::{PATIENCE, eventually};
use anyhow::{Context as _, Result};
use reqwest::Method;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// How a server is started.
#[derive(Clone, Default)]
pub struct Setup {
    /// A model server to ask; none: the embedded engine.
    pub model_server: Option<String>,
    /// More environment.
    pub env: Vec<(String, String)>,
    /// More arguments.
    pub args: Vec<String>,
    /// A home that another server used before.
    pub home: Option<Arc<TempDir>>,
}

/// A running server; it is killed when dropped.
pub struct Ui4a {
    /// Main origin.
    pub main: String,
    /// Sandbox origin with `{label}`.
    pub sandbox: String,
    /// The token.
    pub token: String,
    /// The one-time link that was printed.
    pub link: String,
    /// Its folders.
    pub home: Arc<TempDir>,
    child: Child,
    client: reqwest::Client,
}

/// The program that was built beside the tests.
///
/// # Errors
/// It was not built.
pub fn program() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folders = own.ancestors().skip(1).take(3);
    let found = folders.map(|folder| folder.join("ui4a")).find(|path| path.is_file());
    found.context("ui4a is not built; run `make build`")
}

/// A new home whose package cache is the one that `make test` warmed.
///
/// # Errors
/// The folders cannot be made.
pub fn new_home() -> Result<TempDir> {
    let home = TempDir::new()?;
    let cache = shared_cache()?;
    std::fs::create_dir_all(&cache)?;
    std::os::unix::fs::symlink(&cache, home.path().join("cache"))?;
    Ok(home)
}

/// The cache of the user who runs the tests.
///
/// # Errors
/// No home folder is known.
pub fn shared_cache() -> Result<PathBuf> {
    if let Some(home) = std::env::var_os("UI4A_HOME").filter(|home| !home.is_empty()) {
        return Ok(std::path::absolute(Path::new(&home).join("cache"))?);
    }
    let base = match std::env::var_os("XDG_CACHE_HOME").filter(|cache| !cache.is_empty()) {
        Some(cache) => PathBuf::from(cache),
        None => Path::new(&std::env::var_os("HOME").context("HOME is not set")?).join(".cache"),
    };
    Ok(base.join("ui4a"))
}

/// A command of the program in a home.
///
/// # Errors
/// It was not built.
pub fn command(home: &Path) -> Result<Command> {
    let mut command = Command::new(program()?);
    command.env("UI4A_HOME", home).env("UI4A_BROWSER", "").stdin(Stdio::null()).kill_on_drop(true);
    if let Ok(models) = std::env::var("UI4A_MODELS") {
        command.env("UI4A_MODELS", models);
    }
    Ok(command)
}

impl Ui4a {
    /// Starts a server and waits until it is ready.
    ///
    /// # Errors
    /// It does not start; what it said is in the error.
    pub async fn start(setup: Setup) -> Result<Self> {
        let home = match setup.home {
            Some(home) => home,
            None => Arc::new(new_home()?),
        };
        let mut command = command(home.path())?;
        command.args(["serve", "--port", "0", "--sandbox-port", "0"]).args(&setup.args);
        if let Some(server) = &setup.model_server {
            command.env("UI4A_OPENAI_BASE_URL", server).env("UI4A_OPENAI_MODEL", "scripted");
        }
        command.envs(setup.env).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().context("starting ui4a")?;
        let stdout = child.stdout.take().context("its output")?;
        let mut lines = BufReader::new(stdout).lines();
        let link = tokio::time::timeout(PATIENCE, lines.next_line())
            .await
            .context("ui4a printed no link")??
            .context("ui4a ended before it printed a link")?;
        let data = home.path().join("data");
        let file: Value = serde_json::from_slice(&std::fs::read(data.join("server.json"))?)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(Self {
            main: text(&file["origins"]["main"]),
            sandbox: text(&file["origins"]["sandbox"]),
            token: std::fs::read_to_string(data.join("token"))?.trim().to_owned(),
            link,
            home,
            child,
            client: reqwest::Client::builder().no_proxy().build()?,
        })
    }

    /// The most memory that the server had at any time, in bytes.
    ///
    /// # Errors
    /// The system does not say.
    pub fn peak_memory(&self) -> Result<u64> {
        let id = self.child.id().context("the server has ended")?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("its peak")?;
        let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
        Ok(kilobytes << 10)
    }

    /// A request with the token.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.main)).bearer_auth(&self.token)
    }

    /// What a GET answers.
    ///
    /// # Errors
    /// It answers with a problem.
    pub async fn get(&self, path: &str) -> Result<Value> {
        answer(self.request(Method::GET, path)).await
    }

    /// What a POST answers.
    ///
    /// # Errors
    /// It answers with a problem.
    pub async fn post(&self, path: &str, body: Value) -> Result<Value> {
        answer(self.request(Method::POST, path).json(&body)).await
    }

    /// A new session's id.
    ///
    /// # Errors
    /// The server fails.
    pub async fn session(&self) -> Result<String> {
        Ok(self.post("/api/sessions", json!({})).await?["id"].as_str().context("an id")?.to_owned())
    }

    /// Says something in a session.
    ///
    /// # Errors
    /// The server refuses.
    pub async fn say(&self, session: &str, text: &str) -> Result<Value> {
        self.post(&format!("/api/sessions/{session}/messages"), json!({"text": text})).await
    }

    /// A fresh one-time link to a path.
    ///
    /// # Errors
    /// The server fails.
    pub async fn link_to(&self, path: &str) -> Result<String> {
        Ok(self.post("/api/links", json!({"path": path})).await?["url"].as_str().context("a url")?.to_owned())
    }

    /// The whole log of a session, read from its event stream up to its head.
    ///
    /// # Errors
    /// The server fails.
    pub async fn log(&self, session: &str) -> Result<Vec<Value>> {
        use eventsource_stream::Eventsource as _;
        use futures::StreamExt as _;
        let head = self.get(&format!("/api/sessions/{session}")).await?["head"].as_u64().unwrap_or(0);
        let response = self.request(Method::GET, &format!("/api/sessions/{session}/events")).send().await?;
        let (mut stream, mut log) = (response.bytes_stream().eventsource(), Vec::new());
        while (log.len() as u64) < head {
            let event = tokio::time::timeout(PATIENCE, stream.next())
                .await
                .context("the log ends early")?
                .context("the log ends early")??;
            log.push(serde_json::from_str(&event.data)?);
        }
        Ok(log)
    }

    /// Waits until an event of a session fits, and answers the whole log then.
    ///
    /// # Errors
    /// None comes in time.
    pub async fn wait_for_event(
        &self,
        session: &str,
        what: &str,
        patience: std::time::Duration,
        fits: impl Fn(&Value) -> bool,
    ) -> Result<Vec<Value>> {
        let fits = &fits;
        eventually(what, patience, || async move {
            let log = self.log(session).await?;
            Ok(log.iter().any(fits).then_some(log))
        })
        .await
    }

    /// Waits until a turn of a session has ended, `turns` of them in all.
    ///
    /// # Errors
    /// They do not end in time.
    pub async fn wait_for_turns(
        &self,
        session: &str,
        turns: usize,
        patience: std::time::Duration,
    ) -> Result<Vec<Value>> {
        eventually(&format!("{turns} turns to end"), patience, || async move {
            let log = self.log(session).await?;
            let ended = log
                .iter()
                .filter(|event| matches!(event["type"].as_str(), Some("turn.finished" | "turn.failed")))
                .count();
            Ok((ended >= turns).then_some(log))
        })
        .await
    }

    /// Whether an address is one of this server's, or made in the browser itself.
    pub fn owns(&self, url: &str) -> bool {
        let sandbox = self.sandbox.split("{label}").nth(1).unwrap_or("?");
        let host = url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let made_here = ["blob:", "data:", "about:"].iter().any(|own| url.starts_with(own));
        url.starts_with(&self.main) || host.ends_with(sandbox) || made_here
    }

    /// Kills it, as SIGKILL does, and waits until it is gone.
    ///
    /// # Errors
    /// The system refuses.
    pub async fn kill(mut self) -> Result<Arc<TempDir>> {
        self.child.kill().await?;
        Ok(Arc::clone(&self.home))
    }
}

async fn answer(request: reqwest::RequestBuilder) -> Result<Value> {
    let response = request.send().await?;
    let (status, text) = (response.status(), response.text().await?);
    anyhow::ensure!(status.is_success(), "{status}: {text}");
    Ok(if text.is_empty() { Value::Null } else { serde_json::from_str(&text)? })
}
