//! Tarballs: checked against their published integrity while they arrive, unpacked under limits.
//!
//! Nothing is unpacked that was not verified. Links, devices and paths that leave the package are not written; a path
//! that tries to leave it condemns the whole tarball.

use crate::{Limits, RegistryError};
use base64::Engine as _;
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use sha2::{Digest, Sha256, Sha384, Sha512};
use std::io::{Read, Seek, Write as _};
use std::path::{Component, Path, PathBuf};
use tempfile::SpooledTempFile;

/// Bytes kept in memory before a tarball goes to disk.
const SPOOL: usize = 8 << 20;

/// A running hash of the strongest algorithm that an integrity string names.
enum Hasher {
    Sha512(Box<Sha512>),
    Sha384(Box<Sha384>),
    Sha256(Sha256),
    Sha1(sha1::Sha1),
}

impl Hasher {
    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha512(hash) => hash.update(bytes),
            Self::Sha384(hash) => hash.update(bytes),
            Self::Sha256(hash) => hash.update(bytes),
            Self::Sha1(hash) => sha1::Digest::update(hash, bytes),
        }
    }

    fn finish(self) -> String {
        let (name, digest) = match self {
            Self::Sha512(hash) => ("sha512", hash.finalize().to_vec()),
            Self::Sha384(hash) => ("sha384", hash.finalize().to_vec()),
            Self::Sha256(hash) => ("sha256", hash.finalize().to_vec()),
            Self::Sha1(hash) => ("sha1", sha1::Digest::finalize(hash).to_vec()),
        };
        format!("{name}-{}", base64::engine::general_purpose::STANDARD.encode(digest))
    }
}

/// The strongest hash of a Subresource-Integrity string, and the values that it may have.
fn strongest(integrity: &str) -> Option<(Hasher, Vec<&str>)> {
    let parts: Vec<&str> = integrity.split_whitespace().map(|part| part.split('?').next().unwrap_or(part)).collect();
    for name in ["sha512", "sha384", "sha256", "sha1"] {
        let values: Vec<&str> = parts
            .iter()
            .copied()
            .filter(|part| part.strip_prefix(name).is_some_and(|rest| rest.starts_with('-')))
            .collect();
        if !values.is_empty() {
            let hasher = match name {
                "sha512" => Hasher::Sha512(Box::default()),
                "sha384" => Hasher::Sha384(Box::default()),
                "sha256" => Hasher::Sha256(Sha256::new()),
                _ => Hasher::Sha1(sha1::Sha1::default()),
            };
            return Some((hasher, values));
        }
    }
    None
}

/// Why a tarball was not received.
pub(crate) enum Failure {
    /// The connection broke: worth another try.
    Broken(reqwest::Error),
    /// Another try changes nothing.
    Final(RegistryError),
}

/// Receives a tarball and checks it. What is returned is verified and rewound.
///
/// # Errors
/// The connection broke, the limit was met, or the bytes are not the published ones.
pub(crate) async fn receive(
    mut stream: impl Stream<Item = Result<Bytes, reqwest::Error>> + Unpin,
    package: &str,
    integrity: &str,
    limits: &Limits,
) -> Result<(SpooledTempFile, u64), Failure> {
    let Some((mut hasher, expected)) = strongest(integrity) else {
        return Err(Failure::Final(RegistryError::Tarball {
            package: package.to_owned(),
            reason: "the registry publishes no integrity for it".to_owned(),
        }));
    };
    let mut file = SpooledTempFile::new(SPOOL);
    let mut size = 0_u64;
    let disk = |error: std::io::Error| Failure::Final(RegistryError::io("writing", std::env::temp_dir(), &error));
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(Failure::Broken)?;
        size += chunk.len() as u64;
        if size > limits.tarball_bytes {
            let (name, limit) = (package.to_owned(), limits.tarball_bytes);
            return Err(Failure::Final(RegistryError::Limit { name, what: "bytes of a packed tarball", limit }));
        }
        hasher.update(&chunk);
        file.write_all(&chunk).map_err(disk)?;
    }
    let actual = hasher.finish();
    if !expected.contains(&actual.as_str()) {
        return Err(Failure::Final(RegistryError::Integrity {
            package: package.to_owned(),
            expected: expected.join(" "),
            actual,
        }));
    }
    file.rewind().map_err(disk)?;
    Ok((file, size))
}

/// Counts what comes out of the decompressor, and stops at a bound: a bomb is met before it is written.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| std::io::Error::other(TooLarge))?;
        Ok(read)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("it unpacks to too much")]
