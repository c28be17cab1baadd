//! `POST /v1/chat/completions`: OpenAI's Chat Completions
//! (<https://platform.openai.com/docs/api-reference/chat/create>), text and calls of tools.
//!
//! A parameter that is not honoured is refused by its name; one that changes nothing in an answer is let by.

use super::ask::{self, Piece, counted};
use super::caller::Caller;
use super::choices::{self, Choices};
use super::fault::{Api, Fault};
use super::fields::{Fields, text_of};
use super::sse;
use super::tools::{self, Shape};
use crate::app::App;
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use futures::StreamExt as _;
use serde_json::{Value, json};
use std::sync::Arc;
use ui4a_engine::mol::Talk;
use ui4a_engine::{Message, Role, ToolCall};

/// What changes nothing in an answer here.
const HARMLESS: [&str; 6] = ["user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key"];

struct Asked {
    model: String,
    talk: Talk,
    /// How many answers.
    count: usize,
    stream: bool,
    usage: bool,
}

/// Answers.
pub async fn complete(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let answered = async { answer(&app, caller, &super::body(body)?).await };
    answered.await.unwrap_or_else(|fault| fault.answer(Api::OpenAi))
}

async fn answer(app: &Arc<App>, caller: Caller, body: &[u8]) -> Result<Response, Fault> {
    let mut asked = read(body)?;
    let who = ask::who(app, &asked.model)?;
    asked.talk.adapter = ask::adapter(app, &asked.model);
    asked.talk.client = caller.name;
    let answers = choices::ask(app, who, &asked.talk, asked.count).await?;
    let head = Head { id: super::id("chatcmpl-"), created: super::now(), model: asked.model };
    if asked.stream {
        return Ok(stream(head, answers, asked.usage));
    }
    let (wholes, routed) = answers.whole().await?;
    let mut told = Vec::with_capacity(wholes.len());
    for (index, whole) in wholes.iter().enumerate() {
        let mut message = json!({"role": "assistant", "content": whole.text, "refusal": null});
        if !whole.reasoning.is_empty() {
            message["reasoning_content"] = whole.reasoning.clone().into();
        }
        if !whole.calls.is_empty() {
            let call = |call: &ToolCall| json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}});
            message["tool_calls"] = whole.calls.iter().map(call).collect();
            if whole.text.trim().is_empty() {
                message["content"] = Value::Null;
            }
        }
        let logprobs = choices::logprobs(&whole.weights);
        let finish = finish(whole.cut, !whole.calls.is_empty());
        told.push(json!({"index": index, "message": message, "logprobs": logprobs, "finish_reason": finish}));
    }
    let mut answer = head.object("chat.completion", told.into());
    // The question is the same for all of them, and counts once.
    let (read, cached) = wholes.first().map_or((0, 0), |whole| (whole.read, whole.cached));
    answer["usage"] = usage(read, cached, wholes.iter().map(|whole| whole.written).sum());
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

    fn chunk(&self, index: usize, delta: Value, logprobs: Value, finish: Option<&str>) -> Value {
        let choice = json!({"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": finish});
        self.object("chat.completion.chunk", json!([choice]))
    }
}

fn finish(cut: bool, called: bool) -> &'static str {
    match (cut, called) {
        (true, _) => "length",
        (false, true) => "tool_calls",
        (false, false) => "stop",
    }
}

fn usage(read: usize, cached: usize, written: usize) -> Value {
    json!({"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": cached}})
}

