//! The registry with its cache: packuments on disk and in memory, manifests of the versions that were ever chosen.
//!
//! A packument older than the limit is asked for again with its ETag; when the registry does not answer, the old one is
//! used. A chosen version's manifest never changes, so a lock replays with no packument and no network.

use super::http::{Http, shown};
use super::npmrc::Npmrc;
use super::packument::{Manifest, Packument};
use crate::flight::Flights;
use crate::graph::PackageId;
use crate::{Limits, RegistryError};
use bytes::Bytes;
use futures::Stream;
use http::{StatusCode, header};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::OnceCell;
use url::Url;

/// How long "no such package" is believed.
const ABSENT: Duration = Duration::from_secs(60);
/// Manifests kept in memory.
const REMEMBERED: usize = 4_096;
/// Packuments kept in memory. Those of React, with thousands of versions, take about 2 MB.
const PACKUMENTS: usize = 512;
/// What makes a registry answer with resolution metadata alone.
const ABBREVIATED: &str = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";

/// First line of a cached packument's file.
#[derive(Default, Serialize, Deserialize)]
struct Freshness {
    etag: Option<String>,
    /// Seconds since 1970.
    at: u64,
}

type Remembered = (Instant, Result<Arc<Packument>, RegistryError>);

/// A client of the user's registries.
#[derive(Debug)]
pub(crate) struct Registry {
    settings: Npmrc,
    client: OnceCell<Result<(Npmrc, Http), RegistryError>>,
    folder: PathBuf,
    packuments: Mutex<HashMap<String, Remembered>>,
    manifests: Mutex<HashMap<PackageId, Arc<Manifest>>>,
    flights: Flights<String>,
    limits: Limits,
}

impl Registry {
    pub(crate) fn open(cache: &Path, settings: Npmrc, limits: &Limits) -> Result<Self, RegistryError> {
        let folder = cache.join("metadata");
        std::fs::create_dir_all(&folder).map_err(|error| RegistryError::io("creating", &folder, &error))?;
        Ok(Self {
            settings,
            client: OnceCell::new(),
            folder,
            packuments: Mutex::default(),
            manifests: Mutex::default(),
            flights: Flights::default(),
            limits: limits.clone(),
        })
    }

    /// The client, made at the first request: only then is the `npm` program asked, where nothing else names a registry.
    async fn client(&self) -> Result<(&Npmrc, &Http), RegistryError> {
        let made = self.client.get_or_init(|| async {
            let (mut settings, limits) = (self.settings.clone(), self.limits.clone());
            let making = tokio::task::spawn_blocking(move || {
                if settings.get("registry").is_none() {
                    settings.ask_npm();
                }
                let http = Http::new(&settings, &limits)?;
                Ok((settings, http))
            });
            making.await.unwrap_or_else(|error| Err(RegistryError::Store(error.to_string())))
        });
        match made.await {
            Ok((settings, http)) => Ok((settings, http)),
            Err(error) => Err(error.clone()),
        }
    }

    /// All versions of a package.
    ///
    /// # Errors
    /// There is none of this name; or the registry cannot be reached and there is no cached answer.
    pub(crate) async fn packument(&self, name: &str) -> Result<Arc<Packument>, RegistryError> {
        if let Some(known) = self.remembered(name) {
            return known;
        }
        let _flight = self.flights.lock(name.to_owned()).await;
        if let Some(known) = self.remembered(name) {
            return known;
        }
        let answer = self.fetch_packument(name).await;
        // What only the network decides is asked again at once the next time.
        if matches!(answer, Ok(_) | Err(RegistryError::NoSuchPackage { .. })) {
            let mut packuments = self.packuments.lock().unwrap_or_else(PoisonError::into_inner);
            if packuments.len() >= PACKUMENTS {
                packuments.clear();
            }
            packuments.insert(name.to_owned(), (Instant::now(), answer.clone()));
        }
        answer
    }

