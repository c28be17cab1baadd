//! `/m/{name}`: modules and their assets, as a sandbox loads them. Nothing else is served, and nothing redirects.

use crate::Proxy;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderValue, StatusCode, header};
use std::sync::Arc;

/// The route of modules. GET and HEAD alone.
pub(crate) fn router(proxy: &Arc<Proxy>) -> Router {
    Router::new().route("/m/{name}", get(module)).with_state(Arc::clone(proxy))
}

async fn module(State(proxy): State<Arc<Proxy>>, Path(name): Path<String>) -> Response {
    let found = tokio::task::spawn_blocking(move || proxy.module(&name)).await;
    let mut response = match found {
        Ok(Some(module)) => {
            let mut response = Response::new(Body::from(module.bytes));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(module.content_type));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
            // Opened as a document, a file of a package runs nothing.
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
            response
        }
        Ok(None) => problem(StatusCode::NOT_FOUND, "unknown-module", "There is no such module."),
        Err(_) => problem(StatusCode::INTERNAL_SERVER_ERROR, "module-failed", "The module could not be read."),
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn problem(status: StatusCode, code: &str, title: &str) -> Response {
    let body = serde_json::json!({"status": status.as_u16(), "code": code, "title": title}).to_string();
    (status, [(header::CONTENT_TYPE, "application/problem+json"), (header::CACHE_CONTROL, "no-store")], body)
        .into_response()
}
