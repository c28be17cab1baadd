//! What the APIs cost beside the engine that answers: a long history, the end of an answer, strangers at the door.

use crate::row::{Row, median};
use crate::{Bench, Family};
use anyhow::{Context as _, Result, ensure};
use futures::StreamExt as _;
use futures::stream::iter;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use ui4a_tests::{Script, ScriptedModel, Setup, Ui4a};

/// The family.
pub const FAMILY: Family = Family {
    name: "apis",
    about: "a 200 KB history through us beside its engine asked directly; the end of an answer; memory under 100,000 strangers",
    run: |bench| Box::pin(run(bench)),
};

/// Pairs of requests, ours and the engine's in turn.
const PAIRS: usize = 100;
/// Messages of a kilobyte each.
const MESSAGES: usize = 200;
/// Requests without a key.
const STRANGERS: usize = 100_000;
const AT_A_TIME: usize = 32;

async fn run(bench: &Bench) -> Result<Vec<Row>> {
    let answer = || Script::new("Four words are here.");
    let at_once = (0..2 * PAIRS).map(|_| answer().pause(Duration::ZERO));
    let model = ScriptedModel::start(at_once.chain((0..bench.rounds).map(|_| answer()))).await?;
    let context = vec![("UI4A_OPENAI_CONTEXT_TOKENS".to_owned(), "200000".to_owned())];
    let setup = Setup { model_server: Some(model.url.clone()), env: context, ..Setup::default() };
    let ui4a = Ui4a::start(setup).await?;
    let client = Client::builder().no_proxy().build()?;
    let (ours, theirs) = history(&client, &ui4a, &model).await?;
    println!("apis: a 200 KB history takes {ours:.2} ms through us, {theirs:.2} ms at the engine (medians of {PAIRS})");
    let mut ends = Vec::new();
    for _ in 0..bench.rounds {
        ends.push(end_of_answer(&client, &ui4a).await?);
    }
    strangers(&client, &ui4a, STRANGERS / 20).await?;
    let before = ui4a.peak_memory()?;
    strangers(&client, &ui4a, STRANGERS).await?;
    let grown = ui4a.peak_memory()?.saturating_sub(before);
    Ok(vec![
        Row::limit("apis/harness-200kb", "ms", ours - theirs, 1.0),
        Row::limit("apis/finish-after-last-token", "ms", median(ends), 5.0),
        Row::limit("apis/memory-of-strangers", "MiB", grown as f64 / 1_048_576.0, 4.0),
    ])
}

/// Medians in milliseconds of a whole answer to a long history: through us, by one specialist, and of the engine alone.
async fn history(client: &Client, ui4a: &Ui4a, model: &ScriptedModel) -> Result<(f64, f64)> {
    let words = "one thing after another ".repeat(43);
    let messages: Vec<Value> = (0..MESSAGES)
        .map(|at| json!({"role": if at % 2 == 0 { "user" } else { "assistant" }, "content": format!("{at} {words}")}))
        .chain([json!({"role": "user", "content": "And now?"})])
        .collect();
    let ask = |model: &str| json!({"model": model, "stream": true, "messages": messages}).to_string();
    let (mine, direct) = (ask("ui4a:l0"), ask("scripted"));
    ensure!((200_000..260_000).contains(&mine.len()), "the history has {} bytes", mine.len());
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        ours.push(whole(client, &format!("{}/v1/chat/completions", ui4a.main), &ui4a.token, &mine).await?);
        theirs.push(whole(client, &format!("{}/chat/completions", model.url), "", &direct).await?);
    }
    Ok((median(ours), median(theirs)))
}

/// Milliseconds until the last byte of an answer.
async fn whole(client: &Client, url: &str, key: &str, body: &str) -> Result<f64> {
    let request = client.post(url).bearer_auth(key).header("content-type", "application/json").body(body.to_owned());
    let started = Instant::now();
    let answer = request.send().await?;
    let (status, text) = (answer.status(), answer.text().await?);
    let took = started.elapsed().as_secs_f64() * 1e3;
    ensure!(status == StatusCode::OK && text.contains("[DONE]"), "{status}: {text}");
    Ok(took)
}

/// Milliseconds between the last of the text and the event that says how the answer ended.
async fn end_of_answer(client: &Client, ui4a: &Ui4a) -> Result<f64> {
    let body = json!({"model": "ui4a:l0", "stream": true, "messages": [{"role": "user", "content": "Hello"}]});
    let url = format!("{}/v1/chat/completions", ui4a.main);
    let mut answer = client.post(url).bearer_auth(&ui4a.token).json(&body).send().await?.error_for_status()?;
    let (mut text, mut last) = (String::new(), None);
    while let Some(chunk) = answer.chunk().await? {
        let now = Instant::now();
        text.push_str(std::str::from_utf8(&chunk)?);
        if chunk.windows(10).any(|part| part == b"\"content\":") {
            last = Some(now);
        }
        if text.contains("\"finish_reason\":\"stop\"") {
            let last = last.context("an answer without a text")?;
            return Ok(now.duration_since(last).as_secs_f64() * 1e3);
        }
    }
    anyhow::bail!("the answer never ended: {text}")
}

/// Requests without a key to paths that nobody asked for before.
async fn strangers(client: &Client, ui4a: &Ui4a, count: usize) -> Result<()> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let paths: Vec<String> = (0..count)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let area = ["v1/responses", "v1", "api/sessions", "m", "registry", "x"][(state >> 33) as usize % 6];
            format!("{}/{area}/{state:016x}", ui4a.main)
        })
        .collect();
    let mut asked = iter(paths).map(|path| client.get(path).send()).buffer_unordered(AT_A_TIME);
    while let Some(answer) = asked.next().await {
        let answer = answer?;
        ensure!(answer.status() == StatusCode::UNAUTHORIZED, "{} for {}", answer.status(), answer.url());
        drop(answer.bytes().await?);
    }
    Ok(())
}
