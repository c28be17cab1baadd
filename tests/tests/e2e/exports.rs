//! Ten artifacts as files of their own, opened with no network: nothing is asked for, and the picture is the live one's.

use anyhow::{Context as _, Result};
use reqwest::Method;
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;
use ui4a_tests::packages::Packages;
use ui4a_tests::server::shared_cache;
use ui4a_tests::{PATIENCE, Page, eventually};

const TEN: [&str; 10] = [
    "tsx/kit-charts.tsx",
    "tsx/markdown-notes.tsx",
    "tsx/router-recipes.tsx",
    "tsx/sales-dashboard.tsx",
    "tsx/shadcn-profile.tsx",
    "tsx/theme-context.tsx",
    "tsx/zustand-cart.tsx",
    "html/module-script.html",
    "html/pricing-table.html",
    "html/entities-pre.html",
];

/// Channels may differ by so much before a pixel counts as another: two processes need not round alike.
const TOLERANCE: u32 = 16;

#[tokio::test(flavor = "multi_thread")]
async fn ten_exports_ask_for_nothing_and_show_the_same() -> Result<()> {
    let packages = Packages::start(&shared_cache()?, Vec::new()).await?;
    let folder = TempDir::new()?;
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus");
    let judge = packages.browser.open("data:text/html,<title>judge</title>").await?;
    let mut wrong = Vec::new();
    for name in TEN {
        let source = std::fs::read_to_string(corpus.join(name))?;
        let kind = Path::new(name).extension().and_then(|kind| kind.to_str()).context("a kind")?;
        let rendered = packages.render(kind, &source).await?;
        let live = packages.page(&rendered).await?;
        live.frame_where("document.body?.innerText.trim().length > 20 || document.querySelector('svg *')").await?;
        let shown = still(&live).await.with_context(|| name.to_owned())?;
        live.close().await?;
        let id = rendered["artifact"].as_str().context("an artifact")?;
        let path = format!("/api/artifacts/{id}/export?format=html");
        let page = packages.ui4a.request(Method::GET, &path).send().await?.error_for_status()?.bytes().await?;
        let file = folder.path().join(name.replace('/', "-")).with_extension("html");
        std::fs::write(&file, page)?;
        let alone = packages.browser.open("data:text/html,<title>before</title>").await?;
        alone.offline().await?;
        alone.goto(&format!("file://{}", file.display())).await?;
        let picture = still(&alone).await.with_context(|| format!("{name}, exported"))?;
        let asked: Vec<_> = alone.requests().into_iter().filter(|url| !is_local(url)).collect();
        if !asked.is_empty() {
            wrong.push(format!("{name} asks for {asked:?}"));
        }
        alone.close().await?;
        let other = different(&judge, &shown, &picture).await?;
        println!("{name}: {other} pixels differ");
        if other > 0 {
            wrong.push(format!("{name}: {other} pixels differ from the live one"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}

fn is_local(url: &str) -> bool {
    ["file:", "data:", "blob:", "about:"].iter().any(|own| url.starts_with(own))
}

/// The picture of a page once it no longer changes.
async fn still(page: &Page) -> Result<String> {
    let last = std::sync::Mutex::new((String::new(), 0));
    eventually("a picture that no longer changes", PATIENCE, || async {
        let picture = page.picture().await?;
        let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let times = if last.0 == picture { last.1 + 1 } else { 0 };
        *last = (picture.clone(), times);
        Ok((times >= 6).then_some(picture))
    })
    .await
}

/// How many pixels of two pictures differ, as the browser decodes them.
async fn different(judge: &Page, one: &str, other: &str) -> Result<u64> {
    let compare = format!(
        "(async () => {{
          const pixels = async (data) => {{
            const image = new Image();
            image.src = 'data:image/png;base64,' + data;
            await image.decode();
            const canvas = document.createElement('canvas');
            [canvas.width, canvas.height] = [image.width, image.height];
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, image.width, image.height).data;
          }};
          const [a, b] = [await pixels({}), await pixels({})];
          if (a.length !== b.length) return -1;
          let count = 0;
          for (let at = 0; at < a.length; at += 4) if ([0, 1, 2].some((c) => Math.abs(a[at + c] - b[at + c]) > {TOLERANCE})) count += 1;
          return count;
        }})()",
        json!(one),
        json!(other)
    );
    judge.eval(&compare).await?.as_u64().context("pictures of one size")
}
