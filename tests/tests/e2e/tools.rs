//! Tools of a program, over the three APIs: who calls, who reads the results, and what must match.

use anyhow::{Context as _, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use ui4a_tests::{Script, ScriptedModel, Setup, Ui4a};

async fn start(scripts: impl IntoIterator<Item = Script>) -> Result<(ScriptedModel, Ui4a)> {
    let model = ScriptedModel::start(scripts).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    Ok((model, ui4a))
}

fn two_calls() -> Script {
    Script::calling(&[("weather", r#"{"city": "Rome", "days": 2}"#), ("time", r#"{"zone": "Europe/Rome"}"#)])
}

fn function(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name, "description": name, "parameters": {"type": "object"}}})
}

fn chat(messages: &[Value]) -> Value {
    json!({"model": "ui4a", "messages": messages, "tools": [function("weather"), function("time")]})
}

/// The events of a stream, by what they hold.
async fn events(ui4a: &Ui4a, path: &str, body: Value) -> Result<Vec<Value>> {
    let text = ui4a.request(Method::POST, path).json(&body).send().await?.text().await?;
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]");
    Ok(lines.map(serde_json::from_str).collect::<Result<_, _>>()?)
}

#[tokio::test(flavor = "multi_thread")]
async fn results_go_on_with_who_called_and_a_loop_that_was_given_up_is_closed() -> Result<()> {
    let (model, ui4a) = start([two_calls()]).await?;
    let mut messages = vec![json!({"role": "user", "content": "Weather and time in Rome?"})];
    let answer = ui4a.post("/v1/chat/completions", chat(&messages)).await?;
    let choice = &answer["choices"][0];
    ensure!(choice["finish_reason"] == "tool_calls" && choice["message"]["content"].is_null(), "{answer}");
    let calls = choice["message"]["tool_calls"].as_array().context("calls")?.clone();
    ensure!(calls.len() == 2 && calls[0]["function"]["arguments"] == r#"{"city": "Rome", "days": 2}"#, "{answer}");
    assert_eq!(model.asked()[0]["tools"][1]["function"]["name"], "time");

    // The client writes arguments its own way, and answers in another order; the router would choose somebody else.
    let mut said = choice["message"].clone();
    said["tool_calls"][0]["function"]["arguments"] = r#"{"days":2,"city":"Rome"}"#.into();
    messages.push(said);
    messages.extend(
        [1, 0].map(|at| json!({"role": "tool", "tool_call_id": calls[at]["id"], "content": format!("result {at}")})),
    );
    model.push(Script { route: '3', ..Script::new("Sunny at noon.") });
    let answer = ui4a.post("/v1/chat/completions", chat(&messages)).await?;
    assert_eq!((&answer["ui4a"]["specialist"], &answer["ui4a"]["route_tokens"]), (&json!("L1"), &json!(0)), "{answer}");
    let asked = model.asked();
    let read = asked[1]["messages"].as_array().context("messages")?;
    assert_eq!((&read[2]["tool_calls"][1]["id"], &read[3]["content"]), (&calls[1]["id"], &json!("result 0")));

    // Given up: the calls are closed, and others read of them as context.
    messages.truncate(2);
    messages.push(json!({"role": "user", "content": "Never mind. Hello!"}));
    model.push(Script { route: '1', ..Script::new("Hello.") });
    ui4a.post("/v1/chat/completions", chat(&messages)).await?;
    let asked = model.asked();
    let roles: Vec<_> = asked[2]["messages"].as_array().into_iter().flatten().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "user"]);
    ensure!(asked[2]["messages"][3]["content"].as_str().is_some_and(|text| text.contains("given up")), "{asked:#?}");
    model.push(Script { route: '0', ..Script::new("Hello.") });
    ui4a.post("/v1/chat/completions", chat(&messages)).await?;
    let asked = model.asked();
    let read = asked[3]["messages"].as_array().context("messages")?;
    ensure!(
        read.len() == 2 && read[1]["content"].as_str().is_some_and(|t| t.contains("(tools used: weather, time)")),
        "{read:#?}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_match_is_refused_and_one_call_is_one() -> Result<()> {
    let (model, ui4a) = start([]).await?;
    let user = json!({"role": "user", "content": "Go"});
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "weather", "arguments": "{}"}});
    let called = json!({"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "1"});
    for (messages, word) in [
        (vec![user.clone(), result("a")], "`a`"),
        (vec![user.clone(), called.clone(), result("a")], "no result: b"),
        (vec![user.clone(), called.clone(), result("a"), result("c")], "`c`"),
        (vec![user.clone(), called.clone(), result("a"), result("a"), result("b")], "two results"),
        (vec![user.clone(), called.clone()], "no result: a, b"),
    ] {
        let answer = ui4a.request(Method::POST, "/v1/chat/completions").json(&chat(&messages)).send().await?;
        let (status, told) = (answer.status().as_u16(), answer.json::<Value>().await?);
        ensure!(
            status == 400 && told["error"]["message"].as_str().is_some_and(|text| text.contains(word)),
            "{word}: {told}"
        );
    }
    ensure!(model.asked().is_empty(), "nobody was asked");
    model.push(two_calls());
    let mut body = chat(&[user]);
    (body["parallel_tool_calls"], body["tool_choice"]) = (false.into(), "required".into());
    let answer = ui4a.post("/v1/chat/completions", body).await?;
    assert_eq!(answer["choices"][0]["message"]["tool_calls"].as_array().map(Vec::len), Some(1), "{answer}");
    assert_eq!(model.asked()[0]["tool_choice"], "required");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_stream_over_each_api() -> Result<()> {
    let (model, ui4a) =
        start([two_calls(), two_calls(), two_calls(), Script::new("Sunny."), Script::new("Sunny.")]).await?;
    let user = json!({"role": "user", "content": "Weather?"});
    let mut body = chat(std::slice::from_ref(&user));
    body["stream"] = true.into();
    let told = events(&ui4a, "/v1/chat/completions", body).await?;
    let arguments = |index: u64| -> String {
        let calls =
            told.iter().flat_map(|event| event["choices"][0]["delta"]["tool_calls"].as_array().into_iter().flatten());
        calls.filter(|call| call["index"] == index).filter_map(|call| call["function"]["arguments"].as_str()).collect()
    };
    assert_eq!(
        (arguments(0), arguments(1)),
        (r#"{"city": "Rome", "days": 2}"#.into(), r#"{"zone": "Europe/Rome"}"#.into())
    );
    ensure!(told.iter().any(|event| event["choices"][0]["finish_reason"] == "tool_calls"), "{told:#?}");

    let tools = json!([{"name": "weather", "input_schema": {"type": "object"}}, {"name": "time", "input_schema": {"type": "object"}}]);
    let mut body = json!({"model": "ui4a", "max_tokens": 100, "messages": [user], "tools": tools, "stream": true});
    let told = events(&ui4a, "/v1/messages", body.clone()).await?;
    let blocks: Vec<&Value> = told.iter().filter(|event| event["type"] == "content_block_start").collect();
    ensure!(blocks.len() == 2 && blocks[1]["content_block"]["name"] == "time" && blocks[1]["index"] == 1, "{told:#?}");
    let parts =
        told.iter().filter(|event| event["index"] == 0).filter_map(|event| event["delta"]["partial_json"].as_str());
    assert_eq!(parts.collect::<String>(), r#"{"city": "Rome", "days": 2}"#);
    ensure!(told.iter().any(|event| event["delta"]["stop_reason"] == "tool_use"), "{told:#?}");
    let uses: Vec<Value> = blocks
        .iter()
        .zip([json!({"days": 2, "city": "Rome"}), json!({"zone": "Europe/Rome"})])
        .map(|(block, input)| json!({"type": "tool_use", "id": block["content_block"]["id"], "name": block["content_block"]["name"], "input": input}))
        .collect();

    let tools = json!([{"type": "function", "name": "weather", "parameters": {"type": "object"}}, {"type": "function", "name": "time"}]);
    let asked = json!({"model": "ui4a", "input": "Weather?", "tools": tools, "stream": true});
    let told = events(&ui4a, "/v1/responses", asked).await?;
    let numbers: Vec<u64> = told.iter().filter_map(|event| event["sequence_number"].as_u64()).collect();
    assert_eq!(numbers, (0..told.len() as u64).collect::<Vec<_>>());
    let response = &told.last().context("an end")?["response"];
    let output = response["output"].as_array().context("output")?;
    ensure!(
        output.len() == 2 && output[1]["name"] == "time" && output[0]["arguments"] == r#"{"city": "Rome", "days": 2}"#,
        "{response}"
    );
    let outputs: Vec<Value> = output
        .iter()
        .map(|call| json!({"type": "function_call_output", "call_id": call["call_id"], "output": "Sunny"}))
        .collect();
    let next = json!({"model": "ui4a", "input": outputs, "previous_response_id": response["id"], "tools": tools});
    let answer = ui4a.post("/v1/responses", next).await?;
    ensure!(answer["ui4a"]["specialist"] == "L1" && answer["output"][0]["content"][0]["text"] == "Sunny.", "{answer}");

    let results: Vec<Value> =
        uses.iter().map(|call| json!({"type": "tool_result", "tool_use_id": call["id"], "content": "Sunny"})).collect();
    body["stream"] = false.into();
    body["messages"] = json!([user, {"role": "assistant", "content": uses}, {"role": "user", "content": results}]);
    let answer = ui4a.post("/v1/messages", body).await?;
    ensure!(answer["ui4a"]["specialist"] == "L1" && answer["content"][0]["text"] == "Sunny.", "{answer}");
    let asked = model.asked();
    let last = asked[4]["messages"].as_array().context("messages")?;
    assert_eq!(last.iter().filter(|message| message["role"] == "tool").count(), 2);
    Ok(())
}
