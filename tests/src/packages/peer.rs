//! What esbuild makes of the same versions: npm installs them, esbuild bundles each for browsers, and the same Chromium says
//! which names the bundle exports.

use crate::Browser;
use anyhow::{Context as _, Result, ensure};
use axum::Router;
use axum::extract::{Path as Segment, State};
use axum::http::header;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::process::Command;

/// What esbuild came to for one specifier: the names, or why there are none.
pub type Names = Result<BTreeSet<String>, String>;

/// Installs packages (name → version) into a folder of their own. What is there already is kept.
///
/// # Errors
/// npm fails.
pub async fn install(folder: &Path, packages: &BTreeMap<String, String>) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let file = folder.join("package.json");
    let before: Value = serde_json::from_slice(&std::fs::read(&file).unwrap_or_default()).unwrap_or_default();
    let has = |(name, version): (&String, &String)| before["dependencies"][name] == version.as_str();
    if packages.iter().all(has) && folder.join("node_modules/.package-lock.json").is_file() {
        return Ok(());
    }
    let mut all: BTreeMap<String, String> = serde_json::from_value(before["dependencies"].clone()).unwrap_or_default();
    all.extend(packages.clone());
    let manifest = json!({"name": "peers", "private": true, "type": "module", "dependencies": all});
    std::fs::write(&file, serde_json::to_string_pretty(&manifest)?)?;
    // Forced: what one package's peers say of another's version is not what is compared here.
    let installed = Command::new("npm")
        .current_dir(folder)
        .args(["install", "--force", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .stdin(Stdio::null())
        .status()
        .await
        .context("npm")?;
    ensure!(installed.success(), "npm install in {} failed", folder.display());
    Ok(())
}

/// Bundles each specifier with esbuild, after those that it expects to have run, and reads in the browser what the bundle
/// exports.
///
/// # Errors
/// esbuild or the browser does not start.
pub async fn names(
    browser: &Browser,
    peers: &Path,
    installed: &Path,
    specifiers: &BTreeMap<String, Vec<String>>,
) -> Result<BTreeMap<String, Names>> {
    let bundles = installed.join("bundles");
    std::fs::create_dir_all(&bundles)?;
    let mut child = Command::new("node")
        .current_dir(peers)
        .args(["bundle.mjs".as_ref(), installed.as_os_str(), bundles.as_os_str()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("node")?;
    let mut stdin = child.stdin.take().context("its input")?;
    stdin.write_all(&serde_json::to_vec(specifiers)?).await?;
    drop(stdin);
    let output = child.wait_with_output().await?;
    ensure!(
        output.status.success(),
        "tests/bench/bundle.mjs failed (`make conformance-imports` installs its packages)"
    );
    let made: BTreeMap<String, Value> = serde_json::from_slice(&output.stdout)?;
    let server = serve(bundles).await?;
    let mut all = BTreeMap::new();
    for (specifier, bundle) in made {
        let names = match bundle["file"].as_str() {
            Some(file) => {
                in_browser(browser, &format!("{server}/page/{file}")).await.map_err(|error| format!("{error:#}"))
            }
            None => Err(format!("esbuild: {}", bundle["error"].as_str().unwrap_or_default())),
        };
        all.insert(specifier, names);
    }
    Ok(all)
}

async fn in_browser(browser: &Browser, url: &str) -> Result<BTreeSet<String>> {
    let page = browser.open(url).await?;
    let answer = async {
        page.wait_for("window.names || window.failed").await?;
        page.eval("window.failed ? {failed: String(failed)} : {names}").await
    }
    .await;
    page.close().await?;
    let answer = answer?;
    let names = answer["names"].as_array().with_context(|| format!("the bundle throws {}", answer["failed"]))?;
    Ok(names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
}

/// Serves bundles, and a page for each that loads it.
async fn serve(folder: PathBuf) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", listener.local_addr()?);
    let app = Router::new().route("/page/{file}", get(page)).route("/{file}", get(bundle)).with_state(Arc::new(folder));
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(address)
}

async fn page(Segment(file): Segment<String>) -> Html<String> {
    let script =
        format!("import('/{file}').then((m) => {{ window.names = m.names; }}, (e) => {{ window.failed = e; }});");
    Html(format!(
        "<!doctype html><meta charset=utf-8><title>peer</title><body><div id=root></div><script>{script}</script>"
    ))
}

async fn bundle(State(folder): State<Arc<PathBuf>>, Segment(file): Segment<String>) -> Response {
    match std::fs::read(folder.join(&file)) {
        Ok(text) => ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], text).into_response(),
        Err(_) => axum::http::StatusCode::NOT_FOUND.into_response(),
    }
}
