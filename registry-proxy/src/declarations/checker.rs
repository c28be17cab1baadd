//! The TypeScript checker: a native program that npm publishes for each platform, pinned here to the byte.

use crate::graph::PackageId;
use crate::{Proxy, RegistryError};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The version that is used, the same for all platforms.
const VERSION: &str = "7.0.2";

/// System, processor, package, and the integrity of its tarball.
const PLATFORMS: &[(&str, &str, &str, &str)] = &[
    (
        "linux",
        "x86_64",
        "@typescript/typescript-linux-x64",
        "sha512-EYdf2cNg7rgCWJnxCdJ+F3V39O8ihb37eHAu1LK8oAFizgTQbPOK7zHHXbPt8rX24COqODXeI3sIf0fCXG7H/A==",
    ),
    (
        "linux",
        "aarch64",
        "@typescript/typescript-linux-arm64",
        "sha512-Qh4eU4/y3yDjnfjjyPYihMj5/ODIlmt+Bzu17OI+fiSRDW57QmU5SiN63exPRNJPKUzcc1INa1NXdrJ+MqHjUQ==",
    ),
    (
        "macos",
        "x86_64",
        "@typescript/typescript-darwin-x64",
        "sha512-SZ9xZInqApNlNGc9s0W1VSsktYSOe9cFqNOIqmN1Gs8SmkjKZYFt017G4VwPxASInODuAdbTW7sXiFUf893RgA==",
    ),
    (
        "macos",
        "aarch64",
        "@typescript/typescript-darwin-arm64",
        "sha512-gowzar9MwS/aRWp6f3a4KUqzRjAZjOsmGNCM6LcTgXum+dBfgsBVMN+AgvOCCbguXyick6LJhpBszxMebJ8syA==",
    ),
];

/// This platform's package and its integrity.
fn pinned() -> Result<(PackageId, &'static str), RegistryError> {
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let found = PLATFORMS.iter().find(|platform| (platform.0, platform.1) == (system, processor));
    let missing = || RegistryError::NoChecker { platform: format!("{system} on {processor}") };
    let (_, _, name, integrity) = found.ok_or_else(missing)?;
    Ok((PackageId::new(*name, VERSION), integrity))
}

impl Proxy {
    /// The checker's program, if it has been fetched.
    ///
    /// # Errors
    /// There is none for this platform.
    pub fn checker_here(&self) -> Result<Option<PathBuf>, RegistryError> {
        let (id, integrity) = pinned()?;
        let program = program(&self.packages.folder(&id, integrity));
        Ok(program.is_file().then_some(program))
    }

    /// The checker's program, fetched when it is not there.
    ///
    /// # Errors
    /// There is none for this platform, it cannot be fetched, or what was fetched is not what is pinned here.
    ///
    /// # Cancel safety
    /// Dropping the future stops it; the next call begins anew.
    pub async fn checker(&self) -> Result<PathBuf, RegistryError> {
        let (id, integrity) = pinned()?;
        let folder = self.packages.folder(&id, integrity);
        if !folder.is_dir() {
            let packument = self.registry.packument(&id.name).await?;
            let missing = || RegistryError::NoSuchVersion {
                name: id.name.clone(),
                range: VERSION.to_owned(),
                latest: packument.tags.get("latest").cloned().unwrap_or_else(|| "unknown".to_owned()),
            };
            let mut manifest = packument.versions.get(VERSION).ok_or_else(missing)?.clone();
            // What the registry says of it does not count.
            integrity.clone_into(&mut manifest.integrity);
            self.packages.ensure(&self.registry, &id, &manifest).await?;
        }
        let program = program(&folder);
        runnable(&program)?;
        Ok(program)
    }
}

fn program(folder: &Path) -> PathBuf {
    folder.join("lib").join("tsc")
}

/// Packages are unpacked as data; of this one a file is a program.
fn runnable(program: &Path) -> Result<(), RegistryError> {
    let fail = |error: &std::io::Error| RegistryError::io("making executable", program, error);
    let mut permissions = std::fs::metadata(program).map_err(|error| fail(&error))?.permissions();
    if permissions.mode() & 0o111 != 0 {
        return Ok(());
    }
    permissions.set_mode(0o755);
    std::fs::set_permissions(program, permissions).map_err(|error| fail(&error))
}
