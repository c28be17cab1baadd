//! `make bench`: figures of the running program beside the limit or the peer that each is held to.
//!
//! A family is a file here and a line in `FAMILIES`; it gives the rows that belong together and knows nothing of the
//! others. What a row compares is measured in one run, peers and ours in turn; a figure is the median of at least five.
//! `bench NAME…` runs the rows whose name begins with one of the names; `--json` prints one object a line.

mod apis;
mod checker;
mod engine;
mod esbuild;
mod frames;
mod imports;
mod replay;
mod row;
mod serving;
mod spin;
mod stream;

use anyhow::{Result, bail};
use futures::future::BoxFuture;
use row::Row;
use std::path::PathBuf;
use std::process::ExitCode;

/// Rows that are measured together.
pub struct Family {
    /// What every row's name begins with.
    pub name: &'static str,
    /// What is measured, in one line.
    pub about: &'static str,
    /// Measures it.
    pub run: for<'b> fn(&'b Bench) -> BoxFuture<'b, Result<Vec<Row>>>,
}

/// What a family measures with.
pub struct Bench {
    /// The program under test.
    pub program: PathBuf,
    /// The repository.
    pub root: PathBuf,
    /// How often each thing is measured; a figure is the median.
    pub rounds: usize,
}

const FAMILIES: &[Family] = &[
    stream::FAMILY,
    esbuild::FAMILY,
    checker::FAMILY,
    spin::FAMILY,
    frames::FAMILY,
    serving::FAMILY,
    imports::FAMILY,
    apis::FAMILY,
    engine::FAMILY,
];

#[tokio::main]
async fn main() -> ExitCode {
    match bench().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(3)
        }
    }
}

/// Whether every row that was asked for holds.
async fn bench() -> Result<bool> {
    let (mut wanted, mut json) = (Vec::new(), false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--json" => json = true,
            "--list" => {
                FAMILIES.iter().for_each(|family| println!("{:<10} {}", family.name, family.about));
                return Ok(true);
            }
            other if other.starts_with('-') => bail!("unknown option {other}; usage: bench [--json] [--list] [ROW…]"),
            other => wanted.push(other.to_owned()),
        }
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let bench = Bench { program: ui4a_tests::server::program()?, root, rounds: 5 };
    // `stream` asks for a family, `stream/p99` for one of its rows.
    let asks = |family: &Family, want: &str| want.split('/').next() == Some(family.name);
    if let Some(unknown) = wanted.iter().find(|want| !FAMILIES.iter().any(|family| asks(family, want))) {
        bail!("there is no row {unknown}; `bench --list` lists them");
    }
    let mut holds = true;
    if !json {
        row::print_head();
    }
    for family in FAMILIES {
        if !wanted.is_empty() && !wanted.iter().any(|want| asks(family, want)) {
            continue;
        }
        let rows = (family.run)(&bench).await?;
        for row in rows.iter().filter(|row| wanted.is_empty() || wanted.iter().any(|want| row.is_asked(want))) {
            holds &= row.holds();
            row.print(json);
        }
    }
    Ok(holds)
}
