//! The kit: everything in it at once, in a real frame, used by hand.

use anyhow::Result;
use serde_json::json;
use ui4a_tests::{Browser, PATIENCE, Setup, Ui4a};

#[tokio::test(flavor = "multi_thread")]
async fn every_component_renders_and_its_controls_answer() -> Result<()> {
    let gallery = include_str!("../../fixtures/kit/gallery.tsx");
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    let made =
        ui4a.post(&format!("/api/sessions/{session}/artifacts"), json!({"code": gallery, "id": "gallery"})).await?;
    let errors = made["diagnostics"].as_array().into_iter().flatten().filter(|found| found["severity"] == "error");
    assert_eq!(errors.count(), 0, "{}", made["diagnostics"]);
    let frame = page.frame_within("document.querySelectorAll('svg.recharts-surface').length > 8", 2 * PATIENCE).await?;
    frame.wait_for("document.querySelectorAll('.katex').length >= 2").await?;
    let log = ui4a
        .wait_for_event(&session, "a report that it rendered", PATIENCE, |event| {
            event["type"] == "artifact.report" && event["status"] == "rendered"
        })
        .await?;
    let thrown: Vec<_> = log
        .iter()
        .filter(|event| event["type"] == "artifact.report")
        .flat_map(|event| event["errors"].as_array().into_iter().flatten())
        .collect();
    assert!(thrown.is_empty(), "{thrown:?}");

    let before = frame.eval("document.querySelector('#total').innerText").await?;
    // By keyboard, as whoever has no mouse: the frame gets the focus by a click on a text, the slider by its own tab stop.
    page.click_in(&frame, "document.querySelector('#total')").await?;
    frame.eval("document.querySelector('[role=slider]').focus()").await?;
    page.press("ArrowRight").await?;
    frame.wait_for(&format!("document.querySelector('#total').innerText !== {before}")).await
}
