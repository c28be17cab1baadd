//! HTTP: one resource a file.

pub mod actions;
pub mod artifacts;
pub mod embed;
pub mod events;
pub mod health;
pub mod links;
pub mod npm;
pub mod pages;
mod paint;
pub mod render;
pub mod sandbox;
pub mod sessions;
pub mod transcripts;

use crate::app::App;
use crate::door::check;
use crate::v1;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, header};
use axum::middleware::from_fn_with_state;
use axum::routing::{delete, get, post};
use std::sync::Arc;
use tower_http::set_header::SetResponseHeaderLayer;

/// Largest request body in bytes: room for the longest source and a message that is refused for its length by name.
pub const MOST_BODY: usize = 8 << 20;

/// Everything on the main origin.
pub fn main(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(pages::home))
        .route("/sessions/{id}", get(pages::session))
        .route("/transcripts", get(pages::transcripts))
        .route("/transcripts/{project}/{session}", get(pages::transcript))
        .route("/open", get(links::open))
        .route("/assets/{*path}", get(pages::asset))
        .route("/embed.js", get(embed::script))
        .route("/embed/{capability}", get(embed::page))
        .route("/api/links", post(links::make))
        .route("/api/sessions", get(sessions::list).post(sessions::create))
        .route("/api/sessions/{id}", get(sessions::show).delete(sessions::remove))
        .route("/api/sessions/{id}/messages", post(sessions::message))
        .route("/api/sessions/{id}/cancel", post(sessions::cancel))
        .route("/api/sessions/{id}/events", get(events::stream))
        .route("/api/sessions/{id}/presence", post(sessions::presence))
        .route("/api/sessions/{id}/artifacts", post(artifacts::create))
        .route("/api/artifacts/{id}", get(artifacts::show))
        .route("/api/artifacts/{id}/revisions", get(artifacts::revisions))
        .route("/api/artifacts/{id}/revisions/{rev}", get(artifacts::revision))
        .route("/api/artifacts/{id}/export", get(artifacts::export))
        .route("/api/artifacts/{id}/reports", post(artifacts::report))
        .route("/api/artifacts/{id}/repair", post(artifacts::repair))
        .route("/api/artifacts/{id}/continue", post(artifacts::go_on))
        .route("/api/artifacts/{id}/state", get(artifacts::state).post(artifacts::set_state))
        .route("/api/artifacts/{id}/actions", get(actions::list).post(actions::receive))
        .route("/api/artifacts/{id}/shares", post(embed::share))
        .route("/api/shares/{capability}", delete(embed::revoke))
        .route("/api/render", post(render::render))
        .route("/api/check", post(render::check))
        .route("/api/transcripts", get(transcripts::list))
        .route("/api/transcripts/{project}/{session}", get(transcripts::show))
        .route("/npm/{*specifier}", get(npm::redirect))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .merge(v1::router())
        .fallback(pages::missing)
        .with_state(Arc::clone(&app))
        .merge(app.proxy.registry_router())
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .layer(from_fn_with_state(app, check::main_origin))
        .layer(header_layer(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header_layer(header::REFERRER_POLICY, "no-referrer"))
}

/// Everything on the sandbox origins: the frame document and modules, and nothing else.
pub fn sandbox(app: Arc<App>) -> Router {
    Router::new()
        .route("/frame/{*path}", get(sandbox::frame))
        .with_state(Arc::clone(&app))
        .merge(app.proxy.router())
        .layer(from_fn_with_state(app, check::sandbox_origin))
}

fn header_layer(name: header::HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}
