//! Embedding: one artifact on another page, by a capability that can be revoked.

use super::pages;
use crate::app::App;
use crate::problem::{Answer, Problem};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use ui4a_store::db::Share;

/// Most parents of a share.
const MOST_PARENTS: usize = 16;

/// Which pages may embed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Parents {
    parents: Vec<String>,
}

/// `POST /api/artifacts/{id}/shares {parents?}` → `{capability, url}`. `parents` are origins; none means any page.
pub async fn share(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    parents: Option<Json<Parents>>,
) -> Answer<(StatusCode, Json<Value>)> {
    app.db.artifact(&id)?.ok_or_else(|| Problem::not_found("artifact", &id))?;
    let Json(Parents { parents }) = parents.unwrap_or_default();
    let parents = parents.iter().take(MOST_PARENTS).map(|parent| origin(parent)).collect::<Answer<Vec<_>>>()?;
    let share = make(&app, &id, parents)?;
    let url = format!("{}/embed/{}", app.origins.main, share.capability);
    Ok((StatusCode::CREATED, Json(json!({"capability": share.capability, "url": url, "parents": share.parents}))))
}

/// The origin of an address; it goes into a policy header, so nothing else may stand in it.
fn origin(text: &str) -> Answer<String> {
    let parsed = url::Url::parse(text).ok().map(|url| url.origin()).filter(url::Origin::is_tuple);
    // A host may hold what ends a directive or a policy.
    let plain = parsed.map(|origin| origin.ascii_serialization()).filter(|origin| !origin.contains([';', ',', '\'']));
    let wrong =
        || Problem::bad("bad-parent", format!("`{text}` is not an origin."), "Write one as https://example.net.");
    plain.ok_or_else(wrong)
}

/// Makes a share.
///
/// # Errors
/// The database fails.
pub fn make(app: &App, artifact: &str, parents: Vec<String>) -> Answer<Share> {
    let capability = crate::door::random_hex::<16>().map_err(|error| Problem::internal(&error))?;
    let share = Share { capability, artifact: artifact.to_owned(), parents };
    app.db.put_share(&share)?;
    Ok(share)
}

/// `DELETE /api/shares/{capability}`
pub async fn revoke(State(app): State<Arc<App>>, Path(capability): Path<String>) -> Answer<StatusCode> {
    if app.db.revoke(&capability)? { Ok(StatusCode::NO_CONTENT) } else { Err(Problem::not_found("share", &capability)) }
}

/// `GET /embed/{capability}`: the newest whole revision, and nothing of the conversation.
pub async fn page(State(app): State<Arc<App>>, Path(capability): Path<String>) -> Response {
    match try_page(&app, &capability) {
        Ok(page) => page,
        Err(problem) => pages::refused(problem),
    }
}

fn try_page(app: &App, capability: &str) -> Answer<Response> {
    let gone =
        || Problem::new(StatusCode::NOT_FOUND, "share-gone", "This is no longer shared.", "Ask for a new address.");
    let share = app.db.share(capability)?.ok_or_else(gone)?;
    let artifact = app.db.artifact(&share.artifact)?.ok_or_else(gone)?;
    let revision = app.db.revision(&share.artifact, None)?.ok_or_else(gone)?;
    let data = json!({
        "artifact": artifact.id, "kind": artifact.kind, "title": artifact.title, "rev": revision.rev, "frame": revision.frame,
        "compiled": revision.compiled, "imports": revision.imports, "state": app.db.state(&share.artifact)?,
        "parents": share.parents, "frozen": revision.report.as_ref().is_some_and(ui4a_types::Report::is_frozen),
    });
    let page = ui4a_web::pages::EmbedPage::new(&artifact.title, &app.origins.sandbox, &data)
        .map_err(|error| Problem::internal(&error))?;
    let mut answer = pages::html(app, StatusCode::OK, &page);
    let ancestors = if share.parents.is_empty() { "*".to_owned() } else { share.parents.join(" ") };
    let policy = pages::policy(app, &ancestors);
    if let Ok(value) = HeaderValue::from_str(&policy) {
        answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, value);
    }
    answer.headers_mut().remove(header::X_FRAME_OPTIONS);
    Ok(answer)
}

/// `GET /embed.js`: the script that other pages load.
pub async fn script(State(app): State<Arc<App>>) -> Response {
    let mut answer = pages::script(&app, ui4a_web::assets::EMBED_SCRIPT).into_response();
    answer.headers_mut().insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    answer
}
