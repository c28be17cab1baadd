//! Answers that the default model gave, replayed token by token: what they showed once they must show for ever.

use anyhow::{Context as _, Result};
use serde_json::Value;
use std::time::Duration;
use ui4a_tests::{Browser, Frame, PATIENCE, Page, Script, ScriptedModel, Setup, Ui4a};

struct Replayed {
    ui4a: Ui4a,
    page: Page,
    frame: Frame,
    session: String,
    _browser: Browser,
}

/// Asks what was asked then, and waits until the answer is whole and shown without a finding or an error.
async fn replay(recording: &str, shown: &str, more: Vec<Script>) -> Result<Replayed> {
    let recording: Value = serde_json::from_str(recording)?;
    let chunks = recording["chunks"].as_array().context("chunks")?.iter().filter_map(Value::as_str).map(str::to_owned);
    let answer = Script::recorded(chunks.collect()).pause(Duration::from_millis(8));
    let model = ScriptedModel::start(std::iter::once(answer).chain(more)).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.say(&session, recording["request"].as_str().context("a request")?).await?;
    let frame = page.frame_where(shown).await?;
    let log = ui4a
        .wait_for_event(&session, "a report on the whole revision", PATIENCE, |event| {
            event["type"] == "artifact.report"
                && event["status"] == "rendered"
                && event["errors"] == serde_json::json!([])
        })
        .await?;
    let found: Vec<_> = log
        .iter()
        .filter(|event| event["type"] == "artifact.diagnostics")
        .flat_map(|event| event["diagnostics"].as_array().into_iter().flatten())
        .filter(|found| found["severity"] == "error")
        .collect();
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(log.iter().filter(|event| event["type"] == "turn.started").count(), 1, "nothing had to be mended");
    let foreign: Vec<_> = page.requests().into_iter().filter(|url| !ui4a.owns(url)).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    Ok(Replayed { ui4a, page, frame, session, _browser: browser })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_dashboard_shows_figures_a_line_and_five_rows() -> Result<()> {
    let whole = "document.querySelectorAll('tbody tr').length === 5 && document.querySelector('path.recharts-line-curve, .recharts-line path')";
    let replayed = replay(include_str!("../../fixtures/streams/dashboard.json"), whole, Vec::new()).await?;
    let text = replayed.frame.text().await?;
    for figure in ["1750.0 €", "175", "10.00 €"] {
        assert!(text.contains(figure), "{figure} in {text}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tip_calculator_follows_typing_and_its_slider() -> Result<()> {
    let whole = "document.querySelector('[role=slider]') && document.body.innerText.includes('115.0 $')";
    let Replayed { page, frame, .. } =
        &replay(include_str!("../../fixtures/streams/tip.json"), whole, Vec::new()).await?;
    page.click_in(frame, "document.querySelector('input')").await?;
    page.press("End").await?;
    page.type_text("0").await?;
    frame.wait_for("document.body.innerText.includes('1150.0 $')").await?;
    page.click_in(frame, "document.querySelector('[role=slider]')").await?;
    page.press("ArrowRight").await?;
    frame.wait_for("document.body.innerText.includes('1200.0 $')").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chosen_plan_starts_the_next_turn() -> Result<()> {
    let whole = "document.querySelectorAll('button').length === 3";
    let more = vec![Script::new("Plan B it is.")];
    let replayed = replay(include_str!("../../fixtures/streams/plans.json"), whole, more).await?;
    let Replayed { ui4a, page, frame, session, .. } = &replayed;
    page.click_in(frame, "document.querySelectorAll('button')[1]").await?;
    let log = ui4a.wait_for_turns(session, 2, PATIENCE).await?;
    let started: Vec<_> = log.iter().filter(|event| event["type"] == "turn.started").collect();
    assert_eq!(started[1]["input"]["action"]["text"], "Choose plan: Plan B");
    page.wait_for("document.body.innerText.includes('Plan B it is.')").await
}
