//! The calls that the tools make. A failure is a sentence for the model.

use super::Server;
use serde_json::{Value, json};
use std::time::Duration;

/// Longer than any call waits by itself.
const TIMEOUT: Duration = Duration::from_secs(90);

pub(super) struct Api {
    server: Server,
    client: reqwest::Client,
}

impl Api {
    pub fn new(server: Server) -> Result<Self, reqwest::Error> {
        // Loopback only: a proxy from the environment has no business here.
        let client = reqwest::Client::builder().no_proxy().timeout(TIMEOUT).build()?;
        Ok(Self { server, client })
    }

    /// Makes a session and answers its id.
    pub async fn create_session(&self, title: &str) -> Result<String, String> {
        let request = self.request(reqwest::Method::POST, "/api/sessions").json(&json!({"title": title}));
        let made = self.send(request).await?;
        made["id"].as_str().map(str::to_owned).ok_or_else(|| "The server made a session without an id.".to_owned())
    }

    /// Shows a source and waits for its first paint.
    pub async fn render(&self, session: &str, body: &Value) -> Result<Value, String> {
        let path = format!("/api/sessions/{session}/artifacts?wait=paint");
        self.send(self.request(reqwest::Method::POST, &path).json(body)).await
    }

    /// Actions of an artifact after `after`.
    pub async fn actions(&self, artifact: &str, after: u64, wait: u64) -> Result<Value, String> {
        // It came from a model and goes into a path.
        if artifact.is_empty() || !artifact.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err("That is not the id of an artifact. Use the one that render_ui answered.".to_owned());
        }
        let query = [("after", after.to_string()), ("wait", wait.to_string())];
        self.send(self.request(reqwest::Method::GET, &format!("/api/artifacts/{artifact}/actions")).query(&query)).await
    }

    fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.server.origin)).bearer_auth(&self.server.token)
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Value, String> {
        let unreachable = |error: reqwest::Error| {
            format!("UI4A does not answer: {error}. Start it with `ui4a serve`, then try again.")
        };
        let response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        let value: Value = response.json().await.map_err(unreachable)?;
        if status.is_success() {
            return Ok(value);
        }
        let part = |name: &str| value[name].as_str().unwrap_or_default();
        Err(format!("{} {}", part("title"), part("detail")).trim().to_owned())
    }
}
