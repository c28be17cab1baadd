//! Artifacts: shown, exported, written by programs, and what their sandboxes report and keep.

use super::paint;
use crate::agent;
use crate::agent::writer::{Busy, MOST_SOURCE, Origin, Writer};
use crate::app::App;
use crate::evidence::Incoming;
use crate::hub::Live;
use crate::problem::{Answer, Problem};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use ui4a_renderer::carrier::{self, Opening, Piece};
use ui4a_store::db::{Artifact, Revision};
use ui4a_types::{Carrier, Event, Kind};

/// Most bytes of one kept value.
const MOST_VALUE: usize = 256 << 10;
/// How long a report waits for its revision to be closed. A page sends what comes after it in order.
const CLOSING: Duration = Duration::from_secs(5);
/// Most keys kept for an artifact.
const MOST_KEYS: usize = 256;

fn find(app: &App, id: &str) -> Answer<Artifact> {
    app.db.artifact(id)?.ok_or_else(|| Problem::not_found("artifact", id))
}

fn find_revision(app: &App, id: &str, rev: Option<u32>) -> Answer<Revision> {
    let missing = || Problem::not_found("revision", &rev.map_or_else(|| "newest".to_owned(), |rev| rev.to_string()));
    app.db.revision(id, rev)?.ok_or_else(missing)
}

/// `GET /api/artifacts/{id}`: the artifact and its newest revision.
pub async fn show(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<Value>> {
    let artifact = find(&app, &id)?;
    let revision = find_revision(&app, &id, None)?;
    Ok(Json(json!({"artifact": artifact, "revision": revision, "state": app.db.state(&id)?})))
}

/// `GET /api/artifacts/{id}/revisions`: their numbers, oldest first.
pub async fn revisions(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<Value>> {
    find(&app, &id)?;
    let newest = app.db.revision(&id, None)?.map_or(0, |revision| revision.rev);
    let mut all = Vec::new();
    for rev in 1..=newest {
        if let Some(revision) = app.db.revision(&id, Some(rev))? {
            all.push(json!({"rev": rev, "closed": revision.closed, "truncated": revision.truncated, "report": revision.report}));
        }
    }
    Ok(Json(json!({"revisions": all})))
}

/// `GET /api/artifacts/{id}/revisions/{rev}`: source, compiled, lock, diagnostics, report.
pub async fn revision(State(app): State<Arc<App>>, Path((id, rev)): Path<(String, u32)>) -> Answer<Json<Value>> {
    find(&app, &id)?;
    Ok(Json(json!(find_revision(&app, &id, Some(rev))?)))
}

/// In which form.
#[derive(Deserialize)]
pub struct Export {
    #[serde(default)]
    format: String,
    rev: Option<u32>,
}

/// `GET /api/artifacts/{id}/export?format=html|tsx|lock`: a file to keep.
pub async fn export(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(wanted): Query<Export>,
) -> Answer<Response> {
    let artifact = find(&app, &id)?;
    let revision = find_revision(&app, &id, wanted.rev)?;
    let name: String = artifact.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let (extension, content_type, body) = match (wanted.format.as_str(), artifact.kind) {
        ("html" | "", _) => {
            let page = crate::export::page(
                &app.proxy,
                &app.runtime,
                artifact.kind,
                &artifact.title,
                &revision.source,
                Some(&revision.lock),
            )
            .await
            .map_err(|error| {
                Problem::bad("export-failed", format!("{error:#}."), "Mend the artifact, or be online once.")
            })?;
            ("html", "text/html; charset=utf-8", page)
        }
        ("tsx" | "source", kind) => (extension(kind), "text/plain; charset=utf-8", revision.source),
        ("lock", _) => {
            let lock = serde_json::to_string_pretty(&revision.lock).map_err(|error| Problem::internal(&error))?;
            ("lock.json", "application/json", lock)
        }
        (format, _) => {
            return Err(Problem::bad(
                "unknown-format",
                format!("There is no export format `{format}`."),
                "Use html, tsx or lock.",
            ));
        }
    };
    let disposition = format!("attachment; filename=\"{name}.{extension}\"");
    Ok(([(header::CONTENT_TYPE, content_type.to_owned()), (header::CONTENT_DISPOSITION, disposition)], body)
        .into_response())
}

fn extension(kind: Kind) -> &'static str {
    match kind {
        Kind::Tsx => "tsx",
        Kind::Html => "html",
        Kind::Svg => "svg",
        Kind::Markdown => "md",
    }
}

/// `POST /api/artifacts/{id}/reports`: positions arrive as the sandbox saw them and are kept as the model's source has them.
pub async fn report(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(incoming): Json<Incoming>,
) -> Answer<StatusCode> {
    let artifact = find(&app, &id)?;
    let live = live(&app, &artifact.session)?;
    let stored = closed(&app, &live, &artifact, &incoming).await?;
    let (source, maps) = stored.as_ref().map_or(("", &Value::Null), |revision| (&revision.source, &revision.maps));
    let report = crate::evidence::to_source(incoming, artifact.kind, source, maps);
    if let Some(revision) = &stored
        && report.frame >= revision.frame
    {
        app.db.set_report(&id, &report)?;
    }
    live.append(Event::ArtifactReport { artifact: id.clone(), report: report.clone() })?;
    if let Some(revision) = stored.filter(|revision| report.frame >= revision.frame) {
        agent::consider(&app, &live, &id, &report, &revision.source);
    }
    // Nobody may be waiting for it.
    let _ = live.reports.send((id, report));
    Ok(StatusCode::NO_CONTENT)
}

/// The revision that a report is about, if it is closed. A page shows the whole of one a moment before it is stored, for
/// its imports are waited for in between; without its maps a report would lose its lines.
async fn closed(app: &App, live: &Live, artifact: &Artifact, report: &Incoming) -> Answer<Option<Revision>> {
    let stored = || app.db.revision(&artifact.id, Some(report.rev()));
    let mut found = stored()?;
    if !found.as_ref().is_some_and(|revision| revision.closed) && live.is_closing(&artifact.id, report.rev()) {
        // Whoever writes it holds the claim to the end. After that it is stored, or never will be.
        if tokio::time::timeout(CLOSING, live.claim(&artifact.name).lock_owned()).await.is_err() {
            tracing::info!(artifact = artifact.id, "a report came long before its revision was closed");
        }
        found = stored()?;
    }
    Ok(found.filter(|revision| revision.closed))
}

fn live(app: &App, session: &str) -> Answer<Arc<Live>> {
    app.hub.live(session)?.ok_or_else(|| Problem::not_found("session", session))
}

/// A value to keep.
#[derive(Deserialize)]
pub struct Kept {
    key: String,
    value: Value,
}

/// `GET /api/artifacts/{id}/state`
pub async fn state(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<Value>> {
    find(&app, &id)?;
    Ok(Json(json!({"state": app.db.state(&id)?})))
}

/// `POST /api/artifacts/{id}/state {key, value}`
pub async fn set_state(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(kept): Json<Kept>,
) -> Answer<StatusCode> {
    let artifact = find(&app, &id)?;
    if kept.key.len() > 200 || kept.value.to_string().len() > MOST_VALUE {
        let detail = format!("Keep at most {} KiB under a key of at most 200 bytes.", MOST_VALUE >> 10);
        return Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "state-too-large",
            "The value is too large to keep.",
            detail,
        ));
    }
    let known = app.db.state(&id)?;
    if known.len() >= MOST_KEYS && !known.contains_key(&kept.key) {
        let title = format!("{MOST_KEYS} values are kept already.");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "state-too-many", title, "Use fewer keys."));
    }
    app.db.set_state(&id, &kept.key, &kept.value)?;
    live(&app, &artifact.session)?.append(Event::ArtifactState { artifact: id, key: kept.key, value: kept.value })?;
    Ok(StatusCode::NO_CONTENT)
}

