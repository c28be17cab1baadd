//! `make conformance-imports`: a small use of every package that model-written interfaces import, in Chromium, through the proxy
//! alone: from an empty cache, in another process with the registry refused, and again so from a cache that holds nothing but
//! what `ui4a cache import` took in. `--bless` writes the table anew; `--keep` starts with the cache of the last run;
//! `--here` leaves the imported cache out; other arguments choose specifiers by a part of their names.

use anyhow::{Context as _, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use ui4a_tests::packages::modules::Loaded;
use ui4a_tests::packages::{Case, Packages, Row, Table, cases, differences, modules, peer, upstream_refused};

const TABLE: &str = "fixtures/imports/results.md";

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

/// What a whole pass over the cases came to.
#[derive(Default)]
struct Pass {
    rows: BTreeMap<String, Row>,
    names: BTreeMap<String, BTreeSet<String>>,
    versions: BTreeMap<String, String>,
    loaded: Loaded,
    /// Specifier → modules of its page.
    modules: BTreeMap<String, Vec<String>>,
}

/// Whether enough passes, and nothing that once passed fails.
async fn conformance() -> Result<bool> {
    let (options, wanted): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|one| one.starts_with("--"));
    let has = |option: &str| options.iter().any(|one| one == option);
    let chosen = |case: &Case| wanted.is_empty() || wanted.iter().any(|part| case.specifier.contains(part.as_str()));
    let cases: Vec<Case> = cases()?.into_iter().filter(chosen).collect();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let work = work_folder(tests)?;
    let (cache, peers) = (work.join("cache"), tests.join("bench"));
    if !has("--keep") && cache.exists() {
        std::fs::remove_dir_all(&cache)?;
    }
    println!("cold");
    let cold = pass(&cases, &cache, Vec::new()).await?;
    println!("warm, the registry refused");
    let warm = pass(&cases, &cache, upstream_refused()).await?;
    let mut offline = vec![("warm", warm)];
    if !has("--here") {
        println!("from an imported cache, the registry refused");
        let elsewhere = work.join("imported");
        carry(&cache, &elsewhere).await?;
        offline.push(("imported", pass(&cases, &elsewhere, upstream_refused()).await?));
        std::fs::remove_dir_all(&elsewhere)?;
    }
    let requires = modules::requires(&cold.loaded, &peers).await?;
    println!("esbuild");
    peer::install(&work.join("peers"), &cold.versions).await?;
    let named = cases.iter().filter(|case| cold.names.contains_key(&case.specifier));
    let named: BTreeMap<String, Vec<String>> = named.map(|case| (case.specifier.clone(), case.expects())).collect();
    let browser = ui4a_tests::Browser::launch().await?;
    let theirs = peer::names(&browser, &peers, &work.join("peers"), &named).await?;
    let mut table = Table::default();
    for case in &cases {
        let mut row = cold.rows.get(&case.specifier).cloned().context("a row")?;
        for module in cold.modules.get(&case.specifier).into_iter().flatten() {
            let calls = requires.get(module).into_iter().flatten();
            row.reasons.extend(calls.map(|call| format!("calls {call}")));
        }
        if let (Some(ours), Some(theirs)) = (cold.names.get(&case.specifier), theirs.get(&case.specifier)) {
            row.reasons.extend(differences(ours, theirs));
        }
        row.warm_ms = offline[0].1.rows.get(&case.specifier).map(|again| again.cold_ms);
        for (when, again) in &offline {
            let reasons = again.rows.get(&case.specifier).into_iter().flat_map(|again| &again.reasons);
            if row.reasons.is_empty() {
                row.reasons.extend(reasons.map(|why| format!("{when}: {why}")));
            }
        }
        table.0.push(row);
    }
    verdict(&table, &tests.join(TABLE), wanted.is_empty(), has("--bless"))
}

/// Exports a cache into one file, and imports it into an empty one.
async fn carry(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    std::fs::create_dir_all(to)?;
    let bundle = to.with_extension("bundle");
    for (what, cache) in [("export", from), ("import", to)] {
        let home = tempfile::TempDir::new()?;
        std::os::unix::fs::symlink(cache, home.path().join("cache"))?;
        let mut command = ui4a_tests::server::command(home.path())?;
        let ran = command.envs(upstream_refused()).args(["cache", what]).arg(&bundle).status().await?;
        ensure!(ran.success(), "ui4a cache {what}: {ran}");
    }
    Ok(std::fs::remove_file(&bundle)?)
}

/// Where caches and installed peers are kept between runs.
fn work_folder(tests: &Path) -> Result<PathBuf> {
    let work = tests.join("../.artifacts/conformance-imports");
    std::fs::create_dir_all(&work)?;
    Ok(work.canonicalize()?)
}

async fn pass(cases: &[Case], cache: &Path, env: Vec<(String, String)>) -> Result<Pass> {
    let packages = Packages::start(cache, env).await?;
    let (started, mut pass) = (Instant::now(), Pass::default());
    for case in cases {
        let look = packages.look(case).await.with_context(|| case.specifier.clone())?;
        println!(
            "{} {} {} ms {} bytes {:?}",
            case.specifier, look.row.package, look.row.cold_ms, look.row.bytes, look.row.reasons
        );
        if !look.names.is_empty() {
            pass.names.insert(case.specifier.clone(), look.names);
        }
        pass.versions.extend(look.versions);
        pass.modules.insert(case.specifier.clone(), look.loaded.keys().cloned().collect());
        pass.loaded.extend(look.loaded);
        pass.rows.insert(case.specifier.clone(), look.row);
    }
    println!("{} specifiers in {:.0} s", cases.len(), started.elapsed().as_secs_f64());
    Ok(pass)
}

fn verdict(table: &Table, kept: &Path, whole: bool, bless: bool) -> Result<bool> {
    let text = table.text();
    if !whole {
        print!("\n{text}");
        return Ok(table.passed() == table.0.len());
    }
    if bless {
        std::fs::write(kept, &text)?;
    }
    let failed = table.0.iter().filter(|row| !row.reasons.is_empty());
    failed.for_each(|row| println!("FAIL {}: {}", row.specifier, row.reasons.join("; ")));
    let before = std::fs::read_to_string(kept).with_context(|| kept.display().to_string())?;
    let worse = table.worse_than(&before);
    println!(
        "{} of {} pass; no longer: {}",
        table.passed(),
        table.0.len(),
        if worse.is_empty() { "none".into() } else { worse.join(", ") }
    );
    Ok(table.holds() && worse.is_empty())
}
