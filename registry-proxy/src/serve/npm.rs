//! `/registry/…`: the npm registry protocol, read-only, over what the user's own registries have and this cache holds.
//!
//! Metadata has the addresses of tarballs here in place of the upstream's, and lacks the versions that the user does not
//! want. Where the upstream does not answer, only versions whose tarballs are here are offered, so that what a client
//! chooses can be had. The caller checks who may ask.

mod document;

use super::{inert, problem};
use crate::cache::lease;
use crate::graph::PackageId;
use crate::npm::http::VIA;
use crate::specifier::check_name;
use crate::{Proxy, RegistryError, diagnostics};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use std::sync::Arc;
use tokio_util::io::ReaderStream;

/// What a path asks for.
#[derive(Debug, PartialEq, Eq)]
enum Ask {
    /// Whether this is a registry that lives.
    Ping,
    /// All versions of a package.
    Packument(String),
    /// One version's manifest, by version or dist-tag.
    Version(String, String),
    /// One version's tarball.
    Tarball(String, String),
    /// What a registry may offer and this one does not.
    Other,
}

/// The routes below `/registry/`.
pub(crate) fn router(proxy: &Arc<Proxy>) -> Router {
    let routes = Router::new().route("/registry", any(answer)).route("/registry/", any(answer));
    routes.route("/registry/{*path}", any(answer)).with_state(Arc::clone(proxy))
}

async fn answer(State(proxy): State<Arc<Proxy>>, request: Request) -> Response {
    let (asked, _) = request.into_parts();
    let mut response = respond(&proxy, &asked).await;
    inert(response.headers_mut());
    response
}

async fn respond(proxy: &Arc<Proxy>, request: &Parts) -> Response {
    if !matches!(request.method, Method::GET | Method::HEAD) {
        let detail = "Publish to, and log in at, the registry that npm's configuration names.";
        return problem(StatusCode::METHOD_NOT_ALLOWED, "read-only", "This registry is read-only.", detail);
    }
    let via = request.headers.get_all(header::VIA).iter().filter_map(|value| value.to_str().ok());
    if via.flat_map(|value| value.split(',')).any(|hop| hop.trim() == VIA) {
        let detail = "npm's configuration names this server as its own registry: set `registry=` to the one behind it.";
        return problem(StatusCode::LOOP_DETECTED, "registry-loop", "This registry was asked by itself.", detail);
    }
    let path = request.uri.path().strip_prefix("/registry").unwrap_or_default();
    let path = path.strip_prefix('/').unwrap_or(path);
    let asked = match ask(path) {
        Ok(asked) => asked,
        Err(reason) => {
            let detail = "Ask for `name`, `@scope/name`, or one of their tarballs.";
            return problem(StatusCode::BAD_REQUEST, "bad-name", &format!("This names no package: {reason}."), detail);
        }
    };
    let _lease = lease::take(&proxy.cache).await;
    let answered = match asked {
        Ask::Ping => Ok(([(header::CONTENT_TYPE, "application/json")], "{}").into_response()),
        Ask::Packument(name) => packument(proxy, &name, &request.headers).await,
        Ask::Version(name, version) => manifest(proxy, &name, &version, &request.headers).await,
        Ask::Tarball(name, version) => tarball(proxy, &PackageId::new(name, version)).await,
        Ask::Other => {
            let detail = "It has packages: their metadata and their tarballs.";
            Ok(problem(StatusCode::NOT_FOUND, "not-offered", "This registry does not offer that.", detail))
        }
    };
    answered.unwrap_or_else(|error| refused(&error))
}

/// What a path below `/registry/` asks for.
fn ask(path: &str) -> Result<Ask, String> {
    if path.is_empty() || path == "-/ping" {
        return Ok(Ask::Ping);
    }
    // Clients escape the `@` and `/` of a scope; nothing else in a name needs it.
    let path = path.replace("%2f", "/").replace("%2F", "/").replace("%40", "@");
    if let Some(bad) = path.chars().find(|c| !c.is_ascii_graphic() || matches!(c, '%' | '\\' | '?' | '#')) {
        return Err(format!("it holds {bad:?}"));
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    if parts[0] == "-" {
        return Ok(Ask::Other);
    }
    let name = match parts[0].starts_with('@') {
        true if parts.len() > 1 => parts.drain(..2).collect::<Vec<_>>().join("/"),
        _ => parts.remove(0).to_owned(),
    };
    check_name(&name)?;
    match parts.as_slice() {
        [] => Ok(Ask::Packument(name)),
        ["-", file] => {
            let base = name.rsplit('/').next().unwrap_or(&name);
            let version = file.strip_prefix(base).and_then(|rest| rest.strip_prefix('-')?.strip_suffix(".tgz"));
            let version = version.filter(|version| nodejs_semver::Version::parse(version).is_ok());
            let version = version.ok_or_else(|| "a tarball is called name-version.tgz".to_owned())?;
            Ok(Ask::Tarball(name, version.to_owned()))
        }
        [version] if !version.is_empty() && !version.starts_with(['.', '-']) => {
            Ok(Ask::Version(name, (*version).to_owned()))
        }
        _ => Err("there is too much behind its name".to_owned()),
    }
}

async fn packument(proxy: &Arc<Proxy>, name: &str, request: &HeaderMap) -> Result<Response, RegistryError> {
    let base = base(request)?;
    let (packument, text) = proxy.registry.document(name).await?;
    let packages = Arc::clone(&proxy.packages);
    let made = tokio::task::spawn_blocking(move || document::made(&packument, &text, &base, &packages.tarballs)).await;
    let body = made.map_err(|error| RegistryError::Store(error.to_string()))??;
    let etag = document::etag(&body);
    let accept = request.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let kind = "application/vnd.npm.install-v1+json";
    let kind = if accept.contains(kind) { kind } else { "application/json" };
    let known = request.get_all(header::IF_NONE_MATCH).iter().any(|value| value.as_bytes() == etag.as_bytes());
    let status = if known { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::VARY, "accept"),
        (header::ETAG, etag.as_str()),
    ];
    let body = if known { Vec::new() } else { body };
    Ok((status, headers, body).into_response())
}

