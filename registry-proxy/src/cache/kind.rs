//! What lies where in a cache, and what a file of each kind must be to be taken in from elsewhere.

use crate::address::is_kept_answer;
use crate::build::raw::Raw;
use crate::build::store::{Facts, servable_extension};
use crate::npm::packument::{Manifest, Packument};
use std::path::Path;

/// A kind of thing that a bundle carries, in the order in which it does: what is named comes before what names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bytes by their sha256: modules, code, styles, assets, bodies.
    Blob,
    /// A tarball by its integrity.
    Tarball,
    /// A packument or a manifest.
    Metadata,
    /// What an address answered.
    Address,
    /// The result of a build, or what is known of a module.
    Build,
}

impl Kind {
    /// All of them.
    pub(crate) const ALL: [Self; 5] = [Self::Blob, Self::Tarball, Self::Metadata, Self::Address, Self::Build];

    /// The folder.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Blob => "blobs",
            Self::Tarball => "tarballs",
            Self::Metadata => "metadata",
            Self::Address => "addresses",
            Self::Build => "builds",
        }
    }

    /// Whether there is a level of folders between.
    pub(crate) fn is_deep(self) -> bool {
        matches!(self, Self::Blob | Self::Tarball)
    }

    /// The kind of a path in a cache, when it is one that this program would write, and no other.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let (folder, rest) = path.split_once('/')?;
        let kind = Self::ALL.into_iter().find(|kind| kind.folder() == folder)?;
        let name = match kind.is_deep() {
            true => {
                let (between, name) = rest.split_once('/')?;
                let digest = name.split_once('-').map_or(name, |(_, digest)| digest);
                (between.len() == 2 && digest.starts_with(between)).then_some(name)?
            }
            false => rest,
        };
        let hex = |text: &str, length: usize| {
            text.len() == length && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        let good = match kind {
            Self::Blob => hex(name, 64),
            Self::Tarball => {
                let (algorithm, digest) = name.strip_suffix(".tgz")?.split_once('-')?;
                let length = match algorithm {
                    "sha512" => 128,
                    "sha384" => 96,
                    "sha256" => 64,
                    "sha1" => 40,
                    _ => return None,
                };
                hex(digest, length)
            }
            Self::Metadata => {
                let stem = name.strip_suffix(".packument.json").or_else(|| name.strip_suffix(".manifest.json"))?;
                !stem.is_empty()
                    && !stem.starts_with('.')
                    && name.len() <= 255
                    && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"@.-_~+".contains(&byte))
            }
            Self::Address => hex(name.strip_suffix(".json")?, 64),
            Self::Build => hex(name.strip_suffix(".raw.json").or_else(|| name.strip_suffix(".facts.json"))?, 64),
        };
        good.then_some(kind)
    }

    /// Whether the text of a small file is what this program writes under that name. Blobs and tarballs are judged by their
    /// hashes instead.
    pub(crate) fn is_sound(self, name: &str, bytes: &[u8]) -> bool {
        match self {
            Self::Blob | Self::Tarball => true,
            Self::Metadata if name.ends_with(".manifest.json") => serde_json::from_slice::<Manifest>(bytes).is_ok(),
            Self::Metadata => {
                let body = bytes.iter().position(|byte| *byte == b'\n').map(|line| &bytes[line + 1..]);
                body.is_some_and(|body| Packument::parse("", "", body).is_ok())
            }
            Self::Address => is_kept_answer(bytes),
            Self::Build if name.ends_with(".raw.json") => serde_json::from_slice::<Vec<Raw>>(bytes).is_ok(),
            Self::Build => serde_json::from_slice::<Facts>(bytes).is_ok_and(|facts| {
                let mut named = facts.imports.iter().chain(&facts.styles);
                named.all(|name| {
                    Path::new(name).components().count() == 1 && servable_extension(Path::new(name)).is_some()
                })
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_that_the_program_writes_have_a_kind() {
        let hash = "ab".repeat(32);
        for (path, kind) in [
            (format!("blobs/ab/{hash}"), Kind::Blob),
            (format!("tarballs/ab/sha512-{}.tgz", "ab".repeat(64)), Kind::Tarball),
            ("metadata/@s+x@1.0.0.manifest.json".to_owned(), Kind::Metadata),
            ("metadata/react.packument.json".to_owned(), Kind::Metadata),
            (format!("addresses/{hash}.json"), Kind::Address),
            (format!("builds/{hash}.facts.json"), Kind::Build),
        ] {
            assert_eq!(Kind::of(&path), Some(kind), "{path}");
        }
        for path in [
            "blobs/../x".to_owned(),
            format!("blobs/cd/{hash}"),
            format!("blobs/ab/{}", hash.to_uppercase()),
            "metadata/../../x.packument.json".to_owned(),
            "metadata/.packument.json".to_owned(),
            "metadata/..packument.json".to_owned(),
            "/etc/passwd".to_owned(),
            "packages/x/package.json".to_owned(),
            "tmp/x".to_owned(),
            format!("builds/{hash}.sh"),
            format!("./blobs/ab/{hash}"),
        ] {
            assert_eq!(Kind::of(&path), None, "{path}");
        }
    }
}
