//! Runs rolldown: one entry in, one file out.

use super::locate::{Located, Manner};
use super::names::{ExportNames, Kind, Told, kind};
use super::plugin::{Found, ScenePlugin};
use super::raw::{Raw, key};
use super::scene::Scene;
use super::virtuals::{GIVEN, commonjs_wrapper};
use crate::flight::Flights;
use crate::graph::EntryId;
use crate::{Limits, RegistryError};
use rolldown::{
    Bundler, BundlerOptions, CodeSplittingMode, InputItem, LogLevel, OutputFormat, Platform, RawMinifyOptions,
};
use rolldown_common::{Output, OutputChunk};
use rolldown_utils::indexmap::FxIndexMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// Bundles on threads of its own, a few at a time.
pub(crate) struct Builder {
    runtime: Handle,
    slots: Semaphore,
    packages: PathBuf,
    limits: Limits,
    isolate: Option<Arc<dyn ExportNames>>,
    flights: Flights<String>,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("packages", &self.packages).finish_non_exhaustive()
    }
}

/// What one run of the bundler is given.
pub(crate) struct Job {
    pub scene: Arc<Scene>,
    pub inside: BTreeSet<EntryId>,
    pub given: BTreeMap<String, String>,
    pub specifiers: BTreeMap<String, EntryId>,
    /// Path, or name of a given module with its prefix.
    pub input: String,
    pub whole: bool,
    pub format: OutputFormat,
    pub minify: bool,
    /// For messages.
    pub name: String,
}

/// What one run of the bundler made.
pub(crate) struct Bundle {
    pub chunk: Arc<OutputChunk>,
    pub found: Found,
}

impl Builder {
    pub(crate) fn new(runtime: Handle, cache: &Path, limits: &Limits, isolate: Option<Arc<dyn ExportNames>>) -> Self {
        let (slots, packages) = (Semaphore::new(limits.builds.max(1)), cache.join("packages"));
        Self { runtime, slots, packages, limits: limits.clone(), isolate, flights: Flights::default() }
    }

    /// Builds an entry, or finds that it was built before.
    ///
    /// # Errors
    /// There is no such entry, or the bundler refuses it.
    pub(crate) async fn entry(&self, scene: &Arc<Scene>, entry: &EntryId) -> Result<Arc<Raw>, RegistryError> {
        let key = key(scene, std::slice::from_ref(entry));
        let _flight = self.flights.lock(key.clone()).await;
        if let Some(raw) = scene.store.raw(&key) {
            return Ok(raw);
        }
        let Located::File { path, .. } = scene.locate(entry, Manner::Import)? else {
            return scene
                .store
                .put_raw(&key, Raw { code: scene.store.put_blob(b"export default {};\n")?, ..Raw::default() });
        };
        let read = |error: std::io::Error| RegistryError::io("reading", &path, &error);
        let input = path.to_string_lossy().into_owned();
        let mut given = BTreeMap::new();
        let mut extra = BTreeSet::new();
        let input = match kind(scene, &entry.package, &path).map_err(read)? {
            Kind::CommonJs(Told { mut names, problems }) => {
                extra.extend(problems);
                if names.is_empty() {
                    names = self.run_for_names(scene, entry, &input, &mut extra).await;
                }
                given.insert("entry".to_owned(), commonjs_wrapper(&input, &names));
                format!("{GIVEN}entry")
            }
            Kind::Module | Kind::Style | Kind::Json | Kind::Asset => input,
        };
        let job = Job {
            scene: Arc::clone(scene),
            inside: BTreeSet::from([entry.clone()]),
            given,
            specifiers: BTreeMap::new(),
            input,
            whole: false,
            format: OutputFormat::Esm,
            minify: true,
            name: entry.to_string(),
        };
        let bundle = self.run(job).await?;
        let mut raw = self.raw(scene, bundle)?;
        raw.warnings.extend(extra);
        scene.store.put_raw(&key, raw)
    }

    /// The export names of a CommonJS entry that no lexer could tell. None when it cannot be run: `default` is left.
    async fn run_for_names(
        &self,
        scene: &Arc<Scene>,
        entry: &EntryId,
        file: &str,
        warnings: &mut BTreeSet<String>,
    ) -> BTreeSet<String> {
        let Some(isolate) = &self.isolate else { return BTreeSet::new() };
        let text = format!("module.exports = require({});\n", super::virtuals::quote(file));
        let job = Job {
            scene: Arc::clone(scene),
            inside: BTreeSet::new(),
            given: BTreeMap::from([("run".to_owned(), text)]),
            specifiers: BTreeMap::new(),
            input: format!("{GIVEN}run"),
            whole: true,
            format: OutputFormat::Cjs,
            minify: false,
            name: entry.to_string(),
        };
        let answer = match self.run(job).await {
            Ok(bundle) => isolate.names(&bundle.chunk.code).await,
            Err(error) => Err(error.to_string()),
        };
        match answer {
            Ok(names) => names.into_iter().collect(),
            Err(reason) => {
                warnings.insert(format!(
                    "the export names of {entry} are not known ({reason}): only its default export can be imported"
                ));
                BTreeSet::new()
            }
        }
    }

