//! What a stream costs: time and bytes a chunk, and how they grow with the module.

use crate::replay::{MODULE, Replay, copies};
use crate::row::{Row, median, quantile};
use crate::{Bench, Family};
use anyhow::{Context as _, Result, ensure};
use std::path::Path;
use tokio::process::Command;

/// The family.
pub const FAMILY: Family = Family {
    name: "stream",
    about: "server time and frame bytes of a 20 KB module in 12-byte chunks, of twice that and of 185 KB",
    run: |bench| Box::pin(run(bench)),
};

async fn run(bench: &Bench) -> Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let module = std::fs::read_to_string(bench.root.join(MODULE)).context(MODULE)?;
    let write = |name: &str, text: String| -> Result<std::path::PathBuf> {
        let path = folder.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    };
    let one = write("one.tsx", copies(&module, 1))?;
    let two = write("two.tsx", copies(&module, 2))?;
    let many = write("many.tsx", copies(&module, (185_000 / module.len()).max(1)))?;
    let mut rounds = Vec::new();
    for _ in 0..bench.rounds {
        rounds.push((Replay::of(bench, &one).await?, Replay::of(bench, &two).await?, Replay::of(bench, &many).await?));
    }
    let compiled = compiled_bytes(bench, &one).await?;
    let over = |figure: &dyn Fn(&(Replay, Replay, Replay)) -> f64| median(rounds.iter().map(figure).collect());
    Ok(vec![
        Row::limit("stream/20k-p50", "µs", over(&|round| quantile(&round.0.micros, 0.50)), 300.0),
        Row::limit("stream/20k-p99", "µs", over(&|round| quantile(&round.0.micros, 0.99)), 2_000.0),
        Row::limit("stream/185k-p99", "µs", over(&|round| quantile(&round.2.micros, 0.99)), 15_000.0),
        Row::limit("stream/frame-bytes-of-compiled", "times", over(&|round| round.0.frame_bytes / compiled), 2.5),
        Row::limit("stream/twice-the-module", "times", over(&|round| round.1.total_ms() / round.0.total_ms()), 2.3),
    ])
}

/// Bytes of the module as a frame that shows the whole of it at once.
async fn compiled_bytes(bench: &Bench, file: &Path) -> Result<f64> {
    let length = std::fs::metadata(file)?.len();
    let run = Command::new(&bench.program)
        .args(["stream", "--json", "--chunk", &length.to_string()])
        .arg(file)
        .output()
        .await?;
    let line: serde_json::Value = serde_json::from_str(String::from_utf8(run.stdout)?.trim())?;
    let bytes = line["frame_bytes"].as_f64().unwrap_or(0.0);
    ensure!(bytes > 0.0, "{} does not compile", file.display());
    Ok(bytes)
}
