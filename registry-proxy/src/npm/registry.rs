//! The registry with its cache: packuments on disk and in memory, manifests of the versions that were ever chosen.
//!
//! A packument that is older than it should be is used at once, and asked for again behind it; one that is much older is
//! asked for first, and used as it is when the registry does not answer. A chosen version's manifest never changes, so a lock
//! replays with no packument and no network.

use super::http::Failure;
use super::metadata::Metadata;
use super::npmrc::Npmrc;
use super::outage::{Outage, is_outage};
use super::packument::{Manifest, Packument};
use crate::address::guard::{Allowed, PublicNames};
use crate::flight::Flights;
use crate::graph::PackageId;
use crate::policy::Policy;
use crate::{Limits, RegistryError};
use bytes::Bytes;
use futures::Stream;
use std::collections::{BTreeSet, HashMap};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use url::Url;

/// How long "no such package" is believed.
const ABSENT: Duration = Duration::from_secs(60);
/// How long an old packument is used before it is looked at again whether there is a newer one.
const STALE: Duration = Duration::from_secs(10);
/// Manifests kept in memory.
const REMEMBERED: usize = 4_096;
/// Packuments kept in memory. Those of React, with thousands of versions, take about 2 MB.
const PACKUMENTS: usize = 512;

/// An answer and until when it is believed.
type Remembered = (Instant, Result<Arc<Packument>, RegistryError>);

/// A client of the user's registries.
#[derive(Debug)]
pub(crate) struct Registry {
    source: Arc<Metadata>,
    pub(crate) policy: Arc<Policy>,
    folder: PathBuf,
    packuments: Arc<Mutex<HashMap<String, Remembered>>>,
    /// Packuments that are being asked for behind an old one.
    refreshing: Arc<Mutex<BTreeSet<String>>>,
    outage: Arc<Outage>,
    manifests: Mutex<HashMap<PackageId, Arc<Manifest>>>,
    flights: Flights<String>,
    limits: Limits,
}

impl Registry {
    pub(crate) fn open(
        cache: &Path,
        settings: Npmrc,
        reach: (Allowed, PublicNames),
        policy: Arc<Policy>,
        limits: &Limits,
    ) -> Result<Self, RegistryError> {
        let folder = cache.join("metadata");
        std::fs::create_dir_all(&folder).map_err(|error| RegistryError::io("creating", &folder, &error))?;
        Ok(Self {
            source: Arc::new(Metadata::new(folder.clone(), settings, reach, policy.wants_dates(), limits)),
            policy,
            folder,
            packuments: Arc::default(),
            refreshing: Arc::default(),
            outage: Arc::default(),
            manifests: Mutex::default(),
            flights: Flights::default(),
            limits: limits.clone(),
        })
    }

    /// All versions of a package that may be used.
    ///
    /// # Errors
    /// There is none of this name, or it is denied; or the registry cannot be reached and there is no cached answer.
    pub(crate) async fn packument(&self, name: &str) -> Result<Arc<Packument>, RegistryError> {
        self.policy.package(name)?;
        if let Some(known) = self.remembered(name) {
            return known;
        }
        let _flight = self.flights.lock(name.to_owned()).await;
        if let Some(known) = self.remembered(name) {
            return known;
        }
        let answer = self.find(name).await.map(|found| self.admitted(found));
        self.remember(name, &answer);
        answer
    }

    /// The packument as the registry has it now, for when an old one lacks what is wanted; the old one where it does not
    /// answer.
    ///
    /// # Errors
    /// As [`Registry::packument`].
    pub(crate) async fn newest(&self, name: &str) -> Result<Arc<Packument>, RegistryError> {
        self.policy.package(name)?;
        let _flight = self.flights.lock(name.to_owned()).await;
        if let Some(Ok(known)) = self.remembered(name)
            && !known.stale
        {
            return Ok(known);
        }
        let answer = self.update(name).await.map(|found| self.admitted(found));
        self.remember(name, &answer);
        answer
    }

    /// A packument and its text as the registry wrote it. It is stale only when the registry does not answer.
    ///
    /// # Errors
    /// As [`Registry::packument`].
    pub(crate) async fn document(&self, name: &str) -> Result<(Arc<Packument>, Vec<u8>), RegistryError> {
        let mut packument = self.packument(name).await?;
        if packument.stale {
            packument = self.newest(name).await?;
        }
        if let Some((cached, _)) = self.source.read(name).await {
            return Ok((packument, cached.body));
        }
        // Its file is gone.
        let packument = self.update(name).await.map(|found| self.admitted(found))?;
        let text = self.source.read(name).await.map(|(cached, _)| cached.body);
        let gone = || RegistryError::Store(format!("the metadata of {name} is gone from the cache"));
        Ok((packument, text.ok_or_else(gone)?))
    }