/// A source that a program wrote.
#[derive(Deserialize)]
pub struct Written {
    code: String,
    id: Option<String>,
    title: Option<String>,
    kind: Option<Kind>,
}

/// Whether to wait.
#[derive(Deserialize)]
pub struct Wait {
    #[serde(default)]
    wait: String,
}

/// `POST /api/sessions/{id}/artifacts?wait=paint {code, id?, title?, kind?}`: what `render_ui` uses. With `wait=paint` it
/// answers after the first paint or error of the whole revision; when no page is open it opens one, and says so when
/// none came.
pub async fn create(
    State(app): State<Arc<App>>,
    Path(session): Path<String>,
    Query(wait): Query<Wait>,
    Json(written): Json<Written>,
) -> Answer<(StatusCode, Json<Value>)> {
    if written.code.trim().is_empty() {
        return Err(Problem::bad("empty-code", "The code is empty.", "Send one TSX module with a default export."));
    }
    if written.code.len() > MOST_SOURCE {
        let detail = format!("Send at most {} KiB; move data into fewer rows.", MOST_SOURCE >> 10);
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "code-too-large", "The code is too long.", detail));
    }
    let live = live(&app, &session)?;
    let watching = paint::Watch::new(&live);
    let mut writer = Writer::new(&app, &live, Origin::program());
    let opening = Opening {
        id: written.id,
        title: written.title,
        kind: written.kind.unwrap_or(Kind::Tsx),
        dialect: Some(carrier::dialect(&written.code)),
        carrier: Carrier::Tool,
    };
    let pieces = vec![Piece::Opened(opening), Piece::Source(written.code), Piece::Closed { truncated: false }];
    // A task of its own: a caller that goes away must not leave the revision open.
    let writing = tokio::spawn(async move {
        writer.take(pieces).await?;
        anyhow::Ok(writer.closed.pop())
    });
    let closed = writing.await.map_err(|error| Problem::internal(&error))?.map_err(|error| match error.downcast() {
        Ok(Busy(name)) => Problem::new(
            StatusCode::CONFLICT,
            "artifact-busy",
            format!("`{name}` is being written by another turn or program."),
            "Wait until it is whole, then send it again; or give it another id.",
        ),
        Err(error) => Problem::internal(&format!("{error:#}")),
    })?;
    let Some(closed) = closed else { return Err(Problem::internal(&"the revision was not closed")) };
    let mut answer = json!({
        "artifact": closed.artifact, "rev": closed.rev, "diagnostics": closed.diagnostics,
        "url": format!("{}/sessions/{session}", app.origins.main),
    });
    if wait.wait == "paint" {
        watching.tell(&app, &closed, &mut answer).await?;
    }
    Ok((StatusCode::CREATED, Json(answer)))
}

/// `POST /api/artifacts/{id}/repair` → 202: mends the newest revision once more.
pub async fn repair(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<StatusCode> {
    let live = live(&app, &find(&app, &id)?.session)?;
    agent::again(&app, &live, &id)?;
    Ok(StatusCode::ACCEPTED)
}

/// `POST /api/artifacts/{id}/continue` → 202: goes on with a revision that was cut off, as the next one.
pub async fn go_on(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<StatusCode> {
    let live = live(&app, &find(&app, &id)?.session)?;
    agent::go_on(&app, &live, &id)?;
    Ok(StatusCode::ACCEPTED)
}
