//! Attacks from inside an artifact. Each fixture begins with what must not happen and shows `held` when it did not.

use anyhow::{Context as _, Result};
use serde_json::json;
use std::path::Path;
use ui4a_tests::{Browser, Setup, Ui4a, eventually};

/// Fixtures that are about something working, with tests of their own.
const NOT_ATTACKS: &[&str] = &["b11-storage-works.tsx", "b12-download.tsx"];

fn fixtures() -> Result<Vec<(String, String)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/attacks");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(&folder).context("the attacks")? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).context("a name")?.to_owned();
        all.push((name, std::fs::read_to_string(&path)?));
    }
    all.sort();
    Ok(all)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_attack_gets_out_of_its_frame() -> Result<()> {
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    // Something on the main origin that an attack could find.
    let mut failed = Vec::new();
    for (name, source) in fixtures()? {
        if NOT_ATTACKS.contains(&name.as_str()) {
            continue;
        }
        let session = ui4a.session().await?;
        let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
        page.eval("window.__TOKEN__ = 'secret'; localStorage.setItem('secret', '1')").await?;
        let kind = if name.ends_with(".html") { "html" } else { "tsx" };
        let body = json!({"code": source, "id": "attack", "title": name, "kind": kind});
        ui4a.post(&format!("/api/sessions/{session}/artifacts"), body).await?;
        if let Err(error) = held(&ui4a, &page).await {
            failed.push(format!("{name}: {error:#}"));
        }
        page.close().await?;
    }
    assert!(failed.is_empty(), "{failed:#?}");
    Ok(())
}

/// Waits for the attack's own verdict, then looks from outside: where the page is, and what was asked of whom.
async fn held(ui4a: &Ui4a, page: &ui4a_tests::Page) -> Result<()> {
    let frame = page.frame_where("/held|LEAKED|Nothing can leave/.test(document.body.innerText)").await;
    let address = page.eval("location.href").await?;
    anyhow::ensure!(address.as_str().is_some_and(|url| url.starts_with(&ui4a.main)), "the page went to {address}");
    let text = frame?.text().await?;
    anyhow::ensure!(!text.contains("LEAKED"), "{text}");
    let foreign: Vec<_> = page.requests().into_iter().filter(|url| !crate::main_job::ours(ui4a, url)).collect();
    // A request that the policy stops is announced and never sent; one that reached a server would have an answer.
    anyhow::ensure!(foreign.iter().all(|url| !url.starts_with(&ui4a.main)), "{foreign:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn storage_stands_in_and_is_kept_over_a_reload() -> Result<()> {
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let (_, source) = fixtures()?.into_iter().find(|(name, _)| name.starts_with("b11")).context("the fixture")?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.post(&format!("/api/sessions/{session}/artifacts"), json!({"code": source, "id": "game"})).await?;
    let frame = page.frame_where("document.querySelector('button')").await?;
    page.click_in(&frame, "document.querySelector('button')").await?;
    frame.wait_for("document.body.innerText.includes('2048')").await?;
    let log = ui4a
        .wait_for_event(&session, "the kept score", ui4a_tests::PATIENCE, |event| event["type"] == "artifact.state")
        .await?;
    assert!(log.iter().any(|event| event["type"] == "artifact.state" && event.to_string().contains("2048")));
    page.reload().await?;
    page.frame_where("document.body.innerText.includes('2048')").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_is_handed_to_the_page() -> Result<()> {
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let (_, source) = fixtures()?.into_iter().find(|(name, _)| name.starts_with("b12")).context("the fixture")?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    // What the page saves goes through a link that it clicks itself.
    page.eval("HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }").await?;
    ui4a.post(&format!("/api/sessions/{session}/artifacts"), json!({"code": source, "id": "numbers"})).await?;
    let frame = page.frame_where("document.querySelector('#save')").await?;
    page.click_in(&frame, "document.querySelector('#save')").await?;
    eventually("the page to save the file", ui4a_tests::PATIENCE, || async {
        Ok((page.eval("window.saved ?? ''").await? == "numbers.csv").then_some(()))
    })
    .await
}
