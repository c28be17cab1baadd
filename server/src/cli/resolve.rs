//! `ui4a resolve SPECIFIER…`

use super::check::line;
use super::{Failure, Outcome, print_json, print_line, wait_for};
use crate::paths::Paths;
use crate::runtime::Runtime;
use crate::services;
use crate::settings::Settings;
use clap::Args;
use serde_json::{Map, json};
use std::collections::BTreeMap;
use std::process::ExitCode;
use ui4a_types::{ImportStatus, ImportUse};

/// Resolves specifiers.
#[derive(Args)]
pub struct Resolve {
    /// What an artifact would import, e.g. `recharts`, `lodash/debounce`, `three@0.180`.
    #[arg(required = true)]
    specifiers: Vec<String>,
    /// Print {entries: specifier → {state, package, version, integrity, url}}.
    #[arg(long)]
    json: bool,
}

impl Resolve {
    /// Exit 1 when one of the specifiers is not ready; 3 when that is because the registry does not answer.
    pub fn run(self, settings: &Settings, paths: &Paths) -> Outcome {
        let runtime = Runtime::compile().map_err(Failure::environment)?;
        let uses: BTreeMap<_, _> = self.specifiers.iter().map(|name| (name.clone(), ImportUse::default())).collect();
        let resolution = wait_for(async {
            let proxy = services::proxy(paths, &runtime, settings)?;
            anyhow::Ok(proxy.resolve(&uses, None, &|_, _| {}).await)
        })??;
        let mut entries = Map::new();
        for specifier in &self.specifiers {
            let Some(import) = resolution.imports.get(specifier) else { continue };
            let integrity = resolution.lock.entries.get(specifier).map(|entry| entry.integrity.as_str());
            entries.insert(
                specifier.clone(),
                json!({
                    "state": import.state, "package": import.package, "version": import.version,
                    "integrity": integrity, "url": import.url, "names": import.names, "error": import.error, "ms": import.ms,
                }),
            );
            if !self.json {
                let package = import.package.as_deref().unwrap_or("-");
                let version = import.version.as_deref().unwrap_or("-");
                let rest = import.url.as_deref().or(import.error.as_deref()).unwrap_or_default();
                print_line(&format!("{specifier}  {package}@{version}  {:?}  {rest}", import.state))?;
            }
        }
        if self.json {
            print_json(&json!({"entries": entries}))?;
        }
        resolution.diagnostics.iter().for_each(|found| eprintln!("{}", line("resolve", found)));
        let states = || self.specifiers.iter().filter_map(|specifier| resolution.imports.get(specifier));
        let code = if states().all(|import| import.state == ImportStatus::Ready) {
            0
        } else if resolution.diagnostics.iter().any(|found| found.code == "registry-unreachable") {
            3
        } else {
            1
        };
        Ok(ExitCode::from(code))
    }
}
