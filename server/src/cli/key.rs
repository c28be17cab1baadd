//! `ui4a key add|list|rm`: keys of programs that use the APIs below `/v1/`.

use super::size::{shown, size};
use super::{Failure, Outcome, print_json, print_line};
use crate::door::random_hex;
use crate::paths::Paths;
use crate::v1::{KEY_PREFIX, digest};
use anyhow::anyhow;
use clap::Subcommand;
use serde_json::json;
use std::process::ExitCode;
use ui4a_store::Db;
use ui4a_store::db::ApiKey;

const MOST_NAME: usize = 64;

/// What to do with keys.
#[derive(Subcommand)]
pub enum Key {
    /// Make a key for a program and print it. It opens `/v1/` and nothing else; it is shown this once.
    Add {
        /// A name for it.
        #[arg(value_parser = name)]
        name: String,
        /// Bytes of its answers that are kept for chains; the oldest is forgotten first.
        #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = size)]
        bytes: u64,
        /// Most of its requests at a time.
        #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000))]
        running: u32,
    },
    /// Show the keys, and how much is kept for each.
    List {
        /// Print one JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Remove a key, and what was kept for it. It opens nothing from then on.
    Rm {
        /// Its name.
        name: String,
    },
}

impl Key {
    /// Does it; a running server notices at once.
    pub fn run(self, paths: &Paths) -> Outcome {
        let db = Db::open(&paths.database()).map_err(Failure::environment)?;
        match self {
            Self::Add { name, bytes, running } => {
                let key = format!("{KEY_PREFIX}{}", random_hex::<32>()?);
                let known = ApiKey { name, most_bytes: bytes, most_running: running, created: String::new() };
                if !db.add_key(&digest(&key), &known).map_err(Failure::environment)? {
                    let why = format!(
                        "there is a key `{0}` already; remove it with `ui4a key rm {0}`, or choose another name",
                        known.name
                    );
                    return Err(Failure::usage(anyhow!(why)));
                }
                print_line(&key)?;
                eprintln!("Keep it: it is not shown again.");
            }
            Self::List { json } => list(&db.keys().map_err(Failure::environment)?, json)?,
            Self::Rm { name } => {
                if !db.remove_key(&name).map_err(Failure::environment)? {
                    return Err(Failure::usage(anyhow!("there is no key `{name}`; `ui4a key list` shows them")));
                }
                eprintln!("removed");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(keys: &[(ApiKey, u64)], as_json: bool) -> Result<(), Failure> {
    if as_json {
        let rows = keys.iter().map(|(key, kept)| {
            json!({
                "name": key.name, "created": key.created, "bytes": key.most_bytes, "kept": kept,
                "running": key.most_running,
            })
        });
        return print_json(&rows.collect::<Vec<_>>());
    }
    if keys.is_empty() {
        eprintln!("There is no key; `ui4a key add NAME` makes one.");
    }
    for (key, kept) in keys {
        let day = key.created.get(..10).unwrap_or_default();
        let kept = format!("{} of {}", shown(*kept), shown(key.most_bytes));
        print_line(&format!("{:<24} {day}  {kept:<24} {} at a time", key.name, key.most_running))?;
    }
    Ok(())
}

fn name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if text.is_empty() || text.len() > MOST_NAME || !text.chars().all(fits) {
        return Err(format!("a name has 1 to {MOST_NAME} letters, digits, `-`, `_` or `.`"));
    }
    Ok(text.to_owned())
}
