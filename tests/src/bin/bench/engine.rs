//! The embedded engine through the running server, on the default model: what an adapter costs, what four requests
//! together bring, and when an answer's end is told.

use crate::row::{Row, median};
use crate::{Bench, Family};
use anyhow::{Context as _, Result, ensure};
use futures::StreamExt as _;
use futures::future::try_join_all;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tempfile::TempDir;
use ui4a_tests::{Setup, Ui4a};

/// The family.
pub const FAMILY: Family = Family {
    name: "engine",
    about: "milliseconds a token on the default model: with an adapter of rank 16, and four requests beside one; the end's delay",
    run: |bench| Box::pin(run(bench)),
};

/// Tokens that each measurement writes.
const TOKENS: usize = 48;
/// Of the default model: layers, and `(name, out, in)` of its matrices.
const LAYERS: usize = 28;
const MATRICES: [(&str, usize, usize); 7] = [
    ("self_attn.q_proj", 1536, 1536),
    ("self_attn.k_proj", 256, 1536),
    ("self_attn.v_proj", 256, 1536),
    ("self_attn.o_proj", 1536, 1536),
    ("mlp.gate_proj", 8960, 1536),
    ("mlp.up_proj", 8960, 1536),
    ("mlp.down_proj", 1536, 8960),
];
const RANK: usize = 16;

async fn run(bench: &Bench) -> Result<Vec<Row>> {
    let ui4a = Ui4a::start(Setup { home: Some(Arc::new(TempDir::new()?)), ..Setup::default() }).await?;
    let models: Value = ui4a.get("/v1/models").await?;
    let model = models["data"][5]["id"].as_str().context("the model's own name")?.to_owned();
    let folder = TempDir::new()?;
    adapter(folder.path())?;
    ui4a.post("/v1/load_lora_adapter", json!({"lora_name": "nothing", "lora_path": folder.path()})).await?;
    // Warm: the weights are read from the disk once.
    write(&ui4a, &model, 0).await?;
    write(&ui4a, "nothing", 0).await?;
    let (mut plain, mut adapted, mut four, mut ends) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..bench.rounds {
        let one = write(&ui4a, &model, round).await?;
        ends.push(one.end);
        plain.push(one.token);
        adapted.push(write(&ui4a, "nothing", round).await?.token);
        let began = Instant::now();
        let all = try_join_all((0..4).map(|at| write(&ui4a, &model, round * 4 + at))).await?;
        let written: usize = all.iter().map(|one| one.tokens).sum();
        // From the first that begins to the last that ends, reading what they are asked included.
        four.push(began.elapsed().as_secs_f64() * 1e3 / written as f64);
    }
    let mut alone = Vec::new();
    for round in 0..bench.rounds {
        let began = Instant::now();
        let one = write(&ui4a, &model, round * 4).await?;
        alone.push(began.elapsed().as_secs_f64() * 1e3 / one.tokens as f64);
    }
    let (plain, adapted) = (median(plain), median(adapted));
    println!("engine: {:.1} ms a token, with an adapter {:.1}", plain, adapted);
    Ok(vec![
        Row::limit("engine/adapter-overhead", "%", (adapted / plain - 1.0) * 100.0, 10.0),
        Row::peer("engine/four-together", "ms", median(four), ("one alone", median(alone)), 1.8),
        Row::limit("engine/end-after-last-token", "ms", median(ends), 5.0),
    ])
}

/// What one answer took.
struct Written {
    tokens: usize,
    /// Milliseconds between two pieces of text.
    token: f64,
    /// Milliseconds from the last text to the end.
    end: f64,
}

async fn write(ui4a: &Ui4a, model: &str, seed: usize) -> Result<Written> {
    let ask = format!("Write a very long story about a river, a mill and the sea, number {seed}. Do not stop early.");
    let body = json!({"model": model, "stream": true, "max_tokens": TOKENS, "temperature": 0,
        "stream_options": {"include_usage": true}, "messages": [{"role": "user", "content": ask}]});
    let client = reqwest::Client::builder().no_proxy().build()?;
    let url = format!("{}/v1/chat/completions", ui4a.main);
    let answer = client.post(url).bearer_auth(&ui4a.token).json(&body).send().await?.error_for_status()?;
    let mut stream = answer.bytes_stream();
    let (mut rest, mut times, mut end, mut tokens) = (String::new(), Vec::new(), None, 0);
    while let Some(bytes) = stream.next().await {
        rest.push_str(&String::from_utf8_lossy(&bytes?));
        while let Some((event, more)) = rest.split_once("\n\n") {
            let now = Instant::now();
            let data = event.trim_start_matches("data: ").to_owned();
            rest = more.to_owned();
            let Ok(value) = serde_json::from_str::<Value>(&data) else { continue };
            if value["choices"][0]["delta"]["content"].as_str().is_some_and(|text| !text.is_empty()) {
                times.push(now);
            }
            if value["choices"][0]["finish_reason"].is_string() {
                end = Some(now);
            }
            tokens = value["usage"]["completion_tokens"].as_u64().map_or(tokens, |count| count as usize);
        }
    }
    let last = times.last().context("text")?;
    ensure!(tokens > TOKENS / 2, "the answer ended after {tokens} tokens");
    // The median gap: a busy moment of the machine is none of the model's.
    let token = median(times.windows(2).map(|two| (two[1] - two[0]).as_secs_f64() * 1e3).collect());
    Ok(Written { tokens, token, end: (end.context("an end")? - *last).as_secs_f64() * 1e3 })
}

/// An adapter for the default model that changes nothing: its `B` is zero, and it is computed all the same.
fn adapter(folder: &Path) -> Result<()> {
    let settings = json!({"peft_type": "LORA", "r": RANK, "lora_alpha": RANK, "bias": "none"});
    std::fs::write(folder.join("adapter_config.json"), settings.to_string())?;
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for layer in 0..LAYERS {
        for (name, out, into) in MATRICES {
            for (part, rows, columns) in [("A", RANK, into), ("B", out, RANK)] {
                let begin = data.len();
                // 2^-6 as bfloat16, little-endian, or nothing.
                let number: [u8; 2] = if part == "A" { [0x80, 0x3c] } else { [0, 0] };
                (0..rows * columns).for_each(|_| data.extend(number));
                let name = format!("base_model.model.model.layers.{layer}.{name}.lora_{part}.weight");
                let tensor = json!({"dtype": "BF16", "shape": [rows, columns], "data_offsets": [begin, data.len()]});
                header.insert(name, tensor);
            }
        }
    }
    let header = serde_json::to_vec(&header)?;
    let file = [(header.len() as u64).to_le_bytes().to_vec(), header, data].concat();
    std::fs::write(folder.join("adapter_model.safetensors"), file)?;
    Ok(())
}
