//! React's family: what must be in a page exactly once, whatever ranges say.

use super::solve::Wanted;
use crate::RegistryError;
use crate::npm::packument::Packument;
use crate::npm::version::{Want, pick};

/// The packages of which an artifact never has two versions.
pub(crate) const FAMILY: &[&str] = &["react", "react-dom", "scheduler", "react-is", "use-sync-external-store"];

/// Those that are released together with React, under the same version.
pub(crate) const LOCKSTEP: &[&str] = &["react", "react-dom", "react-is"];

/// Those of them that keep state: each is a module of its own in every artifact, so that no later import can move it.
const STATEFUL: &[&str] = &["react", "react-dom", "scheduler"];

/// Whether a package is always a module of its own.
pub(crate) fn is_stateful(name: &str) -> bool {
    STATEFUL.contains(&name)
}

/// Whether a package must be single whatever ranges say.
pub(crate) fn is_family(name: &str) -> bool {
    FAMILY.contains(&name)
}

/// The version of React that the artifact gets: the newest that all who name one accept; where they contradict each
/// other, the first that the artifact itself asks for.
///
/// # Errors
/// No version satisfies what the artifact asks for.
pub(crate) fn react_version(react: &Packument, wanted: &[Wanted]) -> Result<String, RegistryError> {
    let ranges: Vec<Want> = wanted
        .iter()
        .filter(|wanted| LOCKSTEP.contains(&wanted.name.as_str()) && wanted.name != "react-is")
        .filter_map(|wanted| wanted.range.as_deref())
        .map(Want::parse)
        .filter(|want| *want != Want::Any)
        .collect();
    let all = |version: &str| ranges.iter().all(|want| want.accepts(version));
    let first = ranges.first().cloned().unwrap_or(Want::Any);
    let version = pick(react, &first, all)?;
    Ok(version)
}
