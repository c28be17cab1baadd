//! Every bound of this crate, in one place.

use std::time::Duration;

/// What the proxy accepts from registries and packages, and how hard it tries. A bound that is met is named in the error.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of one packument.
    pub packument_bytes: u64,
    /// Bytes of one tarball, packed.
    pub tarball_bytes: u64,
    /// Bytes of one package, unpacked.
    pub unpacked_bytes: u64,
    /// Unpacked bytes for each packed byte. Text that was made to be packed well reaches 40.
    pub unpack_ratio: u64,
    /// Entries of one tarball.
    pub tarball_entries: usize,
    /// Folders above a file in a tarball.
    pub path_depth: usize,
    /// Packages in the graph of one artifact.
    pub packages: usize,
    /// Specifiers of one artifact.
    pub specifiers: usize,
    /// Addresses of scripts, styles and assets of one artifact.
    pub addresses: usize,
    /// Bytes of one answer of an address.
    pub address_bytes: u64,
    /// Time for one address, with all its redirects.
    pub address_time: Duration,
    /// Redirects of one address.
    pub redirects: usize,
    /// Files that one style sheet or module of an address may name, itself and through others.
    pub address_files: usize,
    /// Age at which an address that no lock pins is asked again.
    pub address_age: Duration,
    /// Requests to registries at a time.
    pub requests: usize,
    /// Builds at a time.
    pub builds: usize,
    /// Time for one build.
    pub build_time: Duration,
    /// Bytes of one built module.
    pub module_bytes: usize,
    /// Time to connect to a registry.
    pub connect_time: Duration,
    /// Time between two reads from a registry.
    pub read_time: Duration,
    /// Times that a request is repeated when the registry does not answer or answers with a server error.
    pub retries: u32,
    /// Age at which a packument is asked for again.
    pub packument_age: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            packument_bytes: 64 << 20,
            tarball_bytes: 128 << 20,
            unpacked_bytes: 768 << 20,
            unpack_ratio: 250,
            tarball_entries: 100_000,
            path_depth: 40,
            packages: 2_000,
            specifiers: 200,
            addresses: 200,
            address_bytes: 16 << 20,
            address_time: Duration::from_secs(15),
            redirects: 5,
            address_files: 120,
            address_age: Duration::from_secs(24 * 3_600),
            requests: 24,
            builds: 2,
            build_time: Duration::from_secs(60),
            module_bytes: 32 << 20,
            connect_time: Duration::from_secs(10),
            read_time: Duration::from_secs(30),
            retries: 2,
            packument_age: Duration::from_secs(600),
        }
    }
}
