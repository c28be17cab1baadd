//! `POST /v1/chat/completions`: OpenAI's Chat Completions
//! (<https://platform.openai.com/docs/api-reference/chat/create>), text alone.
//!
//! A parameter that is not honoured is refused by its name; one that changes nothing in an answer is let by.

use super::ask::{self, Answering, Piece, counted};
use super::fault::{Api, Fault};
use super::fields::{Fields, text_of};
use super::sse;
use crate::app::App;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use futures::StreamExt as _;
use serde_json::{Value, json};
use std::sync::Arc;
use ui4a_engine::Role;
use ui4a_engine::mol::Talk;

/// What changes nothing in an answer here.
const HARMLESS: [&str; 7] =
    ["user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "parallel_tool_calls"];

struct Asked {
    model: String,
    talk: Talk,
    stream: bool,
    usage: bool,
}

/// Answers.
pub async fn complete(State(app): State<Arc<App>>, body: Result<Bytes, BytesRejection>) -> Response {
    let answered = async { answer(&app, &super::body(body)?).await };
    answered.await.unwrap_or_else(|fault| fault.answer(Api::OpenAi))
}

async fn answer(app: &Arc<App>, body: &[u8]) -> Result<Response, Fault> {
    let asked = read(body)?;
    let who = ask::who(app, &asked.model)?;
    let answering = ask::ask(app, who, &asked.talk).await?;
    let head = Head { id: super::id("chatcmpl-"), created: super::now(), model: asked.model };
    if asked.stream {
        return Ok(stream(head, answering, asked.usage));
    }
    let (whole, routed) = answering.whole().await?;
    let mut message = json!({"role": "assistant", "content": whole.text, "refusal": null});
    if !whole.reasoning.is_empty() {
        message["reasoning_content"] = whole.reasoning.clone().into();
    }
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish(whole.cut)});
    let mut answer = head.object("chat.completion", json!([choice]));
    answer["usage"] = usage(whole.read, whole.written);
    answer["ui4a"] = routed.told();
    Ok(Json(answer).into_response())
}

/// What every object of an answer says.
struct Head {
    id: String,
    created: u64,
    model: String,
}

impl Head {
    fn object(&self, object: &str, choices: Value) -> Value {
        json!({"id": self.id, "object": object, "created": self.created, "model": self.model, "choices": choices})
    }

    fn chunk(&self, delta: Value, finish: Option<&str>) -> Value {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
        self.object("chat.completion.chunk", json!([choice]))
    }
}

fn finish(cut: bool) -> &'static str {
    if cut { "length" } else { "stop" }
}

