//! The model over the APIs that programs of others speak: Chat Completions, Responses,
//! Messages, and the list of models.
//!
//! Owns what their requests and answers look like. Who answers is the engine's affair; nothing of a session, an artifact
//! or a page is known here. Errors have the shape of the API that was asked.

mod adapters;
mod ask;
mod caller;
mod chat;
mod choices;
mod fault;
mod fields;
mod messages;
mod models;
mod responses;
mod sse;
mod summaries;
mod tools;
mod views;

pub use caller::{Caller, KEY_PREFIX, Running, admitted, digest};
pub use fault::{Api, Fault};
pub use views::Views;

use crate::app::App;
use crate::routes::MOST_BODY;
use axum::Router;
use axum::body::Bytes;
use axum::extract::Request;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{any, get, post};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Everything below `/v1/`.
pub fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/v1/models", get(models::list).fallback(missing))
        .route("/v1/models/{*id}", get(models::show).fallback(missing))
        .route("/v1/chat/completions", post(chat::complete).fallback(missing))
        .route("/v1/responses", post(responses::create).fallback(missing))
        .route("/v1/responses/{id}", get(responses::show).delete(responses::remove).fallback(missing))
        .route("/v1/responses/{id}/cancel", post(responses::cancel).fallback(missing))
        .route("/v1/responses/{id}/input_items", get(responses::input_items).fallback(missing))
        .route("/v1/messages", post(messages::create).fallback(missing))
        .route("/v1/messages/count_tokens", post(messages::count).fallback(missing))
        .route("/v1/lora_adapters", get(adapters::list).fallback(missing))
        .route("/v1/load_lora_adapter", post(adapters::load).fallback(missing))
        .route("/v1/unload_lora_adapter", post(adapters::unload).fallback(missing))
        .route("/v1/{*rest}", any(missing))
}

async fn missing(request: Request) -> Response {
    let path: String = request.uri().path().chars().take(80).collect();
    let message = format!(
        "There is no {} {path}; see /v1/models, /v1/chat/completions, /v1/responses and /v1/messages.",
        request.method()
    );
    Fault::new(StatusCode::NOT_FOUND, "unknown_url", message).answer(Api::of(&path))
}

/// The body of a request.
fn body(body: Result<Bytes, BytesRejection>) -> Result<Bytes, Fault> {
    body.map_err(|error| {
        let message =
            format!("The body could not be read: {}. Send at most {} MiB.", error.body_text(), MOST_BODY >> 20);
        Fault::new(error.status(), "body_not_read", message)
    })
}

/// A new id.
fn id(prefix: &str) -> String {
    format!("{prefix}{}", uuid::Uuid::now_v7().simple())
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}
