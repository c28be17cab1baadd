//! A module replayed by `ui4a stream`, and modules of several sizes made of one.

use crate::Bench;
use anyhow::{Context as _, Result, ensure};
use std::collections::BTreeSet;
use std::path::Path;
use tokio::process::Command;

/// Bytes of a chunk: about a token of a model.
pub const CHUNK: usize = 12;

/// The module that streams are measured with: 20 KB of imports, data, charts, forms and components.
pub const MODULE: &str = "tests/fixtures/bench/operations.tsx";

/// One replay.
pub struct Replay {
    /// Microseconds that each chunk took.
    pub micros: Vec<f64>,
    /// Bytes of all patches.
    pub frame_bytes: f64,
}

impl Replay {
    /// Replays a file in chunks of [`CHUNK`] bytes, in a process of its own.
    pub async fn of(bench: &Bench, file: &Path) -> Result<Self> {
        let run = Command::new(&bench.program)
            .args(["stream", "--json", "--chunk", &CHUNK.to_string()])
            .arg(file)
            .output()
            .await
            .context("ui4a stream")?;
        ensure!(run.status.success(), "ui4a stream {}: {}", file.display(), String::from_utf8_lossy(&run.stderr));
        let (mut micros, mut frame_bytes) = (Vec::new(), 0.0);
        for line in String::from_utf8(run.stdout)?.lines() {
            let chunk: serde_json::Value = serde_json::from_str(line)?;
            ensure!(chunk["ok"] == true, "a chunk of {} failed: {line}", file.display());
            micros.push(chunk["micros"].as_f64().context("no micros")?);
            frame_bytes += chunk["frame_bytes"].as_f64().context("no frame_bytes")?;
        }
        Ok(Self { micros, frame_bytes })
    }

    /// Milliseconds that all of it took.
    pub fn total_ms(&self) -> f64 {
        self.micros.iter().sum::<f64>() / 1000.0
    }
}

/// The module with its components and data `count` times over, each time under names of its own; imports stay once, and
/// the last copy is the default export.
pub fn copies(module: &str, count: usize) -> String {
    let body = module.find("\n\n").map_or(0, |end| end + 2);
    let (imports, body) = module.split_at(body);
    let names = declared(body);
    let mut text = imports.to_owned();
    for copy in 1..=count {
        let own = renamed(body, &names, copy);
        text.push_str(&if copy < count { own.replace("export default function", "function") } else { own });
        text.push('\n');
    }
    text
}

/// The names that lines without indentation declare.
fn declared(body: &str) -> BTreeSet<&str> {
    let words = ["function", "const", "class", "interface", "type", "enum", "let"];
    body.lines()
        .filter_map(|line| {
            let mut tokens = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|token| !token.is_empty());
            let first = tokens.find(|token| !matches!(*token, "export" | "default"))?;
            (words.contains(&first) && !line.starts_with(char::is_whitespace)).then(|| tokens.next()).flatten()
        })
        .collect()
}

/// The body with a number behind each of the names, wherever it stands as a word.
fn renamed(body: &str, names: &BTreeSet<&str>, number: usize) -> String {
    let mut text = String::with_capacity(body.len() + body.len() / 8);
    let mut rest = body;
    while !rest.is_empty() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end);
        text.push_str(word);
        if names.contains(word) && !text[..text.len() - word.len()].ends_with('.') {
            text.push_str(&number.to_string());
        }
        let gap = tail.find(is_word).unwrap_or(tail.len());
        text.push_str(&tail[..gap]);
        rest = &tail[gap..];
    }
    text
}
