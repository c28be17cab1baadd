//! Whether the server lives and is ready.

use crate::app::App;
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use std::sync::Arc;

/// Answers as long as the process does.
pub async fn alive() -> Json<Value> {
    Json(json!({"status": "alive"}))
}

/// Answers once pages can be served; both ports are bound by then.
pub async fn ready(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!({"status": "ready", "version": env!("CARGO_PKG_VERSION"), "model": app.model.name()}))
}
