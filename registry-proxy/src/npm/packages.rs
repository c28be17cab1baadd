//! Unpacked packages on disk: `<root>/<name>@<version>-<hash>/node_modules/<name>/`.
//!
//! The hash is of the integrity, so the same name and version with other bytes is another folder. The `node_modules`
//! level lets a resolver find the package by name without links or a shared tree. A folder that is there is whole: it is
//! made as a temporary sibling and renamed, so SIGKILL at any point, or two processes on one cache, do no harm.

use super::http::Failure;
use super::metadata::blocking;
use super::packument::Manifest;
use super::registry::Registry;
use super::tarball;
use super::tarballs::Tarballs;
use crate::cache::usage;
use crate::flight::Flights;
use crate::graph::PackageId;
use crate::own::OwnPackage;
use crate::{Limits, RegistryError};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The folder of unpacked packages.
#[derive(Debug)]
pub(crate) struct Packages {
    root: PathBuf,
    temporary: PathBuf,
    pub(crate) tarballs: Tarballs,
    flights: Flights<PathBuf>,
    tarball_flights: Flights<String>,
    limits: Limits,
}

impl Packages {
    pub(crate) fn open(cache: &Path, limits: &Limits) -> Result<Self, RegistryError> {
        let (root, temporary) = (cache.join("packages"), cache.join("tmp"));
        for folder in [&root, &temporary] {
            std::fs::create_dir_all(folder).map_err(|error| RegistryError::io("creating", folder, &error))?;
        }
        let (tarballs, limits) = (Tarballs::open(cache)?, limits.clone());
        Ok(Self { root, temporary, tarballs, flights: Flights::default(), tarball_flights: Flights::default(), limits })
    }

    /// The folder of all packages.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where what is not whole yet is made; on the same file system as the packages.
    pub(crate) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Where a package lies, or will lie.
    pub(crate) fn folder(&self, id: &PackageId, integrity: &str) -> PathBuf {
        let safe = |text: &str| -> String {
            text.chars().map(|c| if c.is_ascii_alphanumeric() || "@.-_+$~".contains(c) { c } else { '+' }).collect()
        };
        let hash = hex::encode(Sha256::digest(integrity));
        self.root
            .join(format!("{}@{}-{}", safe(&id.name), safe(&id.version), &hash[..12]))
            .join("node_modules")
            .join(&id.name)
    }

    /// The folder below [`Packages::root`] that a package's folder lies in: what is made and removed as one.
    pub(crate) fn outer<'a>(&self, folder: &'a Path) -> &'a Path {
        folder.ancestors().find(|above| above.parent() == Some(&self.root)).unwrap_or(folder)
    }

    /// The folder of a package, fetched, verified and unpacked if it is not there.
    ///
    /// # Errors
    /// It cannot be fetched, or what was fetched is not what was published; nothing is left behind.
    pub(crate) async fn ensure(
        &self,
        registry: &Registry,
        id: &PackageId,
        manifest: &Manifest,
    ) -> Result<PathBuf, RegistryError> {
        let folder = self.folder(id, &manifest.integrity);
        if folder.is_dir() {
            usage::touch(self.outer(&folder));
            return Ok(folder);
        }
        let _flight = self.flights.lock(folder.clone()).await;
        if folder.is_dir() {
            return Ok(folder);
        }
        let package = id.to_string();
        let (file, size) = self.tarball(registry, id, manifest).await?;
        let (temporary, limits, target) = (self.temporary.clone(), self.limits.clone(), folder.clone());
        let (tarballs, integrity) = (self.tarballs.clone(), manifest.integrity.clone());
        let unpacking = tokio::task::spawn_blocking(move || {
            let reader = BufReader::with_capacity(64 << 10, file);
            let made = install(&temporary, &target, |folder| tarball::unpack(reader, size, &package, folder, &limits));
            // What is refused is not kept either.
            if let Err(RegistryError::Tarball { .. } | RegistryError::Limit { .. }) = &made {
                tarballs.forget(&integrity);
            }
            made
        });
        unpacking.await.map_err(|error| RegistryError::Store(format!("unpacking was interrupted: {error}")))??;
        Ok(folder)
    }

    /// Fetches and keeps a package's tarball if it is not kept already, and opens it, verified.
    ///
    /// # Errors
    /// It cannot be fetched, or what was fetched is not what was published.
    pub(crate) async fn tarball(
        &self,
        registry: &Registry,
        id: &PackageId,
        manifest: &Manifest,
    ) -> Result<(File, u64), RegistryError> {
        let _flight = self.tarball_flights.lock(manifest.integrity.clone()).await;
        let (tarballs, integrity) = (self.tarballs.clone(), manifest.integrity.clone());
        if let Some(kept) = blocking(move || Ok(tarballs.get(&integrity))).await? {
            return Ok(kept);
        }
        let (mut tries, host) = registry.tarball_tries(&id.name).await?;
        loop {
            let failure =
                match tokio::time::timeout(self.limits.tarball_time, self.once(registry, id, manifest, &host)).await {
                    Ok(Ok((file, size))) => return Ok((self.tarballs.keep(&manifest.integrity, file)?, size)),
                    Ok(Err(failure)) => failure,
                    Err(_) => {
                        let limit = self.limits.tarball_time.as_secs();
                        RegistryError::Limit { name: id.to_string(), what: "seconds for a tarball", limit }.into()
                    }
                };
            tries.again(failure).await?;
        }
    }

    async fn once(
        &self,
        registry: &Registry,
        id: &PackageId,
        manifest: &Manifest,
        host: &str,
    ) -> Result<(NamedTempFile, u64), Failure> {
        let stream = registry.tarball(id, manifest).await.map_err(|failure| match failure.error {
            // The package is there, or its version would not be known.
            RegistryError::NoSuchPackage { .. } => {
                RegistryError::Tarball { package: id.to_string(), reason: format!("{host} does not have it") }.into()
            }
            _ => failure,
        })?;
        tarball::receive(stream, id, &manifest.integrity, host, &self.temporary, &self.limits).await
    }

    /// Writes a package of our own, if it is not there.
    pub(crate) fn write_own(&self, id: &PackageId, own: &OwnPackage) -> Result<PathBuf, RegistryError> {
        let folder = self.folder(id, "own");
        if folder.is_dir() {
            usage::touch(self.outer(&folder));
        } else {
            install(&self.temporary, &folder, |folder| own.write(folder))?;
        }
        Ok(folder)
    }
}

/// Makes `target` by filling a temporary folder and renaming it. Another process that was faster is fine.
pub(crate) fn install(
    temporary: &Path,
    target: &Path,
    fill: impl FnOnce(&Path) -> Result<(), RegistryError>,
) -> Result<(), RegistryError> {
    let made = tempfile::tempdir_in(temporary)
        .map_err(|error| RegistryError::io("creating a folder in", temporary, &error))?;
    let inner = made.path().join("package");
    std::fs::create_dir(&inner).map_err(|error| RegistryError::io("creating", &inner, &error))?;
    fill(&inner)?;
    let parent = target.parent().unwrap_or(target);
    std::fs::create_dir_all(parent).map_err(|error| RegistryError::io("creating", parent, &error))?;
    match std::fs::rename(&inner, target) {
        Err(error) if !target.is_dir() => Err(RegistryError::io("renaming to", target, &error)),
        _ => Ok(()),
    }
}
