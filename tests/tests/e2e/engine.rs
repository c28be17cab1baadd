//! The embedded engine over the APIs, on a tiny random model: what it writes means nothing, but how it writes does.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use ui4a_tests::{Setup, Ui4a};

fn fixture(name: &str) -> Result<PathBuf> {
    Ok(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/engine/tiny").join(name).canonicalize()?)
}

async fn start(home: &Arc<TempDir>) -> Result<(Ui4a, String)> {
    let model = fixture("llama.gguf")?.to_string_lossy().into_owned();
    let env = vec![("UI4A_MODEL".to_owned(), model.clone())];
    Ok((Ui4a::start(Setup { env, home: Some(Arc::clone(home)), ..Setup::default() }).await?, model))
}

fn home() -> Result<Arc<TempDir>> {
    Ok(Arc::new(ui4a_tests::server::new_home()?))
}

fn ask(model: &str, more: Value) -> Value {
    let mut asked = json!({"model": model, "messages": [{"role": "user", "content": "Say it."}], "max_tokens": 20});
    if let (Some(asked), Value::Object(more)) = (asked.as_object_mut(), more) {
        asked.extend(more);
    }
    asked
}

/// The status and body of an answer, whatever it is.
async fn raw(ui4a: &Ui4a, method: reqwest::Method, path: &str, body: Value) -> Result<(u16, Value)> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let request = client.request(method, format!("{}{path}", ui4a.main)).bearer_auth(&ui4a.token).json(&body);
    let answer = request.send().await?;
    Ok((answer.status().as_u16(), answer.json().await?))
}

