//! Cases in which the registry misbehaves: a dist-tag of its own, an answer that breaks off, an outage.

use super::shown_by;
use anyhow::{Context as _, Result};
use serde_json::json;
use tempfile::TempDir;
use ui4a_tests::packages::Packages;
use ui4a_tests::{PATIENCE, Upstream, eventually};

const SLUG: &str = "import slugify from 'slugify';\nexport default () => <p>{slugify('a b')}</p>;\n";

#[tokio::test(flavor = "multi_thread")]
async fn c8_a_dist_tag_and_a_dev_build_have_all_names() -> Result<()> {
    let (upstream, cache) = (Upstream::open().await?, TempDir::new()?);
    upstream.manners().tags.insert("react".to_owned(), ("rc".to_owned(), "19.2.0".to_owned()));
    let case =
        shown_by(Packages::start(cache.path(), upstream.env()).await?, "c8-only-a-default-in-the-dev-build").await?;
    assert_eq!(case.version("react"), "19.2.0");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c11_half_a_tarball_is_not_kept() -> Result<()> {
    let (upstream, cache) = (Upstream::open().await?, TempDir::new()?);
    upstream.manners().cut = Some("slugify-".to_owned());
    let packages = Packages::start(cache.path(), upstream.env()).await?;
    let rendered = packages.render("tsx", SLUG).await?;
    assert_eq!(rendered["imports"]["slugify"]["state"], "failed", "{}", rendered["imports"]);
    assert_eq!(rendered["imports"]["react"]["state"], "ready", "a package that fails, fails alone");
    upstream.manners().cut = None;
    // A registry that broke off is left alone for some seconds.
    let rendered = eventually("slugify, whole", PATIENCE, || async {
        let rendered = packages.render("tsx", SLUG).await?;
        Ok((rendered["imports"]["slugify"]["state"] == "ready").then_some(rendered))
    })
    .await?;
    let page = packages.page(&rendered).await?;
    page.frame_where("document.body?.innerText.includes('a-b')").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c14_an_outage_changes_nothing_for_what_is_in_the_cache() -> Result<()> {
    let (mut upstream, cache) = (Upstream::open().await?, TempDir::new()?);
    let before = Packages::start(cache.path(), upstream.env()).await?;
    let locked = before.render("tsx", SLUG).await?["lock"].clone();
    drop(before);
    for status in [522, 404, 500] {
        upstream.manners().status = Some(status);
        let asked = upstream.asked().len();
        let packages = Packages::start(cache.path(), upstream.env()).await?;
        let rendered = packages.ui4a.post("/api/render", json!({"source": SLUG, "lock": locked})).await?;
        assert_eq!(rendered["imports"]["slugify"]["state"], "ready", "{status}: {}", rendered["imports"]);
        assert_eq!(upstream.asked().len(), asked, "what is locked and there asks nobody");
    }
    upstream.shut().await;
    let packages = Packages::start(cache.path(), upstream.env()).await?;
    // Another artifact, which no lock names.
    let source = SLUG.replace("a b", "c d");
    let rendered = packages.render("tsx", &source).await?;
    assert_eq!(rendered["lock"], locked);
    let page = packages.page(&rendered).await?;
    page.frame_where("document.body?.innerText.includes('c-d')").await?;
    let rendered =
        packages.render("tsx", "import x from 'left-pad';\nexport default () => <p>{x('a', 3)}</p>;\n").await?;
    let error = rendered["imports"]["left-pad"]["error"].as_str().context("an error")?;
    assert!(error.contains("cannot be reached") && error.contains("check the network"), "{error}");
    Ok(())
}
