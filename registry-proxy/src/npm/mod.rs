//! The npm registry as a client sees it: configuration, metadata, tarballs, unpacked packages.
//!
//! Knows nothing of specifiers, graphs or modules.

pub(crate) mod http;
pub(crate) mod metadata;
pub(crate) mod npmrc;
mod outage;
pub(crate) mod packages;
pub(crate) mod packument;
pub(crate) mod registry;
pub(crate) mod tarball;
pub(crate) mod tarballs;
pub(crate) mod version;
