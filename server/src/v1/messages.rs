//! `POST /v1/messages` and `/v1/messages/count_tokens`: Anthropic's Messages
//! (<https://docs.anthropic.com/en/api/messages>), text and calls of tools.

use super::ask::{self, Answering, Piece, counted};
use super::caller::Caller;
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
use ui4a_engine::{Message, Role, ToolCall, Tools};

/// Answers.
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let answered = async { answer(&app, caller, &super::body(body)?).await };
    answered.await.unwrap_or_else(|fault| fault.answer(Api::Anthropic))
}

/// Counts what a conversation costs to read, without an answer.
pub async fn count(State(app): State<Arc<App>>, body: Result<Bytes, BytesRejection>) -> Response {
    let answered = async { counted_only(&app, &super::body(body)?).await };
    answered.await.unwrap_or_else(|fault| fault.answer(Api::Anthropic))
}

async fn counted_only(app: &Arc<App>, body: &[u8]) -> Result<Response, Fault> {
    let mut fields = Fields::read(body)?;
    let (model, talk) = conversation(&mut fields)?;
    let tools = common(&mut fields)?;
    fields.end()?;
    ask::who(app, &model)?;
    let backend = app.model.backend().await?;
    let texts = talk.messages.iter().map(|message| message.content.as_str()).chain([talk.system.as_str()]);
    let offered = tools.offered.iter().map(|tool| backend.count_tokens(&tool.function().to_string()));
    let tokens: usize = texts.map(|text| backend.count_tokens(text)).chain(offered).sum();
    Ok(Json(json!({"input_tokens": tokens})).into_response())
}

async fn answer(app: &Arc<App>, caller: Caller, body: &[u8]) -> Result<Response, Fault> {
    let mut fields = Fields::read(body)?;
    let (model, mut talk) = conversation(&mut fields)?;
    let most = fields.whole("max_tokens", 1..=1_000_000)?;
    let most =
        most.ok_or_else(|| Fault::param("max_tokens", "missing_required_parameter", "`max_tokens` is missing."))?;
    talk.max_tokens = Some(most as usize);
    talk.temperature = fields.number("temperature", 0.0..=1.0)?.map(|value| value as f32);
    talk.top_p = fields.number("top_p", 0.0..=1.0)?.map(|value| value as f32);
    talk.top_k = fields.whole("top_k", 0..=1_000_000)?.unwrap_or(0) as usize;
    talk.stop = fields.texts("stop_sequences", 16)?;
    let stream = fields.flag("stream")?;
    talk.tools = common(&mut fields)?;
    fields.end()?;
    let who = ask::who(app, &model)?;
    talk.adapter = ask::adapter(app, &model);
    talk.client = caller.name;
    let answering = ask::ask(app, who, &talk).await?;
    let id = super::id("msg_");
    if stream {
        return Ok(streamed(&id, &model, answering));
    }
    let (whole, routed) = answering.whole().await?;
    let mut content = Vec::new();
    if whole.calls.is_empty() || !whole.text.trim().is_empty() {
        content.push(json!({"type": "text", "text": whole.text}));
    }
    content.extend(whole.calls.iter().map(|call| {
        // What is no JSON object is told all the same: this API has no other place for it.
        let input = serde_json::from_str::<Value>(&call.arguments).ok().filter(Value::is_object);
        let input = input.unwrap_or_else(|| json!({"arguments": call.arguments}));
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
    }));
    let mut answer = message(&id, &model, content.into());
    answer["stop_reason"] = stop_reason(whole.cut, !whole.calls.is_empty()).into();
    // Anthropic counts what was remembered apart.
    let (read, cached) = (whole.read.saturating_sub(whole.cached), whole.cached);
    answer["usage"] = json!({"input_tokens": read, "cache_read_input_tokens": cached, "output_tokens": whole.written});
    answer["ui4a"] = routed.told();
    Ok(Json(answer).into_response())
}

fn message(id: &str, model: &str, content: Value) -> Value {
    json!({
        "id": id, "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 0, "output_tokens": 0},
    })
}

fn stop_reason(cut: bool, called: bool) -> &'static str {
    match (cut, called) {
        (true, _) => "max_tokens",
        (false, true) => "tool_use",
        (false, false) => "end_turn",
    }
}

