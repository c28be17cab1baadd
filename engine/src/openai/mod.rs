//! Any OpenAI-compatible chat server as a [`Backend`].
//!
//! Owns the request, the stream and the errors of `/chat/completions`. Knows nothing of what is asked: tools, routes
//! and artifacts are text here.

mod lines;
mod stream;
mod weigh;

use crate::{Backend, Chunk, EngineError, Grammar, Message, Request, Role, ScorePrompt, ToolChoice};
use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::BoxStream;
use serde_json::{Value, json};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long to wait for a server.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For the connection.
    pub connect: Duration,
    /// For the next bytes, the first included: a server on a slow machine reads a long prompt for minutes.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), idle: Duration::from_secs(300) }
    }
}

/// The longest text of an error body that is read.
const ERROR_BYTES: usize = 64 * 1024;

/// Fields that some servers do not know. One that a server complains of is left out, and the request sent again.
const OPTIONAL: [&str; 12] = [
    "parallel_tool_calls",
    "stream_options",
    "top_k",
    "repeat_penalty",
    "repetition_penalty",
    "continue_final_message",
    "add_generation_prompt",
    "seed",
    "top_p",
    "temperature",
    "top_logprobs",
    "logprobs",
];

/// A model on an OpenAI-compatible server: vLLM, SGLang, llama.cpp, Ollama, hosted ones.
#[derive(Clone)]
pub struct OpenAi {
    base: String,
    key: Option<String>,
    model: String,
    context: usize,
    continues: bool,
    idle: Duration,
    client: reqwest::Client,
}

impl std::fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAi").field("base", &self.base).field("model", &self.model).finish_non_exhaustive()
    }
}

impl OpenAi {
    /// The model called `model` at `base_url`, which usually ends in `/v1`; an address with no path gets one.
    ///
    /// # Errors
    /// [`EngineError::BadAddress`].
    pub fn new(base_url: &str, key: Option<String>, model: &str) -> Result<Self, EngineError> {
        Self::with_timeouts(base_url, key, model, Timeouts::default())
    }

    /// As [`OpenAi::new`], with other patience.
    ///
    /// # Errors
    /// [`EngineError::BadAddress`].
    pub fn with_timeouts(
        base_url: &str,
        key: Option<String>,
        model: &str,
        timeouts: Timeouts,
    ) -> Result<Self, EngineError> {
        let bad = |reason: &str| EngineError::BadAddress { url: base_url.to_owned(), reason: reason.to_owned() };
        let url = reqwest::Url::parse(base_url.trim()).map_err(|error| bad(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(bad("it must begin with http:// or https://"));
        }
        let mut base = url.as_str().trim_end_matches('/').trim_end_matches("/chat/completions").to_owned();
        if url.path() == "/" {
            base.push_str("/v1");
        }
        let client = reqwest::Client::builder()
            .connect_timeout(timeouts.connect)
            .read_timeout(timeouts.idle)
            .build()
            .map_err(|error| bad(&cause(&error)))?;
        let key = key.filter(|key| !key.trim().is_empty());
        let model = model.to_owned();
        Ok(Self { base, key, model, context: 32_768, continues: false, idle: timeouts.idle, client })
    }

    /// The same with a context of so many tokens.
    #[must_use]
    pub fn context_tokens(mut self, tokens: usize) -> Self {
        self.context = tokens;
        self
    }

    /// The same for a server that goes on from a last assistant message (vLLM, SGLang, llama.cpp).
    #[must_use]
    pub fn continuing(mut self, continues: bool) -> Self {
        self.continues = continues;
        self
    }

    fn body(&self, request: &Request) -> Value {
        let mut messages = messages(&request.messages);
        if let Some(prefill) = &request.prefill {
            messages.push(json!({"role": "assistant", "content": prefill}));
        }
        let mut body = json!({
            "model": request.adapter.as_ref().unwrap_or(&self.model),
            "messages": messages,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        if request.prefill.is_some() {
            body["continue_final_message"] = true.into();
            body["add_generation_prompt"] = false.into();
        }
        if request.top_p < 1.0 {
            body["top_p"] = request.top_p.into();
        }
        if request.top_k > 0 {
            body["top_k"] = request.top_k.into();
        }
        if request.repeat_penalty > 1.0 {
            body["repeat_penalty"] = request.repeat_penalty.into(); // llama.cpp, Ollama
            body["repetition_penalty"] = request.repeat_penalty.into(); // vLLM, SGLang
        }
        for (name, penalty) in
            [("frequency_penalty", request.frequency_penalty), ("presence_penalty", request.presence_penalty)]
        {
            if penalty != 0.0 {
                body[name] = penalty.into();
            }
        }
        if request.tools.any() {
            body["tools"] = request.tools.offered.iter().map(crate::Tool::function).collect();
            match &request.tools.choice {
                ToolChoice::Named(name) => {
                    body["tool_choice"] = json!({"type": "function", "function": {"name": name}});
                }
                ToolChoice::Required => body["tool_choice"] = "required".into(),
                ToolChoice::Auto | ToolChoice::None => {}
            }
            if request.tools.single {
                body["parallel_tool_calls"] = false.into();
            }
        }
        match &request.grammar {
            None => {}
            Some(Grammar::Json) => body["response_format"] = json!({"type": "json_object"}),
            Some(Grammar::JsonSchema(schema)) => {
                let schema = json!({"name": "answer", "strict": true, "schema": schema});
                body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
            }
        }
        if let Some(best) = request.logprobs {
            body["logprobs"] = true.into();
            body["top_logprobs"] = best.into();
        }
        if let Some(seed) = request.seed {
            body["seed"] = seed.into();
        }
        if !request.stop.is_empty() {
            body["stop"] = request.stop.iter().take(4).cloned().collect::<Vec<_>>().into(); // OpenAI takes four
        }
        body
    }

    /// Sends `body` until the server takes it; each time without the fields that it complained of.
    async fn send(&self, mut body: Value) -> Result<reqwest::Response, EngineError> {
        let url = format!("{}/chat/completions", self.base);
        loop {
            let mut request = self.client.post(&url).json(&body);
            if let Some(key) = &self.key {
                request = request.bearer_auth(key);
            }
            let answer = request.send().await.map_err(|error| self.transport(&error))?;
            let status = answer.status();
            if status.is_success() {
                return Ok(answer);
            }
            let message = error_text(answer).await;
            if !matches!(status.as_u16(), 400 | 422) || !leave_out(&mut body, &message) {
                return Err(self.refused(status.as_u16(), message));
            }
            tracing::debug!(url, message, "the server takes fewer fields");
        }
    }

    fn transport(&self, error: &reqwest::Error) -> EngineError {
        if error.is_timeout() && !error.is_connect() {
            return EngineError::Stalled { url: self.base.clone(), seconds: self.idle.as_secs() };
        }
        EngineError::Unavailable { url: self.base.clone(), reason: cause(error) }
    }

    fn refused(&self, status: u16, message: String) -> EngineError {
        let url = self.base.clone();
        match status {
            401 | 403 => EngineError::Unauthorized { url, status },
            404 => EngineError::NotFound { url, model: self.model.clone(), message },
            429 | 503 | 529 => EngineError::Busy { url, status, message },
            _ => EngineError::Server { url, status: Some(status), message },
        }
    }
}

#[async_trait]
impl Backend for OpenAi {
    fn name(&self) -> String {
        self.model.clone()
    }

    fn context(&self) -> usize {
        self.context
    }

    fn continues(&self) -> bool {
        self.continues
    }

    async fn generate(&self, request: Request) -> Result<BoxStream<'static, Result<Chunk, EngineError>>, EngineError> {
        let cancel: CancellationToken = request.cancel.clone();
        let answer = tokio::select! {
            answer = self.send(self.body(&request)) => answer?,
            () = cancel.cancelled() => return Ok(stream::cancelled().boxed()),
        };
        Ok(stream::chunks(answer, self.clone(), cancel).boxed())
    }

    async fn score(&self, prompt: &ScorePrompt, labels: &[String]) -> Result<Vec<f32>, EngineError> {
        let answer = self.send(weigh::body(&self.model, prompt, labels)).await?;
        let text = answer.text().await.map_err(|error| self.transport(&error))?;
        Ok(weigh::read(&text, prompt, labels))
    }
}

fn messages(messages: &[Message]) -> Vec<Value> {
    let told = |message: &Message| {
        let mut told = json!({"role": message.role.name(), "content": message.content});
        if !message.calls.is_empty() {
            let call = |call: &crate::ToolCall| json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}});
            told["tool_calls"] = message.calls.iter().map(call).collect();
        }
        if let Some(id) = &message.answers {
            told["tool_call_id"] = id.as_str().into();
        }
        told
    };
    messages.iter().map(told).collect()
}