fn usage(read: usize, written: usize) -> Value {
    json!({"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written})
}

fn stream(head: Head, mut answering: Answering, with_usage: bool) -> Response {
    let events = async_stream::stream! {
        yield sse::data(&head.chunk(json!({"role": "assistant", "content": ""}), None));
        let mut bytes = 0;
        while let Some(piece) = answering.pieces.next().await {
            match piece {
                Ok(Piece::Text(text)) => {
                    bytes += text.len();
                    yield sse::data(&head.chunk(json!({"content": text}), None));
                }
                Ok(Piece::Reasoning(text)) => {
                    bytes += text.len();
                    yield sse::data(&head.chunk(json!({"reasoning_content": text}), None));
                }
                Ok(Piece::End { cut, read, written }) => {
                    let mut last = head.chunk(json!({}), Some(finish(cut)));
                    last["ui4a"] = answering.routed.told();
                    yield sse::data(&last);
                    if with_usage {
                        let read = if read == 0 { answering.estimate } else { read };
                        let mut told = head.object("chat.completion.chunk", json!([]));
                        told["usage"] = usage(read, counted(written, bytes));
                        yield sse::data(&told);
                    }
                }
                Err(error) => {
                    yield sse::data(&Fault::from(error).body(Api::OpenAi));
                    return;
                }
            }
        }
        yield sse::text("[DONE]");
    };
    sse::answer(events)
}

fn read(body: &[u8]) -> Result<Asked, Fault> {
    let mut fields = Fields::read(body)?;
    let model = match fields.required("model")? {
        Value::String(model) => model,
        _ => return Err(Fault::param("model", "invalid_value", "`model` must be a string.")),
    };
    let mut talk = conversation(&fields.required("messages")?)?;
    talk.temperature = fields.number("temperature", 0.0..=2.0)?.map(|value| value as f32);
    talk.top_p = fields.number("top_p", 0.0..=1.0)?.map(|value| value as f32);
    talk.top_k = fields.whole("top_k", 0..=1_000_000)?.unwrap_or(0) as usize;
    talk.seed = fields.whole("seed", i64::MIN..=i64::MAX)?.map(i64::cast_unsigned);
    talk.stop = fields.texts("stop", 16)?;
    let newer = fields.whole("max_completion_tokens", 1..=1_000_000)?;
    let older = fields.whole("max_tokens", 1..=1_000_000)?;
    talk.max_tokens = newer.or(older).map(|most| most as usize);
    let stream = fields.flag("stream")?;
    let usage = match fields.take("stream_options") {
        Some(options) if !stream && !options.is_null() => {
            return Err(Fault::param("stream_options", "invalid_value", "`stream_options` goes with `stream: true`."));
        }
        options => options.is_some_and(|options| options["include_usage"] == true),
    };
    let zero = |value: &Value| value.as_f64() == Some(0.0);
    let empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    fields.only("n", |value| value.as_i64() == Some(1), "one answer is given; ask again for another.")?;
    fields.only("frequency_penalty", zero, "only 0 is supported.")?;
    fields.only("presence_penalty", zero, "only 0 is supported.")?;
    fields.only("logprobs", |value| *value == false, "probabilities are not told.")?;
    fields.only("tools", empty, "tools are not offered to the model yet.")?;
    fields.only("functions", empty, "functions are not offered to the model yet.")?;
    fields.only(
        "tool_choice",
        |value| *value == "none" || *value == "auto",
        "tools are not offered to the model yet.",
    )?;
    fields.only("response_format", |value| value["type"] == "text", "only {\"type\": \"text\"} is supported yet.")?;
    fields.only("modalities", |value| *value == json!(["text"]), "only [\"text\"] is supported.")?;
    fields.only(
        "logit_bias",
        |value| value.as_object().is_some_and(serde_json::Map::is_empty),
        "it is not supported.",
    )?;
    fields.only("reasoning_effort", |value| *value == "none", "the model does not think aloud.")?;
    fields.ignore(&HARMLESS);
    fields.end()?;
    Ok(Asked { model, talk, stream, usage })
}

fn conversation(messages: &Value) -> Result<Talk, Fault> {
    let bad = |at: usize, message: &str| {
        Fault::param(&format!("messages[{at}]"), "invalid_value", format!("`messages[{at}]` {message}"))
    };
    let Some(list) = messages.as_array() else {
        return Err(Fault::param("messages", "invalid_value", "`messages` must be a list."));
    };
    let mut talk = Talk::default();
    for (at, message) in list.iter().enumerate() {
        let content = &message["content"];
        let calls = message["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
        let role = match message["role"].as_str() {
            Some("system" | "developer") => Role::System,
            Some("user") => Role::User,
            Some("assistant") if calls => return Err(bad(at, "calls a tool: tools are not offered to the model yet.")),
            Some("assistant") => Role::Assistant,
            Some("tool" | "function") => {
                return Err(bad(at, "answers a tool: tools are not offered to the model yet."));
            }
            _ => return Err(bad(at, "has no role of system, developer, user or assistant.")),
        };
        if content.is_null() && role == Role::Assistant {
            continue;
        }
        let text = text_of(content, &format!("messages[{at}].content"))?;
        if role == Role::System {
            talk.system = [talk.system.as_str(), text.as_str()].join("\n\n").trim().to_owned();
        } else {
            talk.push(role, &text);
        }
    }
    if talk.newest().trim().is_empty() {
        return Err(Fault::new(StatusCode::BAD_REQUEST, "invalid_value", "`messages` holds no words of a user."));
    }
    Ok(talk)
}