    fn remembered(&self, name: &str) -> Option<Result<Arc<Packument>, RegistryError>> {
        let packuments = self.packuments.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, known) = packuments.get(name)?;
        (Instant::now() < *until).then(|| known.clone())
    }

    fn remember(&self, name: &str, answer: &Result<Arc<Packument>, RegistryError>) {
        let time = match answer {
            Ok(packument) if packument.stale => STALE,
            Ok(_) => self.limits.packument_age,
            Err(RegistryError::NoSuchPackage { .. }) => ABSENT,
            // What only the network decides is asked again at once the next time.
            Err(_) => return,
        };
        insert(&self.packuments, name, Instant::now() + time, answer.clone());
    }

    /// Takes out what may not be used.
    fn admitted(&self, found: Arc<Packument>) -> Arc<Packument> {
        let mut found = found;
        self.policy.apply(Arc::make_mut(&mut found), SystemTime::now());
        found
    }

    async fn find(&self, name: &str) -> Result<Arc<Packument>, RegistryError> {
        let Some((cached, packument)) = self.source.read(name).await else {
            return self.source.update(name, None).await;
        };
        match cached.age {
            Some(age) if age < self.limits.packument_age.as_secs() => Ok(packument),
            Some(age) if age < self.limits.packument_stale.as_secs() => {
                self.refresh(name);
                Ok(stale(packument))
            }
            _ => self.update(name).await,
        }
    }

    /// Asks the registry; what is cached is used when it does not answer: old metadata is better than none.
    async fn update(&self, name: &str) -> Result<Arc<Packument>, RegistryError> {
        let old = self.source.read(name).await;
        let answer = self.source.update(name, old.as_ref().map(|(cached, _)| cached)).await;
        match (answer, old) {
            (Err(error), Some((_, packument))) if is_outage(&error) => {
                tracing::debug!(%error, "old metadata of {name} is used");
                Ok(stale(packument))
            }
            (answer, _) => answer,
        }
    }

    /// Asks for a packument behind the caller's back. The next who wants it after that gets what came.
    fn refresh(&self, name: &str) {
        let name = name.to_owned();
        if !self.refreshing.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone()) {
            return;
        }
        let (source, policy, age) = (Arc::clone(&self.source), Arc::clone(&self.policy), self.limits.packument_age);
        let (packuments, refreshing) = (Arc::clone(&self.packuments), Arc::clone(&self.refreshing));
        let outage = Arc::clone(&self.outage);
        tokio::spawn(async move {
            let old = source.read(&name).await;
            match source.update(&name, old.as_ref().map(|(cached, _)| cached)).await {
                Ok(mut fresh) => {
                    policy.apply(Arc::make_mut(&mut fresh), SystemTime::now());
                    insert(&packuments, &name, Instant::now() + age, Ok(fresh));
                }
                Err(error) => outage.log(&name, &error),
            }
            refreshing.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
        });
    }

    /// A version's tarball as it arrives, and the printable address of where it is from.
    ///
    /// # Errors
    /// It cannot be asked for, or the registry does not give it.
    pub(crate) async fn tarball(
        &self,
        id: &PackageId,
        manifest: &Manifest,
    ) -> Result<impl Stream<Item = Result<Bytes, reqwest::Error>> + Unpin + use<>, Failure> {
        let (settings, http) = self.source.client().await?;
        let registry = settings.registry(&id.name)?;
        let refuse = |reason: String| RegistryError::Tarball { package: id.to_string(), reason };
        let url =
            Url::parse(&manifest.tarball).map_err(|error| refuse(format!("its address does not parse: {error}")))?;
        let answer = http.get(settings, &registry, &url, &id.name, &[]).await?;
        if answer.length().is_some_and(|length| length > self.limits.tarball_bytes) {
            let (name, limit) = (id.to_string(), self.limits.tarball_bytes);
            return Err(RegistryError::Limit { name, what: "bytes of a packed tarball", limit }.into());
        }
        Ok(answer.stream())
    }

    /// Begins the tries of a tarball; and the printable address of its registry.
    ///
    /// # Errors
    /// No registry is configured, or it did not answer a moment ago.
    pub(crate) async fn tarball_tries(&self, name: &str) -> Result<(super::http::Tries<'_>, String), RegistryError> {
        let (settings, http) = self.source.client().await?;
        let registry = settings.registry(name)?;
        Ok((http.tries(&registry, name)?, super::http::shown(&registry)))
    }

    /// The manifest of a version that was chosen before, from memory or disk. None of one that may not be used.
    pub(crate) fn known_manifest(&self, id: &PackageId) -> Option<Arc<Manifest>> {
        self.policy.package(&id.name).ok()?;
        self.policy.version(&id.name, &id.version).ok()?;
        let mut manifests = self.manifests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = manifests.get(id) {
            return Some(Arc::clone(known));
        }
        let text = std::fs::read(self.folder.join(file_name("manifest", &id.to_string()))).ok()?;
        let manifest: Arc<Manifest> = Arc::new(serde_json::from_slice(&text).ok()?);
        manifests.insert(id.clone(), Arc::clone(&manifest));
        Some(manifest)
    }

    /// All versions that were ever chosen.
    pub(crate) fn chosen(&self) -> Vec<PackageId> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (name, version) = name.strip_suffix(".manifest.json")?.rsplit_once('@')?;
            // The slash of a scope is the only character of a name that files do not have.
            let name = if name.starts_with('@') { name.replacen('+', "/", 1) } else { name.to_owned() };
            crate::specifier::check_name(&name).ok()?;
            Some(PackageId::new(name, version))
        });
        ids.collect()
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
        let path = self.folder.join(file_name("manifest", &id.to_string()));
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
}

fn insert(
    packuments: &Mutex<HashMap<String, Remembered>>,
    name: &str,
    until: Instant,
    answer: Result<Arc<Packument>, RegistryError>,
) {
    let mut packuments = packuments.lock().unwrap_or_else(PoisonError::into_inner);
    if packuments.len() >= PACKUMENTS {
        packuments.clear();
    }
    packuments.insert(name.to_owned(), (until, answer));
}

fn stale(packument: Arc<Packument>) -> Arc<Packument> {
    let mut packument = packument;
    Arc::make_mut(&mut packument).stale = true;
    packument
}

/// The name of a file of metadata: no two names share one, and none leads elsewhere.
pub(crate) fn file_name(kind: &str, name: &str) -> String {
    let safe: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "@.-_~".contains(c) { c } else { '+' }).collect();
    format!("{safe}.{kind}.json")
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