/// Takes from `body` what `message` complains of; answers whether there was anything.
fn leave_out(body: &mut Value, message: &str) -> bool {
    let Some(body) = body.as_object_mut() else { return false };
    if message.contains("max_completion_tokens")
        && let Some(limit) = body.remove("max_tokens")
    {
        body.insert("max_completion_tokens".to_owned(), limit);
        return true;
    }
    // The longest names first: `logprobs` is part of `top_logprobs`, and both must go together.
    let named = OPTIONAL.iter().filter(|name| message.contains(**name)).fold(false, |any, name| {
        let removed = body.remove(*name).is_some();
        removed || any
    });
    if named && !body.contains_key("logprobs") {
        body.remove("top_logprobs");
    }
    named
}

/// What an error answer says, in its own words, shortened.
async fn error_text(answer: reqwest::Response) -> String {
    let mut bytes = Vec::new();
    let mut body = answer.bytes_stream();
    while let Some(Ok(piece)) = body.next().await {
        bytes.extend_from_slice(&piece);
        if bytes.len() > ERROR_BYTES {
            break;
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let said = serde_json::from_str::<Value>(&text).ok().and_then(|value| error_message(&value));
    let said = said.unwrap_or_else(|| text.trim().to_owned());
    if said.is_empty() { "no reason given".to_owned() } else { clip(&said) }
}

/// The message within the error shapes of the servers in use.
fn error_message(value: &Value) -> Option<String> {
    let error = value.get("error").unwrap_or(value);
    let message = error.get("message").or_else(|| error.get("detail")).or_else(|| value.get("detail"));
    match message.unwrap_or(error) {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other if value.get("error").is_some() || message.is_some() => Some(other.to_string()),
        _ => None,
    }
}

fn clip(text: &str) -> String {
    text.chars().take(400).collect()
}

/// The innermost cause of a failed request: "connection refused" says more than "error sending request".
pub(crate) fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(next) = inner.source() {
        inner = next;
    }
    clip(&inner.to_string())
}

/// The last user message with `text` after it: how a server that does not continue an answer is shown one begun.
fn ask(prompt: &[Message], text: &str) -> Vec<Value> {
    let mut all = prompt.to_vec();
    match all.last_mut() {
        Some(last) if last.role == Role::User => last.content = format!("{}\n\n{text}", last.content),
        _ => all.push(Message::new(Role::User, text)),
    }
    messages(&all)
}
