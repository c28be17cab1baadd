//! `ui4a model list|pull|rm`

use super::{Failure, Outcome, print_json, print_line, wait_for};
use crate::paths::Paths;
use clap::Subcommand;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;
use ui4a_engine::models;

/// What to do with models.
#[derive(Subcommand)]
pub enum Model {
    /// Show the known models and which are on this machine.
    List {
        /// Print one JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model; goes on where an earlier try ended.
    Pull {
        /// Its id; the default model when not given.
        #[arg(default_value = models::DEFAULT)]
        id: String,
    },
    /// Remove a model's file.
    Rm {
        /// Its id.
        id: String,
    },
}

impl Model {
    /// Runs the subcommand.
    pub fn run(self, paths: &Paths) -> Outcome {
        let (folder, sources) = (paths.models(), models::Sources::from_env());
        let catalogue = &sources.catalogue;
        match self {
            Self::List { json } => list(&models::list(&folder, catalogue), json)?,
            Self::Pull { id } => wait_for(pull(&folder, &sources, &id))??,
            Self::Rm { id } => {
                let removed = models::rm(&folder, catalogue, &id)?;
                eprintln!("{}", if removed { "removed" } else { "it was not on this machine" });
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(listed: &[models::Listed], as_json: bool) -> Result<(), Failure> {
    if as_json {
        let rows = listed.iter().map(|row| {
            let model = &row.model;
            json!({
                "id": model.id, "bytes": model.bytes, "licence": model.licence, "about": model.about, "path": row.path,
                "present": row.state == models::State::Present, "default": model.id == models::DEFAULT,
            })
        });
        return print_json(&rows.collect::<Vec<_>>());
    }
    for row in listed {
        let model = &row.model;
        let state = match row.state {
            models::State::Present => "on this machine".to_owned(),
            models::State::Partial(bytes) => format!("{} MB fetched", bytes / 1_000_000),
            models::State::Absent => "not fetched".to_owned(),
        };
        let default = if model.id == models::DEFAULT { " (default)" } else { "" };
        print_line(&format!(
            "{:<20} {:>5} MB  {:<11} {state:<16} {}{default}",
            model.id,
            model.bytes / 1_000_000,
            model.licence,
            model.about
        ))?;
    }
    Ok(())
}

async fn pull(folder: &Path, sources: &models::Sources, id: &str) -> Result<(), Failure> {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{msg:<12} {wide_bar} {bytes}/{total_bytes} {eta}") {
        bar.set_style(style);
    }
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.cancel();
        }
    });
    let shown = bar.clone();
    let progress = move |progress: models::Progress| {
        shown.set_length(progress.total);
        shown.set_position(progress.done);
        shown.set_message(match progress.stage {
            models::Stage::Connecting => "connecting",
            models::Stage::Hub | models::Stage::Wheels => "fetching",
            models::Stage::Checking => "checking",
        });
    };
    let path = models::pull(folder, id, sources, &progress, &cancel).await?;
    bar.finish_and_clear();
    eprintln!("{}", path.display());
    Ok(())
}
