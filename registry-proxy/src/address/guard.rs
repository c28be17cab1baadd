//! Where a request may go: public addresses, over https, and what the user allowed.
//!
//! Model output chooses these addresses, so they are as hostile as it is. A name is looked up here, every address that it
//! has is checked, and the connection is made to those same addresses: a name that answers otherwise the second time
//! changes nothing.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use url::{Host, Url};

/// Origins that the user allowed, whatever they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allowed(Vec<String>);

impl Allowed {
    /// Reads origins (`http://127.0.0.1:8080`). What is none is said and left out.
    pub(crate) fn new(origins: &[String]) -> Self {
        let read = |text: &String| match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                Some(url.origin().ascii_serialization())
            }
            _ => {
                tracing::warn!("allow_addresses: `{text}` is no origin such as http://127.0.0.1:8080");
                None
            }
        };
        Self(origins.iter().filter_map(read).collect())
    }

    /// Whether the user allowed this address's origin.
    pub(crate) fn holds(&self, url: &Url) -> bool {
        self.0.iter().any(|origin| *origin == url.origin().ascii_serialization())
    }

    /// Whether an address may be asked at all, by what it says.
    ///
    /// # Errors
    /// In words, why not.
    pub(crate) fn check(&self, url: &Url) -> Result<(), String> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it holds a name or a password".to_owned());
        }
        if self.holds(url) {
            return Ok(());
        }
        if url.scheme() != "https" {
            return Err("only https: addresses are".to_owned());
        }
        match url.host() {
            Some(Host::Domain(name)) if is_local_name(name) => Err(format!("{name} is a name of this network")),
            Some(Host::Domain(_)) => Ok(()),
            Some(Host::Ipv4(address)) => public(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => public(IpAddr::V6(address)),
            None => Err("it names no host".to_owned()),
        }
    }
}

fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let local = ["localhost", "local", "internal", "intranet", "lan", "home.arpa", "corp", "onion"];
    !name.contains('.') || local.iter().any(|end| name == *end || name.ends_with(&format!(".{end}")))
}

fn public(address: IpAddr) -> Result<(), String> {
    if is_public(address) { Ok(()) } else { Err(format!("{address} is not a public address")) }
}

/// Whether an address is of the public internet. What is not known to be is not.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Networks of IPv4 that lead to no public host (IANA's special-purpose registry): first address, length of the prefix.
const SPECIAL_V4: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10), // carrier-grade NAT
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16), // link-local, and where clouds keep their metadata
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 31, 196, 0], 24),
    ([192, 52, 193, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 3), // multicast, reserved, broadcast
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    !SPECIAL_V4.iter().any(|(network, length)| (bits ^ u32::from(Ipv4Addr::from(*network))) >> (32 - length) == 0)
}

/// Of IPv6 only global unicast is public, and of that not the blocks that carry IPv4 addresses or are kept for documents.
/// IPv4-mapped, -compatible and -translated addresses, loopback, link-local, unique-local and multicast lie outside it.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let global = first & 0xe000 == 0x2000;
    // Teredo, ORCHID, benchmarks; documents
    let special = (first == 0x2001 && (second < 0x0200 || second == 0x0db8))
        || first == 0x2002 // 6to4
        || (first == 0x3fff && second < 0x1000);
    global && !special
}

/// Looks names up: what stands in for the system's own resolver.
#[async_trait::async_trait]
pub trait Names: Send + Sync {
    /// All addresses of a name.
    ///
    /// # Errors
    /// It has none, or they could not be found out.
    async fn addresses(&self, name: &str) -> std::io::Result<Vec<IpAddr>>;
}

/// A resolver that answers with public addresses alone.
#[derive(Clone, Default)]
pub(crate) struct PublicNames(Option<Arc<dyn Names>>);

impl PublicNames {
    /// Asks `names`, or the system.
    pub(crate) fn new(names: Option<Arc<dyn Names>>) -> Self {
        Self(names)
    }

    async fn lookup(&self, name: &str) -> std::io::Result<Vec<SocketAddr>> {
        match &self.0 {
            Some(names) => Ok(names.addresses(name).await?.into_iter().map(|ip| SocketAddr::new(ip, 0)).collect()),
            None => Ok(tokio::net::lookup_host((name, 0)).await?.collect()),
        }
    }
}

impl std::fmt::Debug for PublicNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PublicNames")
    }
}

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = self.clone();
        Box::pin(async move {
            let found = lookup.lookup(name.as_str()).await?;
            only_public(name.as_str(), found)
                .map(|addresses| Box::new(addresses.into_iter()) as Addrs)
                .map_err(Into::into)
        })
    }
}

/// All addresses of a name, if each of them is public: a name that also leads inside is not to be trusted with the others.
fn only_public(name: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, String> {
    match found.iter().find(|address| !is_public(address.ip())) {
        Some(address) => Err(format!("{name} leads to {}, which is not a public address", address.ip())),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_networks_that_are_not_the_internet_are_not_public() {
        for inside in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "100::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "2001::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
        ] {
            assert!(!is_public(inside.parse().expect(inside)), "{inside}");
        }
        for outside in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.0.1",
            "100.128.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00::1",
            "2001:4860::8",
        ] {
            assert!(is_public(outside.parse().expect(outside)), "{outside}");
        }
    }

    #[test]
    fn what_an_address_says_is_checked_however_it_is_spelled() {
        let allowed = Allowed::default();
        for bad in [
            "http://example.com/x",
            "https://user@example.com/",
            "https://a:b@example.com/",
            "https://localhost/",
            "https://x.localhost/",
            "https://printer.local/",
            "https://intranet/",
            "https://metadata.google.internal/",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://0x7f.1/",
            "https://2130706433/",
            "https://0177.0.0.1/",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://localhost./",
            "https://１２７.0.0.1/",
            "ftp://example.com/",
            "file:///etc/passwd",
            "https://169.254.169.254/latest/meta-data/",
        ] {
            let url = Url::parse(bad).expect(bad);
            assert!(allowed.check(&url).is_err(), "{bad}");
        }
        assert_eq!(allowed.check(&Url::parse("https://fonts.example.com/css2?family=X").expect("an address")), Ok(()));
    }

    #[test]
    fn an_allowed_origin_is_one_host_and_one_port() {
        let allowed = Allowed::new(&["http://127.0.0.1:8080".to_owned(), "nonsense".to_owned()]);
        let check = |text: &str| allowed.check(&Url::parse(text).expect("an address"));
        assert_eq!(check("http://127.0.0.1:8080/a.png"), Ok(()));
        assert!(check("http://127.0.0.1:8081/a.png").is_err());
        assert!(check("https://127.0.0.1:8080/a.png").is_err());
        assert!(check("http://127.0.0.2:8080/a.png").is_err());
    }

    #[test]
    fn one_inner_address_among_a_name_s_addresses_condemns_them_all() {
        let of = |ips: &[&str]| ips.iter().map(|ip| SocketAddr::new(ip.parse().expect("an address"), 0)).collect();
        assert!(only_public("x.test", of(&["1.1.1.1", "2606:4700::1111"])).is_ok());
        let error = only_public("x.test", of(&["1.1.1.1", "10.0.0.7"])).expect_err("is refused");
        assert!(error.contains("10.0.0.7"), "{error}");
    }
}
