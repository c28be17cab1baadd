//! Short content hashes for cells, signatures and callbacks.

use sha2::{Digest, Sha256};

/// Hexadecimal digits of a hash: as many as a placeholder has characters.
pub(crate) const LENGTH: usize = 10;

/// The hash of some texts; where one ends and the next begins counts.
pub(crate) fn hash<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut out = hex::encode(&hasher.finalize()[..LENGTH / 2]);
    out.truncate(LENGTH);
    out
}
