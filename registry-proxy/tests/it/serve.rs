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

/// A module that is worth compressing.
async fn large() -> (tempfile::TempDir, std::sync::Arc<ui4a_registry_proxy::Proxy>, String) {
    let text: String = (0..2_000).map(|number| format!("exports.name{number} = 'value {number}';\n")).collect();
    let lib = crate::registry::package("lib", "1.0.0", serde_json::json!({}), &[("index.js", text.as_str())]);
    let registry = Registry::start(with_react(vec![lib])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let used = uses(&[("lib", "name0,name1999")]);
    let resolution = proxy.resolve(&used, None, &|_: &str, _: &ui4a_types::ImportState| {}).await;
    let url = resolution.imports["lib"].url.clone().expect("an address");
    (folder, proxy, url)
}

async fn get(
    proxy: &std::sync::Arc<ui4a_registry_proxy::Proxy>,
    url: &str,
    headers: &[(&str, &str)],
) -> axum::response::Response {
    let mut request = Request::builder().uri(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(axum::body::Body::empty()).expect("a request");
    proxy.router().oneshot(request).await.expect("an answer")
}

async fn bytes(answer: axum::response::Response) -> Vec<u8> {
    axum::body::to_bytes(answer.into_body(), 8 << 20).await.expect("a body").to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_gets_the_coding_it_takes_and_the_same_text() {
    let (folder, proxy, url) = large().await;
    let plain = bytes(get(&proxy, &url, &[]).await).await;
    for (accepted, coding) in [("gzip, br", "br"), ("gzip", "gzip")] {
        // The first who asks is not kept waiting; those after get what was made meanwhile.
        let mut answer = get(&proxy, &url, &[("accept-encoding", accepted)]).await;
        for _ in 0..1_000 {
            if answer.headers().contains_key("content-encoding") {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            answer = get(&proxy, &url, &[("accept-encoding", accepted)]).await;
        }
        assert_eq!(answer.headers()["content-encoding"], coding);
        assert_eq!(answer.headers()["vary"], "accept-encoding");
        let encoded = bytes(answer).await;
        assert!(encoded.len() * 3 < plain.len(), "{} of {}", encoded.len(), plain.len());
        let mut decoded = Vec::new();
        let read = match coding {
            "br" => std::io::Read::read_to_end(&mut brotli::Decompressor::new(encoded.as_slice(), 4_096), &mut decoded),
            _ => std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(encoded.as_slice()), &mut decoded),
        };
        read.expect("decodes");
        assert!(decoded == plain);
    }
    // What is on disk is checked before it is served again.
    let mut damaged = 0;
    for between in std::fs::read_dir(folder.path().join("cache/encoded")).expect("encoded").flatten() {
        for file in std::fs::read_dir(between.path()).expect("encoded").flatten() {
            std::fs::write(file.path(), b"nonsense").expect("is damaged");
            damaged += 1;
        }
    }
    assert!(damaged >= 2);
    let again = crate::registry::proxy("http://127.0.0.1:9", folder.path(), "");
    let answer = get(&again, &url, &[("accept-encoding", "br")]).await;
    assert!(!answer.headers().contains_key("content-encoding"));
    assert!(bytes(answer).await == plain);
}

#[tokio::test(flavor = "multi_thread")]
async fn ranges_and_validators_work() {
    let (_folder, proxy, url) = large().await;
    let whole = get(&proxy, &url, &[]).await;
    let etag = whole.headers()["etag"].to_str().expect("a tag").to_owned();
    let plain = bytes(whole).await;
    let part = get(&proxy, &url, &[("range", "bytes=10-19")]).await;
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.headers()["content-range"], format!("bytes 10-19/{}", plain.len()));
    assert_eq!(bytes(part).await, &plain[10..20]);
    let beyond = get(&proxy, &url, &[("range", "bytes=999999999-")]).await;
    assert_eq!(beyond.status(), StatusCode::RANGE_NOT_SATISFIABLE);
    assert_eq!(beyond.headers()["content-range"], format!("bytes */{}", plain.len()));
    assert_eq!(beyond.headers()["access-control-allow-origin"], "*");
    for tag in [etag.as_str(), &format!("W/{etag}"), &format!("\"x\", {etag}"), "*"] {
        let known = get(&proxy, &url, &[("if-none-match", tag)]).await;
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED, "{tag}");
        assert_eq!(known.headers()["cache-control"], "public, max-age=31536000, immutable");
    }
    assert_eq!(get(&proxy, &url, &[("if-none-match", "\"x\"")]).await.status(), StatusCode::OK);
}

/// A debugger that asks for a module's source map is shown the package's own text, at the right place; nobody else is given it.
#[tokio::test]
async fn a_module_has_a_source_map_for_whoever_asks() {
    let code = "import { version } from 'react';\nimport { twice } from './twice.js';\n\n\
                export const used = twice(version);\nexport function mark() {\n  return 'the mark';\n}\n";
    let files = [("index.js", code), ("twice.js", "export const twice = (text) => text + text;\n")];
    let lib = crate::registry::package("@s/lib", "1.2.3", serde_json::json!({"type": "module"}), &files);
    let registry = Registry::start(with_react(vec![lib])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("@s/lib", "*")]), None, &|_: &str, _: &ui4a_types::ImportState| {}).await;
    let url = resolution.imports["@s/lib"].url.clone().expect("an address");
    let module = bytes(get(&proxy, &url, &[]).await).await;
    let module = String::from_utf8(module).expect("text");
    assert!(module.ends_with("\n//# sourceMappingURL=?map\n"), "{module}");
    let answer = get(&proxy, &format!("{url}?map"), &[]).await;
    assert_eq!(answer.status(), StatusCode::OK);
    for (name, value) in [
        ("content-type", "application/json"),
        ("access-control-allow-origin", "*"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(answer.headers()[name], value, "{name}");
    }
    let text = String::from_utf8(bytes(answer).await).expect("text");
    let map = oxc_sourcemap::SourceMap::from_json_string(&text).expect("a source map");
    let table = map.generate_lookup_table();
    let at = module.find("the mark").expect("it is in the module") - 1;
    let line = module[..at].matches('\n').count() as u32;
    let column = module[..at].rsplit('\n').next().unwrap_or_default().len() as u32;
    let token = map.lookup_token(&table, line, column).expect("a place");
    let source = token.get_source_id().expect("a source");
    assert_eq!(map.get_source(source), Some("npm:///@s/lib@1.2.3/index.js"));
    let shown = map.get_source_content(source).expect("its text");
    assert_eq!(shown, code);
    assert_eq!(shown.lines().nth(token.get_src_line() as usize), Some("  return 'the mark';"));
    for bad in ["/m/x?map".to_owned(), format!("/m/{}.js?map", "0".repeat(64)), "/m/..%2fx?map".to_owned()] {
        assert_eq!(get(&proxy, &bad, &[]).await.status(), StatusCode::NOT_FOUND, "{bad}");
    }
}
