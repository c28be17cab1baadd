//! The pages and their scripts.

use crate::app::App;
use crate::problem::Problem;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use ui4a_web::pages::{ErrorPage, LoginPage, MainPage, TranscriptPage, TranscriptsPage};

/// `GET /`
pub async fn home(State(app): State<Arc<App>>) -> Response {
    conversation(&app, "")
}

/// `GET /sessions/{id}`
pub async fn session(State(app): State<Arc<App>>, Path(id): Path<String>) -> Response {
    match app.db.session(&id) {
        Ok(Some(_)) => conversation(&app, &id),
        Ok(None) => refused(Problem::not_found("session", &id)),
        Err(error) => refused(error.into()),
    }
}

fn conversation(app: &Arc<App>, session: &str) -> Response {
    crate::agent::warm::on_open(app);
    let page =
        MainPage { session, sandbox: &app.origins.sandbox, model: app.model.name(), provider: app.model.provider() };
    html(app, StatusCode::OK, &page)
}

/// `GET /transcripts`
pub async fn transcripts(State(app): State<Arc<App>>) -> Response {
    html(&app, StatusCode::OK, &TranscriptsPage)
}

/// `GET /transcripts/{project}/{session}`
pub async fn transcript(State(app): State<Arc<App>>, Path((project, session)): Path<(String, String)>) -> Response {
    html(&app, StatusCode::OK, &TranscriptPage { project: &project, session: &session, sandbox: &app.origins.sandbox })
}

/// `GET /assets/{path}`
pub async fn asset(State(app): State<Arc<App>>, Path(path): Path<String>) -> Response {
    script(&app, &path).into_response()
}

/// A page script or style sheet.
pub fn script(app: &App, path: &str) -> Result<Response, Problem> {
    let asset = app.runtime.assets.get(path).ok_or_else(|| Problem::not_found("file", path))?;
    let headers = [(header::CONTENT_TYPE, asset.content_type), (header::CACHE_CONTROL, "no-cache")];
    Ok((headers, asset.text.clone()).into_response())
}

/// Any other address.
pub async fn missing(request: axum::extract::Request) -> Response {
    let problem = Problem::not_found("page", request.uri().path());
    if request.uri().path().starts_with("/api/") { problem.into_response() } else { refused(problem) }
}

/// The page for a browser without the token.
pub fn login(bad_link: bool) -> Response {
    plain(StatusCode::UNAUTHORIZED, &LoginPage { bad_link })
}

/// A problem as a page.
pub fn refused(problem: Problem) -> Response {
    if problem.status() == StatusCode::UNAUTHORIZED {
        return login(false);
    }
    let page = ErrorPage { status: problem.status().as_u16(), title: problem.title(), detail: problem.detail() };
    plain(problem.status(), &page)
}

/// What a page may do: its own scripts, styles and requests, and frames of the sandbox.
pub fn policy(app: &App, ancestors: &str) -> String {
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'; frame-src {}; frame-ancestors {ancestors}",
        app.origins.frame_src()
    )
}

/// A page with its policy.
pub fn html(app: &App, status: StatusCode, page: &impl Template) -> Response {
    let mut answer = plain(status, page);
    if let Ok(value) = HeaderValue::from_str(&policy(app, "'none'")) {
        answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, value);
    }
    answer
}

/// A page that shows no frame.
fn plain(status: StatusCode, page: &impl Template) -> Response {
    const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'self'; style-src 'self'; \
                          img-src 'self' data:; frame-ancestors 'none'";
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    match page.render() {
        Ok(text) => (status, headers, text).into_response(),
        Err(error) => Problem::internal(&error).into_response(),
    }
}
