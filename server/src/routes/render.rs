//! Rendering and checking a source outside any conversation.

use super::sessions::PREVIEWS;
use crate::agent::{imports, writer};
use crate::app::App;
use crate::problem::{Answer, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
use ui4a_renderer::types_check::Module;
use ui4a_store::db::{Artifact, Revision};
use ui4a_types::{Kind, Lock, Specialist};

/// A source.
#[derive(Deserialize)]
pub struct Source {
    source: String,
    kind: Option<Kind>,
    lock: Option<Lock>,
    #[serde(default)]
    check: bool,
}

impl Source {
    fn kind(&self) -> Kind {
        self.kind.unwrap_or_else(|| if self.source.trim_start().starts_with('<') { Kind::Html } else { Kind::Tsx })
    }

    fn limit(&self) -> Answer<()> {
        if self.source.len() <= writer::MOST_SOURCE {
            return Ok(());
        }
        let detail = format!("Send at most {} KiB.", writer::MOST_SOURCE >> 10);
        Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "code-too-large", "The source is too long.", detail))
    }
}

/// `POST /api/check {source, kind?, lock?}` → `{ok, diagnostics}`: everything that is known without showing it, packages
/// and types included.
pub async fn check(State(app): State<Arc<App>>, Json(source): Json<Source>) -> Answer<Json<Value>> {
    source.limit()?;
    let options = writer::options(&app, source.kind());
    let compiled = tokio::task::block_in_place(|| ui4a_renderer::compile(&source.source, &options));
    let mut diagnostics = compiled.diagnostics.clone();
    if source.kind() == Kind::Tsx {
        let module = Module::new(&source.source, &compiled);
        let uses = imports::outside(&compiled.imports, Kind::Tsx);
        let resolution = app.proxy.resolve(&uses, source.lock.as_ref(), &|_, _| {}).await;
        diagnostics.extend(imports::judged(resolution.diagnostics));
        diagnostics.extend(app.types.check(&module, &resolution.lock).await);
        diagnostics.sort_by_key(|found| (found.line == 0, found.line, found.column));
    }
    Ok(Json(json!({"ok": compiled.ok, "diagnostics": diagnostics})))
}

/// `POST /api/render {source, kind?, lock?, check?}` → `{artifact, rev, compiled, imports, lock, diagnostics, preview_url}`. The
/// same source is the same artifact. With `check` its types are checked as well.
pub async fn render(State(app): State<Arc<App>>, Json(source): Json<Source>) -> Answer<Json<Value>> {
    source.limit()?;
    let kind = source.kind();
    let options = writer::options(&app, kind);
    let compiled = tokio::task::block_in_place(|| ui4a_renderer::compile(&source.source, &options));
    let resolution =
        app.proxy.resolve(&imports::outside(&compiled.imports, kind), source.lock.as_ref(), &|_, _| {}).await;
    let mut diagnostics = compiled.diagnostics.clone();
    diagnostics.extend(resolution.diagnostics);
    if source.check && kind == Kind::Tsx {
        diagnostics.extend(app.types.check(&Module::new(&source.source, &compiled), &resolution.lock).await);
    }
    // Another request may make it in this moment.
    if app.db.session(PREVIEWS)?.is_none()
        && let Err(error) = app.db.create_session(PREVIEWS, "Previews")
        && app.db.session(PREVIEWS)?.is_none()
    {
        return Err(error.into());
    }
    let id = format!("preview-{}", &hex::encode(Sha256::digest(&source.source))[..32]);
    let artifact = Artifact {
        id: id.clone(),
        session: PREVIEWS.to_owned(),
        name: id.clone(),
        title: "Preview".to_owned(),
        kind,
        owner: Specialist::L3,
    };
    app.db.put_artifact(&artifact)?;
    let revision = Revision {
        rev: 1,
        turn: String::new(),
        source: source.source,
        compiled: compiled.state,
        maps: serde_json::to_value(&compiled.map).map_err(|error| Problem::internal(&error))?,
        imports: resolution.imports,
        lock: resolution.lock,
        diagnostics,
        report: None,
        frame: 1,
        closed: true,
        truncated: false,
    };
    app.db.put_revision(&id, &revision)?;
    let share = super::embed::make(&app, &id, Vec::new())?;
    Ok(Json(json!({
        "artifact": id, "rev": 1, "compiled": revision.compiled, "imports": revision.imports, "lock": revision.lock,
        "diagnostics": revision.diagnostics, "preview_url": format!("{}/embed/{}", app.origins.main, share.capability),
    })))
}
