//! `ui4a cache warm|gc|export|import`

use super::check::line;
use super::size::{shown, size};
use super::{Failure, Outcome, print_json, print_line, wait_for};
use crate::paths::Paths;
use crate::runtime::Runtime;
use crate::services;
use crate::settings::Settings;
use crate::type_check::Types;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use ui4a_registry_proxy::{Bundled, Collect, Proxy, RegistryError};
use ui4a_store::Db;
use ui4a_types::{ImportState, ImportStatus, ImportUse, Lock};

/// What to do with the package cache.
#[derive(Subcommand)]
pub enum Cache {
    /// Fetch and build what every artifact uses (React, the kit, icons, the type checker), and the given specifiers.
    Warm(Warm),
    /// Remove what was not used for longest until the cache is small enough; what an interface's lock names stays.
    Gc(Gc),
    /// Write the cache into one file that another machine can use with no network.
    Export(Export),
    /// Take in a file that `ui4a cache export` wrote.
    Import(Import),
}

/// `ui4a cache warm`
#[derive(Args)]
pub struct Warm {
    /// More specifiers.
    specifiers: Vec<String>,
    /// A list of specifiers, those of one interface on a line, `#` before remarks; `-` reads it from stdin.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
}

/// `ui4a cache gc`
#[derive(Args)]
pub struct Gc {
    /// Size that may stay: bytes, or with K, M or G after them.
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
    size: u64,
    /// Keep what was used in the last so many seconds: it may be on its way into an interface.
    #[arg(long, value_name = "SECONDS", default_value_t = 3_600)]
    keep: u64,
    /// Only say what would go.
    #[arg(long)]
    dry_run: bool,
    /// Print {before, after, removed, locked}.
    #[arg(long)]
    json: bool,
}

/// `ui4a cache export`
#[derive(Args)]
pub struct Export {
    /// The file to write.
    file: PathBuf,
    /// Print {files, known, bytes, other_builder}.
    #[arg(long)]
    json: bool,
}

/// `ui4a cache import`
#[derive(Args)]
pub struct Import {
    /// The file to read.
    file: PathBuf,
    /// Print {files, known, bytes, other_builder}.
    #[arg(long)]
    json: bool,
}

/// What most artifacts import.
const USUAL: &[&str] = &["lucide-react", "recharts"];

impl Cache {
    /// Exit 1 when a bundle is bad; 3 when something could not be fetched, read or written.
    pub fn run(self, settings: &Settings, paths: &Paths) -> Outcome {
        match self {
            Self::Warm(command) => command.run(settings, paths),
            Self::Gc(command) => command.run(settings, paths),
            Self::Export(command) => command.run(settings, paths),
            Self::Import(command) => command.run(settings, paths),
        }
    }
}

impl Warm {
    fn run(self, settings: &Settings, paths: &Paths) -> Outcome {
        let runtime = Runtime::compile().map_err(Failure::environment)?;
        let kit = ui4a_web::kit::manifest().into_keys().filter(|specifier| specifier.starts_with("$ui4a/ui"));
        let wanted = USUAL.iter().map(|name| (*name).to_owned()).chain(kit).chain(self.specifiers);
        let mut interfaces: Vec<Vec<String>> = vec![wanted.collect()];
        if let Some(list) = &self.list {
            interfaces.extend(read_list(list)?);
        }
        let (ready, types, missing) = wait_for(async {
            let proxy = services::proxy(paths, &runtime, settings)?;
            let (mut ready, mut first) = (true, Lock::default());
            for (at, specifiers) in interfaces.iter().enumerate() {
                let (whole, lock) = warm(&proxy, specifiers).await;
                ready &= whole;
                if at == 0 {
                    first = lock;
                }
            }
            let types = Types::new(&proxy).fetch(&first).await;
            // Where there is no checker for this machine, nothing is missing.
            let types = types.or_else(|error| if proxy.checker_here().is_err() { Ok(()) } else { Err(error) });
            anyhow::Ok((ready, types, proxy.keep_tarballs().await))
        })??;
        if let Err(error) = &types {
            eprintln!("The type checker is not there: {error}");
        }
        say(&missing);
        Ok(if ready && types.is_ok() && missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(3) })
    }
}

