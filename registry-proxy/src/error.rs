//! What can go wrong between an import and its module.

use std::path::PathBuf;

/// A failure of the registry proxy. Messages are whole sentences for a person, and say what to do where something can be
/// done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RegistryError {
    /// No npm registry is configured and no `npm` program could be asked.
    #[error(
        "no npm registry is configured: set npm_config_registry (or `registry=` in .npmrc), or install npm, whose own default is then used"
    )]
    NoRegistry,
    /// A setting cannot be used.
    #[error("the npm setting `{key}` from {origin} cannot be used: {reason}")]
    Setting {
        /// The setting.
        key: String,
        /// Where it was read.
        origin: String,
        /// Why not.
        reason: String,
    },
    /// The registry answered that it has no such package.
    #[error("there is no package `{name}` in the npm registry {registry}")]
    NoSuchPackage {
        /// The package.
        name: String,
        /// The registry, without credentials.
        registry: String,
    },
    /// The package has no version that was asked for.
    #[error("`{name}` has no version that satisfies `{range}`; its latest is {latest}")]
    NoSuchVersion {
        /// The package.
        name: String,
        /// What was asked for.
        range: String,
        /// The newest version.
        latest: String,
    },
    /// The registry does not answer, and what was asked for is not in the cache.
    #[error(
        "the npm registry {registry} cannot be reached for `{name}` ({reason}) and it is not in the cache: check the network, or set npm_config_registry (and npm_config_https_proxy where one is needed)"
    )]
    Unreachable {
        /// The package.
        name: String,
        /// The registry, without credentials.
        registry: String,
        /// What the network said.
        reason: String,
    },
    /// The registry wants other credentials.
    #[error(
        "the npm registry {registry} refused `{name}` with status {status}: check the token for this registry in .npmrc (`//host/:_authToken=`)"
    )]
    Unauthorized {
        /// The package.
        name: String,
        /// The registry, without credentials.
        registry: String,
        /// 401 or 403.
        status: u16,
    },
    /// The registry answered with something that is no use.
    #[error("the npm registry {registry} answered for `{name}` with {reason}")]
    BadAnswer {
        /// The package.
        name: String,
        /// The registry, without credentials.
        registry: String,
        /// What was wrong with it.
        reason: String,
    },
    /// The user does not want it: a list or an age of [`crate::Policy`].
    #[error("`{name}` is not used: {reason}")]
    Denied {
        /// The package, with its version where that is what counts.
        name: String,
        /// Which setting says so.
        reason: String,
    },
    /// A bundle of the cache that cannot be used.
    #[error("the bundle {path} cannot be used: {reason}")]
    Bundle {
        /// The file.
        path: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// A bound of [`crate::Limits`].
    #[error("`{name}` exceeds the limit of {limit} {what}")]
    Limit {
        /// The package, module or list.
        name: String,
        /// What is limited, with its unit.
        what: &'static str,
        /// The bound.
        limit: u64,
    },
    /// Fetched bytes are not the published ones.
    #[error("the tarball of `{package}` does not match its published integrity: expected {expected}, got {actual}")]
    Integrity {
        /// `name@version`.
        package: String,
        /// From the packument or the lock.
        expected: String,
        /// Of what was fetched.
        actual: String,
    },
    /// A tarball that is damaged, or made to do harm.
    #[error("the tarball of `{package}` cannot be used: {reason}")]
    Tarball {
        /// `name@version`.
        package: String,
        /// Why.
        reason: String,
    },
    /// The package has no such entry.
    #[error("`{package}` has no entry `{entry}` ({reason})")]
    NoSuchEntry {
        /// `name@version`.
        package: String,
        /// The subpath, `.` for the main entry.
        entry: String,
        /// What the resolver said.
        reason: String,
    },
    /// A specifier that stands for nothing that can be fetched.
    #[error("`{specifier}` cannot be imported: {reason}")]
    Specifier {
        /// As written.
        specifier: String,
        /// Why.
        reason: String,
    },
    /// No TypeScript checker is published for this machine.
    #[error("no TypeScript checker is published for {platform}")]
    NoChecker {
        /// The system and the processor.
        platform: String,
    },
    /// An address that may not be fetched.
    #[error("{address} is not fetched: {reason}")]
    Forbidden {
        /// As written.
        address: String,
        /// Why.
        reason: String,
    },
    /// An address that could not be fetched, or that answered with something that is no use.
    #[error("{address} could not be fetched: {reason}")]
    Address {
        /// As written.
        address: String,
        /// Why.
        reason: String,
    },
    /// The bundler refused.
    #[error("`{entry}` could not be built: {reason}")]
    Build {
        /// `name@version/subpath`.
        entry: String,
        /// What it said.
        reason: String,
    },
    /// The cache folder cannot be read or written.
    #[error("{doing} {path}: {reason}")]
    Io {
        /// What was being done, as a gerund.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The module store failed.
    #[error("{0}")]
    Store(String),
}

impl RegistryError {
    pub(crate) fn io(doing: &'static str, path: impl Into<PathBuf>, error: &std::io::Error) -> Self {
        Self::Io { doing, path: path.into(), reason: error.to_string() }
    }
}

impl From<ui4a_store::StoreError> for RegistryError {
    fn from(error: ui4a_store::StoreError) -> Self {
        Self::Store(error.to_string())
    }
}
