//! Keys of programs: what each opens, and that none reads or takes what is another's.

use anyhow::{Context as _, Result, ensure};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use ui4a_tests::{PATIENCE, Script, ScriptedModel, Setup, Ui4a, eventually, server};

/// Runs `ui4a key …` beside the server.
async fn key(ui4a: &Ui4a, arguments: &[&str]) -> Result<String> {
    let output = server::command(ui4a.home.path())?.arg("key").args(arguments).output().await?;
    ensure!(output.status.success(), "ui4a key {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Asks with a key.
async fn ask(ui4a: &Ui4a, key: &str, method: Method, path: &str, body: Option<Value>) -> Result<(StatusCode, Value)> {
    let request = reqwest::Client::new().request(method, format!("{}{path}", ui4a.main)).bearer_auth(key);
    let answer = match body {
        Some(body) => request.json(&body),
        None => request,
    };
    let answer = answer.send().await?;
    Ok((answer.status(), answer.json().await?))
}

#[tokio::test(flavor = "multi_thread")]
async fn two_programs_cannot_read_each_others_responses() -> Result<()> {
    let model = ScriptedModel::start((0..8).map(|_| Script::new("Yes."))).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let (ada, bob) = (key(&ui4a, &["add", "ada"]).await?, key(&ui4a, &["add", "bob"]).await?);
    let hello = json!({"model": "ui4a:l0", "input": "Hello"});
    let (status, given) = ask(&ui4a, &ada, Method::POST, "/v1/responses", Some(hello)).await?;
    assert_eq!(status, StatusCode::OK, "{given}");
    let id = given["id"].as_str().context("an id")?;
    let path = format!("/v1/responses/{id}");

    assert_eq!(ask(&ui4a, &ada, Method::GET, &path, None).await?.1, given);
    for key in [bob.as_str(), ui4a.token.as_str()] {
        for (method, path) in
            [(Method::GET, path.clone()), (Method::DELETE, path.clone()), (Method::GET, format!("{path}/input_items"))]
        {
            let (status, told) = ask(&ui4a, key, method, &path, None).await?;
            assert_eq!((status, &told["error"]["code"]), (StatusCode::NOT_FOUND, &json!("response_not_found")));
        }
        let next = json!({"model": "ui4a:l0", "input": "And?", "previous_response_id": id});
        let (status, told) = ask(&ui4a, key, Method::POST, "/v1/responses", Some(next)).await?;
        assert_eq!((status, &told["error"]["param"]), (StatusCode::BAD_REQUEST, &json!("previous_response_id")));
    }

    // It is still there; and a key that was removed opens nothing, nor leaves anything behind for the next of its name.
    assert_eq!(ask(&ui4a, &ada, Method::GET, &path, None).await?.0, StatusCode::OK);
    key(&ui4a, &["rm", "ada"]).await?;
    let (status, told) = ask(&ui4a, &ada, Method::GET, &path, None).await?;
    assert_eq!((status, &told["error"]["code"]), (StatusCode::UNAUTHORIZED, &json!("invalid_api_key")));
    let again = key(&ui4a, &["add", "ada"]).await?;
    assert_eq!(ask(&ui4a, &again, Method::GET, &path, None).await?.0, StatusCode::NOT_FOUND);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_opens_the_apis_alone() -> Result<()> {
    let ui4a = Ui4a::start(Setup::default()).await?;
    let ada = key(&ui4a, &["add", "ada"]).await?;
    assert_eq!(ask(&ui4a, &ada, Method::GET, "/v1/models", None).await?.0, StatusCode::OK);
    for path in ["/api/sessions", "/registry/react", "/api/links"] {
        assert_eq!(ask(&ui4a, &ada, Method::GET, path, None).await?.0, StatusCode::UNAUTHORIZED, "{path}");
    }
    let nearly = format!("{}0", &ada[..ada.len() - 1]);
    for wrong in ["", "ui4a-", &ada[..20], &ada.to_uppercase(), if nearly == ada { "ui4a-x" } else { &nearly }] {
        assert_eq!(ask(&ui4a, wrong, Method::GET, "/v1/models", None).await?.0, StatusCode::UNAUTHORIZED, "{wrong}");
    }
    // Nothing of it is in the data folder.
    let listed = key(&ui4a, &["list"]).await?;
    ensure!(listed.starts_with("ada ") && !listed.contains(&ada[5..]), "{listed}");
    let refused = server::command(ui4a.home.path())?.args(["key", "add", "ada"]).output().await?;
    assert_eq!(refused.status.code(), Some(2));
    ensure!(String::from_utf8_lossy(&refused.stderr).contains("ui4a key rm ada"), "it says what to do");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_has_so_many_requests_at_a_time() -> Result<()> {
    let endless = Script { endless: true, ..Script::new("word ") };
    let model = ScriptedModel::start([endless, Script::new("Bob's."), Script::new("Free again.")]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let ada = key(&ui4a, &["add", "ada", "--running", "1"]).await?;
    let bob = key(&ui4a, &["add", "bob"]).await?;
    let talk = json!({"model": "ui4a:l0", "messages": [{"role": "user", "content": "Talk"}]});
    let mut streamed = talk.clone();
    streamed["stream"] = json!(true);
    let url = format!("{}/v1/chat/completions", ui4a.main);
    let mut first = reqwest::Client::new().post(&url).bearer_auth(&ada).json(&streamed).send().await?;
    ensure!(first.chunk().await?.is_some(), "it begins");

    let second = reqwest::Client::new().post(&url).bearer_auth(&ada).json(&talk).send().await?;
    assert_eq!(second.status(), StatusCode::TOO_MANY_REQUESTS);
    ensure!(second.headers().contains_key("retry-after"), "it says when");
    let told: Value = second.json().await?;
    assert_eq!(told["error"]["type"], "rate_limit_error", "{told}");
    // Neither another program nor what costs nothing has to wait for it.
    assert_eq!(ask(&ui4a, &ada, Method::GET, "/v1/models", None).await?.0, StatusCode::OK);
    let (status, said) = ask(&ui4a, &bob, Method::POST, "/v1/chat/completions", Some(talk.clone())).await?;
    assert_eq!((status, &said["choices"][0]["message"]["content"]), (StatusCode::OK, &json!("Bob's.")));

    drop(first);
    let said = eventually("an answer", PATIENCE, || async {
        let (_, told) = ask(&ui4a, &ada, Method::POST, "/v1/chat/completions", Some(talk.clone())).await?;
        Ok(told["choices"][0]["message"]["content"].as_str().map(str::to_owned))
    });
    assert_eq!(said.await?, "Free again.");
    Ok(())
}
