//! `/v1/responses`: OpenAI's Responses (<https://platform.openai.com/docs/api-reference/responses>): text and calls of functions.
//!
//! An answer is kept with what was asked, unless the caller says `store: false`, so that the next question may name it.

mod events;
mod item;
mod read;

use super::Caller;
use super::ask::{self, Routed, Whole};
use super::fault::{Api, Fault};
use super::tools;
use crate::app::App;
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use read::Asked;
use serde_json::{Value, json};
use std::sync::Arc;
use ui4a_engine::Message;
use ui4a_store::db::StoredResponse;

/// Longest chain of answers that is gone back.
const MOST_BEFORE: usize = 1_000;

/// `POST /v1/responses`: answers.
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let answered = async { answer(&app, caller, &super::body(body)?).await };
    answered.await.unwrap_or_else(|fault| fault.answer(Api::OpenAi))
}

/// `GET /v1/responses/{id}`.
pub async fn show(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Response {
    told(stored(&app, &caller, &id).map(|stored| stored.response))
}

/// `DELETE /v1/responses/{id}`.
pub async fn remove(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Response {
    let removed = || {
        stored(&app, &caller, &id)?;
        app.db.remove_response(&caller.name, &id).map_err(|error| Fault::from(anyhow::Error::from(error)))?;
        Ok(json!({"id": id, "object": "response", "deleted": true}))
    };
    told(removed())
}

/// `POST /v1/responses/{id}/cancel`: only what runs in the background could be.
pub async fn cancel(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Response {
    let message = "This response is not in the background; close its connection to stop one that is being written.";
    told(
        stored(&app, &caller, &id).and_then(|_| Err(Fault::new(StatusCode::BAD_REQUEST, "not_in_background", message))),
    )
}

/// `GET /v1/responses/{id}/input_items`: what was asked, newest first.
pub async fn input_items(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Response {
    told(stored(&app, &caller, &id).map(|stored| {
        let mut items = stored.input.as_array().cloned().unwrap_or_default();
        items.reverse();
        let id = |item: Option<&Value>| item.map_or(Value::Null, |item| item["id"].clone());
        let (first, last) = (id(items.first()), id(items.last()));
        json!({"object": "list", "data": items, "first_id": first, "last_id": last, "has_more": false})
    }))
}

fn told(answer: Result<Value, Fault>) -> Response {
    answer.map_or_else(|fault| fault.answer(Api::OpenAi), |answer| Json(answer).into_response())
}

fn stored(app: &App, caller: &Caller, id: &str) -> Result<StoredResponse, Fault> {
    let found = tokio::task::block_in_place(|| app.db.response(&caller.name, id))
        .map_err(|error| Fault::from(anyhow::Error::from(error)))?;
    found.ok_or_else(|| {
        let shown: String = id.chars().take(80).collect();
        let message = format!("There is no response `{shown}`: it was not stored, or was deleted.");
        Fault::new(StatusCode::NOT_FOUND, "response_not_found", message)
    })
}

async fn answer(app: &Arc<App>, caller: Caller, body: &[u8]) -> Result<Response, Fault> {
    let mut asked = read::read(body)?;
    let who = ask::who(app, &asked.model)?;
    let mut talk = std::mem::take(&mut asked.talk);
    let own = std::mem::take(&mut talk.messages);
    for message in before(app, &caller, asked.previous.as_deref())?.into_iter().chain(own) {
        talk.add(message);
    }
    talk.messages = tools::settle(talk.messages, "input")?;
    talk.adapter = ask::adapter(app, &asked.model);
    talk.client.clone_from(&caller.name);
    let answering = ask::ask(app, who, &talk).await?;
    let writing = Writing::new(app, caller, asked);
    if writing.asked.stream {
        return Ok(events::stream(writing, answering));
    }
    let (whole, routed) = answering.whole().await?;
    let mut output = Vec::new();
    if whole.calls.is_empty() || !whole.text.trim().is_empty() {
        let status = if whole.cut { "incomplete" } else { "completed" };
        output.push(writing.item(status, json!([Writing::part(&whole.text)])));
    }
    output.extend(whole.calls.iter().map(item::call));
    Ok(Json(writing.finish(&whole, &routed, output)?).into_response())
}

/// What was said in the answers before, oldest first.
fn before(app: &App, caller: &Caller, previous: Option<&str>) -> Result<Vec<Message>, Fault> {
    let mut said = Vec::new();
    let mut next = previous.map(str::to_owned);
    for _ in 0..MOST_BEFORE {
        let Some(id) = next else { break };
        let stored = stored(app, caller, &id).map_err(|fault| fault.about("previous_response_id"))?;
        said.extend(item::messages(&stored.response["output"], "output")?.into_iter().rev());
        said.extend(item::messages(&stored.input, "input")?.into_iter().rev());
        next = stored.previous;
    }
    if next.is_some() {
        let message =
            format!("`previous_response_id`: more than {MOST_BEFORE} answers stand before; begin a new chain.");
        return Err(Fault::param("previous_response_id", "chain_too_long", message));
    }
    said.reverse();
    Ok(said)
}

/// An answer that is being written.
struct Writing {
    app: Arc<App>,
    caller: Caller,
    asked: Asked,
    id: String,
    message: String,
    created: u64,
}

impl Writing {
    fn new(app: &Arc<App>, caller: Caller, asked: Asked) -> Self {
        let (id, message) = (super::id("resp_"), super::id("msg_"));
        Self { app: Arc::clone(app), caller, asked, id, message, created: super::now() }
    }

    /// The response as it stands.
    fn object(&self, status: &str, output: Value) -> Value {
        let Asked {
            model,
            instructions,
            previous,
            store,
            max_output_tokens,
            temperature,
            top_p,
            metadata,
            format,
            tools,
            ..
        } = &self.asked;
        json!({
            "id": self.id, "object": "response", "created_at": self.created, "status": status, "background": false,
            "error": null, "incomplete_details": null, "instructions": instructions, "max_output_tokens": max_output_tokens,
            "model": model, "output": output, "parallel_tool_calls": tools["parallel_tool_calls"], "previous_response_id": previous,
            "reasoning": {"effort": null, "summary": null}, "store": store, "temperature": temperature,
            "text": {"format": format}, "tool_choice": tools["tool_choice"], "tools": tools["tools"], "top_p": top_p,
            "truncation": "disabled", "usage": null, "user": null, "metadata": metadata,
        })
    }

    /// The message as it stands.
    fn item(&self, status: &str, content: Value) -> Value {
        json!({"type": "message", "id": self.message, "status": status, "role": "assistant", "content": content})
    }

    fn part(text: &str) -> Value {
        json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
    }

    /// The whole response, kept if that was asked.
    fn finish(&self, whole: &Whole, routed: &Routed, output: Vec<Value>) -> Result<Value, Fault> {
        let status = if whole.cut { "incomplete" } else { "completed" };
        let mut response = self.object(status, output.into());
        if whole.cut {
            response["incomplete_details"] = json!({"reason": "max_output_tokens"});
        }
        response["usage"] = json!({
            "input_tokens": whole.read, "input_tokens_details": {"cached_tokens": whole.cached}, "output_tokens": whole.written,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": whole.read + whole.written,
        });
        response["ui4a"] = routed.told();
        if self.asked.store {
            let stored = StoredResponse {
                id: self.id.clone(),
                owner: self.caller.name.clone(),
                previous: self.asked.previous.clone(),
                input: Value::Array(self.asked.items.clone()),
                response: response.clone(),
            };
            tokio::task::block_in_place(|| self.app.db.put_response(&stored, self.caller.most_bytes))
                .map_err(|error| Fault::from(anyhow::Error::from(error)))?;
        }
        Ok(response)
    }
}
