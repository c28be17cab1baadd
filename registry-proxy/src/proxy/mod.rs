//! The proxy itself: opened once, asked by every artifact.

mod addresses;
mod order;
mod progress;
mod resolve;
mod run;
mod whole;

use crate::address::Web;
use crate::address::guard::{Allowed, Names, PublicNames};
use crate::build::bundler::Builder;
use crate::build::names::ExportNames;
use crate::build::store::{Module, Modules};
use crate::graph::PackageId;
use crate::npm::npmrc::Npmrc;
use crate::npm::packages::Packages;
use crate::npm::registry::Registry;
use crate::policy::Policy;
use crate::serve::Served;
use crate::{Limits, OwnPackage, RegistryError, serve};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use ui4a_types::{Diagnostic, ImportState, Lock};

/// How a proxy is opened.
#[derive(Clone, Default)]
pub struct Config {
    /// Folder of everything that is fetched and built. May be shared by processes, and deleted between runs.
    pub cache: PathBuf,
    /// Folders whose `.npmrc` is read before the user's own.
    pub npmrc_dirs: Vec<PathBuf>,
    /// Runs CommonJS packages to learn their export names. Without it, those that no lexer can read have only `default`.
    pub isolate: Option<Arc<dyn ExportNames>>,
    /// Origins (`http://127.0.0.1:8080`) that an artifact's addresses may lead to although they are not public or not https.
    pub allow_addresses: Vec<String>,
    /// Which packages may be used.
    pub policy: Policy,
    /// Looks names up in the system's place, where addresses are checked.
    pub names: Option<Arc<dyn Names>>,
    /// Every bound.
    pub limits: Limits,
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("cache", &self.cache)
            .field("npmrc_dirs", &self.npmrc_dirs)
            .field("isolate", &self.isolate.is_some())
            .finish_non_exhaustive()
    }
}

/// How the imports of an artifact came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolution {
    /// Specifier as written → its state. Holds `react`, `react/jsx-runtime`, `react-dom` and `react-dom/client` always.
    pub imports: BTreeMap<String, ImportState>,
    /// What pins all of it.
    pub lock: Lock,
    /// Findings, at the positions of the specifiers.
    pub diagnostics: Vec<Diagnostic>,
}

/// Resolves imports, builds modules, and serves them.
#[derive(Debug)]
pub struct Proxy {
    pub(crate) registry: Arc<Registry>,
    pub(crate) packages: Arc<Packages>,
    /// Folder of the declarations of artifacts.
    pub(crate) types: PathBuf,
    pub(crate) store: Arc<Modules>,
    pub(crate) web: Web,
    builder: Arc<Builder>,
    own: RwLock<BTreeMap<PackageId, Arc<OwnPackage>>>,
    /// The cache folder.
    pub(crate) cache: PathBuf,
    pub(crate) served: Served,
    pub(crate) limits: Limits,
    /// Builds run here, so that a long one never keeps the caller's threads.
    runtime: Option<tokio::runtime::Runtime>,
}

impl Proxy {
    /// Opens the cache and reads npm's configuration from the environment and the named folders. Asks no registry.
    ///
    /// # Errors
    /// The cache folder cannot be made.
    pub fn open(config: Config) -> Result<Self, RegistryError> {
        Self::open_with_env(config, &std::env::vars().collect())
    }

    /// The same with another environment: `npm_config_*` and the variables that `.npmrc` mentions are read from `env`.
    ///
    /// # Errors
    /// The cache folder cannot be made.
    pub fn open_with_env(config: Config, env: &BTreeMap<String, String>) -> Result<Self, RegistryError> {
        let Config { cache, npmrc_dirs, isolate, allow_addresses, policy, names, limits } = config;
        std::fs::create_dir_all(&cache).map_err(|error| RegistryError::io("creating", &cache, &error))?;
        // Modules are told apart by their real paths.
        let cache = cache.canonicalize().map_err(|error| RegistryError::io("opening", &cache, &error))?;
        let settings = Npmrc::load(env, &npmrc_dirs);
        tracing::debug!(?settings, "npm's configuration");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(limits.builds.max(1))
            .thread_name("ui4a-build")
            .enable_all()
            .build()
            .map_err(|error| RegistryError::io("starting threads for", &cache, &error))?;
        let (policy, allowed, names) = (Arc::new(policy), Allowed::new(&allow_addresses), PublicNames::new(names));
        let reach = (allowed.clone(), names.clone());
        Ok(Self {
            registry: Arc::new(Registry::open(&cache, settings, reach, Arc::clone(&policy), &limits)?),
            web: Web::open(&cache, allowed, policy, names, &limits)?,
            packages: Arc::new(Packages::open(&cache, &limits)?),
            types: cache.join("types"),
            store: Arc::new(Modules::open(&cache)?),
            builder: Arc::new(Builder::new(runtime.handle().clone(), &cache, &limits, isolate)),
            own: RwLock::default(),
            served: Served::new(&cache, limits.served_bytes),
            cache,
            limits,
            runtime: Some(runtime),
        })
    }

    /// Adds a package of our own, in place of one of the same name.
    pub fn add_package(&self, package: OwnPackage) {
        let mut own = self.own.write().unwrap_or_else(PoisonError::into_inner);
        own.retain(|id, _| id.name != package.name);
        own.insert(PackageId::new(&package.name, package.version()), Arc::new(package));
    }

    /// A module or asset by its name, `<sha256>.<extension>`. Blocks on the disk.
    pub fn module(&self, name: &str) -> Option<Module> {
        self.store.get(name)
    }

    /// `GET /m/{name}`.
    pub fn router(self: &Arc<Self>) -> axum::Router {
        serve::router(self)
    }

    /// `GET /registry/…`: the npm registry protocol, read-only.
    pub fn registry_router(self: &Arc<Self>) -> axum::Router {
        serve::registry_router(self)
    }

    /// Fetches the tarballs of packages that are unpacked and were not kept. Returns what could not be had.
    pub async fn keep_tarballs(&self) -> Vec<RegistryError> {
        let mut errors = Vec::new();
        for id in self.registry.chosen() {
            let Some(manifest) = self.registry.known_manifest(&id) else { continue };
            let kept = self.packages.tarballs.path(&manifest.integrity).is_some_and(|path| path.is_file());
            if !kept
                && self.packages.folder(&id, &manifest.integrity).is_dir()
                && let Err(error) = self.packages.tarball(&self.registry, &id, &manifest).await
            {
                errors.push(error);
            }
        }
        errors
    }

    pub(crate) fn own_packages(&self) -> BTreeMap<PackageId, Arc<OwnPackage>> {
        self.own.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A runtime may not wait for its threads inside another one.
            runtime.shutdown_background();
        }
    }
}
