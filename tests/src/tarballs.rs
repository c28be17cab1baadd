//! Tarballs as npm publishes them, and as an attacker would.

use base64::Engine as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha512};
use std::io::Write as _;

/// The Subresource-Integrity string of a tarball.
pub fn integrity(bytes: &[u8]) -> String {
    format!("sha512-{}", base64::engine::general_purpose::STANDARD.encode(Sha512::digest(bytes)))
}

/// A package with these files.
pub fn package(files: &[(&str, &str)]) -> Vec<u8> {
    let mut tarball = Tarball::default();
    for (path, text) in files {
        tarball.file(&format!("package/{path}"), text.as_bytes());
    }
    tarball.packed()
}

/// A tar that is written block by block: nothing is checked.
#[derive(Default)]
pub struct Tarball {
    bytes: Vec<u8>,
}

impl Tarball {
    /// Adds a file under any path of at most 100 bytes.
    pub fn file(&mut self, path: &str, bytes: &[u8]) -> &mut Self {
        self.entry(b'0', path.as_bytes(), bytes.len() as u64, bytes, "")
    }

    /// Adds a link of a kind (`1` hard, `2` symbolic), a device (`3`, `4`), a folder (`5`) or a pipe (`6`).
    pub fn special(&mut self, kind: u8, path: &str, target: &str) -> &mut Self {
        self.entry(kind, path.as_bytes(), 0, b"", target)
    }

    /// Adds an entry that gives the next one its name, by GNU's way.
    pub fn long_name(&mut self, name: &[u8]) -> &mut Self {
        self.entry(b'L', b"././@LongLink", name.len() as u64, name, "")
    }

    /// Adds an extended header with one record.
    pub fn extended(&mut self, key: &str, value: &[u8]) -> &mut Self {
        // The length of a record counts its own digits.
        let rest = key.len() + value.len() + 3;
        let mut length = rest + rest.to_string().len();
        length = rest + length.to_string().len();
        let mut record = format!("{length} {key}=").into_bytes();
        record.extend_from_slice(value);
        record.push(b'\n');
        self.entry(b'x', b"PaxHeader", record.len() as u64, &record, "")
    }

    /// Adds a header that says `size` and the bytes that really follow.
    pub fn entry(&mut self, kind: u8, path: &[u8], size: u64, bytes: &[u8], target: &str) -> &mut Self {
        let mut header = [0_u8; 512];
        let path = &path[..path.len().min(100)];
        header[..path.len()].copy_from_slice(path);
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
        header[156] = kind;
        header[157..157 + target.len().min(100)].copy_from_slice(&target.as_bytes()[..target.len().min(100)]);
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.bytes.extend_from_slice(&header);
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(512), 0);
        self
    }

    /// The tar, ended and packed.
    pub fn packed(&self) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
        let ended = encoder.write_all(&self.bytes).and_then(|()| encoder.write_all(&[0; 1_024]));
        ended.and_then(|()| encoder.finish()).expect("writing to memory does not fail")
    }
}