async fn manifest(
    proxy: &Arc<Proxy>,
    name: &str,
    version: &str,
    request: &HeaderMap,
) -> Result<Response, RegistryError> {
    let base = base(request)?;
    let (packument, text) = proxy.registry.document(name).await?;
    let (packages, name, wanted) = (Arc::clone(&proxy.packages), name.to_owned(), version.to_owned());
    let made = tokio::task::spawn_blocking(move || {
        let latest = packument.tags.get("latest").cloned().unwrap_or_else(|| "unknown".to_owned());
        let body = document::made(&packument, &text, &base, &packages.tarballs)?;
        let missing = || RegistryError::NoSuchVersion { name, range: wanted.clone(), latest };
        document::version(&body, &wanted).ok_or_else(missing)
    });
    let body = made.await.map_err(|error| RegistryError::Store(error.to_string()))??;
    Ok(([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "private, no-cache")], body)
        .into_response())
}

async fn tarball(proxy: &Arc<Proxy>, id: &PackageId) -> Result<Response, RegistryError> {
    let manifest = match proxy.registry.known_manifest(id) {
        Some(manifest) => manifest,
        None => {
            let packument = proxy.registry.packument(&id.name).await?;
            proxy.registry.remember_manifest(id, packument.version(&id.version)?)?
        }
    };
    let (file, size) = proxy.packages.tarball(&proxy.registry, id, &manifest).await?;
    let mut response =
        Response::new(Body::from_stream(ReaderStream::with_capacity(tokio::fs::File::from_std(file), 64 << 10)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    if let Ok(etag) = HeaderValue::from_str(&format!("\"{}\"", manifest.integrity)) {
        headers.insert(header::ETAG, etag);
    }
    Ok(response)
}

/// The address of this registry as the client wrote it.
fn base(request: &HeaderMap) -> Result<String, RegistryError> {
    let host = request.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let plain = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte));
    let refuse = || RegistryError::Specifier { specifier: "Host".to_owned(), reason: "it names no host".to_owned() };
    plain.then(|| format!("http://{host}/registry/")).ok_or_else(refuse)
}

/// An error as an answer: with npm, its message is all that a person sees.
fn refused(error: &RegistryError) -> Response {
    let status = match error {
        RegistryError::NoSuchPackage { .. }
        | RegistryError::NoSuchVersion { .. }
        | RegistryError::NoSuchEntry { .. } => StatusCode::NOT_FOUND,
        RegistryError::Specifier { .. } => StatusCode::BAD_REQUEST,
        RegistryError::Denied { .. } | RegistryError::Forbidden { .. } | RegistryError::Unauthorized { .. } => {
            StatusCode::FORBIDDEN
        }
        RegistryError::Limit { .. } | RegistryError::Integrity { .. } | RegistryError::Tarball { .. } => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        RegistryError::Unreachable { .. } | RegistryError::BadAnswer { .. } | RegistryError::Address { .. } => {
            StatusCode::BAD_GATEWAY
        }
        RegistryError::NoRegistry | RegistryError::Setting { .. } => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let found = diagnostics::failed("", None, error, &[]);
    problem(status, &found.code, &format!("{}.", found.message), &found.help.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_npm_clients_write_them() {
        let name = |text: &str| text.to_owned();
        for (path, want) in [
            ("", Ask::Ping),
            ("-/ping", Ask::Ping),
            ("-/v1/search", Ask::Other),
            ("react", Ask::Packument(name("react"))),
            ("@mine%2fa", Ask::Packument(name("@mine/a"))),
            ("@mine/a", Ask::Packument(name("@mine/a"))),
            ("%40mine%2Fa", Ask::Packument(name("@mine/a"))),
            ("react/latest", Ask::Version(name("react"), name("latest"))),
            ("react/-/react-19.0.0.tgz", Ask::Tarball(name("react"), name("19.0.0"))),
            ("@mine/a/-/a-1.0.0-rc.1.tgz", Ask::Tarball(name("@mine/a"), name("1.0.0-rc.1"))),
        ] {
            assert_eq!(ask(path), Ok(want), "{path}");
        }
        for path in [
            "..",
            "../x",
            "%2e%2e",
            "a%00",
            "@",
            "@x",
            "a/../b",
            "a/-/b-1.0.0.tgz",
            "a/-/a-..tgz",
            "a/b/c",
            "ｒeact",
            "a\\b",
            ".x",
        ] {
            assert!(ask(path).is_err(), "{path}");
        }
    }
}
