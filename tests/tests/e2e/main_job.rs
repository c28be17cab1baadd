//! The main job: type a request, watch the interface appear while it is written, reload and see the same.

use crate::sources::{COUNTER, DASHBOARD};
use anyhow::Result;
use std::time::Duration;
use ui4a_tests::{Browser, PATIENCE, Script, ScriptedModel, Setup, Ui4a};

/// Says something on the page as a person does.
pub async fn say_on_page(page: &ui4a_tests::Page, text: &str) -> Result<()> {
    page.wait_for("document.querySelector('textarea')").await?;
    page.click("textarea").await?;
    page.type_text(text).await?;
    page.press("Enter").await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interface_appears_while_it_is_written_and_a_reload_shows_the_same() -> Result<()> {
    let slow = Script::module("shop", DASHBOARD).pause(Duration::from_millis(25));
    let model = ScriptedModel::start([slow]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link).await?;
    say_on_page(&page, "A sales dashboard for a coffee shop").await?;

    let frame = page.frame_where("document.body.innerText.includes('Revenue')").await?;
    let session = page.eval("location.pathname.split('/').pop()").await?.as_str().unwrap_or_default().to_owned();
    let log = ui4a.log(&session).await?;
    assert!(
        !log.iter().any(|event| event["type"] == "turn.finished"),
        "content is visible before the model has finished"
    );

    let log = ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    frame.wait_for("document.querySelectorAll('tbody tr').length === 5").await?;
    frame.wait_for("document.querySelector('.recharts-line path, path.recharts-line-curve')").await?;
    for figure in ["$4,510", "715", "$6.31"] {
        assert!(frame.text().await?.contains(figure), "{figure} is visible");
    }
    let report = ui4a
        .wait_for_event(&session, "a report on the whole revision", PATIENCE, |event| {
            event["type"] == "artifact.report" && event["status"] == "rendered"
        })
        .await?;
    assert!(report.len() >= log.len());
    let sequence: Vec<u64> = report.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(sequence, (1..=sequence.len() as u64).collect::<Vec<_>>(), "numbers have no gaps");
    let diagnostics: Vec<_> = log.iter().filter(|event| event["type"] == "artifact.diagnostics").collect();
    let errors = diagnostics.iter().flat_map(|event| event["diagnostics"].as_array().into_iter().flatten());
    assert_eq!(errors.filter(|found| found["severity"] == "error").count(), 0, "{diagnostics:?}");

    let foreign: Vec<_> = page.requests().into_iter().filter(|url| !ui4a.owns(url)).collect();
    assert!(foreign.is_empty(), "only our own addresses are asked: {foreign:?}");

    let before = ui4a.log(&session).await?.len();
    page.reload().await?;
    let again = page.frame_where("document.querySelectorAll('tbody tr').length === 5").await?;
    assert!(again.text().await?.contains("$4,510"), "a reload shows the same");
    assert_eq!(model.asked().len(), 1, "a reload asks no model");
    let after = ui4a.log(&session).await?;
    assert!(!after[before..].iter().any(|event| event["type"] == "turn.started"), "a reload starts no turn");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_revision_keeps_what_was_typed_and_counted() -> Result<()> {
    let second = COUNTER.replace("Count {count}", "Counted: {count}");
    let model = ScriptedModel::start([Script::module("counter", COUNTER), Script::module("counter", &second)]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.say(&session, "A counter").await?;
    let frame = page.frame_where("document.querySelector('#more') && document.querySelector('#name')").await?;
    ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    for _ in 0..3 {
        page.click_in(&frame, "document.querySelector('#more')").await?;
    }
    frame.wait_for("document.querySelector('#count').innerText === 'Count 3'").await?;
    page.click_in(&frame, "document.querySelector('#name')").await?;
    page.type_text("Ada").await?;
    frame.wait_for("document.querySelector('#name').value === 'Ada'").await?;

    ui4a.say(&session, "Say counted").await?;
    ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    frame.wait_for("document.querySelector('#count').innerText === 'Counted: 3'").await?;
    assert_eq!(frame.eval("document.querySelector('#name').value").await?, "Ada", "typed text stays");
    assert_eq!(frame.eval("globalThis.mounts").await?, 1, "nothing was mounted again");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn prose_stays_prose_and_a_plain_code_answer_is_no_interface() -> Result<()> {
    let text = "Use a loop:\n\n```js\nfor (const x of xs) console.log(x);\n```\n\nThat is all.";
    let model = ScriptedModel::start([Script { route: '2', ..Script::new(text) }]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "How do I loop?").await?;
    let log = ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    let said: String =
        log.iter().filter(|event| event["type"] == "text.delta").filter_map(|event| event["delta"].as_str()).collect();
    assert_eq!(said, text);
    let route = log.iter().find(|event| event["type"] == "route.decided").expect("a route");
    assert_eq!(route["specialist"], "L2");
    Ok(())
}
