//! A scripted npm registry on loopback: packages from a table, tarballs made on the spot, faults on request.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use flate2::write::GzEncoder;
use http::{HeaderMap, StatusCode, Uri};
use serde_json::{Value, json};
use sha2::{Digest, Sha512};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::task::JoinHandle;
use ui4a_registry_proxy::{Config, Limits, Proxy};
use ui4a_types::ImportUse;

/// One version of a package.
#[derive(Clone, Default)]
pub struct Published {
    pub name: String,
    pub version: String,
    /// More fields of its manifest: dependencies, exports, …
    pub manifest: Value,
    pub tarball: Vec<u8>,
    /// Published in place of the true one.
    pub integrity: Option<String>,
}

/// What the registry does.
#[derive(Default)]
pub struct Script {
    pub packages: Vec<Published>,
    /// The token that it wants, if any.
    pub token: Option<String>,
    /// Bodies are cut after so many bytes.
    pub cut: Option<usize>,
    /// So many requests are answered with 503 before others are answered.
    pub busy: usize,
    /// Version → when it was published.
    pub times: BTreeMap<String, String>,
    /// Paths that were asked for.
    pub asked: Vec<String>,
}

/// A running registry. Dropping it closes its port.
pub struct Registry {
    pub address: String,
    pub script: Arc<Mutex<Script>>,
    task: JoinHandle<()>,
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Registry {
    pub async fn start(packages: Vec<Published>) -> Self {
        let script = Arc::new(Mutex::new(Script { packages, ..Script::default() }));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let state = (address.clone(), Arc::clone(&script));
        let app = Router::new().fallback(answer).with_state(state);
        let task = tokio::spawn(async move { axum::serve(listener, app).await.expect("serves") });
        Self { address, script, task }
    }

    pub fn asked(&self) -> Vec<String> {
        self.script.lock().expect("script").asked.clone()
    }
}

async fn answer(
    State((address, script)): State<(String, Arc<Mutex<Script>>)>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let mut script = script.lock().expect("script");
    let path = uri.path().trim_start_matches('/').replace("%2f", "/");
    script.asked.push(path.clone());
    if script.busy > 0 {
        script.busy -= 1;
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    if let Some(token) = &script.token
        && headers.get("authorization").and_then(|value| value.to_str().ok()) != Some(&format!("Bearer {token}"))
    {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    if let Some(rest) = path.strip_suffix(".tgz") {
        let found = script.packages.iter().find(|p| format!("{}/-/{}", p.name, p.version) == rest);
        let Some(found) = found else { return StatusCode::NOT_FOUND.into_response() };
        let mut body = found.tarball.clone();
        if let Some(cut) = script.cut {
            body.truncate(cut);
        }
        return body.into_response();
    }
    let versions: Vec<&Published> = script.packages.iter().filter(|p| p.name == path).collect();
    let Some(latest) = versions.last() else { return StatusCode::NOT_FOUND.into_response() };
    let mut all = serde_json::Map::new();
    for version in &versions {
        let mut manifest = version.manifest.clone();
        let integrity = version.integrity.clone().unwrap_or_else(|| sri(&version.tarball));
        manifest["name"] = json!(version.name);
        manifest["version"] = json!(version.version);
        manifest["dist"] =
            json!({"tarball": format!("{address}/{}/-/{}.tgz", version.name, version.version), "integrity": integrity});
        all.insert(version.version.clone(), manifest);
    }
    let times = script.times.clone();
    axum::Json(json!({"name": path, "dist-tags": {"latest": latest.version}, "versions": all, "time": times}))
        .into_response()
}

pub fn sri(bytes: &[u8]) -> String {
    format!("sha512-{}", base64::engine::general_purpose::STANDARD.encode(Sha512::digest(bytes)))
}

/// A package with these files; `manifest` holds what is more than name and version.
pub fn package(name: &str, version: &str, manifest: Value, files: &[(&str, &str)]) -> Published {
    let mut full = manifest.clone();
    full["name"] = json!(name);
    full["version"] = json!(version);
    let text = full.to_string();
    let mut entries = vec![("package/package.json".to_owned(), text.as_bytes().to_vec())];
    entries.extend(files.iter().map(|(path, text)| (format!("package/{path}"), text.as_bytes().to_vec())));
    let tarball = tarball(|builder| {
        for (path, bytes) in &entries {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, path, bytes.as_slice()).expect("an entry");
        }
    });
    Published { name: name.into(), version: version.into(), manifest, tarball, integrity: None }
}

pub fn tarball(fill: impl FnOnce(&mut tar::Builder<GzEncoder<Vec<u8>>>)) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), flate2::Compression::best()));
    fill(&mut builder);
    builder.into_inner().expect("a tarball").finish().expect("gzip")
}

