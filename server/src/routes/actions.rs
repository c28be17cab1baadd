//! Actions: what people do in artifacts, received once and handed on.

use crate::agent;
use crate::app::App;
use crate::problem::{Answer, Problem};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use ui4a_store::db::Appended;
use ui4a_types::{Action, ActionKind};

/// Longest text in bytes.
const MOST_TEXT: usize = 32 << 10;
/// Largest payload in bytes of JSON.
const MOST_PAYLOAD: usize = 256 << 10;
/// Deepest nesting of a payload: a turn's event holds it some levels down, and JSON readers give up at 128.
const MOST_DEPTH: usize = 64;
/// Longest wait of a poll in seconds.
const MOST_WAIT: u64 = 60;

/// `POST /api/artifacts/{id}/actions` → 202 `{seq}`. The same `id` again answers the same and does nothing more.
pub async fn receive(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(mut action): Json<Action>,
) -> Answer<(StatusCode, Json<Value>)> {
    let artifact = app.db.artifact(&id)?.ok_or_else(|| Problem::not_found("artifact", &id))?;
    let revision = app.db.revision(&id, None)?;
    action.artifact = id;
    action.rev = action.rev.max(1);
    limit(&action)?;
    let live = app.hub.live(&artifact.session)?.ok_or_else(|| Problem::not_found("session", &artifact.session))?;
    // Before its first revision is whole, an artifact that no turn is writing is a program's.
    let by_program = revision.map_or_else(|| live.desk().running.is_none(), |revision| revision.turn.is_empty());
    let seq = match live.append_action(&action)? {
        Appended::Known(seq) => seq,
        Appended::New(event) => {
            // What a coding assistant rendered is answered by that assistant, through `get_actions`.
            if by_program {
                app.db.handle_action(&action.id)?;
            } else {
                agent::wake(&app, &live);
            }
            event.seq
        }
    };
    Ok((StatusCode::ACCEPTED, Json(json!({"seq": seq}))))
}

fn limit(action: &Action) -> Answer<()> {
    let too_large = |what: &str, most: usize| {
        let detail = format!("Send at most {} KiB.", most >> 10);
        Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "action-too-large",
            format!("The action's {what} is too large."),
            detail,
        ))
    };
    if action.text.len() > MOST_TEXT {
        return too_large("text", MOST_TEXT);
    }
    if action.payload.to_string().len() > MOST_PAYLOAD {
        return too_large("payload", MOST_PAYLOAD);
    }
    if depth(&action.payload) > MOST_DEPTH {
        let title = format!("The action's payload is nested more than {MOST_DEPTH} levels deep.");
        return Err(Problem::bad("action-too-deep", title, "Send a flatter value."));
    }
    if action.kind == ActionKind::Message && action.text.trim().is_empty() {
        return Err(Problem::bad("empty-message", "The message is empty.", "Give sendMessage a text."));
    }
    Ok(())
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Which actions are wanted.
#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    after: u64,
    /// Seconds to wait for one when there is none.
    #[serde(default)]
    wait: u64,
}

/// `GET /api/artifacts/{id}/actions?after=&wait=` → `{actions: [{seq, …}]}`, without what is hidden from models.
pub async fn list(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Answer<Json<Value>> {
    let artifact = app.db.artifact(&id)?.ok_or_else(|| Problem::not_found("artifact", &id))?;
    let live = app.hub.live(&artifact.session)?.ok_or_else(|| Problem::not_found("session", &artifact.session))?;
    let deadline = tokio::time::Instant::now() + Duration::from_secs(wanted.wait.min(MOST_WAIT));
    let mut bell = live.actions.subscribe();
    loop {
        bell.borrow_and_update();
        let found = app.db.actions(&id, wanted.after)?;
        let waited = found.is_empty() && tokio::time::timeout_at(deadline, bell.changed()).await.is_ok();
        if waited {
            continue;
        }
        let actions: Vec<_> = found.into_iter().map(|(seq, action)| shown(seq, &action)).collect();
        return Ok(Json(json!({"actions": actions})));
    }
}

fn shown(seq: u64, action: &Action) -> Value {
    json!({
        "seq": seq, "id": action.id, "artifact": action.artifact, "rev": action.rev, "kind": action.kind,
        "name": action.name, "text": action.text, "payload": action.visible_payload(), "gesture": action.gesture,
    })
}
