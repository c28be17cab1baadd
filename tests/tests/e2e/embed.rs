//! An artifact in an iframe on another page.

use crate::sources::COUNTER;
use anyhow::Result;
use axum::response::Html;
use axum::routing::get;
use serde_json::json;
use ui4a_tests::{Browser, Setup, Ui4a};

#[tokio::test(flavor = "multi_thread")]
async fn another_page_shows_it_until_the_share_is_revoked() -> Result<()> {
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    let made =
        ui4a.post(&format!("/api/sessions/{session}/artifacts"), json!({"code": COUNTER, "id": "counter"})).await?;
    let artifact = made["artifact"].as_str().unwrap_or_default().to_owned();

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let share = ui4a.post(&format!("/api/artifacts/{artifact}/shares"), json!({"parents": [&origin]})).await?;
    let url = share["url"].as_str().unwrap_or_default().to_owned();
    let html = format!(
        "<!doctype html><h1>Host</h1><div data-ui4a-embed=\"{url}\"></div><script src=\"{}/embed.js\"></script>",
        ui4a.main
    );
    let router = axum::Router::new().route("/", get(move || async move { Html(html) }));
    tokio::spawn(async move { axum::serve(listener, router).await });

    let browser = Browser::launch().await?;
    let page = browser.open(&origin).await?;
    let frame = page.frame_where("document.querySelector('#more')").await?;
    frame.eval("document.querySelector('#more').click()").await?;
    frame.wait_for("document.querySelector('#count').innerText === 'Count 1'").await?;

    let capability = share["capability"].as_str().unwrap_or_default();
    let answer = ui4a.request(reqwest::Method::DELETE, &format!("/api/shares/{capability}")).send().await?;
    assert_eq!(answer.status(), 204);
    let gone = reqwest::Client::builder().no_proxy().build()?.get(&url).send().await?;
    assert_eq!(gone.status(), 404);
    let wrong = ui4a
        .request(reqwest::Method::POST, &format!("/api/artifacts/{artifact}/shares"))
        .json(&json!({"parents": ["x; script-src *"]}));
    assert_eq!(wrong.send().await?.status(), 400, "a parent that is no origin is refused");
    Ok(())
}
