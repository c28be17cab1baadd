//! What a program is told that shows an interface: the truth, whatever the page is like.

use crate::sources::COUNTER;
use anyhow::{Context as _, Result};
use futures::StreamExt as _;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use ui4a_tests::{Browser, PATIENCE, Script, ScriptedModel, Setup, Silent, Ui4a};

fn no_model() -> Setup {
    Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }
}

async fn show(ui4a: &Ui4a, session: &str, id: &str, code: &str) -> Result<Value> {
    ui4a.post(&format!("/api/sessions/{session}/artifacts?wait=paint"), json!({"code": code, "id": id})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_page_shows_is_what_the_program_is_told() -> Result<()> {
    let ui4a = Ui4a::start(no_model()).await?;
    let session = ui4a.session().await?;
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    page.wait_for("document.querySelector('.empty')").await?;

    let told = show(&ui4a, &session, "good", COUNTER).await?;
    assert_eq!((&told["status"], &told["page"]), (&json!("rendered"), &json!("visible")), "{told}");
    let told = show(&ui4a, &session, "blank", "export default function App() { return null; }").await?;
    assert_eq!(told["status"], "blank", "{told}");
    assert!(told["evidence"].as_str().is_some_and(|evidence| evidence.contains("Nothing is visible")), "{told}");

    // It is drawn first, and only then an effect throws: no “rendered”.
    let effect = "import { useEffect } from 'react';\nexport default function App() {\n  useEffect(() => { throw new Error('late'); }, []);\n  return <p>drawn</p>;\n}";
    let told = show(&ui4a, &session, "effect", effect).await?;
    assert_eq!(told["status"], "error", "{told}");
    assert!(
        told["evidence"].as_str().is_some_and(|evidence| evidence.contains("> 3 | ") && evidence.contains("late")),
        "{told}"
    );

    let told = show(&ui4a, &session, "good", "export default function App() { return <p>{</p>; }").await?;
    assert_eq!((&told["status"], &told["rev"]), (&json!("error"), &json!(2)), "{told}");
    let evidence = told["evidence"].as_str().unwrap_or_default();
    assert!(evidence.contains("does not compile") && evidence.contains("revision before it stays"), "{evidence}");
    page.frame_where("document.querySelector('#count')?.innerText === 'Count 0'").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_in_the_background_is_told_apart_from_none() -> Result<()> {
    let ui4a = Ui4a::start(no_model()).await?;
    let session = ui4a.session().await?;
    let alone = show(&ui4a, &session, "a", COUNTER).await?;
    assert_eq!((&alone["status"], &alone["page"]), (&json!("unseen"), &json!("none")), "{alone}");
    // A page that listens, and shows nothing: its tab is in the background.
    let path = format!("/api/sessions/{session}/events?page=p1&hidden=true");
    let mut events = ui4a.request(Method::GET, &path).send().await?.bytes_stream();
    events.next().await.context("it listens")??;
    let hidden = show(&ui4a, &session, "a", COUNTER).await?;
    assert_eq!((&hidden["status"], &hidden["page"]), (&json!("unseen"), &json!("hidden")), "{hidden}");
    assert!(hidden["evidence"].as_str().is_some_and(|words| words.contains("background")), "{hidden}");
    ui4a.post(&format!("/api/sessions/{session}/presence"), json!({"page": "p1", "visible": true})).await?;
    let stuck = show(&ui4a, &session, "a", COUNTER).await?;
    assert_eq!(stuck["page"], "visible", "{stuck}");
    assert!(stuck["evidence"].as_str().is_some_and(|words| words.contains("told nothing")), "{stuck}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn two_writers_of_one_artifact_do_not_interleave() -> Result<()> {
    let slow = Script::module("shop", COUNTER).pause(Duration::from_millis(40));
    let model = ScriptedModel::start([slow]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "A shop").await?;
    ui4a.wait_for_event(&session, "the artifact", PATIENCE, |event| event["type"] == "artifact.source").await?;
    let path = format!("/api/sessions/{session}/artifacts");
    let busy = ui4a.request(Method::POST, &path).json(&json!({"code": COUNTER, "id": "shop"})).send().await?;
    assert_eq!(busy.status(), 409);
    assert_eq!(busy.json::<Value>().await?["code"], "artifact-busy");
    let other = ui4a.post(&path, json!({"code": COUNTER, "id": "other"})).await?;
    assert_eq!(other["rev"], 1, "another artifact is free");
    ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    let both = ui4a_tests::eventually("the artifact to be free", PATIENCE, || async {
        Ok(ui4a.post(&path, json!({"code": COUNTER, "id": "shop"})).await.ok())
    });
    assert_eq!(both.await?["rev"], 2);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_while_a_program_shows_something_closes_it_at_the_next_start() -> Result<()> {
    // A registry that never answers keeps the revision open.
    let registry = Silent::start().await?;
    let home = std::sync::Arc::new(tempfile::tempdir()?);
    let env = vec![("npm_config_registry".to_owned(), registry.url.clone())];
    let setup = Setup { env, home: Some(std::sync::Arc::clone(&home)), ..no_model() };
    let ui4a = Ui4a::start(setup.clone()).await?;
    let session = ui4a.session().await?;
    let code =
        "import confetti from 'canvas-confetti';\nexport default function App() { return <p>{typeof confetti}</p>; }";
    let path = format!("/api/sessions/{session}/artifacts");
    let request = ui4a.request(Method::POST, &path).json(&json!({"code": code, "id": "x"}));
    let waiting = tokio::spawn(request.send());
    ui4a.wait_for_event(&session, "the source", PATIENCE, |event| event["type"] == "artifact.frame").await?;
    drop(ui4a.kill().await?);
    drop(waiting.await);

    let ui4a = Ui4a::start(setup).await?;
    let log = ui4a.log(&session).await?;
    let closed = log.iter().find(|event| event["type"] == "artifact.closed").context("it is closed")?;
    assert_eq!(closed["truncated"], true, "{closed}");
    assert!(log.iter().all(|event| event["type"] != "turn.failed"), "no turn was running");
    let artifact = ui4a.get(&format!("/api/artifacts/{}", closed["artifact"].as_str().unwrap_or_default())).await?;
    assert_eq!(artifact["revision"]["source"], code);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_heard_while_imports_are_on_their_way() -> Result<()> {
    let registry = Silent::start().await?;
    let code =
        "import confetti from 'canvas-confetti';\nexport default function App() { return <p>{typeof confetti}</p>; }";
    let model = ScriptedModel::start([Script::module("x", code)]).await?;
    let env = vec![("npm_config_registry".to_owned(), registry.url.clone())];
    let home = Some(std::sync::Arc::new(tempfile::tempdir()?));
    let setup = Setup { model_server: Some(model.url.clone()), env, home, ..Setup::default() };
    let ui4a = Ui4a::start(setup).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "Confetti").await?;
    let whole = |event: &Value| event["type"] == "artifact.frame" && event["complete"] == true;
    ui4a.wait_for_event(&session, "the whole source", PATIENCE, whole).await?;
    let asked = std::time::Instant::now();
    ui4a.post(&format!("/api/sessions/{session}/cancel"), json!({})).await?;
    let log = ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    assert!(asked.elapsed() < Duration::from_secs(10), "it does not wait for the registry: {:?}", asked.elapsed());
    assert!(log.iter().any(|event| event["type"] == "artifact.closed"), "and what was written is kept");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_that_comes_before_its_revision_is_stored_has_its_lines() -> Result<()> {
    let registry = Silent::start().await?;
    let code = "import confetti from 'canvas-confetti';\n\nconst rows = null;\nexport default function App() {\n  return <p>{rows.length}{typeof confetti}</p>;\n}";
    let model = ScriptedModel::start([Script::module("x", code)]).await?;
    let env = vec![("npm_config_registry".to_owned(), registry.url.clone())];
    let home = Some(std::sync::Arc::new(tempfile::tempdir()?));
    let setup = Setup { model_server: Some(model.url.clone()), env, home, ..Setup::default() };
    let ui4a = Ui4a::start(setup).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "Confetti").await?;
    let whole = |event: &Value| event["type"] == "artifact.frame" && event["complete"] == true;
    let log = ui4a.wait_for_event(&session, "the whole source", PATIENCE, whole).await?;
    let frame = log.iter().find(|event| whole(event)).context("a frame")?;
    // The registry is still being asked, so nothing is stored.
    let error = json!({"phase": "render", "message": "no length", "cell": "App", "line": 4, "column": 3});
    let report = json!({"rev": 1, "frame": frame["frame"], "status": "error", "errors": [error], "width": 1, "height": 1, "ms": 1});
    let path = format!("/api/artifacts/{}/reports", frame["artifact"].as_str().unwrap_or_default());
    let told = tokio::spawn(ui4a.request(Method::POST, &path).json(&report).send());
    ui4a.post(&format!("/api/sessions/{session}/cancel"), json!({})).await?;
    told.await??.error_for_status()?;
    let reported = |event: &Value| event["type"] == "artifact.report";
    let log = ui4a.wait_for_event(&session, "the report", PATIENCE, reported).await?;
    let report = log.iter().find(|event| reported(event)).context("a report")?;
    assert_eq!(report["errors"][0]["line"], 5, "the line of the model's source: {report}");
    Ok(())
}
