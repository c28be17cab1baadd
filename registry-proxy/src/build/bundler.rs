//! Runs rolldown: one entry in, one file out.

use super::chunks::{self, CHUNK};
use super::exports::Cut;
use super::locate::{Located, Manner};
use super::names::{ExportNames, Kind, Told, kind};
use super::plugin::{Found, ScenePlugin};
use super::raw::{Question, Raw, key};
use super::scene::Scene;
use super::virtuals::{GIVEN, commonjs_wrapper, cut_wrapper};
use super::wish::Wish;
use crate::flight::Flights;
use crate::graph::EntryId;
use crate::{Limits, RegistryError};
use rolldown::{
    Bundler, BundlerOptions, CodeSplittingMode, ExperimentalOptions, InputItem, LogLevel, OutputFormat, Platform,
    RawMinifyOptions,
};
use rolldown_common::{Output, OutputChunk, SourceMapType};
use rolldown_utils::indexmap::FxIndexMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// Bundles on threads of its own, a few at a time.
pub(crate) struct Builder {
    runtime: Handle,
    slots: Semaphore,
    pub(super) packages: PathBuf,
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
#[derive(Clone)]
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
    /// Whether a source map is drawn.
    pub map: bool,
    /// For messages.
    pub name: String,
}

/// What one run of the bundler made.
pub(crate) struct Bundle {
    pub chunk: Arc<OutputChunk>,
    /// The other chunks, when the entry was split.
    pub rest: Vec<Arc<OutputChunk>>,
    pub found: Found,
}

impl Builder {
    pub(crate) fn new(runtime: Handle, cache: &Path, limits: &Limits, isolate: Option<Arc<dyn ExportNames>>) -> Self {
        let (slots, packages) = (Semaphore::new(limits.builds.max(1)), cache.join("packages"));
        Self { runtime, slots, packages, limits: limits.clone(), isolate, flights: Flights::default() }
    }

    /// Builds an entry for what is wished of it, or finds that it was built before. It may hold more than was wished.
    ///
    /// # Errors
    /// There is no such entry, or the bundler refuses it.
    pub(crate) async fn entry(
        &self,
        scene: &Arc<Scene>,
        entry: &EntryId,
        wish: &Wish,
    ) -> Result<Arc<Raw>, RegistryError> {
        if entry.subpath.starts_with(CHUNK) {
            let gone = || RegistryError::Store(format!("`{entry}` is gone from the cache; try again"));
            return chunk(scene, entry).ok_or_else(gone);
        }
        if let Some(cut) = scene.cut(entry, wish) {
            match self.one(scene, entry, Some(&cut)).await {
                Ok(raw) => return Ok(raw),
                // What a cut cannot do, the whole may.
                Err(error) => tracing::debug!(%entry, %error, "not built for some of its names"),
            }
        }
        self.one(scene, entry, None).await
    }

    async fn one(&self, scene: &Arc<Scene>, entry: &EntryId, cut: Option<&Cut>) -> Result<Arc<Raw>, RegistryError> {
        let key = key(scene, std::slice::from_ref(entry), cut.map(|cut| &cut.names));
        let _flight = self.flights.lock(key.clone()).await;
        if let Some(raw) = scene.store.raws(&key).iter().find(|raw| scene.agrees(raw) && chunks_are_there(scene, raw)) {
            scene.store.touch_raw(&key, raw);
            return Ok(Arc::clone(raw));
        }
        let Located::File { path, .. } = scene.locate(entry, Manner::Import)? else {
            return scene
                .store
                .put_raw(&key, Raw { code: scene.store.put_blob(b"export default {};\n")?, ..Raw::default() });
        };
        let read = |error: std::io::Error| RegistryError::io("reading", &path, &error);
        let input = path.to_string_lossy().into_owned();
        let mut given = BTreeMap::new();
        let (mut extra, mut answers) = (BTreeSet::new(), BTreeMap::new());
        let input = match (cut, kind(scene, &entry.package, &path).map_err(read)?) {
            (Some(cut), _) => {
                given.insert("entry".to_owned(), cut_wrapper(&scene.origins(entry, &path, cut)));
                format!("{GIVEN}entry")
            }
            (None, Kind::CommonJs(Told { mut names, problems, partial })) => {
                extra.extend(problems);
                if names.is_empty() || partial {
                    let told = !names.is_empty();
                    let run = self.run_for_names(scene, entry, &input, told, (&mut extra, &mut answers)).await;
                    // What it does outweighs what its text says: a text also names what other surroundings would get.
                    names = run.filter(|run| !run.is_empty()).unwrap_or(names);
                }
                given.insert("entry".to_owned(), commonjs_wrapper(&input, &names));
                format!("{GIVEN}entry")
            }
            (None, Kind::Module | Kind::Style | Kind::Json | Kind::Asset) => input,
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
            map: true,
            name: entry.to_string(),
        };
        let mut bundle = self.run_split(job).await?;
        bundle.found.answers.extend(answers);
        let mut raw = self.raws(scene, bundle, entry, &key)?;
        raw.warnings.extend(extra);
        if let Some(cut) = cut {
            (raw.cut, raw.known) = (Some(cut.names.clone()), Some((*cut.known).clone()));
        }
        scene.store.put_raw(&key, raw)
    }