/// React and react-dom, tiny, as CommonJS like the real ones. They count themselves.
pub fn react(version: &str) -> Vec<Published> {
    vec![
        package(
            "react",
            version,
            json!({"main": "index.js", "exports": {".": "./index.js", "./jsx-runtime": "./jsx-runtime.js"}}),
            &[
                (
                    "index.js",
                    "if (process.env.NODE_ENV === 'production') { module.exports = require('./cjs/react.production.js'); } else { module.exports = require('./cjs/react.development.js'); }",
                ),
                (
                    "cjs/react.production.js",
                    &format!("exports.version = '{version}'; exports.useState = function (x) {{ return [x]; }};"),
                ),
                ("cjs/react.development.js", "exports.version = 'dev'; exports.onlyDev = 1; exports.useState = 1;"),
                (
                    "jsx-runtime.js",
                    "var R = require('react'); exports.jsx = function () { return R; }; exports.Fragment = 1;",
                ),
            ],
        ),
        package(
            "react-dom",
            version,
            json!({"main": "index.js", "peerDependencies": {"react": format!("^{version}")}, "dependencies": {"scheduler": "^1.0.0"},
                   "exports": {".": "./index.js", "./client": "./client.js"}}),
            &[
                ("index.js", "var R = require('react'); exports.createPortal = function () { return R; };"),
                (
                    "client.js",
                    "require('react-dom'); require('scheduler'); var R = require('react'); exports.createRoot = function () { return R.version; };",
                ),
            ],
        ),
    ]
}

/// The React family and other packages.
pub fn with_react(more: Vec<Published>) -> Vec<Published> {
    let mut all = react("19.0.0");
    all.push(package("scheduler", "1.0.0", json!({}), &[("index.js", "exports.now = 1;")]));
    all.extend(more);
    all
}

/// A proxy with an empty cache that knows this registry alone.
pub fn proxy(address: &str, cache: &std::path::Path, npmrc: &str) -> Arc<Proxy> {
    proxy_allowing(address, cache, npmrc, &[])
}

/// A proxy with other bounds and rules.
pub fn proxy_with(address: &str, cache: &std::path::Path, config: Config) -> Arc<Proxy> {
    std::fs::create_dir_all(cache.join("config")).expect("a folder");
    std::fs::write(cache.join("config/.npmrc"), format!("registry={address}/\n")).expect("an .npmrc");
    let config = Config { cache: cache.join("cache"), npmrc_dirs: vec![cache.join("config")], ..config };
    Arc::new(Proxy::open_with_env(config, &BTreeMap::new()).expect("opens"))
}

/// The same, with origins that it may fetch from although they are on this machine.
pub fn proxy_allowing(address: &str, cache: &std::path::Path, npmrc: &str, allow: &[&str]) -> Arc<Proxy> {
    let limits = Limits { retries: 1, ..Limits::default() };
    std::fs::create_dir_all(cache.join("config")).expect("a folder");
    std::fs::write(cache.join("config/.npmrc"), format!("registry={address}/\n{npmrc}")).expect("an .npmrc");
    let config = Config {
        cache: cache.join("cache"),
        npmrc_dirs: vec![cache.join("config")],
        allow_addresses: allow.iter().map(|origin| (*origin).to_owned()).collect(),
        limits,
        ..Config::default()
    };
    Arc::new(Proxy::open_with_env(config, &BTreeMap::new()).expect("opens"))
}

/// Uses of specifiers: `("x", "a,b")` imports `a` and `b` from `x`, each on a line of its own.
pub fn uses(list: &[(&str, &str)]) -> BTreeMap<String, ImportUse> {
    let mut uses = BTreeMap::new();
    for (line, (specifier, names)) in list.iter().enumerate() {
        let names = names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        uses.insert(
            (*specifier).to_owned(),
            ImportUse { names, line: line as u32 + 1, column: 20, ..ImportUse::default() },
        );
    }
    uses
}

/// The module of a ready import, and all that it imports, by address.
pub fn modules(proxy: &Proxy, url: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut todo = vec![url.trim_start_matches("/m/").to_owned()];
    while let Some(name) = todo.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let module = proxy.module(&name).unwrap_or_else(|| panic!("{name} is there"));
        let text = String::from_utf8(module.bytes).expect("text");
        for part in text.split(['"', '\'', '`']) {
            if let Some(next) = part.strip_prefix("./")
                && next.len() == 67
                && next.ends_with(".js")
            {
                todo.push(next.to_owned());
            }
        }
        found.insert(name, text);
    }
    found
}
