//! The running server, for commands that need one.

use super::Failure;
use crate::paths::Paths;
use anyhow::{Context as _, anyhow};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// How long a running server may take to say that it lives.
const ANSWER: Duration = Duration::from_secs(5);

/// What `server.json` says of a running server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServerFile {
    /// Its process.
    pub pid: u32,
    /// Its addresses.
    pub origins: ServerOrigins,
}

/// The addresses of a running server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServerOrigins {
    /// Pages and API.
    pub main: String,
    /// Sandbox, with `{label}`.
    pub sandbox: String,
}

impl ServerFile {
    /// Writes the file whole or not at all.
    ///
    /// # Errors
    /// The folder is not writable.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let whole = path.with_extension("json.new");
        std::fs::write(&whole, serde_json::to_vec_pretty(self)?)
            .with_context(|| format!("writing {}", whole.display()))?;
        std::fs::rename(&whole, path).with_context(|| format!("writing {}", path.display()))
    }

    /// The server that runs, if one does.
    pub fn read(path: &Path) -> Option<Self> {
        let found: Self = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        // A killed server leaves its file behind.
        let alive = i32::try_from(found.pid).is_ok_and(exists);
        alive.then_some(found)
    }

    /// The server that runs and answers. A killed server's number may have become another process's: asking tells.
    pub async fn find(path: &Path) -> Option<Self> {
        let found = Self::read(path)?;
        let client = reqwest::Client::builder().no_proxy().timeout(ANSWER).build().ok()?;
        let answer = client.get(format!("{}/healthz", found.origins.main)).send().await.ok()?;
        answer.status().is_success().then_some(found)
    }
}

/// Whether a process exists: `/proc` where there is one, else assumed.
fn exists(pid: i32) -> bool {
    !Path::new("/proc/self").exists() || Path::new(&format!("/proc/{pid}")).exists()
}

/// A connection to the running server.
pub struct Remote {
    /// Its main origin.
    pub main: String,
    token: String,
    client: reqwest::Client,
}

impl Remote {
    /// Finds the server.
    ///
    /// # Errors
    /// None runs, or its token cannot be read.
    pub fn find(paths: &Paths) -> Result<Self, Failure> {
        let server = ServerFile::read(&paths.server_file())
            .ok_or_else(|| Failure::environment(anyhow!("no server is running; start one with `ui4a serve`")))?;
        let path = paths.token();
        let token = std::fs::read_to_string(&path)
            .with_context(|| format!("reading {}", path.display()))
            .map_err(Failure::environment)?;
        // Loopback only: a proxy from the environment has no business here.
        let client = reqwest::Client::builder().no_proxy().build().map_err(Failure::environment)?;
        Ok(Self { main: server.origins.main, token: token.trim().to_owned(), client })
    }

    /// A request to a path of the server, with the token.
    pub fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.main)).bearer_auth(&self.token)
    }
}

/// The answer, or the server's problem as a message.
///
/// # Errors
/// The server does not answer, or answers with a problem.
pub async fn answer(request: reqwest::RequestBuilder) -> Result<reqwest::Response, Failure> {
    let response =
        request.send().await.map_err(|error| Failure::environment(anyhow!("the server does not answer: {error}")))?;
    if response.status().is_success() {
        return Ok(response);
    }
    let status = response.status();
    let problem: serde_json::Value = response.json().await.unwrap_or_default();
    let part = |name: &str| problem.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
    let message = format!("{} {}", part("title"), part("detail"));
    let message = if message.trim().is_empty() { format!("the server answered {status}") } else { message };
    Err(if status.is_client_error() { Failure::bad(anyhow!(message)) } else { Failure::environment(anyhow!(message)) })
}
