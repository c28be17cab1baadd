//! Packuments as registries answer them: asked for, and kept on disk with how fresh they are.
//!
//! Knows nothing of what is in them but that they parse: what does not is never kept.

use super::http::{Failure, Http, shown};
use super::npmrc::Npmrc;
use super::packument::Packument;
use crate::address::guard::{Allowed, PublicNames};
use crate::npm::registry::write_whole;
use crate::{Limits, RegistryError};
use http::{StatusCode, header};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::OnceCell;

/// What makes a registry answer with resolution metadata alone.
const ABBREVIATED: &str = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";
/// What makes it answer with everything, publication dates among it.
const WHOLE: &str = "application/json";

/// First line of a cached packument's file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Freshness {
    etag: Option<String>,
    /// Seconds since 1970.
    at: u64,
    /// The registry that answered, as it may be printed.
    #[serde(default)]
    registry: Option<String>,
}

/// A cached packument.
#[derive(Clone, Debug)]
pub(crate) struct Cached {
    freshness: Freshness,
    /// The packument's text.
    pub body: Vec<u8>,
    /// Seconds since it was asked for; none when it is not from the registry that is asked now, or from the future.
    pub age: Option<u64>,
}

/// What a registry answered.
struct Asked {
    /// None when the cached one still holds.
    body: Option<Vec<u8>>,
    etag: Option<String>,
    registry: String,
}

/// The source of packuments.
#[derive(Debug)]
pub(crate) struct Metadata {
    settings: Npmrc,
    allowed: Allowed,
    names: PublicNames,
    client: OnceCell<Result<(Npmrc, Http), RegistryError>>,
    folder: PathBuf,
    /// Whether packuments are asked for whole, for their dates.
    whole: bool,
    limits: Limits,
}

impl Metadata {
    pub(crate) fn new(
        folder: PathBuf,
        settings: Npmrc,
        (allowed, names): (Allowed, PublicNames),
        whole: bool,
        limits: &Limits,
    ) -> Self {
        Self { settings, allowed, names, client: OnceCell::new(), folder, whole, limits: limits.clone() }
    }

    /// The client, made at the first request: only then is the `npm` program asked, where nothing else names a registry.
    pub(crate) async fn client(&self) -> Result<(&Npmrc, &Http), RegistryError> {
        let made = self.client.get_or_init(|| async {
            let (mut settings, limits) = (self.settings.clone(), self.limits.clone());
            let (allowed, names) = (self.allowed.clone(), self.names.clone());
            let making = tokio::task::spawn_blocking(move || {
                if settings.get("registry").is_none() {
                    settings.ask_npm();
                }
                let http = Http::new(&settings, allowed, names, &limits)?;
                Ok((settings, http))
            });
            making.await.unwrap_or_else(|error| Err(RegistryError::Store(error.to_string())))
        });
        match made.await {
            Ok((settings, http)) => Ok((settings, http)),
            Err(error) => Err(error.clone()),
        }
    }

    /// What is cached of a package, if it parses.
    pub(crate) async fn read(&self, name: &str) -> Option<(Cached, Arc<Packument>)> {
        let path = self.file(name);
        let registry = self.settings.registry(name).ok().map(|url| shown(&url));
        let now = now();
        let cached = blocking(move || {
            Ok(read(&path).map(|(freshness, body)| {
                let elsewhere = registry.is_some() && freshness.registry.is_some() && freshness.registry != registry;
                let age = if elsewhere { None } else { now.checked_sub(freshness.at) };
                Cached { freshness, body, age }
            }))
        });
        let cached = cached.await.ok()??;
        // A torn file: as if there were none.
        let packument = parse(name, "the cache", cached.body.clone()).await.ok()?;
        // One without dates is of no use where dates decide.
        (!self.whole || !packument.times.is_empty()).then_some((cached, packument))
    }

