//! A final revision that fails is mended once, with the evidence.

use crate::sources::THROWS;
use anyhow::Result;
use ui4a_tests::{Browser, PATIENCE, Script, ScriptedModel, Setup, Ui4a};

const GOOD: &str = "export default function App() { return <p>Mended</p>; }";

#[tokio::test(flavor = "multi_thread")]
async fn what_throws_in_render_comes_back_with_its_line() -> Result<()> {
    let model = ScriptedModel::start([Script::module("list", THROWS), Script::module("list", GOOD)]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.say(&session, "A list").await?;
    let log = ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    let repair = log.iter().filter(|event| event["type"] == "turn.started").nth(1).expect("a repair turn");
    let evidence = repair["input"]["repair"]["evidence"].as_str().unwrap_or_default();
    assert!(
        evidence.contains("Line 3") && evidence.contains("rows.map"),
        "the evidence names the line of the source: {evidence}"
    );
    let asked = model.asked()[1].to_string();
    assert!(asked.contains("rows.map"), "the model is told");
    page.frame_where("document.body.innerText.includes('Mended')").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_repair_is_not_repaired_again() -> Result<()> {
    let broken = "export default function App() { return <p>{nothing}</p>; }";
    let model =
        ScriptedModel::start([Script::module("a", broken), Script::module("a", broken), Script::new("never")]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "Something").await?;
    let log = ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    let found = log.iter().find(|event| event["type"] == "artifact.diagnostics").expect("findings");
    let found = &found["diagnostics"][0];
    assert_eq!((found["code"].as_str(), found["line"].as_u64()), (Some("unresolved-name"), Some(1)), "{found}");
    // A third turn would have been queued before the second one was told as finished.
    let session_now = ui4a.get(&format!("/api/sessions/{session}")).await?;
    assert_eq!(session_now["running"], false);
    assert_eq!(model.asked().len(), 2);
    Ok(())
}
