//! `ui4a cache warm`

use super::check::line;
use super::{Failure, Outcome, wait_for};
use crate::paths::Paths;
use crate::runtime::Runtime;
use crate::services;
use crate::settings::Settings;
use crate::type_check::Types;
use clap::Subcommand;
use std::collections::BTreeMap;
use std::process::ExitCode;
use ui4a_types::{ImportStatus, ImportUse};

/// What to do with the package cache.
#[derive(Subcommand)]
pub enum Cache {
    /// Fetch and build what every artifact uses (React, the kit, icons, the type checker), and the given specifiers.
    Warm {
        /// More specifiers.
        specifiers: Vec<String>,
    },
}

/// What most artifacts import.
const USUAL: &[&str] = &["lucide-react", "recharts"];

impl Cache {
    /// Exit 3 when something could not be fetched.
    pub fn run(self, settings: &Settings, paths: &Paths) -> Outcome {
        let Self::Warm { specifiers } = self;
        let runtime = Runtime::compile().map_err(Failure::environment)?;
        let kit = ui4a_web::kit::manifest().into_keys().filter(|specifier| specifier.starts_with("$ui4a/ui"));
        let wanted = USUAL.iter().map(|name| (*name).to_owned()).chain(kit).chain(specifiers);
        let uses: BTreeMap<_, _> = wanted.map(|name| (name, ImportUse::default())).collect();
        let tell = |specifier: &str, import: &ui4a_types::ImportState| {
            if import.state == ImportStatus::Ready {
                eprintln!("{specifier} {} in {} ms", import.version.as_deref().unwrap_or_default(), import.ms);
            }
        };
        let (resolution, types) = wait_for(async {
            let proxy = services::proxy(paths, &runtime, &settings.allow_addresses)?;
            let resolution = proxy.resolve(&uses, None, &tell).await;
            let types = Types::new(&proxy).fetch(&resolution.lock).await;
            // Where there is no checker for this machine, nothing is missing.
            let types = types.or_else(|error| if proxy.checker_here().is_err() { Ok(()) } else { Err(error) });
            anyhow::Ok((resolution, types))
        })??;
        resolution.diagnostics.iter().for_each(|found| eprintln!("{}", line("cache", found)));
        let ready = resolution.imports.values().all(|import| import.state == ImportStatus::Ready);
        if let Err(error) = &types {
            eprintln!("The type checker is not there: {error}");
        }
        Ok(if ready && types.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(3) })
    }
}
