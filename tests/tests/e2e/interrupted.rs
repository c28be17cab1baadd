//! SIGKILL in the middle of a turn: what was shown is kept, and the session says that the turn was interrupted.

use crate::sources::DASHBOARD;
use anyhow::Result;
use serde_json::Value;
use std::time::Duration;
use ui4a_tests::{Browser, PATIENCE, Script, ScriptedModel, Setup, Ui4a};

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_keeps_what_was_shown() -> Result<()> {
    let slow = Script::module("shop", DASHBOARD).pause(Duration::from_millis(40));
    let model = ScriptedModel::start([slow, Script::new("Here I am again.")]).await?;
    let setup = Setup { model_server: Some(model.url.clone()), ..Setup::default() };
    let ui4a = Ui4a::start(setup.clone()).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "A dashboard").await?;
    let before = ui4a
        .wait_for_event(&session, "a frame with the figures", PATIENCE, |event| {
            event["type"] == "artifact.source" && event["delta"].as_str().is_some_and(|text| text.contains("Card"))
        })
        .await?;
    let artifact =
        before.iter().find(|event| event["type"] == "artifact.opened").expect("an artifact")["artifact"].clone();
    let home = ui4a.kill().await?;

    let ui4a = Ui4a::start(Setup { home: Some(home), ..setup }).await?;
    let after = ui4a.log(&session).await?;
    assert!(after.len() > before.len() && after[..before.len()] == before[..], "the log is what it was, and more");
    let failed = after.iter().find(|event| event["type"] == "turn.failed").expect("the turn is told as failed");
    assert_eq!(failed["problem"]["code"], "interrupted");
    let closed = after.iter().find(|event| event["type"] == "artifact.closed").expect("the artifact is closed");
    assert_eq!(closed["truncated"], true);
    let stored = ui4a.get(&format!("/api/artifacts/{}", artifact.as_str().unwrap_or_default())).await?;
    let source: String = after
        .iter()
        .filter(|event| event["type"] == "artifact.source")
        .filter_map(|event| event["delta"].as_str())
        .collect();
    assert_eq!(stored["revision"]["source"], Value::String(source));

    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    page.wait_for("/interrupted/i.test(document.body.innerText)").await?;
    assert_eq!(model.asked().len(), 1, "a restart asks no model");
    ui4a.say(&session, "Hello?").await?;
    ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    page.wait_for("document.body.innerText.includes('Here I am again.')").await
}
