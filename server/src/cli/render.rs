//! `ui4a render FILE -o page.html`

use super::check::line;
use super::{Failure, Outcome, print_json, read_source, wait_for};
use crate::paths::Paths;
use crate::runtime::Runtime;
use crate::settings::Settings;
use crate::{export, services};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Renders a source file to one page.
#[derive(Args)]
pub struct Render {
    /// The file, or - for stdin.
    file: PathBuf,
    /// Where the page is written.
    #[arg(short, long, value_name = "PAGE")]
    output: PathBuf,
    /// Print one JSON object about the page.
    #[arg(long)]
    json: bool,
}

impl Render {
    /// Exit 1 when the source cannot be rendered; nothing is written then.
    pub fn run(self, settings: &Settings, paths: &Paths) -> Outcome {
        let (source, kind) = read_source(&self.file)?;
        let runtime = Runtime::compile().map_err(Failure::environment)?;
        let title =
            self.file.file_stem().map_or_else(|| "Artifact".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let made = wait_for(async {
            let proxy = services::proxy(paths, &runtime, settings)?;
            export::page(&proxy, &runtime, kind, &title, &source, None).await
        })?;
        let page = match made {
            Ok(page) => page,
            Err(error) => return Err(export_failure(error, &self.file.display().to_string())),
        };
        std::fs::write(&self.output, &page)
            .map_err(|error| Failure::environment(anyhow::anyhow!("{}: {error}", self.output.display())))?;
        if self.json {
            print_json(&json!({"output": self.output, "bytes": page.len()}))?;
        } else {
            eprintln!("{} ({} KiB)", self.output.display(), page.len() >> 10);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn export_failure(error: anyhow::Error, file: &str) -> Failure {
    match error.downcast::<export::Unrenderable>() {
        Ok(unrenderable) => {
            unrenderable.diagnostics.iter().for_each(|found| eprintln!("{}", line(file, found)));
            Failure::bad(unrenderable)
        }
        Err(error) => Failure::environment(error),
    }
}
