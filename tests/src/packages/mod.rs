//! Imports as a user meets them: one small use of each package in a real frame, through the proxy alone.
//!
//! Owns the cases, what is looked at in a page that uses a package, and the comparison with esbuild. Knows nothing of how the
//! proxy makes its modules.

mod case;
pub mod modules;
pub mod peer;
mod table;

pub use case::{Case, cases};
pub use table::{Row, Table};

use crate::{Browser, Page, Setup, Ui4a};
use anyhow::{Context as _, Result};
use modules::Loaded;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tempfile::TempDir;

/// A server over a cache, and a browser.
pub struct Packages {
    /// The server.
    pub ui4a: Ui4a,
    /// The browser.
    pub browser: Browser,
    /// Modules that every page loads.
    base: BTreeSet<String>,
}

/// One use of a package, looked at.
#[derive(Debug, Default)]
pub struct Look {
    /// The row so far: without names and `require`.
    pub row: Row,
    /// All that the page loaded.
    pub loaded: Loaded,
    /// The names that the whole module exports.
    pub names: BTreeSet<String>,
    /// Name → version of what the module imports itself.
    pub versions: BTreeMap<String, String>,
}

/// What makes every registry unreachable: nothing listens there.
pub fn upstream_refused() -> Vec<(String, String)> {
    let nobody = "http://127.0.0.1:9";
    let settings =
        [("npm_config_https_proxy", nobody), ("npm_config_proxy", nobody), ("npm_config_noproxy", "none.invalid")];
    settings.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
}

impl Packages {
    /// Starts a server over a cache.
    ///
    /// # Errors
    /// Something does not start.
    pub async fn start(cache: &Path, env: Vec<(String, String)>) -> Result<Self> {
        let mut packages = Self::launch(cache, env).await?;
        let plain = "export default () => <p>plain</p>;\n";
        let rendered = packages.render("tsx", plain).await?;
        let page = packages.page(&rendered).await?;
        page.frame_where("document.body?.innerText.includes('plain')").await?;
        packages.base = modules::names(&page.requests());
        page.close().await?;
        Ok(packages)
    }

    /// The same with nothing in the cache yet, for measuring: no page has been shown.
    ///
    /// # Errors
    /// Something does not start.
    pub async fn start_bare(cache: &Path) -> Result<Self> {
        Self::launch(cache, Vec::new()).await
    }

    async fn launch(cache: &Path, env: Vec<(String, String)>) -> Result<Self> {
        std::fs::create_dir_all(cache)?;
        let home = TempDir::new()?;
        std::os::unix::fs::symlink(cache.canonicalize()?, home.path().join("cache"))?;
        // No model is asked here: nothing listens at this address.
        let nobody = Some("http://127.0.0.1:9/v1".to_owned());
        let setup = Setup { model_server: nobody, env, home: Some(Arc::new(home)), ..Setup::default() };
        Ok(Self { ui4a: Ui4a::start(setup).await?, browser: Browser::launch().await?, base: BTreeSet::new() })
    }

    /// An artifact of a source, as the server resolves it.
    ///
    /// # Errors
    /// The server refuses it.
    pub async fn render(&self, kind: &str, source: &str) -> Result<Value> {
        self.ui4a.post("/api/render", json!({"source": source, "kind": kind})).await
    }

    /// The page that shows an artifact to whom its link was given.
    ///
    /// # Errors
    /// The browser fails.
    pub async fn page(&self, rendered: &Value) -> Result<Page> {
        self.browser.open(rendered["preview_url"].as_str().context("a preview")?).await
    }

    /// Uses a package and looks at the page.
    ///
    /// # Errors
    /// The server or the browser fails; what a package does wrong is in the row.
    pub async fn look(&self, case: &Case) -> Result<Look> {
        let started = Instant::now();
        let rendered = self.render("tsx", &case.source).await?;
        let mut look = Look::default();
        look.row.specifier = case.specifier.clone();
        look.row.cold_ms = started.elapsed().as_millis() as u64;
        for entry in rendered["lock"]["entries"].as_object().into_iter().flat_map(|entries| entries.values()) {
            if let (Some(name), Some(version)) = (entry["package"].as_str(), entry["version"].as_str()) {
                look.versions.insert(name.to_owned(), version.to_owned());
            }
        }
        let import = &rendered["imports"][&case.specifier];
        let text = |key: &str| import[key].as_str().unwrap_or_default().to_owned();
        look.row.package = format!("{}@{}", text("package"), text("version"));
        let states = rendered["imports"].as_object().into_iter().flatten();
        let not_ready = states.filter(|(_, import)| import["state"] != "ready");
        look.row.reasons.extend(not_ready.map(|(name, import)| format!("{name}: {}", import["error"])));
        for found in rendered["diagnostics"].as_array().into_iter().flatten() {
            if found["severity"] == "error" || found["code"] == "unknown-export" {
                look.row.reasons.push(found["message"].as_str().unwrap_or_default().to_owned());
            }
        }
        if look.row.reasons.is_empty() {
            let page = self.page(&rendered).await?;
            let seen = self.see(case, &page, &mut look).await;
            if seen.is_err() {
                look.row.reasons.extend(unloadable(&page, &rendered["imports"]).await);
            }
            page.close().await?;
            if let Err(error) = seen {
                look.row.reasons.push(format!("{error:#}"));
            }
        }
        Ok(look)
    }

