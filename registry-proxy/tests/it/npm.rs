//! `/registry/…` as an npm client sees it.

use crate::registry::{Registry, package, proxy_with, sri, uses, with_react};
use axum::body::{Body, to_bytes};
use axum::response::Response;
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;
use tower::ServiceExt as _;
use ui4a_registry_proxy::{Config, Limits, Policy, Proxy};

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

async fn ask(proxy: &std::sync::Arc<Proxy>, method: Method, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:4400");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    proxy.registry_router().oneshot(request.body(Body::empty()).expect("a request")).await.expect("an answer")
}

async fn body(answer: Response) -> Vec<u8> {
    to_bytes(answer.into_body(), 1 << 20).await.expect("a body").to_vec()
}

async fn json_of(answer: Response) -> Value {
    serde_json::from_slice(&body(answer).await).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_and_tarballs_are_handed_on_with_addresses_of_this_registry() {
    let lib = package("@s/lib", "1.0.0", json!({"bin": "x.js"}), &[("index.js", "exports.a = 1;")]);
    let registry = Registry::start(with_react(vec![lib.clone()])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy_with(&registry.address, folder.path(), Config::default());
    let accept = [("accept", "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8")];
    let answer = ask(&proxy, Method::GET, "/registry/@s%2flib", &accept).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "application/vnd.npm.install-v1+json");
    assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
    let etag = answer.headers()["etag"].to_str().expect("a tag").to_owned();
    let document = json_of(answer).await;
    assert_eq!(document["versions"]["1.0.0"]["bin"], "x.js", "what the registry says is kept");
    let dist = &document["versions"]["1.0.0"]["dist"];
    assert_eq!(dist["tarball"], "http://127.0.0.1:4400/registry/@s/lib/-/lib-1.0.0.tgz");
    let again = ask(&proxy, Method::GET, "/registry/@s/lib", &[("if-none-match", &etag)]).await;
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    let tarball = ask(&proxy, Method::GET, "/registry/@s/lib/-/lib-1.0.0.tgz", &[]).await;
    assert_eq!(tarball.headers()["content-type"], "application/octet-stream");
    let bytes = body(tarball).await;
    assert_eq!(sri(&bytes), dist["integrity"].as_str().expect("an integrity"));
    assert_eq!(bytes, lib.tarball);
    let manifest = json_of(ask(&proxy, Method::GET, "/registry/@s/lib/latest", &[]).await).await;
    assert_eq!(manifest["version"], "1.0.0");
    assert_eq!(ask(&proxy, Method::GET, "/registry/-/ping", &[]).await.status(), StatusCode::OK);
    assert_eq!(ask(&proxy, Method::HEAD, "/registry/@s/lib", &[]).await.status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_no_registry_behind_only_what_is_here_is_offered() {
    let versions =
        ["1.0.0", "1.1.0"].map(|version| package("lib", version, json!({}), &[("index.js", "exports.a = 1;")]));
    let registry = Registry::start(with_react(versions.to_vec())).await;
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits { packument_age: Duration::ZERO, retries: 0, ..Limits::default() };
    let open =
        |address: &str| proxy_with(address, folder.path(), Config { limits: limits.clone(), ..Config::default() });
    let address = registry.address.clone();
    open(&address).resolve(&uses(&[("lib@1.0.0", "a")]), None, &quiet).await;
    let online = json_of(ask(&open(&address), Method::GET, "/registry/lib", &[]).await).await;
    assert_eq!(online["dist-tags"]["latest"], "1.1.0");
    drop(registry);
    let proxy = open(&address);
    let offline = json_of(ask(&proxy, Method::GET, "/registry/lib", &[]).await).await;
    assert_eq!(offline["dist-tags"]["latest"], "1.0.0");
    assert_eq!(offline["versions"].as_object().expect("versions").len(), 1);
    let tarball = ask(&proxy, Method::GET, "/registry/lib/-/lib-1.0.0.tgz", &[]).await;
    assert_eq!(tarball.status(), StatusCode::OK);
    let gone = ask(&proxy, Method::GET, "/registry/lib/-/lib-1.1.0.tgz", &[]).await;
    assert_eq!(gone.status(), StatusCode::BAD_GATEWAY);
    let problem = json_of(gone).await;
    assert!(
        problem["error"].as_str().is_some_and(|text| text.contains("cannot be reached")),
        "npm shows it: {problem}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_read_only_denies_what_is_denied_and_notices_that_it_asks_itself() {
    let lib = package("lib", "1.0.0", json!({}), &[("index.js", "exports.a = 1;")]);
    let registry = Registry::start(with_react(vec![lib])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let policy = Policy::new(&[], &["lib".to_owned()], Duration::ZERO).expect("rules");
    let proxy = proxy_with(&registry.address, folder.path(), Config { policy, ..Config::default() });
    for (method, path, headers, status, code) in [
        (Method::PUT, "/registry/lib", [("x-a", "1")], 405, "read-only"),
        (Method::GET, "/registry/lib", [("x-a", "1")], 403, "package-denied"),
        (Method::GET, "/registry/lib/-/lib-1.0.0.tgz", [("x-a", "1")], 403, "package-denied"),
        (Method::GET, "/registry/react", [("via", "1.1 ui4a")], 508, "registry-loop"),
    ] {
        let answer = ask(&proxy, method, path, &headers).await;
        assert_eq!(answer.status().as_u16(), status, "{path}");
        assert_eq!(json_of(answer).await["code"], code, "{path}");
    }
}
