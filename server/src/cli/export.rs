//! `ui4a export ID`

use super::remote::{Remote, answer};
use super::{Failure, Outcome, wait_for};
use crate::paths::Paths;
use clap::Args;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Exports an artifact of the running server.
#[derive(Args)]
pub struct Export {
    /// The artifact's id.
    id: String,
    /// html: one page that needs no network; tsx: the source; lock: what pins its packages.
    #[arg(long, default_value = "html")]
    format: String,
    /// Where it is written; stdout when not given.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

impl Export {
    /// Writes the file.
    pub fn run(self, paths: &Paths) -> Outcome {
        let remote = Remote::find(paths)?;
        let body = wait_for(async {
            let path = format!("/api/artifacts/{}/export", self.id);
            let request = remote.request(reqwest::Method::GET, &path).query(&[("format", &self.format)]);
            answer(request).await?.bytes().await.map_err(Failure::environment)
        })??;
        match &self.output {
            Some(path) => std::fs::write(path, &body)
                .map_err(|error| Failure::environment(anyhow::anyhow!("{}: {error}", path.display())))?,
            None => std::io::stdout().write_all(&body).map_err(Failure::environment)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
