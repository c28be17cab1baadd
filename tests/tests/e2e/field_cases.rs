//! Rows C and D6 of the field cases: imports that broke in other products, from the folders of `fixtures/cases`.

#[path = "field_cases/cache.rs"]
mod cache;
#[path = "field_cases/upstream.rs"]
mod upstream;

use anyhow::{Context as _, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use ui4a_tests::packages::Packages;
use ui4a_tests::packages::modules::{self, Loaded};
use ui4a_tests::server::shared_cache;
use ui4a_tests::{Frame, Page};

/// A case whose frame shows what it should.
struct Shown {
    packages: Packages,
    page: Page,
    frame: Frame,
    rendered: Value,
    loaded: Loaded,
}

/// The artifact of a case: its kind and source, and what must be seen.
fn artifact(name: &str) -> Result<(&'static str, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases").join(name);
    let see = std::fs::read_to_string(folder.join("see.js")).with_context(|| name.to_owned())?;
    let kind = if folder.join("artifact.tsx").exists() { "tsx" } else { "html" };
    Ok((kind, std::fs::read_to_string(folder.join(format!("artifact.{kind}")))?, see.trim().to_owned()))
}

/// Shows a case, and holds it to what holds for all: it is seen, nothing is fetched elsewhere, one React is in the page.
async fn shown(name: &str) -> Result<Shown> {
    shown_by(Packages::start(&shared_cache()?, Vec::new()).await?, name).await
}

async fn shown_by(packages: Packages, name: &str) -> Result<Shown> {
    let (kind, source, see) = artifact(name)?;
    let rendered = packages.render(kind, &source).await?;
    let page = packages.page(&rendered).await?;
    let frame = page.frame_where(&see).await.with_context(|| rendered["diagnostics"].to_string())?;
    let asked = page.requests();
    let elsewhere: Vec<_> = asked.iter().filter(|url| !packages.ui4a.owns(url)).collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
    let loaded = modules::load(&packages.ui4a, &modules::names(&asked)).await?;
    if kind == "tsx" {
        assert_eq!(modules::reacts(&loaded), 1, "one React is in the page");
    }
    Ok(Shown { packages, page, frame, rendered, loaded })
}

impl Shown {
    /// Package → versions in the artifact's lock.
    fn versions(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for package in self.rendered["lock"]["packages"].as_object().into_iter().flat_map(|packages| packages.keys()) {
            if let Some((name, version)) = package.rsplit_once('@') {
                versions.entry(name.to_owned()).or_default().insert(version.to_owned());
            }
        }
        versions
    }

    /// The only version of a package.
    fn version(&self, name: &str) -> String {
        let found = self.versions().remove(name).unwrap_or_default();
        assert_eq!(found.len(), 1, "versions of {name}: {found:?}");
        found.into_iter().next().unwrap_or_default()
    }

    fn codes(&self) -> Vec<String> {
        let found = self.rendered["diagnostics"].as_array().into_iter().flatten();
        found.filter_map(|one| one["code"].as_str().map(str::to_owned)).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c1_a_canvas_gets_the_react_that_react_dom_was_pinned_to() -> Result<()> {
    let case = shown("c1-two-reacts-in-a-canvas").await?;
    assert_eq!((case.version("react"), case.version("react-dom")), ("18.2.0".to_owned(), "18.2.0".to_owned()));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_hooks_of_a_package_are_the_artifact_s_own() -> Result<()> {
    shown("c2-hooks-of-null").await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_all_of_react_is_of_one_version() -> Result<()> {
    let case = shown("c4-two-versions-of-one-package").await?;
    let imports = case.rendered["imports"].as_object().context("imports")?;
    let versions: BTreeSet<_> = imports.values().map(|import| import["version"].to_string()).collect();
    assert_eq!(versions, BTreeSet::from(["\"19.2.0\"".to_owned()]), "{imports:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_two_kits_share_one_react() -> Result<()> {
    let case = shown("c5-a-react-for-each-level").await?;
    case.version("react");
    case.version("react-dom");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_deps_of_an_address_hold_at_every_level() -> Result<()> {
    let case = shown("c5-deps-of-the-direct-level-only").await?;
    assert_eq!(case.version("react"), "18.3.1");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_chained_exports_have_their_names() -> Result<()> {
    let case = shown("c7-chained-exports").await?;
    assert_eq!(case.codes(), Vec::<String>::new());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_emotion_with_react_external_has_no_chunks_of_its_own() -> Result<()> {
    shown("c10-an-inner-chunk-with-external").await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn c15_an_import_map_of_addresses_gives_one_react() -> Result<()> {
    let case = shown("c15-plus-esm-in-an-import-map").await?;
    assert_eq!(modules::reacts(&case.loaded), 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c18_an_unknown_icon_is_a_finding_and_the_rest_renders() -> Result<()> {
    let case = shown("c18-an-icon-that-does-not-exist").await?;
    let found = case.rendered["diagnostics"].as_array().cloned().unwrap_or_default();
    let of = |name: &str| found.iter().find(|one| one["message"].as_str().is_some_and(|text| text.contains(name)));
    let run = of("Run").with_context(|| format!("{found:?}"))?;
    assert_eq!(run["line"], 1, "{run}");
    assert_ne!(of("Zonkometer").context("the other one")?["severity"], "error");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c20_a_deep_tree_of_modules_arrives() -> Result<()> {
    shown("c20-a-deep-tree-of-modules").await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn c21_any_name_of_the_registry_can_be_imported() -> Result<()> {
    let case = shown("c21-a-name-outside-the-list").await?;
    assert_eq!(case.codes(), Vec::<String>::new());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c23_the_kit_s_chart_takes_the_version_that_the_artifact_names() -> Result<()> {
    let case = shown("c23-a-chart-of-another-version").await?;
    assert_eq!(case.version("recharts"), "2.15.4");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c24_a_shared_document_loads_from_where_it_is_shared() -> Result<()> {
    // What is opened is a share, in a browser that never saw the token.
    let case = shown("c24-a-shared-document").await?;
    assert!(case.rendered["preview_url"].as_str().is_some_and(|url| url.contains("/embed/")));
    assert!(case.page.requests().iter().filter(|url| url.contains("/m/")).count() >= 3);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c25_a_tailwind_address_is_nothing_that_is_waited_for() -> Result<()> {
    let case = shown("c25-tailwind-from-a-network").await?;
    assert!(case.loaded.keys().all(|name| !name.ends_with(".js")), "{:?}", case.loaded.keys());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c27_no_require_is_left() -> Result<()> {
    let case = shown("c27-a-require-that-is-left").await?;
    let left: Vec<_> = case.loaded.iter().filter(|(_, text)| text.contains("require(")).map(|(name, _)| name).collect();
    assert!(left.is_empty(), "{left:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn d6_code_that_is_made_at_run_time_runs() -> Result<()> {
    shown("d6-code-made-at-run-time").await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn react_s_umd_addresses_without_a_version_mean_the_last_that_had_them() -> Result<()> {
    let case = shown("react-umd-without-a-version").await?;
    let shown = case.frame.text().await?;
    assert!(shown.contains("React 18."), "{shown}");
    assert!(case.packages.ui4a.owns(&case.frame.url));
    Ok(())
}
