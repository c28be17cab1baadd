//! A frame that spins: the page and its neighbours live on, it is stopped by removal, and can be replaced.

use crate::sources::COUNTER;
use anyhow::Result;
use ui4a_tests::{Browser, PATIENCE, Script, ScriptedModel, Setup, Ui4a};

/// No guard sees this loop: it is made from text.
const SPINS: &str = r#"
export default function App() {
  return <button id="spin" onClick={() => new Function("while (true) {}")()}>Spin</button>;
}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_spinning_frame_freezes_nobody_and_is_replaced() -> Result<()> {
    let model = ScriptedModel::start([Script::module("counter", COUNTER), Script::module("spinner", SPINS)]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.say(&session, "A counter").await?;
    let neighbour = page.frame_where("document.querySelector('#more') && document.querySelector('#name')").await?;
    ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    ui4a.say(&session, "A spinner").await?;
    let spinner = page.frame_where("document.querySelector('#spin')").await?;
    ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    let frames = page.frames().len();
    page.click_in_and_leave(&spinner, "document.querySelector('#spin')").await?;

    // The page answers at once, and so does the neighbour.
    assert_eq!(page.eval("1 + 1").await?, 2);
    neighbour.eval("document.querySelector('#more').click()").await?;
    neighbour.wait_for("document.querySelector('#count').innerText === 'Count 1'").await?;

    // The host notices, takes the frame away, and offers it anew.
    let gone = spinner.session.clone();
    let replaced = ui4a_tests::eventually("the spinning frame to be removed", PATIENCE, || async {
        Ok((!page.frames().iter().any(|frame| frame.session == gone)).then_some(()))
    });
    replaced.await?;
    assert!(page.frames().len() <= frames);
    page.wait_for("/stopped|not answer|froze/i.test(document.body.innerText)").await?;
    neighbour.eval("document.querySelector('#more').click()").await?;
    neighbour.wait_for("document.querySelector('#count').innerText === 'Count 2'").await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_loop_in_render_is_ended_by_its_guard() -> Result<()> {
    let spins = "export default function App() { let n = 0; while (true) { n += 1; } return <p>{n}</p>; }";
    let mended = "export default function App() { return <p>Mended</p>; }";
    let model = ScriptedModel::start([Script::module("loop", spins), Script::module("loop", mended)]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.say(&session, "Loop").await?;
    let log = ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    let repair = log.iter().filter(|event| event["type"] == "turn.started").nth(1).expect("a repair turn");
    assert!(repair["input"]["repair"]["evidence"].as_str().unwrap_or_default().contains("loop"), "{repair}");
    page.frame_where("document.body.innerText.includes('Mended')").await?;
    Ok(())
}
