//! Unpacked packages on disk: `<root>/<name>@<version>-<hash>/node_modules/<name>/`.
//!
//! The hash is of the integrity, so the same name and version with other bytes is another folder. The `node_modules`
//! level lets a resolver find the package by name without links or a shared tree. A folder that is there is whole: it is
//! made as a temporary sibling and renamed, so SIGKILL at any point, or two processes on one cache, do no harm.

use super::packument::Manifest;
use super::registry::Registry;
use super::tarball::{self, Failure};
use crate::flight::Flights;
use crate::graph::PackageId;
use crate::own::OwnPackage;
use crate::{Limits, RegistryError};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The folder of unpacked packages.
#[derive(Debug)]
pub(crate) struct Packages {
    root: PathBuf,
    temporary: PathBuf,
    flights: Flights<PathBuf>,
    limits: Limits,
}

impl Packages {
    pub(crate) fn open(cache: &Path, limits: &Limits) -> Result<Self, RegistryError> {
        let (root, temporary) = (cache.join("packages"), cache.join("tmp"));
        for folder in [&root, &temporary] {
            std::fs::create_dir_all(folder).map_err(|error| RegistryError::io("creating", folder, &error))?;
        }
        Ok(Self { root, temporary, flights: Flights::default(), limits: limits.clone() })
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
            return Ok(folder);
        }
        let _flight = self.flights.lock(folder.clone()).await;
        if folder.is_dir() {
            return Ok(folder);
        }
        let package = id.to_string();
        let (file, size) = self.fetch(registry, id, manifest, &package).await?;
        let (temporary, limits, target) = (self.temporary.clone(), self.limits.clone(), folder.clone());
        let unpacking = tokio::task::spawn_blocking(move || {
            install(&temporary, &target, |folder| tarball::unpack(file, size, &package, folder, &limits))
        });
        unpacking.await.map_err(|error| RegistryError::Store(format!("unpacking was interrupted: {error}")))??;
        Ok(folder)
    }

    async fn fetch(
        &self,
        registry: &Registry,
        id: &PackageId,
        manifest: &Manifest,
        package: &str,
    ) -> Result<(tempfile::SpooledTempFile, u64), RegistryError> {
        let mut attempt = 0;
        loop {
            let (stream, host) = registry.tarball(id, manifest).await?;
            match tarball::receive(stream, package, &manifest.integrity, &self.limits).await {
                Ok(received) => return Ok(received),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Broken(_)) if attempt < self.limits.retries => attempt += 1,
                Err(Failure::Broken(error)) => return Err(super::http::unreachable(&id.name, &host, &error)),
            }
        }
    }

    /// Writes a package of our own, if it is not there.
    pub(crate) fn write_own(&self, id: &PackageId, own: &OwnPackage) -> Result<PathBuf, RegistryError> {
        let folder = self.folder(id, "own");
        if !folder.is_dir() {
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
