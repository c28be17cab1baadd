//! `/m/{name}`: modules and their assets, as a sandbox loads them. Nothing else is served, and nothing redirects.

use super::encode::{Encoding, accepted};
use super::range::{Asked, asked};
use super::{open_to_all, problem};
use crate::Proxy;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::sync::Arc;

const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// The route of modules. GET and HEAD alone.
pub(crate) fn router(proxy: &Arc<Proxy>) -> Router {
    Router::new().route("/m/{name}", get(module)).with_state(Arc::clone(proxy))
}

async fn module(
    State(proxy): State<Arc<Proxy>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    request: HeaderMap,
) -> Response {
    if query.as_deref() == Some("map") {
        let mut response = map(proxy, name).await;
        open_to_all(response.headers_mut());
        return response;
    }
    let mut response = match find(&proxy, &name).await {
        Ok(Some(module)) => answer(&proxy, &module, &request).await,
        Ok(None) => problem(
            StatusCode::NOT_FOUND,
            "unknown-module",
            "There is no such module.",
            "Modules are named by the interface that imports them; reload it.",
        ),
        Err(()) => problem(
            StatusCode::INTERNAL_SERVER_ERROR,
            "module-failed",
            "The module could not be read.",
            "Look at the server's log; try again.",
        ),
    };
    open_to_all(response.headers_mut());
    response
}

/// The source map of a module. Nothing but a debugger asks for it, and it is made when that does.
async fn map(proxy: Arc<Proxy>, name: String) -> Response {
    let made = tokio::task::spawn_blocking(move || proxy.store.map(&name, &proxy.cache.join("packages"))).await;
    match made.ok().flatten() {
        Some(map) => {
            // What it shows of its sources goes with the folder of packages.
            let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-cache")];
            (headers, map).into_response()
        }
        None => problem(
            StatusCode::NOT_FOUND,
            "no-source-map",
            "This module has no source map.",
            "It has none, or what it was built from is gone from the cache; reload the interface to build it again.",
        ),
    }
}

async fn find(proxy: &Arc<Proxy>, name: &str) -> Result<Option<Arc<super::served::Module>>, ()> {
    if let Some(known) = proxy.served.known(name) {
        return Ok(Some(known));
    }
    let (store, name) = (Arc::clone(&proxy.store), name.to_owned());
    let read = tokio::task::spawn_blocking(move || store.get(&name).map(|module| (name, module))).await;
    Ok(read.map_err(drop)?.map(|(name, module)| proxy.served.keep(name, module)))
}

/// The answer to a request for a module that is there.
async fn answer(proxy: &Proxy, module: &super::served::Module, request: &HeaderMap) -> Response {
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(module.content_type));
    headers.insert(header::CACHE_CONTROL, IMMUTABLE);
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::ETAG, module.etag.clone());
    if module.compresses() {
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    if is_known(request, module) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    match asked(request, module.bytes.len(), &module.etag) {
        Asked::All => {}
        Asked::Part(first, last) => {
            let range = format!("bytes {first}-{last}/{}", module.bytes.len());
            if let Ok(range) = HeaderValue::from_str(&range) {
                headers.insert(header::CONTENT_RANGE, range);
            }
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            *response.body_mut() = Body::from(module.bytes.slice(first..=last));
            return response;
        }
        Asked::Nothing => {
            let mut refused = problem(
                StatusCode::RANGE_NOT_SATISFIABLE,
                "range",
                "The range is not in the module.",
                "Ask for bytes that it has, or for all.",
            );
            if let Ok(range) = HeaderValue::from_str(&format!("bytes */{}", module.bytes.len())) {
                refused.headers_mut().insert(header::CONTENT_RANGE, range);
            }
            return refused;
        }
    }
    let encoding = accepted(request).filter(|_| module.compresses());
    let encoded = match encoding {
        Some(encoding) => proxy.served.encoded(module, encoding).await.map(|bytes| (encoding, bytes)),
        None => None,
    };
    let bytes = match encoded {
        Some((encoding, bytes)) => encoded_as(response.headers_mut(), encoding, bytes),
        None => module.bytes.clone(),
    };
    *response.body_mut() = Body::from(bytes);
    response
}

fn encoded_as(headers: &mut HeaderMap, encoding: Encoding, bytes: Bytes) -> Bytes {
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
    // The same text in other bytes: a weak validator says so.
    if let Some(Ok(weak)) =
        headers.get(header::ETAG).map(|tag| HeaderValue::from_bytes(&[b"W/", tag.as_bytes()].concat()))
    {
        headers.insert(header::ETAG, weak);
    }
    bytes
}

/// Whether the client has the module already.
fn is_known(request: &HeaderMap, module: &super::served::Module) -> bool {
    let tags = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let own = module.etag.to_str().unwrap_or_default();
    tags.flat_map(|tags| tags.split(','))
        .any(|tag| matches!(tag.trim(), "*") || tag.trim().trim_start_matches("W/") == own)
}
