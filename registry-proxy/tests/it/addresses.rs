//! Addresses in documents: files of packages, and what is fetched from elsewhere, under which rules.

use crate::registry::{Registry, modules, package, proxy, proxy_allowing, uses, with_react};
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, Uri, header};
use serde_json::json;
use std::sync::{Arc, Mutex};
use ui4a_types::{ImportStatus, Severity};

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

/// A place of the web on loopback.
struct Place {
    origin: String,
    asked: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Place {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&asked));
        let task = tokio::spawn(async move { axum::serve(listener, app).await.expect("serves") });
        Self { origin, asked, task }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("a list").clone()
    }
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

async fn answer(State(asked): State<Arc<Mutex<Vec<String>>>>, uri: Uri, headers: http::HeaderMap) -> Response {
    let path = uri.to_string();
    let told: Vec<&str> = ["cookie", "authorization", "referer", "origin"]
        .into_iter()
        .filter(|name| headers.contains_key(*name))
        .collect();
    asked.lock().expect("a list").push(format!("{path}{}", told.join("+")));
    let typed = |kind: &'static str, body: &'static str| ([(header::CONTENT_TYPE, kind)], body).into_response();
    match uri.path() {
        "/a.png" => ([(header::CONTENT_TYPE, "image/png")], PNG).into_response(),
        "/page.png" => typed("text/html", "<h1>Not here</h1>"),
        "/a.js" => typed("text/javascript", "globalThis.a = 1;"),
        "/not.js" => typed("text/javascript", "<!doctype html>"),
        "/slow.js" => {
            tokio::time::sleep(std::time::Duration::from_millis(150)).await;
            typed("text/javascript", "globalThis.slow = 1;")
        }
        "/large.js" => ([(header::CONTENT_TYPE, "text/javascript")], vec![b' '; 17 << 20]).into_response(),
        "/a.css" => typed(
            "text/css",
            "@import 'b.css' screen; @font-face{font-family:F;src:url(f.woff2)} p{background:url(gone.png)}",
        ),
        "/b.css" => typed("text/css", "b{background:url(/a.png)}"),
        "/f.woff2" => typed("font/woff2", "wOF2font"),
        "/lib/main.mjs" => typed(
            "text/javascript",
            "import { two } from './two.mjs'; import { version } from 'react'; import h from 'https://esm.sh/lib@1';\nexport const sum = two + 1; export { version, h };",
        ),
        "/lib/two.mjs" => typed("text/javascript", "export const two = 2;"),
        "/hop" => (StatusCode::FOUND, [(header::LOCATION, "/a.js")]).into_response(),
        "/loop" => (StatusCode::FOUND, [(header::LOCATION, "/loop")]).into_response(),
        "/inside" => (StatusCode::FOUND, [(header::LOCATION, "http://127.0.0.1:9/secret.js")]).into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Addresses on the well-known networks are files of verified packages, byte for byte.
#[tokio::test]
async fn cdn_addresses_are_files_of_packages() {
    let chart = package(
        "chart.js",
        "4.4.1",
        json!({"main": "dist/chart.cjs", "jsdelivr": "./dist/chart.umd.js"}),
        &[("dist/chart.umd.js", "window.Chart = class {};"), ("dist/chart.cjs", "module.exports = 1;")],
    );
    let font = package(
        "@fortawesome/fontawesome-free",
        "6.5.1",
        json!({}),
        &[
            ("css/all.css", "@font-face{font-family:FA;src:url('../webfonts/fa.woff2?#iefix')} .fa{font-family:FA}"),
            ("webfonts/fa.woff2", "wOF2"),
        ],
    );
    let mut all = with_react(vec![chart, font]);
    all.extend(["18.2.0", "18.3.1"].map(|version| {
        package("react", version, json!({}), &[("umd/react.production.min.js", "window.React = { version: 18 };")])
    }));
    all.sort_by(|a, b| a.version.cmp(&b.version));
    let registry = Registry::start(all).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let react = "script:https://unpkg.com/react/umd/react.production.min.js";
    let list = [
        ("script:https://cdn.jsdelivr.net/npm/chart.js", ""),
        // Minified by the network, not by the package; and arranged its own way.
        ("script:https://cdnjs.cloudflare.com/ajax/libs/Chart.js/4.4.1/chart.umd.min.js", ""),
        ("style:https://cdnjs.cloudflare.com/ajax/libs/font-awesome/6.5.1/css/all.min.css", ""),
        (react, ""),
        ("script:https://unpkg.com/chart.js@4.4.1/dist/none.js", ""),
    ];
    let resolution = proxy.resolve(&uses(&list), None, &quiet).await;
    let file = |key: &str| {
        let import = &resolution.imports[key];
        assert_eq!(import.state, ImportStatus::Ready, "{key}: {import:?}");
        let module =
            proxy.module(import.url.as_deref().expect("an address").trim_start_matches("/m/")).expect("a file");
        (String::from_utf8(module.bytes).expect("text"), module.content_type)
    };
    for key in [list[0].0, list[1].0] {
        assert_eq!(file(key), ("window.Chart = class {};".into(), "text/javascript; charset=utf-8"));
    }
    assert_eq!(resolution.imports[react].version.as_deref(), Some("18.3.1"), "React 19 has no such file");
    let (css, kind) = file(list[2].0);
    assert_eq!(kind, "text/css; charset=utf-8");
    let at = css.find(".woff2").expect("the font");
    assert_eq!(proxy.module(&css[at - 64..at + 6]).expect("the font's file").bytes, b"wOF2");
    let finding = resolution.diagnostics.iter().find(|finding| finding.code == "resource").expect("a finding");
    assert_eq!((finding.line, finding.severity), (5, Severity::Error));
    assert!(finding.message.contains("dist/none.js"), "{finding:?}");
    assert_eq!(resolution.lock.entries[react].version, "18.3.1");
    assert!(resolution.lock.packages.contains_key("react@18.3.1"));
}

/// What was locked comes from the store: no registry and no other place is asked again.
#[tokio::test]
async fn a_lock_replays_addresses_with_nobody_there() {
    let (registry, place) = (
        Registry::start(with_react(vec![package("lib", "1.0.0", json!({}), &[("index.js", "window.lib = 1;")])])).await,
        Place::start().await,
    );
    let folder = tempfile::tempdir().expect("a folder");
    let (image, style) = (format!("asset:{}/a.png", place.origin), format!("style:{}/a.css", place.origin));
    let wanted = uses(&[("script:https://unpkg.com/lib@1.0.0", ""), (&image, ""), (&style, "")]);
    let first =
        proxy_allowing(&registry.address, folder.path(), "", &[&place.origin]).resolve(&wanted, None, &quiet).await;
    assert!(first.diagnostics.is_empty(), "{:?}", first.diagnostics);
    assert!(first.lock.entries[&image].integrity.starts_with("sha256-"), "{:?}", first.lock.entries[&image]);
    drop((registry, place));
    let proxy = proxy("http://127.0.0.1:9", folder.path(), "");
    let again = proxy.resolve(&wanted, Some(&first.lock), &quiet).await;
    for key in wanted.keys() {
        assert_eq!(again.imports[key].url, first.imports[key].url, "{key}");
    }
}

#[tokio::test]
async fn elsewhere_is_asked_once_for_many_and_told_nothing() {
    let (registry, place) = (Registry::start(with_react(vec![])).await, Place::start().await);
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy_allowing(&registry.address, folder.path(), "", &[&place.origin]);
    let key = format!("script:{}/slow.js", place.origin);
    let wanted = uses(&[(&key, "")]);
    let (one, two) = tokio::join!(proxy.resolve(&wanted, None, &quiet), proxy.resolve(&wanted, None, &quiet));
    assert_eq!(one.imports[&key].state, ImportStatus::Ready, "{:?}", one.diagnostics);
    assert_eq!(one.imports[&key].url, two.imports[&key].url);
    assert_eq!(place.asked(), ["/slow.js"], "one request, without cookies, credentials, referrer or origin");
}

#[tokio::test]
async fn a_style_sheet_brings_its_imports_fonts_and_images() {
    let (registry, place) = (Registry::start(with_react(vec![])).await, Place::start().await);
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy_allowing(&registry.address, folder.path(), "", &[&place.origin]);
    let key = format!("style:{}/a.css", place.origin);
    let resolution = proxy.resolve(&uses(&[(&key, "")]), None, &quiet).await;
    let import = &resolution.imports[&key];
    assert_eq!(import.state, ImportStatus::Ready, "{import:?}");
    let css = proxy.module(import.url.as_deref().expect("an address").trim_start_matches("/m/")).expect("a file");
    let css = String::from_utf8(css.bytes).expect("text");
    assert!(css.starts_with("@media screen{b{background:url(\"./"), "{css}");
    assert!(
        !css.contains(&place.origin) && css.contains("about:invalid"),
        "what is gone does not take the rest along: {css}"
    );
    for ending in [".woff2", ".png"] {
        let at = css.find(ending).unwrap_or_else(|| panic!("{ending} in {css}"));
        assert!(proxy.module(&css[at - 64..at + ending.len()]).is_some());
    }
}

/// Without the setting, nothing on this machine or in its networks is asked, whatever leads there.
#[tokio::test]
async fn inner_addresses_are_refused() {
    let (registry, place) = (Registry::start(with_react(vec![])).await, Place::start().await);
    let folder = tempfile::tempdir().expect("a folder");
    let port = place.origin.rsplit(':').next().expect("a port").to_owned();
    let closed = proxy(&registry.address, folder.path(), "");
    let inner: Vec<String> = [
        format!("{}/a.js", place.origin),
        format!("https://127.0.0.1:{port}/a.js"),
        format!("https://localhost:{port}/a.js"),
        format!("https://[::ffff:127.0.0.1]:{port}/a.js"),
        format!("https://2130706433:{port}/a.js"),
        "https://169.254.169.254/latest/meta-data/".to_owned(),
        "https://10.0.0.1/a.js".to_owned(),
        "https://user:secret@example.com/a.js".to_owned(),
    ]
    .map(|address| format!("script:{address}"))
    .into();
    let list: Vec<(&str, &str)> = inner.iter().map(|key| (key.as_str(), "")).collect();
    let resolution = closed.resolve(&uses(&list), None, &quiet).await;
    for key in &inner {
        assert_eq!(resolution.imports[key].state, ImportStatus::Stub, "{key}: {:?}", resolution.imports[key]);
    }
    assert_eq!(place.asked(), Vec::<String>::new());

    // Allowed is one origin: a redirect from it to another inner one is refused as well.
    let open = proxy_allowing(&registry.address, folder.path(), "", &[&place.origin]);
    let state = async |path: &str| {
        let key = format!("script:{}{path}", place.origin);
        let resolution = open.resolve(&uses(&[(&key, "")]), None, &quiet).await;
        resolution.imports[&key].clone()
    };
    assert_eq!(state("/hop").await.state, ImportStatus::Ready);
    let inside = state("/inside").await;
    assert_eq!(inside.state, ImportStatus::Stub, "{inside:?}");
    assert!(inside.error.expect("a reason").contains("127.0.0.1:9"));
}

/// A name that leads to this machine is no better than its address.
#[tokio::test]
async fn a_name_that_leads_inside_is_refused_when_it_is_looked_up() {
    let registry = Registry::start(with_react(vec![])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    // The machine's own name, which its hosts file or resolver leads inside.
    let name = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let name = name.trim();
    let key = format!("script:https://{name}/a.js");
    let resolution = proxy.resolve(&uses(&[(&key, "")]), None, &quiet).await;
    assert_ne!(resolution.imports[&key].state, ImportStatus::Ready);
}

#[tokio::test]
async fn answers_of_another_type_or_size_are_not_served() {
    let (registry, place) = (Registry::start(with_react(vec![])).await, Place::start().await);
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy_allowing(&registry.address, folder.path(), "", &[&place.origin]);
    let bad = [
        ("asset", "/page.png", "text/html"),
        ("script", "/a.css", "text/css"),
        ("script", "/not.js", "no script"),
        ("style", "/a.js", "text/javascript"),
        ("asset", "/a.js", "text/javascript"),
        ("script", "/large.js", "limit"),
        ("script", "/loop", "redirects more than"),
        ("script", "/none.js", "status 404"),
    ];
    let keys: Vec<String> = bad.iter().map(|(role, path, _)| format!("{role}:{}{path}", place.origin)).collect();
    let list: Vec<(&str, &str)> = keys.iter().map(|key| (key.as_str(), "")).collect();
    let resolution = proxy.resolve(&uses(&list), None, &quiet).await;
    for ((_, _, says), key) in bad.iter().zip(&keys) {
        let import = &resolution.imports[key];
        assert_eq!(import.state, ImportStatus::Failed, "{key}");
        let error = import.error.as_deref().unwrap_or_default();
        assert!(error.contains(says), "{key}: {error}");
    }
    let finding = resolution.diagnostics.iter().find(|finding| finding.line == 1).expect("a finding");
    assert_eq!((finding.code.as_str(), finding.severity), ("resource", Severity::Warning));
}

/// A module that is fetched is in the artifact's graph: it shares React with everything else.
#[tokio::test]
async fn a_fetched_module_shares_the_graph() {
    let lib = package("lib", "1.0.0", json!({"type": "module"}), &[("index.js", "export default 'lib-one';")]);
    let (registry, place) = (Registry::start(with_react(vec![lib])).await, Place::start().await);
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy_allowing(&registry.address, folder.path(), "", &[&place.origin]);
    let specifier = format!("{}/lib/main.mjs", place.origin);
    let wanted = uses(&[(&specifier, "sum,version,h"), ("react", "version")]);
    let resolution = proxy.resolve(&wanted, None, &quiet).await;
    let import = &resolution.imports[&specifier];
    assert_eq!(import.state, ImportStatus::Ready, "{import:?} {:?}", resolution.diagnostics);
    assert!(resolution.diagnostics.is_empty(), "{:?}", resolution.diagnostics);
    assert_eq!(import.names, ["h", "sum", "version"]);
    let all = modules(&proxy, import.url.as_deref().expect("an address"));
    let react = resolution.imports["react"].url.clone().expect("an address").replace("/m/", "");
    assert!(all.contains_key(&react), "it imports the artifact's React: {:?}", all.keys());
    assert!(all.values().any(|text| text.contains("lib-one")), "{all:?}");
    assert_eq!(resolution.lock.entries[&specifier].package, specifier);

    drop(place);
    let again = proxy.resolve(&wanted, Some(&resolution.lock), &quiet).await;
    assert_eq!(again.imports[&specifier].url, import.url);
    let code = proxy
        .bundle(&format!("import {{ sum }} from '{specifier}'; globalThis.x = sum;"), None)
        .await
        .expect("bundles");
    assert!(code.contains("globalThis.x"), "{code}");
}

#[tokio::test]
async fn a_module_at_an_inner_address_is_refused() {
    let (registry, place) = (Registry::start(with_react(vec![])).await, Place::start().await);
    let folder = tempfile::tempdir().expect("a folder");
    let specifier = format!("{}/lib/main.mjs", place.origin);
    let resolution =
        proxy(&registry.address, folder.path(), "").resolve(&uses(&[(&specifier, "sum")]), None, &quiet).await;
    assert_eq!(resolution.imports[&specifier].state, ImportStatus::Stub);
    let finding = resolution.diagnostics.iter().find(|finding| finding.line == 1).expect("a finding");
    assert_eq!(finding.code, "address-refused");
    assert_eq!(place.asked(), Vec::<String>::new());
    assert_eq!(resolution.imports["react"].state, ImportStatus::Ready);
}

/// A name that leads to another place each time it is looked up.
struct Rebinding(Mutex<Vec<std::net::IpAddr>>);

#[async_trait::async_trait]
impl ui4a_registry_proxy::Names for Rebinding {
    async fn addresses(&self, _: &str) -> std::io::Result<Vec<std::net::IpAddr>> {
        let mut left = self.0.lock().expect("a list");
        Ok(vec![if left.len() > 1 { left.remove(0) } else { left[0] }])
    }
}

/// The connection is made to the address that was checked: what the name leads to afterwards is never asked.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_changes_its_mind_leads_nowhere_inside() {
    let registry = Registry::start(with_react(vec![])).await;
    let place = Place::start().await;
    let port = place.origin.rsplit(':').next().expect("a port").to_owned();
    // TEST-NET-1's neighbour: public by its number, and nobody is there.
    for answers in
        [vec!["127.0.0.1"], vec!["192.0.1.1", "127.0.0.1"], vec!["10.0.0.1"], vec!["::1"], vec!["::ffff:127.0.0.1"]]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let answers = answers.into_iter().map(|ip| ip.parse().expect("an address")).collect();
        let limits = ui4a_registry_proxy::Limits {
            address_time: std::time::Duration::from_millis(400),
            retries: 0,
            ..Default::default()
        };
        let names: Arc<dyn ui4a_registry_proxy::Names> = Arc::new(Rebinding(Mutex::new(answers)));
        let config = ui4a_registry_proxy::Config { names: Some(names), limits, ..Default::default() };
        let proxy = crate::registry::proxy_with(&registry.address, folder.path(), config);
        let address = format!("https://rebinding.test:{port}/a.js");
        let resolution = proxy.resolve(&uses(&[(&address, "a")]), None, &quiet).await;
        assert_ne!(resolution.imports[&address].state, ImportStatus::Ready, "{:?}", resolution.imports[&address]);
    }
    assert_eq!(place.asked(), Vec::<String>::new(), "nothing inside was reached");
}
