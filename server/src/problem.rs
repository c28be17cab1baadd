//! Errors of the HTTP API: RFC 9457 problems with a stable code.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// An answer that says what went wrong and what to do.
#[derive(Clone, Debug)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    title: String,
    detail: String,
}

/// What a route answers.
pub type Answer<T> = Result<T, Problem>;

impl Problem {
    /// A problem; `title` is one sentence on what happened, `detail` what to do.
    pub fn new(status: StatusCode, code: &'static str, title: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { status, code, title: title.into(), detail: detail.into() }
    }

    /// There is no such thing.
    pub fn not_found(what: &str, id: &str) -> Self {
        let id: String = id.chars().take(80).collect();
        Self::new(StatusCode::NOT_FOUND, "not-found", format!("There is no {what} `{id}`."), "Check the address.")
    }

    /// What was sent cannot be used.
    pub fn bad(code: &'static str, title: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, title, detail)
    }

    /// Its HTTP status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// What happened.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What to do.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The program failed.
    pub fn internal(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(%error, "a request failed");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            format!("The server failed: {error}."),
            "Look at its log; try again.",
        )
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = json!({
            "type": format!("about:blank#{}", self.code), "code": self.code, "status": self.status.as_u16(),
            "title": self.title, "detail": self.detail,
        });
        let mut answer = (self.status, Json(body)).into_response();
        answer.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/problem+json"));
        answer
    }
}

impl From<ui4a_store::StoreError> for Problem {
    fn from(error: ui4a_store::StoreError) -> Self {
        match error {
            ui4a_store::StoreError::Taken(_) => Self::new(
                StatusCode::CONFLICT,
                "action-id-taken",
                "Another action has this id.",
                "Give each action an id of its own.",
            ),
            error => Self::internal(&error),
        }
    }
}
