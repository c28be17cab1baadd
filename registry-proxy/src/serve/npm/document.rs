//! A packument as it is handed on: the registry's own text, with tarballs that lead here and versions that can be had.

use crate::RegistryError;
use crate::npm::packument::Packument;
use crate::npm::tarballs::Tarballs;
use crate::npm::version::{Want, pick};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// The text of a packument for a client that reaches this registry at `base`.
///
/// # Errors
/// The registry's text is no packument.
pub(super) fn made(
    packument: &Packument,
    text: &[u8],
    base: &str,
    tarballs: &Tarballs,
) -> Result<Vec<u8>, RegistryError> {
    let bad = |reason: String| RegistryError::BadAnswer {
        name: packument.name.clone(),
        registry: "the cache".to_owned(),
        reason,
    };
    let mut document: Map<String, Value> = serde_json::from_slice(text).map_err(|error| bad(error.to_string()))?;
    let offered = offered(packument, tarballs);
    if let Some(Value::Object(versions)) = document.get_mut("versions") {
        versions.retain(|version, _| offered.contains(version.as_str()));
        for (version, manifest) in versions {
            if let Some(dist) = manifest.get_mut("dist").and_then(Value::as_object_mut) {
                dist.insert("tarball".to_owned(), Value::String(address(&packument.name, version, base)));
            }
        }
    }
    if let Some(Value::Object(tags)) = document.get_mut("dist-tags") {
        let had_latest = tags.contains_key("latest");
        tags.retain(|_, version| version.as_str().is_some_and(|version| offered.contains(version)));
        let among = Packument {
            name: packument.name.clone(),
            versions: packument
                .versions
                .iter()
                .filter(|(v, _)| offered.contains(v.as_str()))
                .map(|(v, m)| (v.clone(), m.clone()))
                .collect(),
            ..Packument::default()
        };
        if had_latest
            && !tags.contains_key("latest")
            && let Ok(version) = pick(&among, &Want::Any, |_| true)
        {
            tags.insert("latest".to_owned(), Value::String(version));
        }
    }
    serde_json::to_vec(&document).map_err(|error| bad(error.to_string()))
}

/// Versions that can be had: all that may be used; with no registry behind, those whose tarballs are here, if any are.
fn offered<'a>(packument: &'a Packument, tarballs: &Tarballs) -> BTreeSet<&'a str> {
    let all = || packument.versions.keys().map(String::as_str);
    if !packument.stale {
        return all().collect();
    }
    let held = |(_, manifest): &(&String, &crate::npm::packument::Manifest)| {
        tarballs.path(&manifest.integrity).is_some_and(|path| path.is_file())
    };
    let here: BTreeSet<&str> = packument.versions.iter().filter(held).map(|(version, _)| version.as_str()).collect();
    if here.is_empty() { all().collect() } else { here }
}

fn address(name: &str, version: &str, base: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    format!("{base}{name}/-/{file}-{version}.tgz")
}

/// One version of a packument's text, by version or dist-tag.
pub(super) fn version(document: &[u8], wanted: &str) -> Option<Vec<u8>> {
    let document: Value = serde_json::from_slice(document).ok()?;
    let tagged = document.get("dist-tags").and_then(|tags| tags.get(wanted)?.as_str());
    serde_json::to_vec(document.get("versions")?.get(tagged.unwrap_or(wanted))?).ok()
}

/// A validator for a text.
pub(super) fn etag(body: &[u8]) -> String {
    format!("\"{}\"", &hex::encode(Sha256::digest(body))[..32])
}
