//! `ui4a resolve SPECIFIER…`

use super::check::line;
use super::{Failure, Outcome, print_json, print_line, wait_for};
use crate::paths::Paths;
use crate::runtime::Runtime;
use crate::services;
use crate::settings::Settings;
use clap::Args;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use ui4a_registry_proxy::Proxy;
use ui4a_types::{AddressRole, ImportState, ImportStatus, ImportUse, Lock};

/// Resolves specifiers.
#[derive(Args)]
pub struct Resolve {
    /// What an artifact would import, e.g. `recharts`, `lodash/debounce`, `three@0.180`. With `--lock`, what the lock names is
    /// resolved too.
    #[arg(required_unless_present = "lock")]
    specifiers: Vec<String>,
    /// Names that are imported, `SPECIFIER=A,B`: the module is cut down to them. All, when not given.
    #[arg(long, value_name = "SPECIFIER=NAMES")]
    names: Vec<String>,
    /// A lock: its versions are kept, and it is written again with what was added. Also read from `export --format lock` and
    /// from a revision.
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
    /// Take the newest versions that fit, whatever the lock says, and write it.
    #[arg(long, requires = "lock")]
    update: bool,
    /// Print {entries: specifier → {state, package, version, integrity, url, names, bytes, requests}, lock}.
    #[arg(long)]
    json: bool,
}

impl Resolve {
    /// Exit 1 when one of the specifiers is not ready; 3 when that is because the registry does not answer.
    pub fn run(self, settings: &Settings, paths: &Paths) -> Outcome {
        let runtime = Runtime::compile().map_err(Failure::environment)?;
        let known = self.lock.as_deref().map(read_lock).transpose()?.flatten();
        let uses = self.uses(known.as_ref())?;
        let kept = known.as_ref().filter(|_| !self.update);
        let (proxy, resolution) = wait_for(async {
            let proxy = services::proxy(paths, &runtime, settings)?;
            let resolution = proxy.resolve(&uses, kept, &|_, _| {}).await;
            anyhow::Ok((proxy, resolution))
        })??;
        let mut entries = Map::new();
        for specifier in uses.keys() {
            let Some(import) = resolution.imports.get(specifier) else { continue };
            let locked = resolution.lock.entries.get(specifier);
            let bytes = modules(import).filter_map(|url| size(&proxy, url)).sum::<usize>();
            entries.insert(
                specifier.clone(),
                json!({
                    "state": import.state, "package": import.package, "version": import.version,
                    "integrity": locked.map(|entry| entry.integrity.as_str()), "url": import.url, "names": import.names,
                    "bytes": bytes, "requests": modules(import).count(), "error": import.error, "ms": import.ms,
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
            print_json(&json!({"entries": entries, "lock": resolution.lock}))?;
        }
        resolution.diagnostics.iter().for_each(|found| eprintln!("{}", line("resolve", found)));
        let states = || uses.keys().filter_map(|specifier| resolution.imports.get(specifier));
        let code = if states().all(|import| import.state == ImportStatus::Ready) {
            0
        } else if resolution.diagnostics.iter().any(|found| found.code == "registry-unreachable") {
            3
        } else {
            1
        };
        // What did not come does not cost a lock what it had.
        if let Some(path) = self.lock.as_deref().filter(|_| code == 0) {
            moved(known.as_ref(), &resolution.lock).iter().for_each(|line| eprintln!("{line}"));
            write_lock(path, &resolution.lock)?;
        }
        Ok(ExitCode::from(code))
    }

    /// What is asked for on the command line, and what the lock names.
    fn uses(&self, known: Option<&Lock>) -> Result<BTreeMap<String, ImportUse>, Failure> {
        let mut uses: BTreeMap<String, ImportUse> = BTreeMap::new();
        for (specifier, entry) in known.iter().flat_map(|lock| &lock.entries) {
            if AddressRole::of_key(specifier).is_none() {
                uses.insert(specifier.clone(), ImportUse { names: entry.names.clone(), ..ImportUse::default() });
            }
        }
        uses.extend(self.specifiers.iter().map(|name| (name.clone(), ImportUse::default())));
        for names in &self.names {
            let bad = || Failure::bad(anyhow::anyhow!("`--names {names}` is not of the form SPECIFIER=A,B"));
            let (specifier, names) = names.rsplit_once('=').ok_or_else(bad)?;
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
            uses.entry(specifier.to_owned()).or_default().names.extend(names);
        }
        Ok(uses)
    }
}

/// Addresses of a module and of all that it waits for.
fn modules(import: &ImportState) -> impl Iterator<Item = &String> {
    import.url.iter().chain(&import.preload)
}

fn size(proxy: &Proxy, url: &str) -> Option<usize> {
    Some(proxy.module(url.strip_prefix("/m/")?)?.bytes.len())
}

/// A lock, alone or in what holds one; none when there is no such file yet.
fn read_lock(path: &Path) -> Result<Option<Lock>, Failure> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::environment(anyhow::anyhow!("{}: {error}", path.display()))),
    };
    let bad = |why: String| Failure::bad(anyhow::anyhow!("{} is not a lock: {why}", path.display()));
    let mut value: Value = ui4a_types::json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    if let Some(lock) = value.get_mut("lock") {
        value = lock.take();
    }
    if value.get("entries").is_none() {
        return Err(bad("it has no `entries`".to_owned()));
    }
    ui4a_types::json::from_value(value).map(Some).map_err(|error| bad(error.to_string()))
}

fn write_lock(path: &Path, lock: &Lock) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(lock).map_err(Failure::environment)?;
    let new = path.with_extension("new");
    let written = std::fs::write(&new, text + "\n").and_then(|()| std::fs::rename(&new, path));
    written.map_err(|error| Failure::environment(anyhow::anyhow!("{}: {error}", path.display())))
}

/// Packages of which the versions differ, one a line.
fn moved(old: Option<&Lock>, new: &Lock) -> Vec<String> {
    let versions = |lock: &Lock| -> BTreeMap<String, String> {
        let split = lock.packages.keys().filter_map(|key| key.rsplit_once('@'));
        split.map(|(name, version)| (name.to_owned(), version.to_owned())).collect()
    };
    let Some(old) = old.map(versions) else { return Vec::new() };
    let new = versions(new);
    let changed = new.iter().filter_map(|(name, version)| match old.get(name) {
        Some(before) if before != version => Some(format!("{name} {before} → {version}")),
        Some(_) => None,
        None => Some(format!("{name} {version} is new")),
    });
    let gone = old.iter().filter(|(name, _)| !new.contains_key(*name));
    changed.chain(gone.map(|(name, version)| format!("{name} {version} is gone"))).collect()
}