fn streamed(id: &str, model: &str, mut answering: Answering) -> Response {
    let mut first = message(id, model, json!([]));
    first["usage"]["input_tokens"] = answering.estimate.into();
    let events = async_stream::stream! {
        yield sse::named(&json!({"type": "message_start", "message": first}));
        let start = |index: usize, block: Value| {
            sse::named(&json!({"type": "content_block_start", "index": index, "content_block": block}))
        };
        let stop = |index: usize| sse::named(&json!({"type": "content_block_stop", "index": index}));
        // The open block: its number, and the call in it.
        let (mut next, mut open) = (0, None::<Option<usize>>);
        let (mut bytes, mut called) = (0, false);
        while let Some(piece) = answering.pieces.next().await {
            match piece {
                Ok(Piece::Text(text)) => {
                    bytes += text.len();
                    if open != Some(None) {
                        if open.is_some() {
                            yield stop(next - 1);
                        }
                        yield start(next, json!({"type": "text", "text": ""}));
                        (next, open) = (next + 1, Some(None));
                    }
                    let delta = json!({"type": "text_delta", "text": text});
                    yield sse::named(&json!({"type": "content_block_delta", "index": next - 1, "delta": delta}));
                }
                Ok(Piece::Call { index, id, name, arguments }) => {
                    (bytes, called) = (bytes + arguments.len(), true);
                    if open != Some(Some(index)) {
                        if open.is_some() {
                            yield stop(next - 1);
                        }
                        yield start(next, json!({"type": "tool_use", "id": id, "name": name, "input": {}}));
                        (next, open) = (next + 1, Some(Some(index)));
                    }
                    if !arguments.is_empty() {
                        let delta = json!({"type": "input_json_delta", "partial_json": arguments});
                        yield sse::named(&json!({"type": "content_block_delta", "index": next - 1, "delta": delta}));
                    }
                }
                // Thinking is a block of its own that was not asked for.
                Ok(Piece::Reasoning(text)) => bytes += text.len(),
                Ok(Piece::Weights(_)) => {}
                Ok(Piece::End { cut, written, .. }) => {
                    if open.is_none() {
                        yield start(next, json!({"type": "text", "text": ""}));
                        next += 1;
                    }
                    yield stop(next - 1);
                    let delta = json!({"stop_reason": stop_reason(cut, called), "stop_sequence": null});
                    let usage = json!({"output_tokens": counted(written, bytes)});
                    let ui4a = answering.routed.told();
                    yield sse::named(&json!({"type": "message_delta", "delta": delta, "usage": usage, "ui4a": ui4a}));
                    yield sse::named(&json!({"type": "message_stop"}));
                }
                Err(error) => {
                    yield sse::named(&Fault::from(error).body(Api::Anthropic));
                    return;
                }
            }
        }
    };
    sse::answer(events)
}

/// What is asked of both routes, and let by or refused.
fn common(fields: &mut Fields) -> Result<Tools, Fault> {
    let tools = tools::read(fields, Shape::Messages)?;
    fields.only("thinking", |value| value["type"] == "disabled", "the model does not think aloud.")?;
    fields.ignore(&["metadata", "service_tier"]);
    Ok(tools)
}

fn conversation(fields: &mut Fields) -> Result<(String, Talk), Fault> {
    let model = fields
        .text("model")?
        .ok_or_else(|| Fault::param("model", "missing_required_parameter", "`model` is missing."))?;
    let mut talk = Talk::default();
    if let Some(system) = fields.take("system") {
        talk.system = text_of(&system, "system")?;
    }
    let messages = fields.required("messages")?;
    let list =
        messages.as_array().ok_or_else(|| Fault::param("messages", "invalid_value", "`messages` must be a list."))?;
    for (at, message) in list.iter().enumerate() {
        let role = match message["role"].as_str() {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => {
                let text = format!("`messages[{at}].role` must be user or assistant; instructions go in `system`.");
                return Err(Fault::param("messages", "invalid_value", text));
            }
        };
        blocks(&mut talk, role, &message["content"], at)?;
    }
    talk.messages = tools::settle(talk.messages, "messages")?;
    if talk.newest().trim().is_empty() {
        return Err(Fault::new(StatusCode::BAD_REQUEST, "invalid_value", "`messages` holds no words of a user."));
    }
    Ok((model, talk))
}

/// The blocks of a message: results of tools before words, calls behind them, as the API has them.
fn blocks(talk: &mut Talk, role: Role, content: &Value, at: usize) -> Result<(), Fault> {
    let name = format!("messages[{at}].content");
    let bad = |what: &str| Fault::param("messages", "invalid_value", format!("`{name}` {what}"));
    let Some(list) = content.as_array() else {
        talk.push(role, &text_of(content, &name)?);
        return Ok(());
    };
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let (mut words, mut calls) = (Vec::new(), Vec::new());
    for block in list {
        match (block["type"].as_str(), role) {
            (Some("tool_use"), Role::Assistant) => {
                let (id, tool) = (word(&block["id"]), word(&block["name"]));
                let (Some(id), Some(tool)) = (id, tool) else {
                    return Err(bad("holds a tool_use without id or name."));
                };
                calls.push(ToolCall { id, name: tool, arguments: block["input"].to_string() });
            }
            (Some("tool_result"), Role::User) => {
                let id = word(&block["tool_use_id"]).ok_or_else(|| bad("holds a tool_result without tool_use_id."))?;
                let said = match &block["content"] {
                    Value::Null => String::new(),
                    content => text_of(content, &name)?,
                };
                let said = if block["is_error"] == true { format!("Error: {said}") } else { said };
                if !words.is_empty() {
                    return Err(bad("has words before a tool_result; results come first."));
                }
                talk.add(Message::result(id, said));
            }
            _ => words.push(block.clone()),
        }
    }
    if !words.is_empty() || !calls.is_empty() {
        let text = text_of(&Value::Array(words), &name)?;
        talk.add(Message { calls, ..Message::new(role, text) });
    }
    Ok(())
}
