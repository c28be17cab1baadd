//! Sessions: make, list, show, delete; say something in one; stop its turn.

use crate::agent;
use crate::app::App;
use crate::problem::{Answer, Problem};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use ui4a_store::db::Session;

/// Longest title in characters.
const MOST_TITLE: usize = 80;
/// The session that holds what `/api/render` was asked for; not in the list.
pub const PREVIEWS: &str = "previews";

/// What a new session is called.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct New {
    title: String,
}

/// `GET /api/sessions`
pub async fn list(State(app): State<Arc<App>>) -> Answer<Json<Value>> {
    let sessions: Vec<_> = app.db.sessions()?.into_iter().filter(|session| session.id != PREVIEWS).collect();
    Ok(Json(json!({"sessions": sessions.iter().map(|session| view(&app, session)).collect::<Vec<_>>()})))
}

/// `POST /api/sessions {title?}`
pub async fn create(State(app): State<Arc<App>>, new: Option<Json<New>>) -> Answer<(StatusCode, Json<Value>)> {
    let Json(new) = new.unwrap_or_default();
    let title: String = new.title.chars().take(MOST_TITLE).collect();
    let session = app.db.create_session(&uuid::Uuid::now_v7().simple().to_string(), &title)?;
    Ok((StatusCode::CREATED, Json(view(&app, &session))))
}

/// `GET /api/sessions/{id}`
pub async fn show(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<Value>> {
    let session = app.db.session(&id)?.ok_or_else(|| Problem::not_found("session", &id))?;
    let mut view = view(&app, &session);
    view["artifacts"] = json!(app.db.artifacts(&id)?);
    view["model"] = json!(app.model.name());
    Ok(Json(view))
}

/// `DELETE /api/sessions/{id}`
pub async fn remove(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<StatusCode> {
    let found = app.db.delete_session(&id)?;
    // Only now: before, whoever asks for it would make it live again.
    app.hub.forget(&id);
    if found { Ok(StatusCode::NO_CONTENT) } else { Err(Problem::not_found("session", &id)) }
}

fn view(app: &App, session: &Session) -> Value {
    json!({
        "id": session.id, "title": session.title, "created_at": session.created, "updated_at": session.updated,
        "head": session.head, "running": app.hub.running(&session.id),
    })
}

/// What a person says.
#[derive(Deserialize)]
pub struct Said {
    text: String,
}

/// `POST /api/sessions/{id}/messages {text}` → 202. While a turn runs the message waits its turn.
pub async fn message(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(said): Json<Said>,
) -> Answer<(StatusCode, Json<Value>)> {
    let text = said.text.trim();
    if text.is_empty() {
        return Err(Problem::bad("empty-message", "The message is empty.", "Write what you want to see."));
    }
    let live = app.hub.live(&id)?.ok_or_else(|| Problem::not_found("session", &id))?;
    let session = app.db.session(&id)?.ok_or_else(|| Problem::not_found("session", &id))?;
    if session.title.is_empty() {
        app.db.set_title(&id, &title(text))?;
    }
    let queued = agent::say(&app, &live, text.to_owned())?;
    Ok((StatusCode::ACCEPTED, Json(json!({"queued": queued}))))
}

fn title(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(60).collect();
    if short.len() < line.len() { format!("{}…", short.trim_end()) } else { short }
}

/// `POST /api/sessions/{id}/cancel`: stops the running turn and mending; what was written stays.
pub async fn cancel(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<(StatusCode, Json<Value>)> {
    let live = app.hub.live(&id)?.ok_or_else(|| Problem::not_found("session", &id))?;
    Ok((StatusCode::ACCEPTED, Json(json!({"cancelled": agent::stop(&live)}))))
}

/// A page, and whether it is to be seen.
#[derive(Deserialize)]
pub struct Presence {
    page: String,
    visible: bool,
}

/// `POST /api/sessions/{id}/presence {page, visible}`: a page that watches came to the front or went to the background.
pub async fn presence(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(presence): Json<Presence>,
) -> Answer<StatusCode> {
    let live = app.hub.live(&id)?.ok_or_else(|| Problem::not_found("session", &id))?;
    live.seen(&presence.page, presence.visible);
    Ok(StatusCode::NO_CONTENT)
}
