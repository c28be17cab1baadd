//! Reading a bundle: each file is checked before it gets its name, and what is there already is kept.
//!
//! A bundle is trusted as far as a registry is: what it says of a package is believed where this cache knows nothing of it,
//! but a lock is still only served what it names.

use super::Cache;
use super::bundle::{Bundled, END, End, FORMAT, HEAD, Head};
use super::kind::Kind;
use crate::npm::tarball::strongest;
use crate::{BUILDER, RegistryError};
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufReader, Read, Write as _};
use std::path::Path;
use tempfile::NamedTempFile;

/// Bytes of a file that is read as a whole: all but blobs and tarballs.
const SMALL: u64 = 96 << 20;
/// Bytes of a path; longer ones are cut, and then are no path of a cache.
const LONGEST_NAME: u64 = 512;

impl Cache {
    /// Takes in a bundle that [`Cache::export`] wrote, on this machine or another. What came in before an error was checked
    /// like all else and stays. Blocks.
    ///
    /// # Errors
    /// It is no bundle, is cut off, holds what no bundle holds, or exceeds a limit.
    pub fn import(&self, path: &Path) -> Result<Bundled, RegistryError> {
        let refuse = |reason: String| RegistryError::Bundle { path: path.to_owned(), reason };
        let broken = |error: std::io::Error| {
            refuse(format!(
                "it is damaged or cut off ({error}); copy it again, or make it anew with `ui4a cache export`"
            ))
        };
        let file = File::open(path).map_err(|error| RegistryError::io("opening", path, &error))?;
        let mut archive = tar::Archive::new(MultiGzDecoder::new(BufReader::with_capacity(256 << 10, file)));
        let (mut done, mut started, mut ended) = (Bundled::default(), false, None);
        // A name that the entry before a file gives it; read here, so that it is as short as names are.
        let mut told = None;
        for entry in archive.entries().map_err(broken)?.raw(true) {
            let mut entry = entry.map_err(broken)?;
            if entry.header().entry_type().is_gnu_longname() {
                let mut name = Vec::new();
                (&mut entry).take(LONGEST_NAME).read_to_end(&mut name).map_err(broken)?;
                name.pop_if(|last| *last == 0);
                told = Some(name);
                continue;
            }
            let name = told.take().unwrap_or_else(|| entry.path_bytes().into_owned());
            let name =
                std::str::from_utf8(&name).map_err(|_| refuse("a path in it is not UTF-8".to_owned()))?.to_owned();
            if ended.is_some() || !entry.header().entry_type().is_file() {
                return Err(refuse(format!("it holds `{}`, which no bundle does", shown(&name))));
            }
            if !started {
                let head: Head = (name == HEAD).then(|| json(&mut entry)).flatten().ok_or_else(|| {
                    refuse("it is no bundle of a cache; make one with `ui4a cache export`".to_owned())
                })?;
                if head.format != FORMAT {
                    return Err(refuse(format!("its format is {}, and this program reads {FORMAT}", head.format)));
                }
                done.other_builder = head.builder != BUILDER;
                started = true;
                continue;
            }
            if name == END {
                ended = json::<End>(&mut entry);
                continue;
            }
            let limit = |what, limit| RegistryError::Limit { name: path.display().to_string(), what, limit };
            if done.files >= self.limits.bundle_files as u64 {
                return Err(limit("files of a bundle", self.limits.bundle_files as u64));
            }
            done.bytes = done.bytes.saturating_add(entry.size());
            if done.bytes > self.limits.bundle_bytes {
                return Err(limit("unpacked bytes of a bundle", self.limits.bundle_bytes));
            }
            let kind =
                Kind::of(&name).ok_or_else(|| refuse(format!("it holds `{}`, which no bundle does", shown(&name))))?;
            done.files += 1;
            done.known += u64::from(!self.take_in(kind, &name, &mut entry, &refuse, &broken)?);
        }
        // What packed it checks it too, at the very end.
        std::io::copy(&mut archive.into_inner().take(1 << 20), &mut std::io::sink()).map_err(broken)?;
        match ended {
            Some(end) if end.files == done.files => Ok(done),
            _ => Err(refuse("it is cut off; copy it again, or make it anew with `ui4a cache export`".to_owned())),
        }
    }

    /// Checks and stores one file. Returns whether it was new.
    fn take_in(
        &self,
        kind: Kind,
        name: &str,
        entry: &mut (impl Read + Sized),
        refuse: &dyn Fn(String) -> RegistryError,
        broken: &dyn Fn(std::io::Error) -> RegistryError,
    ) -> Result<bool, RegistryError> {
        let target = self.root.join(name);
        if target.exists() {
            return Ok(false);
        }
        let temporary = self.root.join("tmp");
        let disk = |error: &std::io::Error| RegistryError::io("writing", &target, error);
        let mut file = NamedTempFile::new_in(&temporary).map_err(|error| disk(&error))?;
        let lies = || refuse(format!("`{}` in it is not what its name says", shown(name)));
        let last = name.rsplit('/').next().unwrap_or(name);
        match kind {
            Kind::Blob => {
                let mut hash = Sha256::new();
                copy(entry, &mut file, &mut |bytes| hash.update(bytes), broken, &disk)?;
                if hex::encode(hash.finalize()) != last {
                    return Err(lies());
                }
            }
            Kind::Tarball => {
                let (mut hasher, expected) = integrity(last).ok_or_else(lies)?;
                copy(entry, &mut file, &mut |bytes| hasher.update(bytes), broken, &disk)?;
                if hasher.finish() != expected {
                    return Err(lies());
                }
            }
            Kind::Metadata | Kind::Address | Kind::Build => {
                let mut text = Vec::new();
                entry.take(SMALL + 1).read_to_end(&mut text).map_err(broken)?;
                if text.len() as u64 > SMALL || !kind.is_sound(last, &text) {
                    return Err(lies());
                }
                file.write_all(&text).map_err(|error| disk(&error))?;
            }
        }
        let folder = target.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder).map_err(|error| RegistryError::io("creating", folder, &error))?;
        // Another process that was faster wrote the same, or what it knows itself.
        match file.persist_noclobber(&target) {
            Err(error) if error.error.kind() != std::io::ErrorKind::AlreadyExists => Err(disk(&error.error)),
            _ => Ok(true),
        }
    }
}

fn copy(
    from: &mut impl Read,
    to: &mut NamedTempFile,
    seen: &mut dyn FnMut(&[u8]),
    broken: &dyn Fn(std::io::Error) -> RegistryError,
    disk: &dyn Fn(&std::io::Error) -> RegistryError,
) -> Result<(), RegistryError> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = from.read(&mut buffer).map_err(broken)?;
        if read == 0 {
            return Ok(());
        }
        seen(&buffer[..read]);
        to.write_all(&buffer[..read]).map_err(|error| disk(&error))?;
    }
}

/// The hasher and the integrity string that a tarball's file name stands for.
fn integrity(name: &str) -> Option<(crate::npm::tarball::Hasher, String)> {
    let (algorithm, digest) = name.strip_suffix(".tgz")?.split_once('-')?;
    let digest = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, hex::decode(digest).ok()?);
    let text = format!("{algorithm}-{digest}");
    let (hasher, _) = strongest(&text)?;
    Some((hasher, text))
}

fn json<T: serde::de::DeserializeOwned>(entry: &mut impl Read) -> Option<T> {
    let mut text = Vec::new();
    entry.take(64 << 10).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

fn shown(name: &str) -> String {
    name.chars().take(120).collect()
}
