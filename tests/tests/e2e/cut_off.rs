//! Field case A15: the token limit comes before, inside or after an opening. Never an empty bubble, never “generating” for
//! ever; and what was cut off can be gone on with.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::time::Duration;
use ui4a_tests::{Browser, PATIENCE, Page, Script, ScriptedModel, Setup, Ui4a};

const WHOLE: &str = "export default function App() {\n  return <p id=\"all\">One two three</p>;\n}\n";

fn cut(text: &str) -> Script {
    Script { finish: "length", ..Script::new(text) }
}

async fn session_with(scripts: impl IntoIterator<Item = Script>) -> Result<(ScriptedModel, Ui4a, String)> {
    let model = ScriptedModel::start(scripts).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    Ok((model, ui4a, session))
}

async fn open(ui4a: &Ui4a, session: &str) -> Result<(Browser, Page)> {
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    Ok((browser, page))
}

fn source(log: &[Value], rev: u64) -> String {
    let deltas = log.iter().filter(|event| event["type"] == "artifact.source" && event["rev"] == rev);
    deltas.filter_map(|event| event["delta"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_opening_that_is_cut_off_says_so_and_offers_to_go_on() -> Result<()> {
    let openings = ["<antArtifact ide", "```ui4a/tsx id=x", "Here it is.\n\n```ui4a/t", "```tsx"];
    let (_model, ui4a, session) = session_with(openings.map(cut)).await?;
    let (_browser, page) = open(&ui4a, &session).await?;
    for (at, opening) in openings.iter().enumerate() {
        ui4a.say(&session, "An interface").await?;
        let log = ui4a.wait_for_turns(&session, at + 1, PATIENCE).await?;
        let last = log.iter().rfind(|event| event["type"] == "turn.finished").context("it ends")?;
        assert_eq!(last["stop_reason"], "length");
        let closed: Vec<_> = log.iter().filter(|event| event["type"] == "artifact.closed").collect();
        assert!(closed.len() == at + 1 && closed[at]["truncated"] == true, "{opening:?}: {closed:?}");
        let text: String = log.iter().filter_map(|event| event["delta"].as_str()).collect();
        assert!(!text.contains('<') && !text.contains('`'), "half an opening is not prose: {text:?}");
        page.wait_for(&format!("document.querySelectorAll('.card[data-status=interrupted]').length === {}", at + 1))
            .await?;
    }
    let offers = "[...document.querySelectorAll('.card')].every((card) => [...card.querySelectorAll('button')].some((button) => button.innerText === 'Continue'))";
    page.wait_for(offers).await?;
    page.wait_for("!/Working|Writing/.test([...document.querySelectorAll('.turn-thinking:not([hidden]), .chip')].map((e) => e.innerText).join())").await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_nothing_is_no_empty_bubble() -> Result<()> {
    let (_model, ui4a, session) = session_with([cut(""), Script::new("")]).await?;
    let (_browser, page) = open(&ui4a, &session).await?;
    for turns in 1..=2 {
        ui4a.say(&session, "An interface").await?;
        ui4a.wait_for_turns(&session, turns, PATIENCE).await?;
        page.wait_for(&format!("document.querySelectorAll('.turn-nothing').length === {turns}")).await?;
    }
    page.wait_for("/limit/.test(document.querySelectorAll('.turn-nothing')[0].innerText)").await?;
    page.wait_for("[...document.querySelectorAll('.turn-nothing')].every((note) => note.querySelector('button'))").await
}

#[tokio::test(flavor = "multi_thread")]
async fn going_on_appends_from_the_cut_as_the_next_revision() -> Result<()> {
    let at = WHOLE.find("two").context("a middle")?;
    let (begun, rest) = WHOLE.split_at(at);
    // As models go on: in a fence of their own, with the last words again.
    let again = format!("```tsx\nOne {rest}```\n");
    let (model, ui4a, session) = session_with([
        cut(&format!("```ui4a/tsx id=x title=\"X\"\n{begun}")),
        Script::new(again).pause(Duration::from_millis(10)),
    ])
    .await?;
    let (_browser, page) = open(&ui4a, &session).await?;
    ui4a.say(&session, "An interface").await?;
    page.wait_for("[...document.querySelectorAll('.card button')].some((button) => button.innerText === 'Continue')")
        .await?;
    assert_eq!(model.asked().len(), 1, "what was cut off is not mended but offered to be gone on with");
    page.click(".card-mending button").await?;
    let log = ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    let closed = log.iter().rfind(|event| event["type"] == "artifact.closed").context("it is closed")?;
    assert_eq!((&closed["rev"], &closed["truncated"]), (&json!(2), &json!(false)), "{closed}");
    assert_eq!(source(&log, 2), WHOLE, "to the character");
    page.frame_where("document.querySelector('#all')?.innerText === 'One two three'").await?;
    let told = model.asked()[1]["messages"].to_string();
    assert!(told.contains("One ") && told.contains("cut off"), "{told}");
    page.wait_for("document.querySelectorAll('.card').length === 1").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_call_that_is_cut_off_is_an_interrupted_interface() -> Result<()> {
    let call = |arguments: &str| Script { tool: true, ..cut(arguments) };
    let scripts = [
        call("{\"title\": \"Da"),
        call("{\"title\": \"X\", \"code\": \"export default function App() { return <p>One"),
    ];
    let (_model, ui4a, session) = session_with(scripts).await?;
    for (at, expected) in ["", "export default function App() { return <p>One"].iter().enumerate() {
        ui4a.say(&session, "An interface").await?;
        let log = ui4a.wait_for_turns(&session, at + 1, PATIENCE).await?;
        let closed: Vec<_> = log.iter().filter(|event| event["type"] == "artifact.closed").collect();
        assert!(closed.len() == at + 1 && closed[at]["truncated"] == true, "{closed:?}");
        let of = |event: &&Value| event["type"] == "artifact.source" && event["artifact"] == closed[at]["artifact"];
        let source: String = log.iter().filter(of).filter_map(|event| event["delta"].as_str()).collect();
        assert_eq!(source, *expected);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_cut_off_cannot_be_gone_on_with() -> Result<()> {
    let (_model, ui4a, session) = session_with([cut("")]).await?;
    // What is not cut off cannot be gone on with.
    let made = ui4a.post(&format!("/api/sessions/{session}/artifacts"), json!({"code": WHOLE, "id": "x"})).await?;
    let path = format!("/api/artifacts/{}/continue", made["artifact"].as_str().unwrap_or_default());
    let refused = ui4a.request(reqwest::Method::POST, &path).json(&json!({})).send().await?;
    assert_eq!(refused.status(), 409);
    let problem: Value = refused.json().await?;
    assert_eq!(problem["code"], "not-cut-off", "{problem}");
    Ok(())
}
