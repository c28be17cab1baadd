//! `/m/{name}` as a sandbox sees it.

use crate::registry::{Registry, proxy, uses, with_react};
use http::{Method, Request, StatusCode};
use tower::ServiceExt as _;

#[tokio::test]
async fn modules_are_immutable_and_open_to_every_origin() {
    let registry = Registry::start(with_react(vec![])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("react", "")]), None, &|_: &str, _: &ui4a_types::ImportState| {}).await;
    let url = resolution.imports["react"].url.clone().expect("an address");
    let ask = async |method: Method, path: &str| {
        let request = Request::builder().method(method).uri(path).body(axum::body::Body::empty()).expect("a request");
        proxy.router().oneshot(request).await.expect("an answer")
    };
    let answer = ask(Method::GET, &url).await;
    assert_eq!(answer.status(), StatusCode::OK);
    for (name, value) in [
        ("content-type", "text/javascript; charset=utf-8"),
        ("access-control-allow-origin", "*"),
        ("cross-origin-resource-policy", "cross-origin"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "public, max-age=31536000, immutable"),
    ] {
        assert_eq!(answer.headers()[name], value, "{name}");
    }
    assert_eq!(ask(Method::HEAD, &url).await.status(), StatusCode::OK);
    assert_eq!(ask(Method::POST, &url).await.status(), StatusCode::METHOD_NOT_ALLOWED);
    let none = format!("/m/{}.js", "0".repeat(64));
    for path in [none.as_str(), "/m/..%2f..%2fetc%2fpasswd", "/m/x", &url.replace(".js", ".html"), "/m/a%00b.js"] {
        let answer = ask(Method::GET, path).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        assert_eq!(answer.headers()["content-type"], "application/problem+json", "{path}");
        assert_eq!(answer.headers()["access-control-allow-origin"], "*");
    }
}
