//! What people do in artifacts comes back to the agent, once, in order, and without what is hidden.

use crate::sources::PLANS;
use anyhow::Result;
use serde_json::{Value, json};
use std::time::Duration;
use ui4a_tests::{Browser, PATIENCE, Script, ScriptedModel, Setup, Ui4a};

const PAY: &str = r#"
import { sendAction } from "$ui4a/chat";
export default function App() {
  const pay = () => sendAction({ name: "pay", payload: { plan: "pro", card: ["4111", "1111"].join("-") }, visibility: { hidden: ["/card"] } });
  return <button id="pay" onClick={pay}>Pay</button>;
}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_click_starts_a_turn_and_the_conversation_goes_on() -> Result<()> {
    let model = ScriptedModel::start([Script::module("plans", PLANS), Script::new("You chose Pro. Good.")]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.say(&session, "Ask me which of three plans I want").await?;
    let frame = page.frame_where("document.querySelectorAll('button').length === 3").await?;
    ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    page.click_in(&frame, "[...document.querySelectorAll('button')].find((b) => b.innerText === 'Pro')").await?;
    let log = ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    let started: Vec<&Value> = log.iter().filter(|event| event["type"] == "turn.started").collect();
    assert_eq!(started[1]["input"]["action"]["text"], "I choose the Pro plan");
    assert_eq!(started[1]["input"]["action"]["gesture"], true, "the page saw the click");
    let asked = model.asked();
    let last = asked[1]["messages"].as_array().and_then(|all| all.last()).expect("a message");
    assert!(last["content"].as_str().unwrap_or_default().contains("I choose the Pro plan"), "{last}");
    page.wait_for("document.body.innerText.includes('You chose Pro')").await
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_fields_reach_the_log_and_no_model() -> Result<()> {
    let model = ScriptedModel::start([Script::module("pay", PAY), Script::new("Paid.")]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.say(&session, "A pay button").await?;
    let frame = page.frame_where("document.querySelector('#pay')").await?;
    ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    page.click_in(&frame, "document.querySelector('#pay')").await?;
    let log = ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    let action = log.iter().find(|event| event["type"] == "action.received").expect("an action");
    assert_eq!(action["payload"]["card"], "4111-1111", "the log keeps it");
    let asked = model.asked()[1].to_string();
    assert!(asked.contains("pro") && !asked.contains("4111-1111"), "the model does not see it: {asked}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_during_a_turn_waits_and_the_same_id_counts_once() -> Result<()> {
    let slow = Script::new("Thinking about it for a while. ".repeat(60)).pause(Duration::from_millis(25));
    let model = ScriptedModel::start([Script::module("plans", PLANS), slow, Script::new("Understood.")]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "Plans").await?;
    let log = ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    let opened = log.iter().find(|event| event["type"] == "artifact.opened").expect("an artifact");
    let artifact = opened["artifact"].as_str().unwrap_or_default();
    ui4a.say(&session, "And tell me more").await?;
    ui4a.wait_for_event(&session, "the second turn", PATIENCE, |event| {
        event["type"] == "text.delta" && event["delta"].as_str().is_some_and(|text| text.contains("Think"))
    })
    .await?;
    let action = json!({"id": "8b1c3a52-4a5e-4c3c-9d7e-1f2a3b4c5d6e", "rev": 1, "kind": "message", "text": "I choose Team", "gesture": true});
    let path = format!("/api/artifacts/{artifact}/actions");
    let first = ui4a.post(&path, action.clone()).await?;
    let again = ui4a.post(&path, action).await?;
    assert_eq!(first["seq"], again["seq"], "the same id answers the same");
    let log = ui4a.wait_for_turns(&session, 3, PATIENCE).await?;
    assert_eq!(log.iter().filter(|event| event["type"] == "action.received").count(), 1);
    let at = |kind: &str, nth: usize| {
        log.iter().enumerate().filter(|(_, event)| event["type"] == kind).nth(nth).map(|(at, _)| at)
    };
    assert!(at("action.received", 0) < at("turn.finished", 1), "it arrived during the turn");
    assert!(at("turn.finished", 1) < at("turn.started", 2), "its turn came after");
    let listed = ui4a.get(&format!("{path}?after=0")).await?;
    assert_eq!(listed["actions"][0]["text"], "I choose Team");
    Ok(())
}
