//! What a type check costs once the checker is warm: a page of source that changes a little each time, as `/api/check` answers
//! it, compiling included.

use crate::row::{Row, median};
use crate::{Bench, Family};
use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use std::time::Instant;
use ui4a_tests::{Setup, Ui4a};

/// The family.
pub const FAMILY: Family = Family {
    name: "checker",
    about: "a type check of 200 lines that use the kit, recharts and lucide, with the checker warm",
    run: |bench| Box::pin(run(bench)),
};

const MODULE: &str = "tests/fixtures/bench/two-hundred.tsx";
/// Checks in each round.
const CHECKS: usize = 5;

async fn run(bench: &Bench) -> Result<Vec<Row>> {
    let source = std::fs::read_to_string(bench.root.join(MODULE)).context(MODULE)?;
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let rendered = ui4a.post("/api/render", json!({"source": source, "check": true})).await?;
    let told =
        rendered["diagnostics"].as_array().is_some_and(|all| all.iter().any(|d| d["code"] == "types-not-checked"));
    ensure!(!told, "types are not checked here: {}", rendered["diagnostics"]);
    let mut times = Vec::new();
    for at in 0..bench.rounds * CHECKS {
        let changed = format!("{source}// {at}\n");
        let started = Instant::now();
        ui4a.post("/api/check", json!({"source": changed, "lock": rendered["lock"]})).await?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(vec![Row::limit("checker/200-lines-p50", "ms", median(times), 200.0)])
}
