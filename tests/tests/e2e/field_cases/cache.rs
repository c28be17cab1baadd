//! Cases about what an address answers: to every origin, and for ever.

use anyhow::{Context as _, Result};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use ui4a_tests::packages::Packages;
use ui4a_tests::server::shared_cache;

const SLUG: &str = "import slugify from 'slugify';\nexport default () => <p>{slugify('a b')}</p>;\n";

#[tokio::test(flavor = "multi_thread")]
async fn c13_every_origin_is_answered_the_same() -> Result<()> {
    let packages = Packages::start(&shared_cache()?, Vec::new()).await?;
    let rendered = packages.render("tsx", SLUG).await?;
    let path = rendered["imports"]["slugify"]["url"].as_str().context("an address")?;
    let sandbox = packages.ui4a.sandbox.replace("{label}", "one");
    let port = sandbox.rsplit(':').next().context("a port")?;
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut answers = Vec::new();
    for origin in [None, Some("null"), Some("http://one.example"), Some("http://two.example")] {
        let asked = client.get(format!("http://127.0.0.1:{port}{path}")).header("host", sandbox.replace("http://", ""));
        let asked =
            origin.and_then(|origin| asked.try_clone().map(|asked| asked.header("origin", origin))).unwrap_or(asked);
        let answer = asked.send().await?.error_for_status()?;
        let header = |name: &str| {
            answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        assert_eq!(header("access-control-allow-origin"), "*", "{origin:?}");
        assert!(!header("vary").to_lowercase().contains("origin"), "{}", header("vary"));
        assert!(header("cache-control").contains("immutable"), "{}", header("cache-control"));
        assert_eq!(header("x-content-type-options"), "nosniff");
        answers.push(answer.bytes().await?);
    }
    assert!(answers.iter().all(|bytes| *bytes == answers[0]));
    // Two frames are two origins; the second may find the module in the browser's cache.
    for _ in 0..2 {
        let page = packages.page(&rendered).await?;
        page.frame_where("document.body?.innerText.includes('a-b')").await?;
        page.close().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn c16_an_address_is_its_content_and_another_builder_makes_another() -> Result<()> {
    let packages = Packages::start(&shared_cache()?, Vec::new()).await?;
    let rendered = packages.render("tsx", SLUG).await?;
    let module =
        rendered["imports"]["slugify"]["url"].as_str().context("an address")?.trim_start_matches("/m/").to_owned();
    let loaded = ui4a_tests::packages::modules::load(&packages.ui4a, &[module.clone()].into()).await?;
    assert_eq!(format!("{:x}.js", Sha256::digest(loaded[&module].as_bytes())), module);
    // The same lock is the same bytes, whatever built them, while they are there. Where they are not, the versions stay and
    // the modules are made anew by this builder, under addresses of their own.
    let mut old = rendered["lock"].clone();
    old["builder"] = json!("0-another");
    let kept = packages.ui4a.post("/api/render", json!({"source": SLUG, "lock": old})).await?;
    assert_eq!(kept["lock"], old);
    old["entries"]["slugify"]["module"] = json!("0".repeat(64));
    let again = packages.ui4a.post("/api/render", json!({"source": SLUG, "lock": old})).await?;
    assert_eq!(again["lock"], rendered["lock"]);
    assert_eq!(again["imports"]["slugify"]["url"], rendered["imports"]["slugify"]["url"]);
    Ok(())
}