    fn remembered(&self, name: &str) -> Option<Result<Arc<Packument>, RegistryError>> {
        let packuments = self.packuments.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, known) = packuments.get(name)?;
        let age = if known.is_ok() { self.limits.packument_age } else { ABSENT };
        (at.elapsed() < age).then(|| known.clone())
    }

    async fn fetch_packument(&self, name: &str) -> Result<Arc<Packument>, RegistryError> {
        let path = self.file("packument", name);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let reading = path.clone();
        let mut cached = blocking(move || Ok(read_cached(&reading))).await?;
        let age = self.limits.packument_age.as_secs();
        if let Some((freshness, body)) = &mut cached
            && now.saturating_sub(freshness.at) < age
            && freshness.at <= now
        {
            match parse(name, "the cache", std::mem::take(body)).await {
                Ok(packument) => return Ok(packument),
                // A torn file: as if there were none.
                Err(_) => cached = None,
            }
        }
        let etag = cached.as_ref().and_then(|(freshness, _)| freshness.etag.clone());
        match self.ask_packument(name, etag).await {
            Ok((fresh, etag, registry)) => {
                let body = fresh.or(cached.map(|(_, body)| body)).unwrap_or_default();
                let (file, freshness, text) = (path, Freshness { etag, at: now }, body.clone());
                let packument = parse(name, &registry, body).await?;
                blocking(move || write_cached(&file, &freshness, &text)).await?;
                Ok(packument)
            }
            Err(
                error @ (RegistryError::Unreachable { .. }
                | RegistryError::BadAnswer { .. }
                | RegistryError::NoRegistry),
            ) => {
                // Old metadata is better than none.
                let Some((_, body)) = cached else { return Err(error) };
                parse(name, "the cache", body).await.map_err(|_| error)
            }
            Err(error) => Err(error),
        }
    }

    /// A new body (none when the cached one still holds), its ETag, and the registry's printable address.
    async fn ask_packument(
        &self,
        name: &str,
        old_etag: Option<String>,
    ) -> Result<(Option<Vec<u8>>, Option<String>, String), RegistryError> {
        let (settings, http) = self.client().await?;
        let registry = settings.registry(name)?;
        let url = registry
            .join(&name.replace('/', "%2f"))
            .map_err(|error| RegistryError::Specifier { specifier: name.to_owned(), reason: error.to_string() })?;
        let mut headers = vec![(header::ACCEPT, ABBREVIATED.to_owned())];
        if let Some(etag) = &old_etag {
            headers.push((header::IF_NONE_MATCH, etag.clone()));
        }
        let answer = http.get(settings, &registry, &url, name, &headers).await?;
        if answer.status == StatusCode::NOT_MODIFIED {
            return Ok((None, old_etag, shown(&registry)));
        }
        let etag = answer.headers.get(header::ETAG).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = answer.bytes(name, "bytes of a packument", self.limits.packument_bytes).await?;
        Ok((Some(body), etag, shown(&registry)))
    }

    /// A version's tarball as it arrives, and the printable address of where it is from.
    pub(crate) async fn tarball(
        &self,
        id: &PackageId,
        manifest: &Manifest,
    ) -> Result<(impl Stream<Item = Result<Bytes, reqwest::Error>> + Unpin + use<>, String), RegistryError> {
        let (settings, http) = self.client().await?;
        let registry = settings.registry(&id.name)?;
        let refuse = |reason: String| RegistryError::Tarball { package: id.to_string(), reason };
        let url =
            Url::parse(&manifest.tarball).map_err(|error| refuse(format!("its address does not parse: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refuse("its address is not http or https".to_owned()));
        }
        let host = shown(&url);
        let answer = http.get(settings, &registry, &url, &id.name, &[]).await?;
        Ok((answer.stream(), host))
    }

    /// The manifest of a version that was chosen before, from memory or disk.
    pub(crate) fn known_manifest(&self, id: &PackageId) -> Option<Arc<Manifest>> {
        let mut manifests = self.manifests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = manifests.get(id) {
            return Some(Arc::clone(known));
        }
        let text = std::fs::read(self.file("manifest", &id.to_string())).ok()?;
        let manifest: Arc<Manifest> = Arc::new(serde_json::from_slice(&text).ok()?);
        manifests.insert(id.clone(), Arc::clone(&manifest));
        Some(manifest)
    }

    /// Keeps the manifest of a version that is chosen now.
    pub(crate) fn remember_manifest(
        &self,
        id: &PackageId,
        manifest: &Manifest,
    ) -> Result<Arc<Manifest>, RegistryError> {
        if let Some(known) = self.known_manifest(id)
            && *known == *manifest
        {
            return Ok(known);
        }
        let path = self.file("manifest", &id.to_string());
        let text = serde_json::to_vec(manifest).map_err(|error| RegistryError::Store(error.to_string()))?;
        write_whole(&path, &[&text])?;
        let manifest = Arc::new(manifest.clone());
        let mut manifests = self.manifests.lock().unwrap_or_else(PoisonError::into_inner);
        if manifests.len() >= REMEMBERED {
            manifests.clear();
        }
        manifests.insert(id.clone(), Arc::clone(&manifest));
        Ok(manifest)
    }

    fn file(&self, kind: &str, name: &str) -> PathBuf {
        let safe: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || "@.-_~".contains(c) { c } else { '+' }).collect();
        self.folder.join(format!("{safe}.{kind}.json"))
    }
}

/// Parsing megabytes of metadata takes milliseconds: not on the threads that wait for the network.
async fn parse(name: &str, registry: &str, bytes: Vec<u8>) -> Result<Arc<Packument>, RegistryError> {
    let (name, registry) = (name.to_owned(), registry.to_owned());
    blocking(move || Packument::parse(&name, &registry, &bytes).map(Arc::new)).await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RegistryError> + Send + 'static,
) -> Result<T, RegistryError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(RegistryError::Store(format!("a task stopped: {error}"))))
}

fn read_cached(path: &Path) -> Option<(Freshness, Vec<u8>)> {
    let mut bytes = std::fs::read(path).ok()?;
    let line = bytes.iter().position(|byte| *byte == b'\n')?;
    let freshness = serde_json::from_slice(&bytes[..line]).ok()?;
    bytes.drain(..=line);
    Some((freshness, bytes))
}

fn write_cached(path: &Path, freshness: &Freshness, body: &[u8]) -> Result<(), RegistryError> {
    let head = serde_json::to_vec(freshness).map_err(|error| RegistryError::Store(error.to_string()))?;
    write_whole(path, &[&head, b"\n", body])
}

/// Writes a file by way of a temporary sibling. Not synced: a torn file does not parse and is fetched again.
pub(crate) fn write_whole(path: &Path, parts: &[&[u8]]) -> Result<(), RegistryError> {
    let folder = path.parent().unwrap_or(path);
    let fail = |error: &std::io::Error| RegistryError::io("writing", path, error);
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| fail(&error))?;
    for part in parts {
        file.write_all(part).map_err(|error| fail(&error))?;
    }
    file.persist(path).map_err(|error| fail(&error.error))?;
    Ok(())
}
