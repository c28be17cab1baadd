//! Tarballs: checked against their published integrity while they arrive, unpacked under limits.
//!
//! Nothing is unpacked that was not verified. Links, devices and paths that leave the package are not written; a path
//! that tries to leave it condemns the whole tarball.

use super::http::{Failure, broken};
use crate::graph::PackageId;
use crate::{Limits, RegistryError};
use base64::Engine as _;
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use sha2::{Digest, Sha256, Sha384, Sha512};
use std::io::{Read, Seek, Write as _};
use std::path::{Component, Path, PathBuf};
use tempfile::NamedTempFile;

/// A running hash of the strongest algorithm that an integrity string names.
pub(crate) enum Hasher {
    Sha512(Box<Sha512>),
    Sha384(Box<Sha384>),
    Sha256(Sha256),
    Sha1(sha1::Sha1),
}

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha512(hash) => hash.update(bytes),
            Self::Sha384(hash) => hash.update(bytes),
            Self::Sha256(hash) => hash.update(bytes),
            Self::Sha1(hash) => sha1::Digest::update(hash, bytes),
        }
    }

    pub(crate) fn finish(self) -> String {
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
pub(crate) fn strongest(integrity: &str) -> Option<(Hasher, Vec<&str>)> {
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

/// Receives a tarball into a temporary file and checks it. What is returned is verified and rewound.
///
/// # Errors
/// The connection broke, the limit was met, or the bytes are not the published ones.
pub(crate) async fn receive(
    mut stream: impl Stream<Item = Result<Bytes, reqwest::Error>> + Unpin,
    package: &PackageId,
    integrity: &str,
    registry: &str,
    temporary: &Path,
    limits: &Limits,
) -> Result<(NamedTempFile, u64), Failure> {
    let Some((mut hasher, expected)) = strongest(integrity) else {
        let reason = "the registry publishes no integrity for it".to_owned();
        return Err(RegistryError::Tarball { package: package.to_string(), reason }.into());
    };
    let disk = |error: &std::io::Error| RegistryError::io("writing in", temporary, error);
    let mut file = NamedTempFile::new_in(temporary).map_err(|error| disk(&error))?;
    let mut size = 0_u64;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| broken(&package.name, registry, &error))?;
        size += chunk.len() as u64;
        if size > limits.tarball_bytes {
            let (name, limit) = (package.to_string(), limits.tarball_bytes);
            return Err(RegistryError::Limit { name, what: "bytes of a packed tarball", limit }.into());
        }
        hasher.update(&chunk);
        file.write_all(&chunk).map_err(|error| disk(&error))?;
    }
    let actual = hasher.finish();
    if !expected.contains(&actual.as_str()) {
        let (package, expected) = (package.to_string(), expected.join(" "));
        return Err(RegistryError::Integrity { package, expected, actual }.into());
    }
    file.rewind().map_err(|error| disk(&error))?;
    Ok((file, size))
}

/// Longest entry that only names another one, in bytes.
const LONGEST_NAME: u64 = 64 << 10;

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
    // A small package may be packed as well as it likes.
    let by_ratio = packed.saturating_mul(limits.unpack_ratio).max(4 << 20);
    let limit = limits.unpacked_bytes.min(by_ratio);
    let too_much = || match limit == limits.unpacked_bytes {
        true => RegistryError::Limit { name: package.to_owned(), what: "unpacked bytes", limit },
        false => {
            let limit = limits.unpack_ratio;
            RegistryError::Limit { name: package.to_owned(), what: "unpacked bytes for each packed byte", limit }
        }
    };
    let damaged =
        |error: &std::io::Error| match error.get_ref().is_some_and(|inner| inner.to_string() == TooLarge.to_string()) {
            true => too_much(),
            false => refuse(format!("it is damaged: {error}")),
        };
    let reader = Bounded { inner: flate2::read::MultiGzDecoder::new(tarball), left: limit };
    let mut archive = tar::Archive::new(reader);
    let mut made: Option<PathBuf> = None;
    // A name that the entries before a file give it: those entries are read here, under a bound of their own.
    let mut told: Option<Vec<u8>> = None;
    for (count, entry) in archive.entries().map_err(|error| damaged(&error))?.raw(true).enumerate() {
        let mut entry = entry.map_err(|error| damaged(&error))?;
        if count >= limits.tarball_entries {
            let limit = limits.tarball_entries as u64;
            return Err(RegistryError::Limit { name: package.to_owned(), what: "entries of a tarball", limit });
        }
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
            let mut text = Vec::new();
            (&mut entry).take(LONGEST_NAME + 1).read_to_end(&mut text).map_err(|error| damaged(&error))?;
            if text.len() as u64 > LONGEST_NAME {
                return Err(refuse(format!("a name in it is longer than {LONGEST_NAME} bytes")));
            }
            let name = if kind.is_gnu_longname() { Some(text) } else { pax_path(&text).map_err(refuse)? };
            told = name.or(told);
            continue;
        }
        let path = told.take().unwrap_or_else(|| entry.path_bytes().into_owned());
        // Of a name that another entry gives, the last NUL is its end.
        let path = path.strip_suffix(b"\0").unwrap_or(&path);
        let path = std::str::from_utf8(path).map_err(|_| refuse("a path in it is not UTF-8".to_owned()))?;
        let inside = inner_path(Path::new(path), limits).map_err(refuse)?;
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
            // A file where a folder should be: the tarball names the same path twice, as both.
            std::fs::create_dir_all(&parent)
                .map_err(|error| refuse(format!("`{path}` in it cannot be written: {error}")))?;
            made = Some(parent);
        }
        let mut file = std::fs::File::create(&target)
            .map_err(|error| refuse(format!("`{}` in it cannot be written: {error}", shown(path))))?;
        std::io::copy(&mut entry, &mut file).map_err(|error| match error.kind() {
            std::io::ErrorKind::StorageFull => RegistryError::io("writing", &target, &error),
            _ => damaged(&error),
        })?;
    }
    Ok(())
}

/// The path that a file's extended header gives it.
///
/// # Errors
/// In words: it is no such header, or gives the file another size, which no package needs.
fn pax_path(text: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let mut path = None;
    for record in tar::PaxExtensions::new(text) {
        let record = record.map_err(|error| format!("an extended header in it is damaged: {error}"))?;
        match record.key_bytes() {
            b"path" => path = Some(record.value_bytes().to_owned()),
            b"size" => return Err("an extended header in it gives a file another size".to_owned()),
            _ => {}
        }
    }
    Ok(path)
}

fn shown(path: &str) -> String {
    path.chars().take(120).collect()
}

/// A path without its first part, which npm calls `package/` and others call otherwise.
fn inner_path(path: &Path, limits: &Limits) -> Result<PathBuf, String> {
    let shown = || shown(&path.display().to_string());
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
