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
    about: "in Chromium: heap left by 400 frames of a 20 KB module, animation frames from a frame's arrival to its sight",
    run: |bench| Box::pin(run(bench)),
};

/// Frames that the module is cut into.
const FRAMES: usize = 400;

/// Milliseconds between two frames: more often than the server sends them.
const PAUSE_MS: u32 = 25;

async fn run(bench: &Bench) -> Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let source = copies(&std::fs::read_to_string(bench.root.join(MODULE)).context(MODULE)?, 1);
    let module = Module::new(folder.path(), "tsx", "operations", &source)?;
    let harness = Harness::start().await?;
    let (mut heaps, mut sights) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        let (frame, count) = harness.start_stream(&module, source.len() / FRAMES).await?;
        ensure!(count >= FRAMES, "{count} frames only");
        // With its libraries, without any of the module.
        harness.preload(&frame).await?;
        let before = heap(&frame).await?;
        frame.eval("__probe.watchTicks()").await?;
        let asked = numbers(&harness.paced(PAUSE_MS).await?);
        harness.finish().await?;
        let times = frame.eval("__probe.times()").await?;
        sights.push(quantile(&animation_frames(&asked, &numbers(&times["commits"]), &numbers(&times["ticks"])), 0.95));
        heaps.push((heap(&frame).await? - before) / 1e6);
        harness.end(&frame).await?;
    }
    Ok(vec![
        Row::limit("frames/heap-of-400", "MB", median(heaps), 5.0),
        Row::limit("frames/arrival-to-visible-p95", "frames", median(sights), 2.0),
    ])
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
