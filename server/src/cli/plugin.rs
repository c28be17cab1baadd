//! `ui4a plugin install|status`

use super::{Outcome, print_json, print_line};
use crate::paths::Paths;
use clap::Subcommand;
use serde_json::json;
use std::process::ExitCode;
use ui4a_plugin::install;

/// What to do with the plugin.
#[derive(Subcommand)]
pub enum Plugin {
    /// Write the plugin into UI4A's data folder and print how an assistant takes it from there.
    Install,
    /// Say whether it is written and whether `ui4a` is on the PATH.
    Status {
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
}

impl Plugin {
    /// Runs the subcommand.
    pub fn run(self, paths: &Paths) -> Outcome {
        let folder = paths.data.join("plugin");
        match self {
            Self::Install => {
                install::write(&folder).map_err(anyhow::Error::from)?;
                print_line(&install::instructions(&folder).to_string())?;
            }
            Self::Status { json } => {
                let status = install::status(&folder);
                if json {
                    print_json(&json!({"folder": folder, "installed": status.installed, "on_path": status.on_path}))?;
                } else {
                    let place = if status.installed {
                        folder.display().to_string()
                    } else {
                        "not installed; run `ui4a plugin install`".into()
                    };
                    print_line(&format!("plugin: {place}"))?;
                    let on_path = if status.on_path { "yes" } else { "no; run `make install`" };
                    print_line(&format!("on PATH: {on_path}"))?;
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
