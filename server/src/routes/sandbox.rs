//! The frame document. Modules beside it are the proxy's.

use crate::app::App;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use std::sync::Arc;

/// `GET /frame/{artifact}` on any label: always the same document; what it shows comes through its port.
pub async fn frame(State(app): State<Arc<App>>, request: Request) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let origin = format!("http://{host}");
    let mut answer = app.runtime.frame.clone().into_response();
    let headers = answer.headers_mut();
    for (name, value) in ui4a_web::frame::frame_headers(&origin, &[]) {
        if let (Ok(name), Ok(value)) = (header::HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(&value))
        {
            headers.insert(name, value);
        }
    }
    answer
}
