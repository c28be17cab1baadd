//! What is served over HTTP: modules and their assets to sandboxes, and the npm registry protocol to npm clients.
//!
//! Everything has its type, `nosniff`, and a policy under which it runs nothing when it is opened as a document. Nothing
//! redirects, and nothing but GET and HEAD is answered.

mod encode;
mod modules;
mod npm;
mod range;
mod served;

pub(crate) use modules::router;
pub(crate) use npm::router as registry_router;
pub(crate) use served::Served;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// An answer that says what went wrong and what to do, as RFC 9457 has it.
fn problem(status: StatusCode, code: &str, title: &str, detail: &str) -> Response {
    let body = serde_json::json!({
        "type": format!("about:blank#{code}"), "status": status.as_u16(), "code": code, "title": title, "detail": detail,
        // Where npm looks for a message.
        "error": format!("{title} {detail}"),
    });
    let headers = [(header::CONTENT_TYPE, "application/problem+json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, body.to_string()).into_response()
}

/// Headers of every answer that sandboxes of any origin may load.
fn open_to_all(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("cross-origin"));
    headers.insert(HeaderName::from_static("timing-allow-origin"), HeaderValue::from_static("*"));
    inert(headers);
}

/// Headers of every answer: it is what its type says, and opened as a document it runs nothing.
fn inert(headers: &mut HeaderMap) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
}
