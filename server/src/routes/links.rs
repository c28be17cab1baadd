//! One-time links: made for programs that hold the token, opened by browsers.

use crate::app::App;
use crate::problem::{Answer, Problem};
use axum::Json;
use axum::extract::{Query, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Where a link leads after the door.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Wanted {
    /// A path on the main origin; `/` when absent.
    path: Option<String>,
}

/// Makes a link: `POST /api/links {path?}` → `{url}`.
pub async fn make(State(app): State<Arc<App>>, wanted: Option<Json<Wanted>>) -> Answer<(StatusCode, Json<Value>)> {
    let path = wanted.and_then(|Json(wanted)| wanted.path);
    let url = link(&app, path.as_deref()).map_err(|error| Problem::internal(&error))?;
    Ok((StatusCode::CREATED, Json(json!({"url": url}))))
}

/// A new one-time link to a path.
///
/// # Errors
/// The system has no randomness to give.
pub fn link(app: &App, path: Option<&str>) -> anyhow::Result<String> {
    let code = app.links.make()?;
    let mut url = url::Url::parse(&app.origins.main)?;
    url.set_path("/open");
    url.query_pairs_mut().append_pair("code", &code);
    if let Some(path) = path {
        url.query_pairs_mut().append_pair("to", path);
    }
    Ok(url.into())
}

/// What stands in a link.
#[derive(Deserialize)]
pub struct Opened {
    #[serde(default)]
    code: String,
    to: Option<String>,
}

/// Spends a link: sets the cookie and leads to the page.
pub async fn open(method: Method, State(app): State<Arc<App>>, Query(opened): Query<Opened>) -> Response {
    // A program that only looks at the address must not spend it.
    if method != Method::GET {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    if !app.links.spend(&opened.code) {
        return super::pages::login(true);
    }
    // A path only: `//host` and `/\host` would lead elsewhere, and browsers leave out tabs and line ends.
    let plain = |to: &str| to.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let local = |to: &String| to.starts_with('/') && !to.starts_with("//") && plain(to);
    let to = opened.to.filter(local).unwrap_or_else(|| "/".to_owned());
    let cookie =
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000", app.origins.cookie, app.token.reveal());
    ([(header::SET_COOKIE, cookie), (header::CACHE_CONTROL, "no-store".to_owned())], Redirect::to(&to)).into_response()
}
