//! Packuments: what a registry says of all versions of a package, reduced to what resolving needs.

use crate::RegistryError;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One version's manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Dependency → range, without the optional ones.
    #[serde(default)]
    pub dependencies: BTreeMap<String, String>,
    /// Peer → range.
    #[serde(default)]
    pub peers: BTreeMap<String, String>,
    /// Peers that may be missing.
    #[serde(default)]
    pub optional_peers: BTreeSet<String>,
    /// Address of the tarball.
    #[serde(default)]
    pub tarball: String,
    /// Subresource-Integrity string of the tarball, `sha1-…` for old packages.
    #[serde(default)]
    pub integrity: String,
    /// Why the version should not be used any more.
    #[serde(default)]
    pub deprecated: Option<String>,
}

/// A package's versions and dist-tags.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packument {
    /// The package.
    pub name: String,
    /// Dist-tag → version.
    pub tags: BTreeMap<String, String>,
    /// Version → manifest.
    pub versions: BTreeMap<String, Manifest>,
    /// Version → when it was published, as the registry writes it. Only whole packuments say.
    pub times: BTreeMap<String, String>,
    /// Versions that there are and that may not be used → why.
    pub withheld: BTreeMap<String, String>,
    /// Whether it is older than it should be: a newer one is on its way, or the registry does not answer.
    pub stale: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    #[serde(rename = "dist-tags", default, deserialize_with = "strings")]
    dist_tags: BTreeMap<String, String>,
    #[serde(default)]
    versions: BTreeMap<String, WireVersion>,
    #[serde(default, deserialize_with = "strings")]
    time: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireVersion {
    #[serde(default, deserialize_with = "strings")]
    dependencies: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "strings")]
    optional_dependencies: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "strings")]
    peer_dependencies: BTreeMap<String, String>,
    #[serde(default)]
    peer_dependencies_meta: serde_json::Value,
    #[serde(default)]
    dist: WireDist,
    #[serde(default)]
    deprecated: serde_json::Value,
}

#[derive(Default, Deserialize)]
struct WireDist {
    #[serde(default)]
    tarball: Option<String>,
    #[serde(default)]
    integrity: Option<String>,
    #[serde(default)]
    shasum: Option<String>,
}

/// Old packuments hold arrays and numbers where maps of strings belong: those entries are dropped, not fatal.
fn strings<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let serde_json::Value::Object(map) = serde_json::Value::deserialize(deserializer)? else {
        return Ok(BTreeMap::new());
    };
    Ok(map.into_iter().filter_map(|(key, value)| Some((key, value.as_str()?.to_owned()))).collect())
}

impl Packument {
    /// Reads a packument, abbreviated or full.
    ///
    /// # Errors
    /// It is no JSON object with `versions`.
    pub(crate) fn parse(name: &str, registry: &str, bytes: &[u8]) -> Result<Self, RegistryError> {
        let wire: Wire = serde_json::from_slice(bytes).map_err(|error| RegistryError::BadAnswer {
            name: name.to_owned(),
            registry: registry.to_owned(),
            reason: format!("metadata that does not parse: {error}"),
        })?;
        let versions = wire.versions.into_iter().map(|(version, wire)| (version, wire.into_manifest())).collect();
        Ok(Self { name: name.to_owned(), tags: wire.dist_tags, versions, times: wire.time, ..Self::default() })
    }
}

impl Packument {
    /// The manifest of an exact version.
    ///
    /// # Errors
    /// There is no such version, or it may not be used.
    pub(crate) fn version(&self, version: &str) -> Result<&Manifest, RegistryError> {
        self.versions.get(version).ok_or_else(|| match self.withheld.get(version) {
            Some(reason) => RegistryError::Denied { name: format!("{}@{version}", self.name), reason: reason.clone() },
            None => RegistryError::NoSuchVersion {
                name: self.name.clone(),
                range: version.to_owned(),
                latest: self.tags.get("latest").cloned().unwrap_or_else(|| "unknown".to_owned()),
            },
        })
    }
}

impl WireVersion {
    fn into_manifest(self) -> Manifest {
        let Self {
            mut dependencies,
            optional_dependencies,
            peer_dependencies,
            peer_dependencies_meta,
            dist,
            deprecated,
        } = self;
        // Optional dependencies are native add-ons almost without exception, and are repeated among the dependencies.
        dependencies.retain(|name, _| !optional_dependencies.contains_key(name) && !name.starts_with("@types/"));
        let optional = |name: &str| {
            peer_dependencies_meta.get(name).and_then(|meta| meta.get("optional")?.as_bool()) == Some(true)
        };
        let mut peers = peer_dependencies;
        if let Some(meta) = peer_dependencies_meta.as_object() {
            for name in meta.keys() {
                peers.entry(name.clone()).or_insert_with(|| "*".to_owned());
            }
        }
        peers.retain(|name, _| !name.starts_with("@types/"));
        let optional_peers = peers.keys().filter(|name| optional(name)).cloned().collect();
        let integrity = dist.integrity.filter(|text| !text.trim().is_empty()).or_else(|| {
            let bytes = hex::decode(dist.shasum?).ok()?;
            Some(format!("sha1-{}", base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes)))
        });
        Manifest {
            dependencies,
            peers,
            optional_peers,
            tarball: dist.tarball.unwrap_or_default(),
            integrity: integrity.unwrap_or_default(),
            deprecated: deprecated.as_str().filter(|text| !text.is_empty()).map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_registries_write() {
        let text = br#"{"dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{
            "dependencies":{"a":"^1","native":"1","@types/x":"*"},"optionalDependencies":{"native":"1"},
            "peerDependencies":{"react":">=18"},"peerDependenciesMeta":{"expo":{"optional":true}},
            "dist":{"tarball":"http://h.test/x.tgz","shasum":"da39a3ee5e6b4b0d3255bfef95601890afd80709"},"deprecated":false},
            "0.1.0":{"dependencies":["odd"],"dist":{}}}}"#;
        let packument = Packument::parse("x", "r", text).expect("parses");
        let one = &packument.versions["1.0.0"];
        assert_eq!(one.dependencies, BTreeMap::from([("a".to_owned(), "^1".to_owned())]));
        assert_eq!(one.peers.len(), 2);
        assert!(one.optional_peers.contains("expo") && !one.optional_peers.contains("react"));
        assert_eq!(one.integrity, "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=");
        assert_eq!(one.deprecated, None);
        assert!(packument.versions["0.1.0"].dependencies.is_empty());
        assert!(Packument::parse("x", "r", b"<html>").is_err());
    }
}
