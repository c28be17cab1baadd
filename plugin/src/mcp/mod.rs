//! The MCP server: `render_ui` shows a module on the page and answers with the truth, `get_actions` tells what the person
//! did.

mod api;

use api::Api;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, ServerCapabilities, ServerConfig};
use rmcp::{ErrorData, ServerHandler, ServiceExt as _, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;
use tokio::sync::Mutex;

/// How to reach the running server.
#[derive(Clone)]
pub struct Server {
    /// Its main origin.
    pub origin: String,
    /// Its token.
    pub token: String,
}

/// The MCP connection failed.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The assistant did not speak MCP.
    #[error("the MCP connection could not be made: {0}")]
    Start(String),
    /// The connection broke.
    #[error("the MCP connection broke: {0}")]
    Broken(String),
    /// The HTTP client could not be made.
    #[error("the HTTP client could not be made: {0}")]
    Client(#[from] reqwest::Error),
}

/// Speaks MCP on stdin and stdout until stdin closes.
///
/// # Errors
/// The other side speaks something else, or the connection breaks.
pub async fn serve(server: Server) -> Result<(), McpError> {
    let tools = Tools { api: Arc::new(Api::new(server)?), shown: Arc::default(), tool_router: Tools::tool_router() };
    let running = tools.serve(rmcp::transport::stdio()).await.map_err(|error| McpError::Start(error.to_string()))?;
    running.waiting().await.map_err(|error| McpError::Broken(error.to_string()))?;
    Ok(())
}

#[derive(Clone)]
struct Tools {
    api: Arc<Api>,
    shown: Arc<Mutex<Shown>>,
    #[allow(dead_code)] // read by the code that `tool_handler` writes
    tool_router: ToolRouter<Self>,
}

/// What this connection has shown: one session, and the artifacts in it.
#[derive(Default)]
struct Shown {
    session: Option<String>,
    /// Newest last.
    artifacts: Vec<String>,
}

#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct RenderUi {
    /// One TSX module with `export default function App()`; or an HTML document.
    code: String,
    /// A short title.
    title: Option<String>,
    /// Your name for this interface, e.g. `plans`. The same id again is its next revision; what the person typed stays.
    id: Option<String>,
}

#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct GetActions {
    /// The `artifact` that `render_ui` answered; the newest when not given.
    artifact: Option<String>,
    /// Only actions after this `seq`.
    #[serde(default)]
    after: u64,
    /// Seconds to wait when there is none yet; at most 60.
    #[serde(default)]
    wait: u64,
}

#[tool_router(router = tool_router)]
impl Tools {
    /// Shows an interface.
    #[tool(
        name = "render_ui",
        description = "Show a living interface on the person's UI4A page. `code` is one TSX module with `export default function App()`: React, \
        Tailwind classes, the kit `$ui4a/ui` (Stack, Row, Grid, Card, Text, Button, Badge, Input, Select, Slider, Tabs, Table, Stat, StatGrid, \
        Progress, Alert, Dialog), charts from `$ui4a/ui/charts` (recharts' parts), any npm package by name. Data inline; no fetch. To hear from the \
        person, call `sendMessage(text)` or `sendAction({name, payload})` from `$ui4a/chat` in a handler, then use get_actions. Answers after first \
        paint with status rendered, blank, error (with lines of your module) or unseen. On error, mend it and call again with the same id."
    )]
    async fn render_ui(&self, Parameters(asked): Parameters<RenderUi>) -> Result<CallToolResult, ErrorData> {
        let mut shown = self.shown.lock().await;
        let session = match &shown.session {
            Some(session) => session.clone(),
            None => match self.api.create_session("Coding assistant").await {
                Ok(session) => shown.session.insert(session).clone(),
                Err(message) => return Ok(failed(&message)),
            },
        };
        let kind = if asked.code.trim_start().starts_with('<') { "html" } else { "tsx" };
        let body = json!({"code": asked.code, "title": asked.title, "id": asked.id, "kind": kind});
        let answer = match self.api.render(&session, &body).await {
            Ok(answer) => answer,
            Err(message) => return Ok(failed(&message)),
        };
        if let Some(artifact) = answer["artifact"].as_str() {
            shown.artifacts.retain(|known| known != artifact);
            shown.artifacts.push(artifact.to_owned());
        }
        Ok(told(&answer))
    }

    /// Tells what the person did.
    #[tool(
        name = "get_actions",
        description = "What the person did in an interface that render_ui showed: messages (`text`) and events (`name`, `payload`), each with its `seq`. \
        Pass the last `seq` you know as `after`, and `wait` (seconds, at most 60) to wait for the next one."
    )]
    async fn get_actions(&self, Parameters(asked): Parameters<GetActions>) -> Result<CallToolResult, ErrorData> {
        let newest = self.shown.lock().await.artifacts.last().cloned();
        let Some(artifact) = asked.artifact.or(newest) else {
            return Ok(failed("Nothing was shown yet. Call render_ui first."));
        };
        match self.api.actions(&artifact, asked.after, asked.wait.min(60)).await {
            Ok(actions) => Ok(CallToolResult::success(vec![ContentBlock::text(actions.to_string())])),
            Err(message) => Ok(failed(&message)),
        }
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("ui4a", env!("CARGO_PKG_VERSION")))
            .with_instructions(
                "UI4A shows living interfaces in the person's browser. Use render_ui when a chart, table, form, comparison or small tool says \
                 more than text; read the answer and mend what it reports; use get_actions to learn what the person did.",
            )
    }
}

fn failed(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// The truth about what was shown: one sentence first, then what to mend, then the data.
fn told(answer: &Value) -> CallToolResult {
    let status = answer["status"].as_str().unwrap_or("unseen");
    let errors = answer["diagnostics"].as_array().into_iter().flatten().filter(|found| found["severity"] == "error");
    let mut text = match status {
        "rendered" => "It is on the page.".to_owned(),
        "blank" => "It mounted, but nothing is visible.".to_owned(),
        "error" => "It failed on the page.".to_owned(),
        _ => "Nobody has seen it yet.".to_owned(),
    };
    let mut bad = matches!(status, "blank" | "error");
    // The evidence of a source that does not compile tells the same.
    let told = answer["evidence"].as_str().unwrap_or_default();
    for found in errors {
        bad = true;
        if found["message"].as_str().is_some_and(|message| told.contains(message)) {
            continue;
        }
        text.push('\n');
        // A finding about an import as a whole has no line.
        if let Some(line) = found["line"].as_u64().filter(|line| *line > 0) {
            let _ = write!(text, "Line {line}: ");
        }
        text.push_str(found["message"].as_str().unwrap_or_default());
    }
    if let Some(evidence) = answer["evidence"].as_str() {
        let _ = write!(text, "\n{}", evidence.trim_end());
    }
    if bad {
        text.push_str("\nMend it and call render_ui again with the same id.");
    }
    let data = json!({
        "artifact": answer["artifact"], "rev": answer["rev"], "status": status, "url": answer["url"],
        "diagnostics": answer["diagnostics"], "errors": answer["errors"], "page": answer["page"],
    });
    let blocks = vec![ContentBlock::text(text), ContentBlock::text(data.to_string())];
    if bad { CallToolResult::error(blocks) } else { CallToolResult::success(blocks) }
}
