//! The model over the APIs of others: the official clients, and what they do not show.

use anyhow::{Context as _, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use ui4a_tests::{PATIENCE, Script, ScriptedModel, Setup, Ui4a, eventually};

async fn start(scripts: impl IntoIterator<Item = Script>) -> Result<(ScriptedModel, Ui4a)> {
    let model = ScriptedModel::start(scripts).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    Ok((model, ui4a))
}

/// The official JavaScript clients, from the registry by their lock.
#[tokio::test(flavor = "multi_thread")]
async fn the_official_clients_are_served() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sdk");
    if !folder.join("node_modules/openai").is_dir() {
        let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
        let installed = Command::new("npm").args(install).current_dir(&folder).status().await.context("npm")?;
        ensure!(installed.success(), "npm ci failed in tests/sdk");
    }
    let (model, ui4a) = start((0..60).map(|_| Script::new("Four words are here."))).await?;
    let suite = Command::new("node")
        .args(["suite.mjs", &ui4a.main, &ui4a.token])
        .env("NO_PROXY", "127.0.0.1")
        .current_dir(&folder)
        .stderr(Stdio::inherit())
        .output();
    let suite = tokio::time::timeout(Duration::from_secs(120), suite).await.context("the suite never ends")??;
    let said = String::from_utf8_lossy(&suite.stdout);
    ensure!(suite.status.success() && said.contains("0 failed"), "{said}");
    // Its instructions come first, the program's own words after them.
    let asked = model.asked();
    let told = |asked: &Value| asked["messages"][0]["content"].as_str().unwrap_or_default().to_owned();
    ensure!(asked.iter().any(|asked| told(asked).ends_with("\n\nBe short.")), "{asked:#?}");
    // What was said before is read again with the next question of a chain.
    let chained = |asked: &Value| {
        let said: Vec<_> =
            asked["messages"].as_array().into_iter().flatten().skip(1).map(|m| m["content"].clone()).collect();
        said == ["My name is Ada.", "Four words are here.", "What is it?"]
    };
    ensure!(asked.iter().any(chained), "{asked:#?}");
    // A model server is asked for what only it can do.
    let held = |asked: &Value| {
        asked["response_format"]["json_schema"]["schema"]["required"] == json!(["a"])
            && asked["presence_penalty"] == 1.0
            && asked["frequency_penalty"] == 0.5
    };
    ensure!(asked.iter().any(held), "{asked:#?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_response_survives_a_kill() -> Result<()> {
    let model = ScriptedModel::start([Script::new("Kept.")]).await?;
    let home = std::sync::Arc::new(ui4a_tests::server::new_home()?);
    let setup = Setup { model_server: Some(model.url.clone()), home: Some(home), ..Setup::default() };
    let ui4a = Ui4a::start(setup.clone()).await?;
    let answer = ui4a.post("/v1/responses", json!({"model": "ui4a:l0", "input": "Hello"})).await?;
    let path = format!("/v1/responses/{}", answer["id"].as_str().context("an id")?);
    drop(ui4a.kill().await?);
    let ui4a = Ui4a::start(setup).await?;
    assert_eq!(ui4a.get(&path).await?, answer, "to the byte");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_stops_the_model() -> Result<()> {
    let endless = Script { endless: true, ..Script::new("word ") };
    let (_model, ui4a) = start([endless, Script::new("Free again.")]).await?;
    let body = json!({"model": "ui4a:l0", "stream": true, "messages": [{"role": "user", "content": "Talk"}]});
    let mut answer = ui4a.request(Method::POST, "/v1/chat/completions").json(&body).send().await?;
    ensure!(answer.chunk().await?.is_some(), "it begins");
    drop(answer);
    let body = json!({"model": "ui4a:l0", "messages": [{"role": "user", "content": "Talk"}]});
    let said = eventually("an answer", PATIENCE, || async {
        let answer = ui4a.post("/v1/chat/completions", body.clone()).await?;
        Ok(answer["choices"][0]["message"]["content"].as_str().map(str::to_owned))
    });
    assert_eq!(said.await?, "Free again.");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_has_the_shape_of_the_api() -> Result<()> {
    let nobody = Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() };
    let ui4a = Ui4a::start(nobody).await?;
    let hello = json!([{"role": "user", "content": "Hello"}]);
    for (path, body, status, code) in [
        ("/v1/chat/completions", json!({"model": "ui4a:l0", "messages": hello}), 503, "model_unavailable"),
        ("/v1/chat/completions", json!({"messages": hello}), 400, "missing_required_parameter"),
        ("/v1/chat/completions", json!([1]), 400, "invalid_json"),
        ("/v1/completions", json!({}), 404, "unknown_url"),
    ] {
        let answer = ui4a.request(Method::POST, path).json(&body).send().await?;
        let (seen, told) = (answer.status().as_u16(), answer.json::<Value>().await?);
        assert_eq!((seen, told["error"]["code"].as_str()), (status, Some(code)), "{told}");
        ensure!(told["error"]["message"].as_str().is_some_and(|message| message.len() > 10), "{told}");
    }
    let body = json!({"model": "ui4a:l0", "max_tokens": 5, "messages": hello});
    let answer = ui4a.request(Method::POST, "/v1/messages").json(&body).send().await?;
    let (seen, told) = (answer.status().as_u16(), answer.json::<Value>().await?);
    assert_eq!(
        (seen, &told["type"], &told["error"]["type"]),
        (503, &json!("error"), &json!("overloaded_error")),
        "{told}"
    );
    // Too long a body, and no token, before anything is read.
    let long = format!("{{\"model\": \"{}\"}}", "x".repeat(9 << 20));
    let answer = ui4a.request(Method::POST, "/v1/messages").body(long).send().await?;
    let (seen, told) = (answer.status().as_u16(), answer.json::<Value>().await?);
    assert_eq!((seen, &told["error"]["type"]), (413, &json!("request_too_large")), "{told}");
    let answer = reqwest::Client::builder().no_proxy().build()?.get(format!("{}/v1/models", ui4a.main)).send().await?;
    let (seen, told) = (answer.status().as_u16(), answer.json::<Value>().await?);
    assert_eq!((seen, &told["error"]["type"]), (401, &json!("authentication_error")), "{told}");
    Ok(())
}