    /// Asks the registry, and keeps what it answers.
    ///
    /// # Errors
    /// There is no such package, it may not be had, or the registry does not answer with a packument.
    pub(crate) async fn update(&self, name: &str, cached: Option<&Cached>) -> Result<Arc<Packument>, RegistryError> {
        let (settings, http) = self.client().await?;
        let registry = settings.registry(name)?;
        let mut tries = http.tries(&registry, name)?;
        loop {
            let trying = tokio::time::timeout(self.limits.packument_time, self.once(name, cached));
            let failure = match trying.await {
                Ok(Ok(packument)) => return Ok(packument),
                Ok(Err(failure)) => failure,
                Err(_) => {
                    let limit = self.limits.packument_time.as_secs();
                    RegistryError::Limit { name: name.to_owned(), what: "seconds for a packument", limit }.into()
                }
            };
            tries.again(failure).await?;
        }
    }

    async fn once(&self, name: &str, cached: Option<&Cached>) -> Result<Arc<Packument>, Failure> {
        let etag = cached.and_then(|cached| cached.freshness.etag.clone());
        let Asked { body, etag, registry } = self.ask(name, etag).await?;
        let body = body.or_else(|| cached.map(|cached| cached.body.clone())).unwrap_or_default();
        let text = body.clone();
        // What does not parse may be half of an answer: another try may bring the whole.
        let packument =
            parse(name, &registry, body).await.map_err(|error| Failure { error, again: true, after: None })?;
        let (file, freshness) = (self.file(name), Freshness { etag, at: now(), registry: Some(registry) });
        blocking(move || write(&file, &freshness, &text)).await?;
        Ok(packument)
    }

    async fn ask(&self, name: &str, old_etag: Option<String>) -> Result<Asked, Failure> {
        let (settings, http) = self.client().await?;
        let registry = settings.registry(name)?;
        let url = registry
            .join(&name.replace('/', "%2f"))
            .map_err(|error| RegistryError::Specifier { specifier: name.to_owned(), reason: error.to_string() })?;
        let mut headers = vec![(header::ACCEPT, if self.whole { WHOLE } else { ABBREVIATED }.to_owned())];
        if let Some(etag) = &old_etag {
            headers.push((header::IF_NONE_MATCH, etag.clone()));
        }
        let answer = http.get(settings, &registry, &url, name, &headers).await?;
        let registry = shown(&registry);
        if answer.status == StatusCode::NOT_MODIFIED {
            return Ok(Asked { body: None, etag: old_etag, registry });
        }
        let etag = answer.headers.get(header::ETAG).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = answer.bytes(name, "bytes of a packument", self.limits.packument_bytes).await?;
        Ok(Asked { body: Some(body), etag, registry })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(super::registry::file_name("packument", name))
    }
}

/// Parsing megabytes of metadata takes milliseconds: not on the threads that wait for the network.
async fn parse(name: &str, registry: &str, bytes: Vec<u8>) -> Result<Arc<Packument>, RegistryError> {
    let (name, registry) = (name.to_owned(), registry.to_owned());
    blocking(move || Packument::parse(&name, &registry, &bytes).map(Arc::new)).await
}

pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RegistryError> + Send + 'static,
) -> Result<T, RegistryError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(RegistryError::Store(format!("a task stopped: {error}"))))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn read(path: &Path) -> Option<(Freshness, Vec<u8>)> {
    let mut bytes = std::fs::read(path).ok()?;
    let line = bytes.iter().position(|byte| *byte == b'\n')?;
    let freshness = serde_json::from_slice(&bytes[..line]).ok()?;
    bytes.drain(..=line);
    Some((freshness, bytes))
}

fn write(path: &Path, freshness: &Freshness, body: &[u8]) -> Result<(), RegistryError> {
    let head = serde_json::to_vec(freshness).map_err(|error| RegistryError::Store(error.to_string()))?;
    write_whole(path, &[&head, b"\n", body])
}