    async fn see(&self, case: &Case, page: &Page, look: &mut Look) -> Result<()> {
        let frame = page.frame_where(&case.works).await;
        let asked = page.requests();
        let elsewhere: Vec<_> = asked.iter().filter(|url| !self.ui4a.owns(url)).collect();
        if !elsewhere.is_empty() {
            look.row.reasons.push(format!("asks elsewhere: {elsewhere:?}"));
        }
        look.loaded = modules::load(&self.ui4a, &modules::names(&asked)).await?;
        let reacts = modules::reacts(&look.loaded);
        if reacts != 1 {
            look.row.reasons.push(format!("{reacts} Reacts in the page"));
        }
        let own = || look.loaded.iter().filter(|(name, _)| !self.base.contains(*name));
        (look.row.bytes, look.row.requests) = (own().map(|(_, text)| text.len()).sum(), own().count());
        let frame = frame.map_err(|error| error.context("the use does not work"))?;
        if case.is_style {
            return Ok(());
        }
        // The module that an artifact gets which takes all there is.
        let whole =
            format!("import * as all from {};\nexport default () => <p>{{typeof all}}</p>;\n", json!(case.specifier));
        let rendered = self.render("tsx", &whole).await?;
        let import = &rendered["imports"][&case.specifier];
        let url = import["url"].as_str().with_context(|| format!("as a whole: {}", import["error"]))?;
        let names = frame.eval(&format!("import({}).then((all) => Object.keys(all))", json!(url))).await?;
        look.names =
            names.as_array().into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect();
        let told: BTreeSet<String> = import["names"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        let exported = comparable(&look.names);
        if told != exported {
            let odd: Vec<_> = told.symmetric_difference(&exported).take(5).collect();
            look.row.reasons.push(format!("what is said of its names is not what it exports: {odd:?}"));
        }
        Ok(())
    }
}

/// Why modules do not load in the page's frame.
async fn unloadable(page: &Page, imports: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (specifier, import) in imports.as_object().into_iter().flatten() {
        for frame in page.frames() {
            let load = format!("import({}).then(() => null, (error) => String(error?.stack ?? error))", import["url"]);
            if let Ok(Value::String(error)) = frame.eval(&load).await {
                found.push(format!("{specifier} does not load: {error}"));
            }
        }
    }
    found
}

/// Names without those that stand for a CommonJS module as a whole.
fn comparable(names: &BTreeSet<String>) -> BTreeSet<String> {
    names.iter().filter(|name| !matches!(name.as_str(), "module.exports" | "__esModule")).cloned().collect()
}

/// What is wrong with names beside esbuild's. Ours always have a `default` for CommonJS, as Node's do; names that no import
/// statement can write without quotes are not counted.
pub fn differences(ours: &BTreeSet<String>, theirs: &peer::Names) -> Option<String> {
    let theirs = match theirs {
        Ok(theirs) => comparable(theirs),
        Err(reason) => return Some(format!("no names to compare with: {reason}")),
    };
    let is_plain = |name: &&String| {
        let mut chars = name.chars();
        let start = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$');
        start && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    let is_commonjs = ours.contains("module.exports");
    let ours = comparable(ours);
    let missing: Vec<_> = theirs.difference(&ours).filter(is_plain).cloned().collect();
    let more: Vec<_> = ours.difference(&theirs).filter(|name| !(is_commonjs && *name == "default")).cloned().collect();
    let say = |what: &str, names: &[String]| {
        let some: Vec<_> = names.iter().take(5).map(String::as_str).collect();
        (!names.is_empty()).then(|| format!("{} names {what} ({})", names.len(), some.join(", ")))
    };
    let said: Vec<String> =
        [say("missing", &missing), say("more than esbuild's", &more)].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(", "))
}
