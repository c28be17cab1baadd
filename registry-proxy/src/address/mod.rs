//! Scripts, style sheets, fonts, images and modules that an artifact names by address.
//!
//! Owns what such an address stands for (a file of an npm package, or something that is fetched from elsewhere), the rules
//! under which anything is fetched from elsewhere, and how what was fetched is stored: by content, under the same names as
//! modules. Nothing is fetched but addresses that stand in an artifact's source, and those that such a file names itself.
//!
//! Knows nothing of documents: who found the address, and who puts the stored name in its place, is not its business.

mod content;
pub(crate) mod guard;
mod modules;
mod package;
mod sheet;
mod web;

pub(crate) use modules::Remote;
pub(crate) use web::{Web, is_kept_answer};

use crate::RegistryError;
use crate::graph::PackageId;
use crate::proxy::Proxy;
use crate::specifier::{NpmSpecifier, Specifier, parse};
use ui4a_types::{AddressRole, LockEntry};
use url::Url;

/// An address, fetched and stored.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// `<sha256>.<extension>`.
    pub name: String,
    /// The package's name, or the address.
    pub package: String,
    /// The package's version; empty for what is no package.
    pub version: String,
    /// Of the tarball, or of the body.
    pub integrity: String,
}

/// What an address stands for.
enum Target {
    Package(NpmSpecifier),
    Web(Url),
}

fn target(address: &str) -> Result<Target, RegistryError> {
    let refuse = |reason: String| RegistryError::Forbidden { address: shown(address), reason };
    match parse(address)? {
        Specifier::Npm(npm) => Ok(Target::Package(npm)),
        Specifier::Address(address) => {
            Ok(Target::Web(Url::parse(&address).map_err(|error| refuse(error.to_string()))?))
        }
        _ => Err(refuse("it is no address".to_owned())),
    }
}

/// An address as it may stand in a message.
fn shown(address: &str) -> String {
    address.chars().take(200).collect()
}

impl Proxy {
    /// Fetches and stores one address in its role. With a `locked` version of the same package, that one is kept.
    ///
    /// # Errors
    /// It may not be fetched, could not be, or is of another type than its role wants.
    pub(crate) async fn store_address(
        &self,
        role: AddressRole,
        address: &str,
        locked: Option<&LockEntry>,
    ) -> Result<Stored, RegistryError> {
        match target(address)? {
            Target::Package(npm) => self.package_file(&npm, role, locked).await,
            Target::Web(url) if role == AddressRole::Style => self.remote_sheet(&url).await,
            Target::Web(url) => {
                let fetched = self.web.get(&url, role.into()).await?;
                let name = self.store_bytes(fetched.bytes, fetched.extension).await?;
                Ok(Stored { name, package: address.to_owned(), version: String::new(), integrity: fetched.integrity })
            }
        }
    }

    async fn store_bytes(&self, bytes: Vec<u8>, extension: &'static str) -> Result<String, RegistryError> {
        let store = std::sync::Arc::clone(&self.store);
        blocking(move || store.put(&bytes, extension)).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RegistryError> + Send + 'static,
) -> Result<T, RegistryError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(RegistryError::Store(format!("a task stopped: {error}"))))
}

fn no_entry(id: &PackageId, entry: &str, reason: &str) -> RegistryError {
    RegistryError::NoSuchEntry { package: id.to_string(), entry: entry.to_owned(), reason: reason.to_owned() }
}
