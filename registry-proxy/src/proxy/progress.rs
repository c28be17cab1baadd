//! What each specifier of an artifact asks for, and telling the caller how far it has come.

use crate::RegistryError;
use crate::address::Remote;
use crate::graph::solve::Wanted;
use crate::graph::{EntryId, Graph, PackageId, Root};
use crate::own::OwnPackage;
use crate::specifier::{NpmSpecifier, Specifier, parse};
use std::collections::BTreeMap;
use std::sync::Arc;
use ui4a_types::{ImportState, ImportStatus};

/// The specifiers that every artifact has.
pub(crate) const ALWAYS: &[&str] = &["react", "react/jsx-runtime", "react-dom", "react-dom/client"];

/// What a specifier asks for.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// An entry of a package of ours.
    Own(EntryId),
    /// An entry of an npm package.
    Npm(NpmSpecifier),
    /// A module of Node's.
    NodeBuiltin(String),
    /// Nothing that can be had.
    Refused(RegistryError),
}

/// Reads a specifier; our own packages come first.
pub(crate) fn request(specifier: &str, own: &BTreeMap<PackageId, Arc<OwnPackage>>, remote: &Remote) -> Request {
    match remote.package(specifier) {
        Some(Ok(package)) => return Request::Own(EntryId { package, subpath: String::new() }),
        Some(Err(error)) => return Request::Refused(error),
        None => {}
    }
    let ours = own.iter().filter_map(|(id, package)| {
        let subpath = package.subpath(specifier)?;
        // An exact name beats an alias; a longer name beats a shorter.
        let rank = (specifier.starts_with(&id.name), id.name.len());
        Some((rank, EntryId { package: id.clone(), subpath }))
    });
    if let Some((_, entry)) = ours.max_by(|a, b| a.0.cmp(&b.0)) {
        return Request::Own(entry);
    }
    let refuse = |reason: &str| {
        Request::Refused(RegistryError::Specifier {
            specifier: specifier.chars().take(200).collect(),
            reason: reason.to_owned(),
        })
    };
    match parse(specifier) {
        Ok(Specifier::Npm(npm)) => Request::Npm(npm),
        Ok(Specifier::NodeBuiltin(name)) => Request::NodeBuiltin(name),
        Ok(Specifier::Relative) => refuse("an artifact is one file, and has no others to import"),
        // The caller fetched those that it could, and knows why it could not.
        Ok(Specifier::Address(_)) => refuse("the address was not fetched"),
        Err(error) => Request::Refused(error),
    }
}

impl Request {
    /// What it wants of the graph.
    pub(crate) fn wanted(&self) -> Option<Wanted> {
        match self {
            Self::Npm(npm) => Some(Wanted { name: npm.name.clone(), range: npm.range.clone() }),
            _ => None,
        }
    }

    /// The entry that it leads to in a solved graph.
    pub(crate) fn entry(&self, graph: &Graph) -> Result<EntryId, RegistryError> {
        match self {
            Self::Own(entry) => Ok(entry.clone()),
            Self::Npm(npm) => {
                let root = Root { name: npm.name.clone(), range: npm.range.clone().filter(|range| range != "*") };
                let missing = || RegistryError::Store(format!("`{}` was not resolved", npm.name));
                let package = graph.roots.get(&root).cloned().unwrap_or_else(|| Err(missing()))?;
                Ok(EntryId { package, subpath: npm.subpath.clone() })
            }
            Self::NodeBuiltin(name) => Err(RegistryError::Specifier {
                specifier: name.clone(),
                reason: "it is a module of Node's, which browsers do not have".to_owned(),
            }),
            Self::Refused(error) => Err(error.clone()),
        }
    }
}

/// A state with nothing but its kind.
pub(crate) fn state(status: ImportStatus) -> ImportState {
    ImportState {
        state: status,
        package: None,
        version: None,
        url: None,
        names: Vec::new(),
        aliases: BTreeMap::new(),
        preload: Vec::new(),
        styles: Vec::new(),
        ms: 0,
        error: None,
    }
}

/// Whether an error means that there is nothing to be had, rather than that it could not be had now.
pub(crate) fn is_absent(error: &RegistryError) -> bool {
    matches!(
        error,
        RegistryError::NoSuchPackage { .. }
            | RegistryError::NoSuchVersion { .. }
            | RegistryError::NoSuchEntry { .. }
            | RegistryError::Specifier { .. }
            | RegistryError::Forbidden { .. }
            | RegistryError::Denied { .. }
    )
}
