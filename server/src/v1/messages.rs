//! `POST /v1/messages` and `/v1/messages/count_tokens`: Anthropic's Messages
//! (<https://docs.anthropic.com/en/api/messages>), text alone.

use super::ask::{self, Answering, Piece, counted};
use super::caller::Caller;
use super::fault::{Api, Fault};
use super::fields::{Fields, text_of};
use super::sse;
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
use ui4a_engine::Role;
use ui4a_engine::mol::Talk;

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
    common(&mut fields)?;
    fields.end()?;
    ask::who(app, &model)?;
    let backend = app.model.backend().await?;
    let texts = talk.messages.iter().map(|message| message.content.as_str()).chain([talk.system.as_str()]);
    let tokens: usize = texts.map(|text| backend.count_tokens(text)).sum();
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
    common(&mut fields)?;
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
    let mut answer = message(&id, &model, json!([{"type": "text", "text": whole.text}]));
    answer["stop_reason"] = stop_reason(whole.cut).into();
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

fn stop_reason(cut: bool) -> &'static str {
    if cut { "max_tokens" } else { "end_turn" }
}

fn streamed(id: &str, model: &str, mut answering: Answering) -> Response {
    let mut first = message(id, model, json!([]));
    first["usage"]["input_tokens"] = answering.estimate.into();
    let events = async_stream::stream! {
        yield sse::named(&json!({"type": "message_start", "message": first}));
        let block = json!({"type": "text", "text": ""});
        yield sse::named(&json!({"type": "content_block_start", "index": 0, "content_block": block}));
        let mut bytes = 0;
        while let Some(piece) = answering.pieces.next().await {
            match piece {
                Ok(Piece::Text(text)) => {
                    bytes += text.len();
                    let delta = json!({"type": "text_delta", "text": text});
                    yield sse::named(&json!({"type": "content_block_delta", "index": 0, "delta": delta}));
                }
                // Thinking is a block of its own that was not asked for.
                Ok(Piece::Reasoning(text)) => bytes += text.len(),
                Ok(Piece::Weights(_)) => {}
                Ok(Piece::End { cut, written, .. }) => {
                    yield sse::named(&json!({"type": "content_block_stop", "index": 0}));
                    let delta = json!({"stop_reason": stop_reason(cut), "stop_sequence": null});
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
fn common(fields: &mut Fields) -> Result<(), Fault> {
    let empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    fields.only("tools", empty, "tools are not offered to the model yet.")?;
    fields.only(
        "tool_choice",
        |value| value["type"] == "none" || value["type"] == "auto",
        "tools are not offered yet.",
    )?;
    fields.only("thinking", |value| value["type"] == "disabled", "the model does not think aloud.")?;
    fields.ignore(&["metadata", "service_tier"]);
    Ok(())
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
        talk.push(role, &text_of(&message["content"], &format!("messages[{at}].content"))?);
    }
    if talk.newest().trim().is_empty() {
        return Err(Fault::new(StatusCode::BAD_REQUEST, "invalid_value", "`messages` holds no words of a user."));
    }
    Ok((model, talk))
}