    pub(crate) fn raw(&self, scene: &Scene, bundle: Bundle) -> Result<Raw, RegistryError> {
        let Bundle { chunk, found } = bundle;
        let code = &chunk.code;
        let mut names: BTreeSet<String> = chunk.exports.iter().map(ToString::to_string).collect();
        names.remove("module.exports");
        // Only those that the output still names: what was shaken out is not loaded.
        let used = |entry: &&EntryId| super::link::names_entry(code, entry);
        let externals: BTreeSet<EntryId> = found.externals.values().filter(used).cloned().collect();
        let stars = externals.iter().filter(|entry| super::link::exports_all(code, entry)).cloned().collect();
        let inputs = chunk.module_ids.iter().filter_map(|id| Path::new(id.as_str()).strip_prefix(&self.packages).ok());
        let inputs =
            inputs.filter(|path| path.extension().is_none_or(|extension| extension != "json" && extension != "css"));
        let inputs = inputs.map(|path| path.to_string_lossy().into_owned()).collect();
        let style = match joined_styles(&chunk, &found) {
            css if css.is_empty() => None,
            css => Some(scene.store.put(css.as_bytes(), "css")?),
        };
        // What is known of a module is kept by the hash of its text, so the text tells modules with other styles apart.
        let text = style.as_ref().map_or_else(|| code.clone(), |style| format!("{code}/* {style} */\n"));
        Ok(Raw {
            code: scene.store.put_blob(text.as_bytes())?,
            names,
            stars,
            externals,
            inputs,
            style,
            missing_peers: found.missing_peers,
            warnings: found.warnings,
        })
    }

    /// Runs the bundler.
    ///
    /// # Errors
    /// It refuses, panics, takes too long, or makes too much.
    pub(crate) async fn run(&self, job: Job) -> Result<Bundle, RegistryError> {
        // The semaphore is never closed.
        let _slot = self.slots.acquire().await;
        let name = job.name.clone();
        let refuse = |reason: String| RegistryError::Build { entry: name.clone(), reason: self.tidy(&reason) };
        let task = self.runtime.spawn(bundle(job, self.packages.clone()));
        let abort = task.abort_handle();
        let answer = tokio::time::timeout(self.limits.build_time, task).await;
        let bundle = match answer {
            Ok(Ok(answer)) => answer.map_err(refuse)?,
            Ok(Err(error)) => return Err(refuse(format!("the bundler stopped: {error}"))),
            Err(_) => {
                abort.abort();
                let limit = self.limits.build_time.as_secs();
                return Err(RegistryError::Limit { name, what: "seconds for a build", limit });
            }
        };
        if bundle.chunk.code.len() > self.limits.module_bytes {
            return Err(RegistryError::Limit {
                name,
                what: "bytes of a module",
                limit: self.limits.module_bytes as u64,
            });
        }
        Ok(bundle)
    }

    /// A message without the cache's paths, and not longer than a person reads.
    fn tidy(&self, message: &str) -> String {
        let root = self.packages.to_string_lossy();
        message.replace(&*root, "").chars().take(1_000).collect()
    }
}

/// All style sheets of a chunk, in the order in which its modules run.
pub(crate) fn joined_styles(chunk: &OutputChunk, found: &Found) -> String {
    let ordered: Vec<&str> =
        chunk.module_ids.iter().map(|id| id.as_str()).filter(|id| found.styles.contains_key(*id)).collect();
    let rest = found.styles.keys().map(String::as_str).filter(|id| !ordered.contains(id));
    ordered.iter().copied().chain(rest).filter_map(|id| found.styles.get(id)).cloned().collect::<Vec<_>>().join("\n")
}

async fn bundle(job: Job, packages: PathBuf) -> Result<Bundle, String> {
    let plugin = Arc::new(ScenePlugin {
        scene: job.scene,
        inside: job.inside,
        given: job.given,
        specifiers: job.specifiers,
        whole: job.whole,
        found: Mutex::default(),
    });
    let define = [
        ("process.env.NODE_ENV", "\"production\""),
        ("process.env", "({NODE_ENV:\"production\"})"),
        ("process.browser", "true"),
        ("global", "globalThis"),
        ("import.meta.env", "({MODE:\"production\",PROD:true,DEV:false,SSR:false})"),
    ];
    let define: FxIndexMap<String, String> =
        define.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let options = BundlerOptions {
        input: Some(vec![InputItem { name: Some("module".to_owned()), import: job.input }]),
        cwd: Some(packages),
        platform: Some(Platform::Browser),
        format: Some(job.format),
        minify: Some(RawMinifyOptions::Bool(job.minify)),
        define: Some(define),
        code_splitting: Some(CodeSplittingMode::Bool(false)),
        log_level: Some(LogLevel::Silent),
        ..BundlerOptions::default()
    };
    let mut bundler =
        Bundler::with_plugins(options, vec![Arc::clone(&plugin) as _]).map_err(|error| error.to_string())?;
    let output = bundler.generate().await.map_err(|error| error.to_string())?;
    let chunk = output.assets.iter().find_map(|asset| match asset {
        Output::Chunk(chunk) if chunk.is_entry => Some(Arc::clone(chunk)),
        _ => None,
    });
    let found = std::mem::take(&mut *plugin.found());
    Ok(Bundle { chunk: chunk.ok_or("it made no module")?, found })
}
