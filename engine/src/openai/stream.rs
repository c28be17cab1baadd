//! A chat server's stream as [`Chunk`]s.

use super::lines::{EVENT_BYTES, Events};
use super::{OpenAi, error_message};
use crate::{Chunk, EngineError, StopReason, Weighed, Weight};
use futures::Stream;
use futures::stream::{self, BoxStream, StreamExt};
use serde_json::Value;
use std::collections::VecDeque;
use tokio_util::sync::CancellationToken;

type Item = Result<Chunk, EngineError>;

/// The stream of an answer that was cancelled before it began.
pub fn cancelled() -> impl Stream<Item = Item> {
    stream::iter([Ok(Chunk::Done {
        stop: StopReason::Cancelled,
        prompt_tokens: 0,
        answer_tokens: 0,
        cached_tokens: 0,
    })])
}

/// The chunks of `answer`. Ends with [`Chunk::Done`] or an error; dropping it closes the connection.
pub fn chunks(answer: reqwest::Response, server: OpenAi, cancel: CancellationToken) -> impl Stream<Item = Item> {
    let reading = Reading {
        body: answer.bytes_stream().boxed(),
        server,
        cancel,
        events: Some(Events::default()),
        state: State::default(),
        ready: VecDeque::new(),
        ended: false,
    };
    stream::unfold(reading, |mut reading| async move { reading.next().await.map(|item| (item, reading)) })
}

struct Reading {
    body: BoxStream<'static, reqwest::Result<bytes::Bytes>>,
    server: OpenAi,
    cancel: CancellationToken,
    /// `None` once the body has ended.
    events: Option<Events>,
    state: State,
    ready: VecDeque<Item>,
    ended: bool,
}

/// What the events said so far.
#[derive(Default)]
struct State {
    stop: Option<StopReason>,
    /// Any JSON object that looked like a piece of an answer.
    spoke: bool,
    prompt_tokens: usize,
    answer_tokens: usize,
    cached_tokens: usize,
}

impl Reading {
    async fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                // Nothing comes after the end or an error.
                if matches!(item, Err(_) | Ok(Chunk::Done { .. })) {
                    self.ended = true;
                    self.ready.clear();
                }
                return Some(item);
            }
            if self.ended {
                return None;
            }
            let bytes = tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    self.ready.push_back(Ok(self.state.done(StopReason::Cancelled)));
                    continue;
                }
                bytes = self.body.next() => bytes,
            };
            match bytes {
                Some(Ok(bytes)) => self.take(&bytes),
                Some(Err(error)) => {
                    let error = self.broke(&error);
                    self.ready.push_back(error);
                }
                None => self.finish(),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        let Some(events) = &mut self.events else { return };
        match events.push(bytes) {
            Ok(events) => events.iter().for_each(|event| self.event(event)),
            Err(_) => {
                let reason = format!("an event of more than {EVENT_BYTES} bytes");
                self.ready.push_back(Err(EngineError::Protocol { url: self.server.base.clone(), reason }));
            }
        }
    }

    /// The connection ended. Some servers leave out `[DONE]` and the finish reason, so whoever spoke has finished.
    fn finish(&mut self) {
        if let Some(events) = self.events.take() {
            events.finish().iter().for_each(|event| self.event(event));
        }
        let end = if self.state.spoke {
            Ok(self.state.done(self.state.stop.unwrap_or(StopReason::Stop)))
        } else {
            let reason = "the answer held no event".to_owned();
            Err(EngineError::Protocol { url: self.server.base.clone(), reason })
        };
        self.ready.push_back(end);
    }

    /// The connection broke. After the finish reason nothing but the usage was missing.
    fn broke(&self, error: &reqwest::Error) -> Item {
        match self.state.stop {
            Some(stop) => Ok(self.state.done(stop)),
            None => Err(self.server.transport(error)),
        }
    }

    fn event(&mut self, data: &str) {
        if data.trim() == "[DONE]" {
            self.state.spoke = true;
            let stop = self.state.stop.unwrap_or(StopReason::Stop);
            self.ready.push_back(Ok(self.state.done(stop)));
            return;
        }
        let Ok(value) = serde_json::from_str::<Value>(data) else {
            let reason = format!("an event that is not JSON: {}", super::clip(data));
            self.ready.push_back(Err(EngineError::Protocol { url: self.server.base.clone(), reason }));
            return;
        };
        if value.get("error").is_some_and(|error| !error.is_null()) {
            let message = error_message(&value).unwrap_or_else(|| "no reason given".to_owned());
            let status = value["error"]["code"].as_u64().and_then(|code| u16::try_from(code).ok());
            let url = self.server.base.clone();
            self.ready.push_back(Err(EngineError::Server { url, status, message: super::clip(&message) }));
            return;
        }
        self.ready.extend(self.state.read(&value).into_iter().map(Ok));
    }
}