struct TooLarge;

/// Unpacks a verified tarball of `packed` bytes into `folder`, which must be empty. Blocks.
///
/// # Errors
/// It is damaged, exceeds a limit, or a path leaves the package; `folder` is then of no use.
pub(crate) fn unpack(
    tarball: impl Read,
    packed: u64,
    package: &str,
    folder: &Path,
    limits: &Limits,
) -> Result<(), RegistryError> {
    let refuse = |reason: String| RegistryError::Tarball { package: package.to_owned(), reason };
    let limit = limits.unpacked_bytes.min(packed.saturating_mul(limits.unpack_ratio).max(4 << 20));
    let damaged =
        |error: &std::io::Error| match error.get_ref().is_some_and(|inner| inner.to_string() == TooLarge.to_string()) {
            true => RegistryError::Limit { name: package.to_owned(), what: "unpacked bytes", limit },
            false => refuse(format!("it is damaged: {error}")),
        };
    let reader = Bounded { inner: flate2::read::MultiGzDecoder::new(tarball), left: limit };
    let mut archive = tar::Archive::new(reader);
    let mut made: Option<PathBuf> = None;
    for (count, entry) in archive.entries().map_err(|error| damaged(&error))?.enumerate() {
        let mut entry = entry.map_err(|error| damaged(&error))?;
        if count >= limits.tarball_entries {
            let limit = limits.tarball_entries as u64;
            return Err(RegistryError::Limit { name: package.to_owned(), what: "entries of a tarball", limit });
        }
        let path = entry.path().map_err(|error| damaged(&error))?.into_owned();
        let inside = inner_path(&path, limits).map_err(refuse)?;
        let kind = entry.header().entry_type();
        // Links and devices are npm's to ignore too; source maps are large and never served.
        if !(kind.is_file() || kind.is_contiguous())
            || inside.as_os_str().is_empty()
            || inside.extension().is_some_and(|e| e == "map")
        {
            continue;
        }
        let target = folder.join(&inside);
        let parent = target.parent().unwrap_or(folder).to_owned();
        if made.as_ref() != Some(&parent) {
            std::fs::create_dir_all(&parent).map_err(|error| RegistryError::io("creating", &parent, &error))?;
            made = Some(parent);
        }
        let mut file = std::fs::File::create(&target).map_err(|error| RegistryError::io("writing", &target, &error))?;
        std::io::copy(&mut entry, &mut file).map_err(|error| match error.kind() {
            std::io::ErrorKind::StorageFull => RegistryError::io("writing", &target, &error),
            _ => damaged(&error),
        })?;
    }
    Ok(())
}

/// A path without its first part, which npm calls `package/` and others call otherwise.
fn inner_path(path: &Path, limits: &Limits) -> Result<PathBuf, String> {
    let shown = || path.display().to_string().chars().take(120).collect::<String>();
    let text = path.to_str().ok_or("a path in it is not UTF-8")?;
    if text.contains(['\0', '\\']) {
        return Err(format!("the path `{}` in it holds a backslash or NUL", shown()));
    }
    let mut inside = PathBuf::new();
    let mut first = true;
    for part in path.components() {
        match part {
            Component::Normal(_) if first => first = false,
            Component::Normal(name) => inside.push(name),
            Component::CurDir => {}
            _ => return Err(format!("the path `{}` in it leaves the package", shown())),
        }
    }
    if inside.components().count() > limits.path_depth || text.len() > 1_024 {
        return Err(format!(
            "the path `{}` in it is deeper than {} folders or longer than 1,024 bytes",
            shown(),
            limits.path_depth
        ));
    }
    Ok(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_hash_counts() {
        let (hasher, values) = strongest("sha1-aaa sha512-bbb?opt sha512-ccc").expect("hashes");
        assert!(matches!(hasher, Hasher::Sha512(_)));
        assert_eq!(values, ["sha512-bbb", "sha512-ccc"]);
        assert!(strongest("md5-x").is_none());
    }

    #[test]
    fn paths_stay_inside() {
        let limits = Limits::default();
        assert_eq!(inner_path(Path::new("package/lib/./x.js"), &limits), Ok(PathBuf::from("lib/x.js")));
        for bad in ["package/../../x", "/etc/passwd", "package/..", "package/a\\..\\b"] {
            assert!(inner_path(Path::new(bad), &limits).is_err(), "{bad}");
        }
    }
}
