//! The addresses of an artifact that are no modules: each on its own, some at a time, said as they come.

use super::Proxy;
use super::progress::{is_absent, state};
use super::resolve::Changed;
use crate::address::Stored;
use crate::{RegistryError, diagnostics};
use futures::StreamExt as _;
use std::collections::BTreeMap;
use std::time::Instant;
use ui4a_types::{AddressRole, Diagnostic, ImportState, ImportStatus, ImportUse, Lock, LockEntry, LockedPackage};

/// How they came out.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    pub imports: BTreeMap<String, ImportState>,
    pub entries: BTreeMap<String, LockEntry>,
    pub packages: BTreeMap<String, LockedPackage>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Proxy {
    /// Fetches and stores every address of `uses`; keys of modules are passed over. What the lock has is taken from it
    /// without asking anybody.
    pub(super) async fn addresses(
        &self,
        uses: &BTreeMap<String, ImportUse>,
        lock: Option<&Lock>,
        changed: Changed<'_>,
        start: Instant,
    ) -> Addresses {
        let mut done = Addresses::default();
        let keys = uses.iter().filter_map(|(key, used)| Some((key, used, AddressRole::of_key(key)?)));
        let mut todo = Vec::new();
        for (at, (key, used, (role, address))) in keys.enumerate() {
            let locked = lock.and_then(|lock| lock.entries.get(key));
            if at >= self.limits.addresses {
                let (name, limit) = ("this artifact".to_owned(), self.limits.addresses as u64);
                let error = RegistryError::Limit { name, what: "addresses", limit };
                done.fail(key, address, used, role, &error, changed);
            } else if let Some(entry) = locked.filter(|entry| self.is_stored(&entry.module)) {
                done.ready(key, entry.clone(), None, changed);
            } else {
                changed(key, &state(ImportStatus::Resolving));
                todo.push(async move { (key, used, role, address, self.store_address(role, address, locked).await) });
            }
        }
        let mut running = futures::stream::iter(todo).buffer_unordered(self.limits.requests);
        while let Some((key, used, role, address, stored)) = running.next().await {
            match stored {
                Ok(Stored { name, package, version, integrity }) => {
                    if !version.is_empty() {
                        let locked = LockedPackage { version: version.clone(), integrity: integrity.clone() };
                        done.packages.insert(format!("{package}@{version}"), locked);
                    }
                    let ms = self.store.took(&name, u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX));
                    done.ready(
                        key,
                        LockEntry { package, version, integrity, module: name, names: Vec::new() },
                        Some(ms),
                        changed,
                    );
                }
                Err(error) => done.fail(key, address, used, role, &error, changed),
            }
        }
        drop(running);
        done
    }

    /// Whether a stored file, and what it names itself, is there.
    fn is_stored(&self, name: &str) -> bool {
        if name.ends_with(".css") { self.store.facts(name).is_some() } else { self.store.has(name) }
    }
}

impl Addresses {
    fn ready(&mut self, key: &str, entry: LockEntry, ms: Option<u64>, changed: Changed<'_>) {
        let is_package = !entry.version.is_empty();
        let ready = ImportState {
            package: is_package.then(|| entry.package.clone()),
            version: is_package.then(|| entry.version.clone()),
            url: Some(format!("/m/{}", entry.module)),
            ms: ms.unwrap_or(0),
            ..state(ImportStatus::Ready)
        };
        changed(key, &ready);
        self.imports.insert(key.to_owned(), ready);
        self.entries.insert(key.to_owned(), entry);
    }

    fn fail(
        &mut self,
        key: &str,
        address: &str,
        used: &ImportUse,
        role: AddressRole,
        error: &RegistryError,
        changed: Changed<'_>,
    ) {
        let status = if is_absent(error) { ImportStatus::Stub } else { ImportStatus::Failed };
        let failed = ImportState { error: Some(error.to_string()), ..state(status) };
        changed(key, &failed);
        self.imports.insert(key.to_owned(), failed);
        self.diagnostics.push(diagnostics::resource(address, Some(used), error, role));
    }
}
