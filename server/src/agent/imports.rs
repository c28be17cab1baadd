//! Imports of a revision that is being written: resolved as specifiers close, told as they come.

use crate::app::App;
use crate::hub::Live;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use ui4a_registry_proxy::Resolution;
use ui4a_store::db::Artifact;
use ui4a_types::{AddressRole, Diagnostic, Event, ImportState, ImportStatus, ImportUse, Kind, Lock, Severity};

/// What a revision imports.
pub type Uses = BTreeMap<String, ImportUse>;

/// Resolves the newest set of imports again and again until it is told that the set is final.
pub struct Resolver {
    kind: Kind,
    wanted: watch::Sender<Uses>,
    task: JoinHandle<Resolution>,
}

impl Resolver {
    /// Starts at once: React and the kit are wanted by every revision.
    pub fn start(app: &Arc<App>, live: &Arc<Live>, artifact: &Artifact, rev: u32, lock: Option<Lock>) -> Self {
        let (wanted, newest) = watch::channel(Uses::new());
        let task = tokio::spawn(follow(Arc::clone(app), Arc::clone(live), artifact.id.clone(), rev, lock, newest));
        Self { kind: artifact.kind, wanted, task }
    }

    /// Tells of the imports so far.
    pub fn want(&self, uses: &Uses) {
        let outside = outside(uses, self.kind);
        self.wanted.send_if_modified(|known| {
            let changed = *known != outside;
            if changed {
                *known = outside;
            }
            changed
        });
    }

    /// Waits until the last set that was wanted is resolved. When it is cancelled, what is not there yet stays away.
    ///
    /// # Errors
    /// The resolving task panicked.
    pub async fn finish(self, cancel: &CancellationToken) -> Result<Resolution, tokio::task::JoinError> {
        let uses = self.wanted.borrow().clone();
        drop(self.wanted);
        let mut task = self.task;
        tokio::select! {
            biased;
            resolution = &mut task => resolution,
            () = cancel.cancelled() => {
                task.abort();
                Ok(unresolved(&uses))
            }
        }
    }
}

/// What a person did not wait for.
fn unresolved(uses: &Uses) -> Resolution {
    let failed = ImportState {
        state: ImportStatus::Failed,
        package: None,
        version: None,
        url: None,
        names: Vec::new(),
        aliases: BTreeMap::new(),
        preload: Vec::new(),
        styles: Vec::new(),
        ms: 0,
        error: Some("it was stopped".to_owned()),
    };
    Resolution {
        imports: uses.keys().map(|specifier| (specifier.clone(), failed.clone())).collect(),
        lock: Lock::default(),
        diagnostics: Vec::new(),
    }
}

/// What packages say against a source that is only checked: a package that cannot be had now is not what is wrong with it.
pub fn judged(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    const ENVIRONMENT: &[&str] =
        &["registry-unreachable", "registry-not-configured", "registry-refused", "cache-failed"];
    let told = found.into_iter().map(|found| {
        if !ENVIRONMENT.contains(&found.code.as_str()) {
            return found;
        }
        let message = format!("A package was not judged: {}", found.message);
        Diagnostic { code: "check-not-run".to_owned(), severity: Severity::Hint, message, ..found }
    });
    told.collect()
}

/// Imports that the proxy answers: all but those that the sandbox runtime itself provides. Modules are cut down to the
/// names that are imported, except where the runtime takes others of them, and in documents: their scripts run once, so what
/// one of them made must not meet another module's.
pub fn outside(uses: &Uses, kind: Kind) -> Uses {
    let mut uses = uses.clone();
    uses.retain(|specifier, _| !ui4a_web::runtime::BUILT_IN_SPECIFIERS.contains(&specifier.as_str()));
    for (specifier, used) in &mut uses {
        let whole = kind == Kind::Html || ui4a_web::runtime::WHOLE_SPECIFIERS.contains(&specifier.as_str());
        if whole && AddressRole::of_key(specifier).is_none() && !used.names.iter().any(|name| name == "*") {
            used.names.push("*".to_owned());
        }
    }
    uses
}

async fn follow(
    app: Arc<App>,
    live: Arc<Live>,
    artifact: String,
    rev: u32,
    mut lock: Option<Lock>,
    mut newest: watch::Receiver<Uses>,
) -> Resolution {
    let told = Mutex::new(BTreeMap::<String, ImportState>::new());
    let tell = |specifier: &str, state: &ImportState| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.get(specifier) == Some(state) {
            return;
        }
        told.insert(specifier.to_owned(), state.clone());
        let imports = BTreeMap::from([(specifier.to_owned(), state.clone())]);
        if let Err(error) = live.append(Event::ArtifactImports { artifact: artifact.clone(), rev, imports }) {
            tracing::error!(%error, "an import's state could not be stored");
        }
    };
    loop {
        let uses = newest.borrow_and_update().clone();
        let resolution = app.proxy.resolve(&uses, lock.as_ref(), &tell).await;
        for (specifier, state) in &resolution.imports {
            tell(specifier, state);
        }
        lock = Some(resolution.lock.clone());
        // An error means that the set is final; what was resolved last is then the newest set, unless it changed meanwhile.
        if newest.changed().await.is_err() && *newest.borrow() == uses {
            return resolution;
        }
    }
}
