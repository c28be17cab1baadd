//! Every bound of this crate, in one place.

use std::time::Duration;

/// Bytes of all files that one build reads. A build takes some twenty times as much memory; the largest packages that
/// interfaces import have 20 MB of source.
pub(crate) const BUILD_BYTES: u64 = 96 << 20;

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
    /// Longest wait that a registry may ask for (`Retry-After`) and get.
    pub retry_after: Duration,
    /// Time for one packument, however slowly it comes.
    pub packument_time: Duration,
    /// Time for one tarball, however slowly it comes.
    pub tarball_time: Duration,
    /// Age at which a packument is asked for again.
    pub packument_age: Duration,
    /// Age up to which an old packument is used at once, while a new one is fetched behind it.
    pub packument_stale: Duration,
    /// Bytes of modules that are kept in memory to be served.
    pub served_bytes: usize,
    /// Files of a bundle that is imported.
    pub bundle_files: usize,
    /// Bytes of a bundle that is imported, unpacked.
    pub bundle_bytes: u64,
}

/// A bound that the user may set: its name, what errors call it, and how it is set.
type Setting = (&'static str, &'static str, fn(&mut Limits, u64));

/// Sizes and counts are numbers as they are, times are seconds.
const SETTINGS: &[Setting] = &[
    ("packument_bytes", "bytes of a packument", |limits, value| limits.packument_bytes = value),
    ("packument_seconds", "seconds for a packument", |limits, value| {
        limits.packument_time = Duration::from_secs(value)
    }),
    ("tarball_bytes", "bytes of a packed tarball", |limits, value| limits.tarball_bytes = value),
    ("tarball_seconds", "seconds for a tarball", |limits, value| limits.tarball_time = Duration::from_secs(value)),
    ("unpacked_bytes", "unpacked bytes", |limits, value| limits.unpacked_bytes = value),
    ("unpack_ratio", "unpacked bytes for each packed byte", |limits, value| limits.unpack_ratio = value),
    ("tarball_entries", "entries of a tarball", |limits, value| limits.tarball_entries = count(value)),
    ("packages", "packages in one artifact", |limits, value| limits.packages = count(value)),
    ("specifiers", "imports", |limits, value| limits.specifiers = count(value)),
    ("addresses", "addresses", |limits, value| limits.addresses = count(value)),
    ("address_bytes", "bytes", |limits, value| limits.address_bytes = value),
    ("address_files", "modules", |limits, value| limits.address_files = count(value)),
    ("module_bytes", "bytes of a module", |limits, value| limits.module_bytes = count(value)),
    ("build_seconds", "seconds for a build", |limits, value| limits.build_time = Duration::from_secs(value)),
    ("bundle_files", "files of a bundle", |limits, value| limits.bundle_files = count(value)),
    ("bundle_bytes", "unpacked bytes of a bundle", |limits, value| limits.bundle_bytes = value),
];

fn count(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

impl Limits {
    /// Sets the bound of this name, one of [`Limits::settings`]: bytes, counts, or seconds where the name says so. Says
    /// whether there is such a bound.
    pub fn set(&mut self, name: &str, value: u64) -> bool {
        let found = SETTINGS.iter().find(|setting| setting.0 == name);
        if let Some((_, _, set)) = found {
            set(self, value);
        }
        found.is_some()
    }

    /// The names that [`Limits::set`] knows.
    pub fn settings() -> impl Iterator<Item = &'static str> {
        SETTINGS.iter().map(|setting| setting.0)
    }

    /// The setting behind a bound that an error names.
    pub(crate) fn setting_of(what: &str) -> Option<&'static str> {
        SETTINGS.iter().find(|setting| setting.1 == what).map(|setting| setting.0)
    }
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
            retry_after: Duration::from_secs(5),
            packument_time: Duration::from_secs(60),
            tarball_time: Duration::from_secs(300),
            packument_age: Duration::from_secs(600),
            packument_stale: Duration::from_secs(7 * 24 * 3_600),
            served_bytes: 64 << 20,
            bundle_files: 1_000_000,
            bundle_bytes: 16 << 30,
        }
    }
}