/// Fetches and builds the imports of one interface. Returns whether all are ready, and their lock.
async fn warm(proxy: &Proxy, specifiers: &[String]) -> (bool, Lock) {
    let all = ImportUse { names: vec!["*".to_owned()], ..ImportUse::default() };
    let uses: BTreeMap<_, _> = specifiers.iter().map(|name| (name.clone(), all.clone())).collect();
    let tell = |specifier: &str, import: &ImportState| {
        if import.state == ImportStatus::Ready {
            eprintln!("{specifier} {} in {} ms", import.version.as_deref().unwrap_or_default(), import.ms);
        }
    };
    let resolution = proxy.resolve(&uses, None, &tell).await;
    resolution.diagnostics.iter().for_each(|found| eprintln!("{}", line("cache", found)));
    let ready = resolution.imports.values().all(|import| import.state == ImportStatus::Ready);
    (ready, resolution.lock)
}

/// The specifiers of each line of a list.
fn read_list(file: &Path) -> Result<Vec<Vec<String>>, Failure> {
    let text =
        if file.as_os_str() == "-" { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(file) };
    let text = text.with_context(|| format!("reading {}", file.display())).map_err(Failure::bad)?;
    // A remark begins a line or follows a space: `#` is also the first letter of a package's own imports.
    let lines = text.lines().map(|line| line.split_once(" #").map_or(line, |(line, _)| line).trim());
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect())
}

impl Gc {
    fn run(self, settings: &Settings, paths: &Paths) -> Outcome {
        let cache = open(settings, paths)?;
        let mut locks = Vec::new();
        let own = [paths.data.clone()];
        for data in cache.owners().map_err(Failure::environment)?.iter().chain(&own) {
            let database = Paths { data: data.clone(), ..paths.clone() }.database();
            // What was removed needs nothing any more.
            if !database.is_file() {
                cache.disown(data).map_err(Failure::environment)?;
                continue;
            }
            let read = Db::open(&database).and_then(|db| db.locks());
            locks.extend(read.with_context(|| {
                format!("reading which modules the interfaces in {} need; nothing was removed", data.display())
            })?);
        }
        let wanted = Collect { most: self.size, unused_for: Duration::from_secs(self.keep), dry: self.dry_run };
        let done = cache.collect(wanted, &locks).map_err(Failure::environment)?;
        if self.json {
            print_json(&done)?;
        } else {
            let verb = if self.dry_run { "would be" } else { "were" };
            let (before, after) = (shown(done.before), shown(done.after));
            print_line(&format!(
                "{before} before, {after} after; {} things {verb} removed, {} are kept by interfaces",
                done.removed,
                shown(done.locked)
            ))?;
        }
        if done.after > self.size {
            eprintln!("The rest is named by interfaces or was used in the last {} seconds.", self.keep);
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Export {
    fn run(self, settings: &Settings, paths: &Paths) -> Outcome {
        let runtime = Runtime::compile().map_err(Failure::environment)?;
        let missing = wait_for(async {
            let proxy = services::proxy(paths, &runtime, settings)?;
            anyhow::Ok(proxy.keep_tarballs().await)
        })??;
        let done = open(settings, paths)?.export(&self.file).map_err(Failure::environment)?;
        say(&missing);
        tell(&done, self.json, &format!("{} is written", self.file.display()))?;
        Ok(if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(3) })
    }
}

impl Import {
    fn run(self, settings: &Settings, paths: &Paths) -> Outcome {
        let done = open(settings, paths)?.import(&self.file).map_err(|error| match error {
            RegistryError::Bundle { .. } | RegistryError::Limit { .. } => Failure::bad(error),
            error => Failure::environment(error),
        })?;
        tell(&done, self.json, &format!("{} is taken in", self.file.display()))?;
        if done.other_builder {
            eprintln!(
                "Its modules are by another version of ui4a: new interfaces build theirs from the same packages."
            );
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn open(settings: &Settings, paths: &Paths) -> Result<ui4a_registry_proxy::Cache, Failure> {
    ui4a_registry_proxy::Cache::open(&paths.cache, settings.limits.clone()).map_err(Failure::environment)
}

fn tell(done: &Bundled, json: bool, what: &str) -> Result<(), Failure> {
    match json {
        true => print_json(done),
        false => {
            print_line(&format!("{what}: {} files, {}, {} of them known", done.files, shown(done.bytes), done.known))
        }
    }
}

/// Says which tarballs could not be had.
fn say(missing: &[RegistryError]) {
    for error in missing {
        eprintln!("A package is not kept as a tarball, so another machine cannot unpack it: {error}");
    }
}
