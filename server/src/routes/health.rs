//! Whether the server lives and is ready.

use crate::app::App;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;

/// Answers as long as the process does.
pub async fn alive() -> Json<Value> {
    Json(json!({"status": "alive"}))
}

/// Answers once pages can be served; both ports are bound by then. It is 503 as long as the model could not answer:
/// when its file is missing, or its thread has ended.
pub async fn ready(State(app): State<Arc<App>>) -> (StatusCode, Json<Value>) {
    let (ready, state) = app.model.state();
    let (status, word) = if ready { (StatusCode::OK, "ready") } else { (StatusCode::SERVICE_UNAVAILABLE, "not ready") };
    let told = json!({
        "status": word, "version": env!("CARGO_PKG_VERSION"), "model": app.model.name(), "model_state": state,
        "load": app.model.load(),
    });
    (status, Json(told))
}
