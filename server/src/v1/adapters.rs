//! `POST /v1/load_lora_adapter`, `POST /v1/unload_lora_adapter` (as vLLM has them) and `GET /v1/lora_adapters`.
//!
//! They are the user's: a key of a program cannot name folders of this machine. A loaded adapter answers under its name, without a word of ours, as the model itself does. Names outlive the program.

use super::ask;
use super::caller::Caller;
use super::fault::{Api, Fault};
use super::fields::Fields;
use crate::app::App;
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use ui4a_engine::{AdapterInfo, EngineError};

/// Characters of a name.
const NAME: usize = 80;

/// Loads an adapter, or another one in its place: answers that are being written finish on the one that they began with.
pub async fn load(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let loaded = async {
        user(&caller)?;
        loaded(&app, &super::body(body)?).await
    };
    told(loaded.await)
}

/// Forgets an adapter.
pub async fn unload(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let unloaded = async {
        user(&caller)?;
        unloaded(&app, &super::body(body)?).await
    };
    told(unloaded.await)
}

/// The adapters.
pub async fn list(State(app): State<Arc<App>>, Extension(caller): Extension<Caller>) -> Response {
    let listed = async {
        user(&caller)?;
        // What was loaded before this program started is loaded with the model.
        let backend = app.model.backend().await?;
        let loaded = backend.adapters();
        let known = app.model.adapters().all();
        let data: Vec<Value> = known
            .into_iter()
            .map(|(name, kept)| match loaded.iter().find(|info| info.name == name) {
                Some(info) => entry(info),
                None => json!({"id": name, "object": "lora_adapter", "path": kept.path, "generation": kept.generation,
                    "status": "failed", "error": kept.error}),
            })
            .collect();
        Ok(json!({"object": "list", "data": data}))
    };
    told(listed.await)
}

fn user(caller: &Caller) -> Result<(), Fault> {
    if caller.name.is_empty() {
        return Ok(());
    }
    let message = "Adapters are loaded with the token alone; a key asks those that are loaded.";
    Err(Fault::new(StatusCode::FORBIDDEN, "token_needed", message))
}

fn told(answer: Result<Value, Fault>) -> Response {
    answer.map_or_else(|fault| fault.answer(Api::OpenAi), |answer| Json(answer).into_response())
}

fn entry(info: &AdapterInfo) -> Value {
    json!({"id": info.name, "object": "lora_adapter", "path": info.path, "generation": info.generation,
        "rank": info.rank, "bytes": info.bytes, "status": "loaded"})
}

async fn loaded(app: &Arc<App>, body: &[u8]) -> Result<Value, Fault> {
    let mut fields = Fields::read(body)?;
    let name = name(&mut fields)?;
    let path = fields.text("lora_path")?;
    let path =
        path.ok_or_else(|| Fault::param("lora_path", "missing_required_parameter", "`lora_path` is missing."))?;
    // It is swapped in any case.
    fields.ignore(&["load_inplace"]);
    fields.end()?;
    let taken = ask::names(app).into_iter().any(|(known, _)| known.eq_ignore_ascii_case(&name));
    if taken && !app.model.adapters().knows(&name) {
        let message = format!("`{name}` is the name of a model already; choose another.");
        return Err(Fault::param("lora_name", "invalid_value", message));
    }
    let path = PathBuf::from(path);
    if !path.is_absolute() {
        return Err(Fault::param("lora_path", "invalid_value", "`lora_path` must be an absolute path to a folder."));
    }
    let backend = app.model.backend().await?;
    let info = backend.load_adapter(&name, &path).await.map_err(|error| match error {
        EngineError::Io { .. } => Fault::param("lora_path", "invalid_value", format!("{error}.")),
        error => error.into(),
    })?;
    tokio::task::block_in_place(|| app.model.adapters().keep(&info))?;
    Ok(entry(&info))
}

async fn unloaded(app: &Arc<App>, body: &[u8]) -> Result<Value, Fault> {
    let mut fields = Fields::read(body)?;
    let name = name(&mut fields)?;
    fields.ignore(&["lora_int_id"]);
    fields.end()?;
    let backend = app.model.backend().await?;
    let known = tokio::task::block_in_place(|| app.model.adapters().forget(&name))?;
    match backend.unload_adapter(&name) {
        // One that could not be loaded again is forgotten all the same.
        Err(_) if known => {}
        other => drop(other?),
    }
    Ok(json!({"id": name, "object": "lora_adapter", "deleted": true}))
}

fn name(fields: &mut Fields) -> Result<String, Fault> {
    let name = fields.text("lora_name")?;
    let name =
        name.ok_or_else(|| Fault::param("lora_name", "missing_required_parameter", "`lora_name` is missing."))?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    if name.is_empty() || name.len() > NAME || !name.chars().all(fits) {
        let message =
            format!("`lora_name` must be 1 to {NAME} letters, digits, dots, dashes, underscores and slashes.");
        return Err(Fault::new(StatusCode::BAD_REQUEST, "invalid_value", message).about("lora_name"));
    }
    Ok(name)
}
