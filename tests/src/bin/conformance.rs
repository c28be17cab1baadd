//! `make conformance`: streams every module of the corpus into a real frame by 7, 40 and 200 bytes, and compares what came of
//! it with the snapshot in the repository. `--bless` writes the snapshot anew; other arguments choose modules by name.

use anyhow::{Context as _, Result};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use ui4a_tests::conformance::{CHUNKS, Harness, Report, corpus};

const SNAPSHOT: &str = "fixtures/corpus/conformance.snap";

#[tokio::main]
async fn main() -> ExitCode {
    match conformance().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the outcome is the snapshot's.
async fn conformance() -> Result<bool> {
    let (options, names): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|one| one.starts_with("--"));
    let chosen = |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part.as_str()));
    let harness = Harness::start().await?;
    let mut report = Report::default();
    let started = Instant::now();
    let (mut frames, mut late) = (0, 0);
    for module in corpus()?.into_iter().filter(|module| chosen(&module.name)) {
        let began = Instant::now();
        let outcomes = harness.check(&module, &CHUNKS).await?;
        let faults: Vec<_> = outcomes
            .iter()
            .flat_map(|one| one.faults.iter().map(|fault| format!("\n    {}: {fault}", one.chunk)))
            .collect();
        println!("{} {:.1} s{}", module.name, began.elapsed().as_secs_f64(), faults.concat());
        late += outcomes.iter().map(|one| one.late).sum::<u64>();
        frames += outcomes.iter().map(|one| one.frames).sum::<u64>();
        report.0.extend(outcomes);
    }
    println!("{frames} frames in {:.0} s, {late} of them late", started.elapsed().as_secs_f64());
    let text = report.text();
    if !names.is_empty() {
        print!("\n{text}");
        return Ok(report.0.iter().all(|outcome| outcome.faults.is_empty()));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(SNAPSHOT);
    if options.iter().any(|option| option == "--bless") {
        std::fs::write(&path, &text)?;
        return Ok(true);
    }
    let expected = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    for (now, then) in text.lines().zip(expected.lines()).filter(|(now, then)| now != then) {
        println!("- {then}\n+ {now}");
    }
    if text != expected {
        println!("The outcome is not the snapshot's. `make conformance BLESS=--bless` accepts it.");
    }
    Ok(text == expected)
}