    /// Runs the bundler, and once more with code that is loaded later apart, where that leaves much out.
    pub(super) async fn run_split(&self, job: Job) -> Result<Bundle, RegistryError> {
        let bundle = self.run(job.clone()).await?;
        if !bundle.found.has_dynamic || bundle.chunk.code.len() < chunks::WORTH {
            return Ok(bundle);
        }
        let _slot = self.slots.acquire().await;
        let name = job.name.clone();
        let split = self.on_threads(&name, bundle_boxed(job, self.packages.clone(), true)).await;
        match split {
            Ok(split) if chunks::shape(&split.all_chunks()).is_useful => Ok(split),
            Ok(_) => Ok(bundle),
            Err(error) => {
                tracing::debug!(%error, "not split");
                Ok(bundle)
            }
        }
    }

    /// The export names of a CommonJS entry that no lexer could tell, or not all of them; none when it cannot be run.
    async fn run_for_names(
        &self,
        scene: &Arc<Scene>,
        entry: &EntryId,
        file: &str,
        told: bool,
        (warnings, answers): (&mut BTreeSet<String>, &mut BTreeMap<Question, String>),
    ) -> Option<BTreeSet<String>> {
        let isolate = self.isolate.as_ref()?;
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
            map: false,
            name: entry.to_string(),
        };
        let answer = match self.run(job).await {
            Ok(bundle) => {
                answers.extend(bundle.found.answers);
                isolate.names(&bundle.chunk.code).await
            }
            Err(error) => Err(error.to_string()),
        };
        match answer {
            Ok(names) => Some(names.into_iter().collect()),
            // What its text tells will do.
            Err(_) if told => None,
            Err(reason) => {
                warnings.insert(format!(
                    "the export names of {entry} are not known ({reason}): only its default export can be imported"
                ));
                None
            }
        }
    }

    /// Runs the bundler.
    ///
    /// # Errors
    /// It refuses, panics, takes too long, or makes too much.
    pub(crate) async fn run(&self, job: Job) -> Result<Bundle, RegistryError> {
        // The semaphore is never closed.
        let _slot = self.slots.acquire().await;
        let name = job.name.clone();
        self.on_threads(&name, bundle_boxed(job, self.packages.clone(), false)).await
    }

    async fn on_threads(&self, name: &str, work: Bundling) -> Result<Bundle, RegistryError> {
        let refuse = |reason: String| RegistryError::Build { entry: name.to_owned(), reason: self.tidy(&reason) };
        let task = self.runtime.spawn(work);
        let abort = task.abort_handle();
        let answer = tokio::time::timeout(self.limits.build_time, task).await;
        let bundle = match answer {
            Ok(Ok(answer)) => answer.map_err(refuse)?,
            Ok(Err(error)) => return Err(refuse(format!("the bundler stopped: {error}"))),
            Err(_) => {
                abort.abort();
                let limit = self.limits.build_time.as_secs();
                return Err(RegistryError::Limit { name: name.to_owned(), what: "seconds for a build", limit });
            }
        };
        if bundle.all_chunks().iter().map(|chunk| chunk.code.len()).sum::<usize>() > self.limits.module_bytes {
            return Err(RegistryError::Limit {
                name: name.to_owned(),
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

/// All style sheets of a build, in the order in which its modules run.
pub(crate) fn joined_styles(chunk: &OutputChunk, found: &Found) -> String {
    let ordered: Vec<&str> =
        chunk.module_ids.iter().map(|id| id.as_str()).filter(|id| found.styles.contains_key(*id)).collect();
    let rest = found.styles.keys().map(String::as_str).filter(|id| !ordered.contains(id));
    ordered.iter().copied().chain(rest).filter_map(|id| found.styles.get(id)).cloned().collect::<Vec<_>>().join("\n")
}

/// A stored chunk.
fn chunk(scene: &Scene, id: &EntryId) -> Option<Arc<Raw>> {
    let key = id.subpath.strip_prefix(CHUNK)?;
    let raw = scene.store.raws(key).first().cloned()?;
    scene.store.touch_raw(key, &raw);
    Some(raw)
}

/// Whether the chunks that a stored build was split into are stored too.
pub(super) fn chunks_are_there(scene: &Scene, raw: &Raw) -> bool {
    let chunks = raw.externals.iter().filter(|external| external.subpath.starts_with(CHUNK));
    chunks.map(|id| chunk(scene, id)).all(|chunk| chunk.is_some_and(|chunk| chunks_are_there(scene, &chunk)))
}

impl Bundle {
    pub(super) fn all_chunks(&self) -> Vec<Arc<OutputChunk>> {
        [&self.chunk].into_iter().chain(&self.rest).cloned().collect()
    }
}

/// A run of the bundler. One may start another, so its type has a name.
pub(super) type Bundling = Pin<Box<dyn Future<Output = Result<Bundle, String>> + Send>>;

/// Runs the bundler where the caller is. With `split`, code that is imported dynamically is left in chunks of its own.
pub(super) fn bundle_boxed(job: Job, packages: PathBuf, split: bool) -> Bundling {
    Box::pin(bundle(job, packages, split))
}

async fn bundle(job: Job, packages: PathBuf, split: bool) -> Result<Bundle, String> {
    let plugin = Arc::new(ScenePlugin {
        scene: job.scene,
        inside: job.inside,
        given: job.given,
        specifiers: job.specifiers,
        whole: job.whole,
        packages: packages.clone(),
        found: Mutex::default(),
    });
    let define = [
        ("process.env.NODE_ENV", "\"production\""),
        ("process.env", "({NODE_ENV:\"production\"})"),
        ("process.browser", "true"),
        ("process.platform", "\"browser\""),
        ("process.version", "\"\""),
        ("process.versions", "({})"),
        ("process.argv", "([])"),
        ("process.cwd", "(()=>\"/\")"),
        ("process.nextTick", "((f,...a)=>queueMicrotask(()=>f(...a)))"),
        ("__dirname", "\"/\""),
        ("__filename", "\"/index.js\""),
        ("global", "globalThis"),
        ("import.meta.env", "({MODE:\"production\",PROD:true,DEV:false,SSR:false})"),
    ];
    let define: FxIndexMap<String, String> =
        define.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let code_splitting = if split { chunks::splitting(&job.input) } else { CodeSplittingMode::Bool(false) };
    let options = BundlerOptions {
        input: Some(vec![InputItem { name: Some("module".to_owned()), import: job.input }]),
        cwd: Some(packages),
        platform: Some(Platform::Browser),
        format: Some(job.format),
        minify: Some(RawMinifyOptions::Bool(job.minify)),
        // The texts of its sources lie in the folder of packages.
        sourcemap: job.map.then_some(SourceMapType::Hidden),
        sourcemap_exclude_sources: Some(true),
        define: Some(define),
        code_splitting: Some(code_splitting),
        chunk_filenames: Some(chunks::file_names()),
        experimental: Some(ExperimentalOptions {
            chunk_optimization: split.then(chunks::unmerged),
            ..ExperimentalOptions::default()
        }),
        log_level: Some(LogLevel::Silent),
        ..BundlerOptions::default()
    };
    let mut bundler =
        Bundler::with_plugins(options, vec![Arc::clone(&plugin) as _]).map_err(|error| error.to_string())?;
    // Of what a plugin says against a file, the bundler only tells that it said something.
    let output = bundler.generate().await.map_err(|error| plugin.exceeded().unwrap_or_else(|| error.to_string()))?;
    let chunks = output.assets.iter().filter_map(|asset| match asset {
        Output::Chunk(chunk) => Some(Arc::clone(chunk)),
        Output::Asset(_) => None,
    });
    let (entries, rest): (Vec<_>, Vec<_>) = chunks.partition(|chunk| chunk.is_entry);
    let found = std::mem::take(&mut *plugin.found());
    Ok(Bundle { chunk: entries.into_iter().next().ok_or("it made no module")?, rest, found })
}
