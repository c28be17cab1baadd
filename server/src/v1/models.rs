//! `GET /v1/models` and `/v1/models/{id}`: the names that may be asked for.

use super::ask;
use super::fault::Api;
use crate::app::App;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use std::sync::Arc;

/// All of them: the router's, each specialist's, and the model itself.
pub async fn list(State(app): State<Arc<App>>) -> Json<Value> {
    let data: Vec<Value> = ask::names(&app).iter().map(|(name, _)| entry(name)).collect();
    Json(json!({"object": "list", "data": data}))
}

/// One of them.
pub async fn show(State(app): State<Arc<App>>, Path(id): Path<String>) -> Response {
    let known = ask::names(&app).into_iter().find(|(name, _)| name.eq_ignore_ascii_case(&id));
    match known {
        Some((name, _)) => Json(entry(&name)).into_response(),
        None => ask::unknown(&app, &id).answer(Api::OpenAi),
    }
}

fn entry(name: &str) -> Value {
    json!({"id": name, "object": "model", "created": 0, "owned_by": "ui4a"})
}