#[tokio::test(flavor = "multi_thread")]
async fn schemas_probabilities_and_several_answers() -> Result<()> {
    let (ui4a, model) = start(&home()?).await?;
    let schema = json!({"type": "object", "properties": {"size": {"enum": ["small", "large"]}, "n": {"type": "integer",
        "minimum": 1, "maximum": 99}}, "required": ["size", "n"], "additionalProperties": false});
    let format = json!({"type": "json_schema", "json_schema": {"name": "size", "strict": true, "schema": schema}});
    let answer =
        ui4a.post("/v1/chat/completions", ask(&model, json!({"response_format": format, "max_tokens": 60}))).await?;
    let said = answer["choices"][0]["message"]["content"].as_str().context("content")?;
    let value: Value = serde_json::from_str(said).with_context(|| said.to_owned())?;
    ensure!(value["n"].as_i64().is_some_and(|n| (1..=99).contains(&n)) && value["size"].is_string(), "{said}");
    let text = json!({"format": {"type": "json_schema", "name": "size", "schema": schema}});
    let body = json!({"model": model, "input": "Say it.", "text": text, "max_output_tokens": 60});
    let answer = ui4a.post("/v1/responses", body).await?;
    let said = answer["output"][0]["content"][0]["text"].as_str().context("text")?;
    ensure!(serde_json::from_str::<Value>(said)?["size"].is_string(), "{said}");
    ensure!(answer["text"]["format"]["name"] == "size", "{answer}");

    let bad =
        json!({"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "no"}}}});
    let (status, fault) = raw(&ui4a, reqwest::Method::POST, "/v1/chat/completions", ask(&model, bad)).await?;
    ensure!(status == 400 && fault["error"]["code"] == "invalid_json_schema", "{status} {fault}");

    let asked = json!({"logprobs": true, "top_logprobs": 3, "temperature": 0});
    let answer = ui4a.post("/v1/chat/completions", ask(&model, asked)).await?;
    let told = answer["choices"][0]["logprobs"]["content"].as_array().context("logprobs")?.clone();
    ensure!(Some(told.len() as u64) == answer["usage"]["completion_tokens"].as_u64(), "{answer}");
    for token in &told {
        ensure!(token["top_logprobs"].as_array().is_some_and(|top| top.len() == 3), "{token}");
        ensure!(token["top_logprobs"][0]["logprob"] == token["logprob"] && token["bytes"].is_array(), "{token}");
    }

    let several = |seed: u64| ask(&model, json!({"n": 3, "seed": seed, "temperature": 1.5}));
    let answer = ui4a.post("/v1/chat/completions", several(5)).await?;
    let contents = |answer: &Value| -> Vec<String> {
        let choices = answer["choices"].as_array().cloned().unwrap_or_default();
        choices.iter().map(|choice| choice["message"]["content"].to_string()).collect()
    };
    let three = contents(&answer);
    ensure!(three.len() == 3 && three[0] != three[1] && three[1] != three[2], "{three:?}");
    ensure!(answer["choices"][2]["index"] == 2 && answer["usage"]["completion_tokens"].as_u64() > Some(20), "{answer}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn adapters_are_loaded_swapped_and_unloaded_while_serving_and_outlive_the_server() -> Result<()> {
    let home = home()?;
    let (ui4a, model) = start(&home).await?;
    let said = async |ui4a: &Ui4a, model: &str| -> Result<String> {
        let answer = ui4a.post("/v1/chat/completions", ask(model, json!({"temperature": 0}))).await?;
        Ok(answer["choices"][0]["message"]["content"].as_str().context("content")?.to_owned())
    };
    let load = |name: &str, folder: &str| -> Result<Value> {
        Ok(json!({"lora_name": name, "lora_path": fixture(folder)?.to_string_lossy()}))
    };
    let plain = said(&ui4a, &model).await?;
    let one = ui4a.post("/v1/load_lora_adapter", load("tone", "llama-one")?).await?;
    ensure!(one["rank"] == 8 && one["generation"].as_str().is_some_and(|hash| hash.len() == 64), "{one}");
    let first = said(&ui4a, "tone").await?;
    ensure!(first != plain, "the adapter answers");
    let two = ui4a.post("/v1/load_lora_adapter", load("tone", "llama-two")?).await?;
    ensure!(two["generation"] != one["generation"], "another generation");
    let second = said(&ui4a, "tone").await?;
    ensure!(second != first && second != plain && said(&ui4a, &model).await? == plain, "each is itself");

    let (_, models) = raw(&ui4a, reqwest::Method::GET, "/v1/models", json!({})).await?;
    ensure!(models["data"].as_array().is_some_and(|all| all.iter().any(|one| one["id"] == "tone")), "{models}");
    let post = reqwest::Method::POST;
    for (body, word) in [
        (load("other", "qwen3-one")?, "this model needs"),
        (json!({"lora_name": "other", "lora_path": "/nowhere/at/all"}), "/nowhere"),
        (json!({"lora_name": "other", "lora_path": "relative"}), "absolute"),
        (load("ui4a:l3", "llama-one")?, "lora_name"),
        (json!({"lora_name": "other"}), "lora_path"),
    ] {
        let (status, fault) = raw(&ui4a, post.clone(), "/v1/load_lora_adapter", body).await?;
        let message = fault["error"]["message"].as_str().unwrap_or_default();
        ensure!(status == 400 && message.contains(word), "{status} {fault}");
    }

    drop(ui4a.kill().await?);
    let (ui4a, _) = start(&home).await?;
    ensure!(said(&ui4a, "tone").await? == second, "the name outlives the server");
    let (_, listed) = raw(&ui4a, reqwest::Method::GET, "/v1/lora_adapters", json!({})).await?;
    ensure!(listed["data"][0]["id"] == "tone" && listed["data"][0]["status"] == "loaded", "{listed}");
    ui4a.post("/v1/unload_lora_adapter", json!({"lora_name": "tone"})).await?;
    let (status, fault) = raw(&ui4a, post.clone(), "/v1/chat/completions", ask("tone", json!({}))).await?;
    ensure!(status == 404 && fault["error"]["code"] == "model_not_found", "{status} {fault}");
    let (status, _) = raw(&ui4a, post, "/v1/unload_lora_adapter", json!({"lora_name": "tone"})).await?;
    ensure!(status == 404, "{status}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn readiness_is_what_it_says() -> Result<()> {
    let home = home()?;
    let (ui4a, model) = start(&home).await?;
    let ready = async |ui4a: &Ui4a| raw(ui4a, reqwest::Method::GET, "/readyz", json!({})).await;
    let (status, told) = ready(&ui4a).await?;
    ensure!(status == 200 && told["model_state"] == "on disk", "{status} {told}");
    ui4a.post("/v1/chat/completions", ask(&model, json!({}))).await?;
    let (status, told) = ready(&ui4a).await?;
    ensure!(status == 200 && told["model_state"] == "loaded" && told["load"]["alive"] == true, "{status} {told}");
    drop(ui4a.kill().await?);
    let env = vec![("UI4A_MODEL".to_owned(), "/nowhere/model.gguf".to_owned())];
    let ui4a = Ui4a::start(Setup { env, home: Some(home), ..Setup::default() }).await?;
    let (status, told) = ready(&ui4a).await?;
    ensure!(status == 503 && told["model_state"] == "missing", "{status} {told}");
    Ok(())
}
