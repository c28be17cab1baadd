//! A scripted model server that speaks the OpenAI protocol: it answers what a test wrote, token by token.

use anyhow::Result;
use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt as _;
use futures::StreamExt as _;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// One answer.
#[derive(Clone, Debug)]
pub struct Script {
    /// What it says.
    pub text: String,
    /// Characters of a chunk.
    pub chunk: usize,
    /// The chunks of a recorded answer, instead of equal ones.
    pub chunks: Vec<String>,
    /// Pause between chunks.
    pub pause: Duration,
    /// Who the router is told to choose: `0` to `3`.
    pub route: char,
    /// `stop`, or `length` for an answer that was cut off.
    pub finish: &'static str,
    /// Whether it never ends: the text is repeated for ever.
    pub endless: bool,
    /// What is said once before.
    pub opening: &'static str,
    /// Whether the text is the arguments of a `render_ui` call.
    pub tool: bool,
    /// Tools that are called behind the text, with their arguments.
    pub calls: Vec<(&'static str, &'static str)>,
}

impl Script {
    /// An answer of the interface specialist.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            chunk: 7,
            chunks: Vec::new(),
            pause: Duration::from_millis(3),
            route: '3',
            finish: "stop",
            endless: false,
            opening: "",
            tool: false,
            calls: Vec::new(),
        }
    }

    /// An answer of the agent that calls tools.
    pub fn calling(calls: &[(&'static str, &'static str)]) -> Self {
        Self { route: '1', calls: calls.to_vec(), finish: "tool_calls", ..Self::new("") }
    }

    /// A module in a `ui4a/tsx` fence.
    pub fn module(id: &str, source: &str) -> Self {
        Self::new(format!("Here it is.\n\n```ui4a/tsx id={id} title=\"{id}\"\n{}\n```\n", source.trim()))
    }

    /// An answer that was recorded, in its own chunks.
    pub fn recorded(chunks: Vec<String>) -> Self {
        Self { chunks, ..Self::new("") }
    }

    /// The same, slower.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }
}

#[derive(Default)]
struct Shared {
    scripts: VecDeque<Script>,
    asked: Vec<Value>,
    finished: usize,
}

/// A running scripted model.
#[derive(Clone)]
pub struct ScriptedModel {
    /// Its address, ending in `/v1`.
    pub url: String,
    shared: Arc<Mutex<Shared>>,
}

impl ScriptedModel {
    /// Starts one that gives these answers in order; when they are used up it says so.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start(scripts: impl IntoIterator<Item = Script>) -> Result<Self> {
        let shared = Arc::new(Mutex::new(Shared { scripts: scripts.into_iter().collect(), ..Shared::default() }));
        let router = axum::Router::new()
            .route("/v1/chat/completions", post(complete))
            .route("/v1/models", get(|| async { Json(json!({"object": "list", "data": [{"id": "scripted"}]})) }))
            .layer(axum::extract::DefaultBodyLimit::max(64 << 20))
            .with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        tokio::spawn(
            async move { axum::serve(listener.tap_io(|stream| drop(stream.set_nodelay(true))), router).await },
        );
        Ok(Self { url, shared })
    }

    /// Adds an answer.
    pub fn push(&self, script: Script) {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).scripts.push_back(script);
    }

    /// What it was asked for answers, in order; the router's questions are not among them.
    pub fn asked(&self) -> Vec<Value> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).asked.clone()
    }
}

impl ScriptedModel {
    /// How many answers were given to their end.
    pub fn finished(&self) -> usize {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).finished
    }
}

async fn complete(State(shared): State<Arc<Mutex<Shared>>>, Json(body): Json<Value>) -> Response {
    let mut all = shared.lock().unwrap_or_else(PoisonError::into_inner);
    if body["stream"] != true {
        let label = all.scripts.front().map_or('0', |script| script.route);
        return Json(weighed(label)).into_response();
    }
    all.asked.push(body);
    let script =
        all.scripts.pop_front().unwrap_or_else(|| Script { route: '0', ..Script::new("The script is used up.") });
    drop(all);
    stream(script, shared)
}

fn weighed(label: char) -> Value {
    let tops: Vec<_> = "0123"
        .chars()
        .map(|c| json!({"token": c.to_string(), "logprob": if c == label { -0.05 } else { -4.0 }}))
        .collect();
    json!({"choices": [{
        "index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": label.to_string()},
        "logprobs": {"content": [{"token": label.to_string(), "logprob": -0.05, "top_logprobs": tops}]},
    }]})
}

fn stream(script: Script, shared: Arc<Mutex<Shared>>) -> Response {
    let Script { text, chunk, chunks: recorded, pause, finish, endless, opening, tool, calls, .. } = script;
    let chars: Vec<char> = text.chars().collect();
    let equal = || chars.chunks(chunk.max(1)).map(|chunk| chunk.iter().collect()).collect();
    let chunks: Vec<String> = if recorded.is_empty() { equal() } else { recorded };
    let count = chunks.len();
    let pieces: futures::stream::BoxStream<'static, String> =
        if endless { futures::stream::iter(chunks).cycle().boxed() } else { futures::stream::iter(chunks).boxed() };
    let opening = futures::stream::iter((!opening.is_empty()).then(|| opening.to_owned()));
    let deltas = opening.chain(pieces).then(move |piece| async move {
        // Even a sleep of nothing takes a millisecond.
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        let call = |name| json!({"tool_calls": [{"index": 0, "function": {"name": name, "arguments": piece}}]});
        let delta = if tool { call(Value::Null) } else { json!({"content": piece}) };
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}).to_string()
    });
    let call =
        json!({"index": 0, "id": "call-1", "type": "function", "function": {"name": "render_ui", "arguments": ""}});
    let begun = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]}).to_string();
    let deltas = futures::stream::iter(tool.then_some(begun)).chain(deltas);
    let mut called = Vec::new();
    for (index, (name, arguments)) in calls.into_iter().enumerate() {
        let delta = |call: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}).to_string();
        let id = format!("call-{name}-{index}");
        called.push(delta(
            json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}),
        ));
        for piece in arguments.as_bytes().chunks(5) {
            let piece = String::from_utf8_lossy(piece);
            called.push(delta(json!({"index": index, "function": {"arguments": piece}})));
        }
    }
    let deltas = deltas.chain(futures::stream::iter(called));
    let ending = [
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}).to_string(),
        json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": count}}).to_string(),
        "[DONE]".to_owned(),
    ];
    let events = deltas.chain(futures::stream::iter(ending)).map(move |data| {
        if data == "[DONE]" {
            shared.lock().unwrap_or_else(PoisonError::into_inner).finished += 1;
        }
        Ok::<_, Infallible>(Event::default().data(data))
    });
    Sse::new(events).into_response()
}
