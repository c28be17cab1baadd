//! Sessions of coding assistants on this machine.

use crate::app::App;
use crate::problem::{Answer, Problem};
use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};
use std::sync::Arc;

/// `GET /api/transcripts` → `{transcripts: [{project, session, title, cwd, updated_at, artifacts}]}`, the newest first.
pub async fn list(State(_): State<Arc<App>>) -> Answer<Json<Value>> {
    let found = tokio::task::spawn_blocking(|| ui4a_plugin::transcripts::list(&ui4a_plugin::transcripts::root()))
        .await
        .map_err(|error| Problem::internal(&error))?;
    Ok(Json(json!({"transcripts": found})))
}

/// `GET /api/transcripts/{project}/{session}` → `{title, cwd, items: […]}`
pub async fn show(State(_): State<Arc<App>>, Path((project, session)): Path<(String, String)>) -> Answer<Json<Value>> {
    let name = format!("{project}/{session}");
    let read = move || ui4a_plugin::transcripts::read(&ui4a_plugin::transcripts::root(), &project, &session);
    let found = tokio::task::spawn_blocking(read).await.map_err(|error| Problem::internal(&error))?;
    match found {
        Ok(Some(transcript)) => Ok(Json(json!(transcript))),
        Ok(None) => Err(Problem::not_found("transcript", &name)),
        Err(error) => Err(Problem::internal(&error)),
    }
}
