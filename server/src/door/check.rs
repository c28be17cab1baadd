//! The checks themselves, as middleware.
//!
//! A foreign `Host` means DNS rebinding, a foreign `Origin` means another page: both are refused before the token is even
//! looked at. Public routes are named in one place: [`is_public`].

use crate::app::App;
use crate::problem::Problem;
use crate::v1::{self, Caller};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use std::sync::Arc;

/// Whether a path of the main origin needs no token. `/open` is the one-time link: its code is the credential.
pub fn is_public(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/embed.js" | "/open")
        || path.strip_prefix("/embed/").is_some_and(|rest| !rest.is_empty())
        || path.strip_prefix("/assets/").is_some_and(|rest| !rest.is_empty())
}

/// Guards the main origin.
pub async fn main_origin(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    match admit(&app, request.headers(), request.uri().path()) {
        Ok(None) => next.run(request).await,
        Ok(Some(caller)) => v1::admitted(&app, caller, request, next).await,
        Err(problem) => refuse(&request, problem),
    }
}

/// Who asks, below `/v1/`; nobody in particular elsewhere.
fn admit(app: &App, headers: &HeaderMap, path: &str) -> Result<Option<Caller>, Problem> {
    let host = text(headers, header::HOST).unwrap_or_default();
    if !app.origins.is_main_host(host) {
        return Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            "foreign-host",
            "This server does not answer to that host name.",
            format!("Open {} instead.", app.origins.main),
        ));
    }
    // Scripts and the embed script are loaded by other pages too; they are the same for everyone.
    let shared = path == "/embed.js" || path.starts_with("/assets/");
    if let Some(origin) = text(headers, header::ORIGIN)
        && !shared
        && !app.origins.is_main(origin)
    {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "foreign-origin",
            "Another page asked for this.",
            "Use UI4A's own page.",
        ));
    }
    if is_public(path) {
        return Ok(None);
    }
    let is_api = path.starts_with("/v1/");
    let user = is_api.then(Caller::user);
    // The second is how Anthropic's clients send a key.
    let key = text(headers, header::HeaderName::from_static("x-api-key")).filter(|_| is_api);
    for given in bearer(headers).into_iter().chain(key) {
        if app.token.is(given) {
            return Ok(user);
        }
        if is_api && let Some(caller) = Caller::of_key(app, given).map_err(unreadable)? {
            return Ok(Some(caller));
        }
    }
    if cookie(headers, &app.origins.cookie).is_some_and(|token| app.token.is(token)) {
        return Ok(user);
    }
    Err(Problem::new(
        StatusCode::UNAUTHORIZED,
        "no-token",
        "This needs the token.",
        "Open the link that `ui4a serve` printed, or run `ui4a open`; programs send `Authorization: Bearer` with the token file's text, or below /v1/ with a key of `ui4a key add`.",
    ))
}

fn unreadable(error: anyhow::Error) -> Problem {
    tracing::error!(%error, "keys could not be looked up");
    let (title, detail) = ("The key could not be looked up.", "The server's log says why; ask again later.");
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "keys-unreadable", title, detail)
}

/// Guards the sandbox origins: any label of the sandbox host, and nothing else. What they serve is public.
pub async fn sandbox_origin(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let host = text(request.headers(), header::HOST).unwrap_or_default();
    if app.origins.is_sandbox_host(host) {
        return next.run(request).await;
    }
    Problem::new(
        StatusCode::MISDIRECTED_REQUEST,
        "foreign-host",
        "This is no sandbox host.",
        "Reload the page that showed it.",
    )
    .into_response()
}

/// A person gets a page, a program a problem, in the words of the API that it speaks.
fn refuse(request: &Request, problem: Problem) -> Response {
    let path = request.uri().path();
    if path.starts_with("/v1/") {
        let message = format!("{} {}", problem.title(), problem.detail());
        return v1::Fault::new(problem.status(), "invalid_api_key", message).answer(v1::Api::of(path));
    }
    let wants_page = text(request.headers(), header::ACCEPT).is_some_and(|accept| accept.contains("text/html"))
        && !path.starts_with("/api/");
    if wants_page { crate::routes::pages::refused(problem) } else { problem.into_response() }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = text(headers, header::AUTHORIZATION)?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';')).find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}
