//! How fast a model file reads and writes on this machine.
//!
//! `cargo run --release -p ui4a-engine --example speed -- MODEL.gguf [threads]`: reads 512 tokens, then writes 64 greedily,
//! as build comparisons with llama.cpp do.

use anyhow::{Context, Result};
use futures::StreamExt;
use std::{path::PathBuf, time::Instant};
use ui4a_engine::{
    Backend, Chunk, Message, Request, Role,
    embedded::{Embedded, EmbeddedOptions},
};

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().context("name a model file")?);
    let threads = arguments.next().map(|n| n.parse()).transpose().context("threads is a number")?;

    let start = Instant::now();
    let model = Embedded::open(&path, EmbeddedOptions { threads, ..EmbeddedOptions::default() })?;
    println!("{}: opened in {:.2} s", model.name(), start.elapsed().as_secs_f64());

    let text: String = (0..).map(|i| format!("item {i}, ")).scan(0, |_, s| Some(s)).take(90).collect();
    for round in ["cold", "warm"] {
        let content = format!("{round}: continue this list. {text}");
        let request =
            Request { messages: vec![Message::new(Role::User, content)], max_tokens: 65, ..Request::default() };
        let (start, mut first) = ((Instant::now(), cpu_seconds()), None);
        let mut stream = model.generate(request).await?;
        while let Some(chunk) = stream.next().await {
            first.get_or_insert((start.0.elapsed().as_secs_f64(), cpu_seconds() - start.1));
            if let Chunk::Done { prompt_tokens, answer_tokens, stop } = chunk? {
                let (first, all) =
                    (first.unwrap_or_default(), (start.0.elapsed().as_secs_f64(), cpu_seconds() - start.1));
                let (read, wrote) = (prompt_tokens as f64, answer_tokens.saturating_sub(1) as f64);
                println!(
                    "{round}: read {read} tokens at {:.1} tok/s ({:.1} a CPU second), wrote {wrote} ({stop:?}) at {:.1} tok/s ({:.1})",
                    read / first.0,
                    read / first.1,
                    wrote / (all.0 - first.0),
                    wrote / (all.1 - first.1)
                );
            }
        }
    }
    Ok(())
}

/// Processor time of this program so far, which other programs do not slow down; 0 where the system does not say.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}
