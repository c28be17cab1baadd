//! Writing a bundle.

use super::Cache;
use super::bundle::{Bundled, END, End, FORMAT, HEAD, Head};
use super::kind::Kind;
use super::usage::{self, Item};
use crate::{BUILDER, RegistryError};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use tempfile::NamedTempFile;

type Archive<W> = tar::Builder<GzEncoder<W>>;

impl Cache {
    /// Writes everything of the cache that another machine can use into one file: tarballs, metadata, what addresses
    /// answered, and the modules that were built. The file is there when it is whole. Blocks.
    ///
    /// # Errors
    /// The cache cannot be read or the file not written.
    pub fn export(&self, file: &Path) -> Result<Bundled, RegistryError> {
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let fail = |error: &std::io::Error| RegistryError::io("writing", file, error);
        let temporary = NamedTempFile::new_in(folder).map_err(|error| fail(&error))?;
        let mut listed = Vec::new();
        // What names others is listed before what it names, and written after it: a cache that grows meanwhile gives no
        // bundle that lacks something.
        for kind in Kind::ALL.into_iter().rev() {
            listed.insert(0, (kind, self.files(kind)?));
        }
        let encoder = GzEncoder::new(BufWriter::new(temporary.as_file()), Compression::fast());
        let mut archive = tar::Builder::new(encoder);
        let head = Head { format: FORMAT, builder: BUILDER.to_owned() };
        append(&mut archive, HEAD, &head).map_err(|error| fail(&error))?;
        let mut done = Bundled::default();
        for (kind, items) in listed {
            for item in items {
                let Some(bytes) = self.add(&mut archive, kind, &item)? else { continue };
                done.files += 1;
                done.bytes += bytes;
            }
        }
        append(&mut archive, END, &End { files: done.files }).map_err(|error| fail(&error))?;
        let finished = archive.into_inner().and_then(GzEncoder::finish).and_then(|mut writer| writer.flush());
        finished.and_then(|()| temporary.as_file().sync_all()).map_err(|error| fail(&error))?;
        temporary.persist(file).map_err(|error| fail(&error.error))?;
        Ok(done)
    }

    fn files(&self, kind: Kind) -> Result<Vec<Item>, RegistryError> {
        let folder = self.root.join(kind.folder());
        let mut items = if kind.is_deep() { usage::files_below(&folder)? } else { usage::files(&folder)? };
        items.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(items)
    }

    /// Adds a file; none when it is no file of this kind, or is gone.
    fn add<W: Write>(&self, archive: &mut Archive<W>, kind: Kind, item: &Item) -> Result<Option<u64>, RegistryError> {
        let inside = item.path.strip_prefix(&self.root).ok().and_then(Path::to_str);
        let Some(name) = inside.filter(|name| Kind::of(name) == Some(kind)) else { return Ok(None) };
        let fail = |error: &std::io::Error| RegistryError::io("reading", &item.path, error);
        let mut file = match File::open(&item.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(&error)),
        };
        let bytes = file.metadata().map_err(|error| fail(&error))?.len();
        let mut header = header(bytes);
        archive.append_data(&mut header, name, &mut file).map_err(|error| fail(&error))?;
        Ok(Some(bytes))
    }
}

fn append<W: Write>(archive: &mut Archive<W>, name: &str, value: &impl Serialize) -> std::io::Result<()> {
    let text = serde_json::to_vec(value).map_err(std::io::Error::other)?;
    archive.append_data(&mut header(text.len() as u64), name, text.as_slice())
}

/// Nothing of this machine goes into a bundle: the same cache makes the same bytes.
fn header(bytes: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o644);
    header
}
