//! The peer that recompiles: esbuild's warm service, given each prefix of the module, beside `ui4a stream` on the same.

use crate::replay::{CHUNK, MODULE, Replay};
use crate::row::{Row, median};
use crate::{Bench, Family};
use anyhow::{Context as _, Result, ensure};
use tokio::process::Command;

/// The family.
pub const FAMILY: Family = Family {
    name: "esbuild",
    about: "a whole stream of 20 KB in 12-byte chunks, beside esbuild's warm service recompiling each prefix",
    run: |bench| Box::pin(run(bench)),
};

async fn run(bench: &Bench) -> Result<Vec<Row>> {
    let module = bench.root.join(MODULE);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        ours.push(Replay::of(bench, &module).await?.total_ms());
        let peer = Command::new("node")
            .current_dir(bench.root.join("tests/bench"))
            .arg("esbuild.mjs")
            .arg(&module)
            .arg(CHUNK.to_string())
            .output()
            .await
            .context("node")?;
        let said = String::from_utf8_lossy(&peer.stderr);
        ensure!(peer.status.success(), "tests/bench/esbuild.mjs (`make bench` installs its packages): {said}");
        theirs.push(String::from_utf8(peer.stdout)?.trim().parse::<f64>().context("esbuild's milliseconds")?);
    }
    Ok(vec![Row::peer("esbuild/every-prefix", "ms", median(ours), ("esbuild", median(theirs)), 8.0)])
}
