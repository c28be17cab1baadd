//! What frames cost where they are shown: the heap of a real frame, and how soon a frame is to be seen.

use crate::replay::{MODULE, copies};
use crate::row::{Row, median, quantile};
use crate::{Bench, Family};
use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use ui4a_tests::Frame;
use ui4a_tests::conformance::{Harness, Module};

/// The family.
pub const FAMILY: Family = Family {
    name: "frames",
    about: "in Chromium: heap left by 400 frames of 20 KB modules, animation frames from a frame's arrival to its sight",
    run: |bench| Box::pin(run(bench)),
};

/// Frames that the module is cut into.
const FRAMES: usize = 400;

/// Milliseconds between two frames: more often than the server sends them.
const PAUSE_MS: u32 = 25;

/// A module that imports React alone.
const PLAIN: &str = "tests/fixtures/corpus/tsx/budget-reducer.tsx";

async fn run(bench: &Bench) -> Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let read = |path: &str| std::fs::read_to_string(bench.root.join(path)).context(path.to_owned());
    let charts = copies(&read(MODULE)?, 1);
    let plain = read(PLAIN)?;
    let plain = copies(&plain, charts.len().div_ceil(plain.len()));
    let charts = Module::new(folder.path(), "tsx", "charts", &charts)?;
    let plain = Module::new(folder.path(), "tsx", "plain", &plain)?;
    let harness = Harness::start_watched_by(include_str!("frames.js")).await?;
    let (mut plains, mut left, mut sights) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        plains.push(streamed(&harness, &plain, FRAMES).await?.megabytes);
        // What charts keep while they are shown is theirs: the same module at once is what frames are held against.
        let once = streamed(&harness, &charts, 1).await?;
        let many = streamed(&harness, &charts, FRAMES).await?;
        left.push(many.megabytes - once.megabytes);
        sights.push(many.sight);
    }
    Ok(vec![
        Row::limit("frames/heap-of-400", "MB", median(plains), 5.0),
        Row::limit("frames/heap-of-400-charts", "MB", median(left), 5.0),
        Row::limit("frames/arrival-to-visible-p95", "frames", median(sights), 2.0),
    ])
}

/// What came of a stream.
struct Streamed {
    /// By how much the heap grew since the frame had its libraries and nothing of the module.
    megabytes: f64,
    /// Animation frames from an arrival to its sight, of nineteen in twenty arrivals.
    sight: f64,
}

async fn streamed(harness: &Harness, module: &Module, frames: usize) -> Result<Streamed> {
    let (frame, count) = harness.start_stream(module, module.source.len().div_ceil(frames)).await?;
    ensure!(count * 10 >= frames * 9, "{count} frames only");
    harness.preload(&frame).await?;
    let before = heap(&frame).await?;
    frame.eval("__probe.watchTicks()").await?;
    let asked = numbers(&harness.paced(PAUSE_MS).await?);
    harness.finish().await?;
    let times = frame.eval("__probe.times()").await?;
    let sight = quantile(&animation_frames(&asked, &numbers(&times["commits"]), &numbers(&times["ticks"])), 0.95);
    let megabytes = (heap(&frame).await? - before) / 1e6;
    harness.end(&frame).await?;
    Ok(Streamed { megabytes, sight })
}

/// Bytes of the frame's JavaScript heap that are in use after a collection.
async fn heap(frame: &Frame) -> Result<f64> {
    frame.command("HeapProfiler.enable", json!({})).await?;
    frame.command("HeapProfiler.collectGarbage", json!({})).await?;
    let usage = frame.command("Runtime.getHeapUsage", json!({})).await?;
    frame.command("HeapProfiler.disable", json!({})).await?;
    usage["usedSize"].as_f64().context("a heap's size")
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

/// For each arrival, how many animation frames began up to the one that shows what was committed for it.
fn animation_frames(arrivals: &[f64], commits: &[f64], ticks: &[f64]) -> Vec<f64> {
    let sight = |arrival: &f64| {
        let commit = commits.iter().find(|commit| *commit >= arrival)?;
        let shown = ticks.iter().position(|tick| tick >= commit)?;
        Some((shown + 1 - ticks.iter().take_while(|tick| *tick < arrival).count()) as f64)
    };
    arrivals.iter().filter_map(sight).collect()
}