fn stream(head: Head, mut answers: Choices, with_usage: bool) -> Response {
    let events = async_stream::stream! {
        for index in 0..answers.count {
            yield sse::data(&head.chunk(index, json!({"role": "assistant", "content": ""}), Value::Null, None));
        }
        let mut bytes = vec![0; answers.count];
        // Tokens whose text has not been told yet.
        let mut held = vec![Vec::new(); answers.count];
        let mut called = vec![false; answers.count];
        let (mut question, mut answer) = ((0, 0), 0);
        while let Some((index, piece)) = answers.pieces.next().await {
            match piece {
                Ok(Piece::Text(text)) => {
                    bytes[index] += text.len();
                    let logprobs = choices::logprobs(&std::mem::take(&mut held[index]));
                    yield sse::data(&head.chunk(index, json!({"content": text}), logprobs, None));
                }
                Ok(Piece::Reasoning(text)) => {
                    bytes[index] += text.len();
                    yield sse::data(&head.chunk(index, json!({"reasoning_content": text}), Value::Null, None));
                }
                Ok(Piece::Weights(weights)) => held[index].extend(weights),
                Ok(Piece::Call { index: at, id, name, arguments }) => {
                    called[index] = true;
                    bytes[index] += arguments.len();
                    let mut call = json!({"index": at, "function": {"arguments": arguments}});
                    if let Some(name) = name {
                        (call["id"], call["type"], call["function"]["name"]) = (id.into(), "function".into(), name.into());
                    }
                    yield sse::data(&head.chunk(index, json!({"tool_calls": [call]}), Value::Null, None));
                }
                Ok(Piece::End { cut, read, written, cached }) => {
                    let logprobs = choices::logprobs(&std::mem::take(&mut held[index]));
                    let mut last = head.chunk(index, json!({}), logprobs, Some(finish(cut, called[index])));
                    last["ui4a"] = answers.routed.told();
                    yield sse::data(&last);
                    answer += counted(written, bytes[index]);
                    // The question is the same for all of them, and counts once.
                    question = (if read == 0 { answers.estimate } else { read }, question.1.max(cached));
                }
                Err(error) => {
                    yield sse::data(&Fault::from(error).body(Api::OpenAi));
                    return;
                }
            }
        }
        if with_usage {
            let mut told = head.object("chat.completion.chunk", json!([]));
            told["usage"] = usage(question.0, question.1, answer);
            yield sse::data(&told);
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
    let empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    let count = fields.whole("n", 1..=choices::MOST)?.unwrap_or(1) as usize;
    talk.frequency_penalty = fields.number("frequency_penalty", -2.0..=2.0)?.unwrap_or(0.0) as f32;
    talk.presence_penalty = fields.number("presence_penalty", -2.0..=2.0)?.unwrap_or(0.0) as f32;
    talk.logprobs = choices::wanted_logprobs(&mut fields)?;
    talk.grammar = choices::grammar(fields.take("response_format").as_ref(), "response_format")?;
    talk.tools = tools::read(&mut fields, Shape::Chat)?;
    fields.only("functions", empty, "they are old; send `tools`.")?;
    fields.only("function_call", |value| *value == "none", "it is old; send `tool_choice`.")?;
    fields.only("modalities", |value| *value == json!(["text"]), "only [\"text\"] is supported.")?;
    fields.only(
        "logit_bias",
        |value| value.as_object().is_some_and(serde_json::Map::is_empty),
        "it is not supported.",
    )?;
    fields.only("reasoning_effort", |value| *value == "none", "the model does not think aloud.")?;
    fields.ignore(&HARMLESS);
    fields.end()?;
    Ok(Asked { model, talk, count, stream, usage })
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
        let role = match message["role"].as_str() {
            Some("system" | "developer") => Role::System,
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            _ => return Err(bad(at, "has no role of system, developer, user, assistant or tool.")),
        };
        let calls = if role == Role::Assistant { calls(&message["tool_calls"]) } else { Some(Vec::new()) };
        let calls =
            calls.ok_or_else(|| bad(at, "holds a call without an id, or without a function's name and arguments."))?;
        let text = match content {
            Value::Null if role == Role::Assistant => String::new(),
            content => text_of(content, &format!("messages[{at}].content"))?,
        };
        if role == Role::Assistant && text.is_empty() && calls.is_empty() {
            continue;
        }
        if role == Role::System {
            talk.system = [talk.system.as_str(), text.as_str()].join("\n\n").trim().to_owned();
        } else if role == Role::Tool {
            let id = message["tool_call_id"].as_str().ok_or_else(|| bad(at, "has no `tool_call_id`."))?;
            talk.add(Message::result(id, text));
        } else {
            talk.add(Message { calls, ..Message::new(role, text) });
        }
    }
    talk.messages = tools::settle(talk.messages, "messages")?;
    if talk.newest().trim().is_empty() {
        return Err(Fault::new(StatusCode::BAD_REQUEST, "invalid_value", "`messages` holds no words of a user."));
    }
    Ok(talk)
}

/// The calls of a message; `None` when they are not as this API writes them.
fn calls(list: &Value) -> Option<Vec<ToolCall>> {
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let call = |call: &Value| {
        let function = &call["function"];
        Some(ToolCall {
            id: word(&call["id"])?,
            name: word(&function["name"])?,
            arguments: word(&function["arguments"])?,
        })
    };
    match list {
        Value::Null => Some(Vec::new()),
        list => list.as_array()?.iter().map(call).collect(),
    }
}