impl State {
    fn done(&self, stop: StopReason) -> Chunk {
        Chunk::Done {
            stop,
            prompt_tokens: self.prompt_tokens,
            answer_tokens: self.answer_tokens,
            cached_tokens: self.cached_tokens,
        }
    }

    /// The chunks of one event.
    fn read(&mut self, value: &Value) -> Vec<Chunk> {
        if let Some(usage) = value.get("usage").filter(|usage| usage.is_object()) {
            let count = |name: &str| usage[name].as_u64().and_then(|count| usize::try_from(count).ok());
            self.prompt_tokens = count("prompt_tokens").unwrap_or(self.prompt_tokens);
            self.answer_tokens = count("completion_tokens").unwrap_or(self.answer_tokens);
            let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
            self.cached_tokens = cached.and_then(|n| usize::try_from(n).ok()).unwrap_or(self.cached_tokens);
        }
        self.spoke |= value.get("choices").is_some();
        // Empty or null in the usage event. Only the first choice was asked for.
        let Some(choice) = value.get("choices").and_then(|choices| choices.get(0)) else { return Vec::new() };
        // Servers that cannot stream answer with a whole `message`.
        let delta = choice.get("delta").or_else(|| choice.get("message")).unwrap_or(&Value::Null);
        let mut chunks = Vec::new();
        let text = |name: &str| delta.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(text) = text("reasoning_content").or_else(|| text("reasoning")) {
            chunks.push(Chunk::Reasoning(text.to_owned()));
        }
        if let Some(text) = text("content") {
            chunks.push(Chunk::Text(text.to_owned()));
        }
        let weights = choice["logprobs"]["content"].as_array().map_or(&[][..], Vec::as_slice);
        if !weights.is_empty() {
            chunks.push(Chunk::Weights(weights.iter().map(weighed).collect()));
        }
        let calls = delta.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        chunks.extend(calls.iter().enumerate().map(|(at, call)| tool_call(at, call)));
        match choice.get("finish_reason").and_then(Value::as_str) {
            Some("length") => self.stop = Some(StopReason::Length),
            Some(reason) if !reason.is_empty() => self.stop = Some(StopReason::Stop),
            _ => {}
        }
        chunks
    }
}

fn weighed(value: &Value) -> Weighed {
    let weight = |value: &Value| {
        let bytes =
            value["bytes"].as_array().map(|all| all.iter().filter_map(Value::as_u64).map(|b| b as u8).collect());
        let text = value["token"].as_str().unwrap_or_default();
        let logprob = value["logprob"].as_f64().unwrap_or(f64::NEG_INFINITY) as f32;
        Weight { bytes: bytes.unwrap_or_else(|| text.as_bytes().to_vec()), logprob }
    };
    let best = value["top_logprobs"].as_array().map_or(&[][..], Vec::as_slice);
    Weighed { token: weight(value), best: best.iter().map(weight).collect() }
}

fn tool_call(at: usize, call: &Value) -> Chunk {
    let word = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let function = &call["function"];
    let arguments = match &function["arguments"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        whole => whole.to_string(), // Ollama sends the object itself
    };
    let index = call["index"].as_u64().and_then(|index| usize::try_from(index).ok()).unwrap_or(at);
    Chunk::ToolCall { index, id: word(&call["id"]), name: word(&function["name"]), arguments }
}
