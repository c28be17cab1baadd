//! What a spinning artifact costs: how long the page around it pauses, and how soon it is stopped.

use crate::row::Row;
use crate::{Bench, Family};
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::time::Duration;
use ui4a_tests::Stage;

/// The family.
pub const FAMILY: Family = Family {
    name: "spin",
    about: "an artifact spins where no guard sees it: the page's longest pause, and when it is stopped (both the worst of all)",
    run: |bench| Box::pin(run(bench)),
};

/// No guard sees this loop: it is made from text.
const SPINS: &str = "const spin = new Function('for (;;);');\nexport default function App() { return <button onClick={spin}>ready</button>; }";

/// From now until the artifact's card says that it does not run: the longest time between two animation frames, and how
/// long that took, in milliseconds.
const WATCH: &str = "window.watched = new Promise((done) => {
  const from = performance.now();
  let [last, longest] = [from, 0];
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    const stopped = document.querySelector('.card:last-of-type .safe:not([hidden])');
    if (stopped || now - from > 20000) done([longest, now - from]);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}); 0";

async fn run(bench: &Bench) -> Result<Vec<Row>> {
    let (mut pause, mut stopped) = (0.0_f64, 0.0_f64);
    for _ in 0..bench.rounds {
        let stage = Stage::open().await?;
        let artifact = stage.show("spin", "tsx", SPINS).await?;
        stage.looked_at(&artifact).await?;
        let frame = stage.frame_with("ready").await?;
        // What loading left behind is over.
        tokio::time::sleep(Duration::from_secs(1)).await;
        stage.page.eval(WATCH).await?;
        frame.eval("setTimeout(() => document.querySelector('button').click())").await?;
        let seen = loop {
            // The browser's own protocol allows an answer five seconds.
            if let Ok(seen) = stage.page.eval("window.watched").await {
                break seen;
            }
        };
        let figure = |at: usize| seen.get(at).and_then(Value::as_f64).context("the page answers with figures");
        pause = pause.max(figure(0)?);
        stopped = stopped.max(figure(1)?);
    }
    Ok(vec![Row::limit("spin/page-pause", "ms", pause, 100.0), Row::limit("spin/stopped-after", "ms", stopped, 3000.0)])
}
