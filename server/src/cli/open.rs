//! `ui4a open`: a fresh one-time link to the running server.

use super::remote::{Remote, answer};
use super::{Failure, Outcome, print_line, wait_for};
use crate::browser;
use crate::paths::Paths;
use clap::Args;
use std::process::ExitCode;

/// Opens the page.
#[derive(Args)]
pub struct Open {
    /// Print the link only.
    #[arg(long)]
    print: bool,
    /// Path to lead to, e.g. /transcripts.
    #[arg(default_value = "/")]
    path: String,
}

impl Open {
    /// Prints the link and opens it.
    pub fn run(self, paths: &Paths) -> Outcome {
        let remote = Remote::find(paths)?;
        let made: serde_json::Value = wait_for(async {
            let request =
                remote.request(reqwest::Method::POST, "/api/links").json(&serde_json::json!({"path": self.path}));
            answer(request).await?.json().await.map_err(Failure::environment)
        })??;
        let url = made["url"].as_str().unwrap_or_default();
        print_line(url)?;
        browser::open(url, !self.print);
        Ok(ExitCode::SUCCESS)
    }
}
