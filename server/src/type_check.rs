//! Type checks of artifacts: the renderer's checker, fed with the proxy's declarations and the kit's.
//!
//! They run beside everything else: a turn never waits for them, and what they find is added to a revision when it is
//! known. What keeps a check from being made is said once a revision, and the next one is tried all the same.

use crate::agent;
use crate::app::App;
use crate::hub::Live;
use crate::services;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use ui4a_registry_proxy::Proxy;
use ui4a_renderer::types_check::project::{Ours, files};
use ui4a_renderer::types_check::{Checker, Launch, Module, NotChecked};
use ui4a_types::{Diagnostic, Event, Lock};
use ui4a_web::kit;

/// Longest time for fetching what a check needs, once.
const FETCHING: Duration = Duration::from_secs(60);

/// The type checker of this process.
pub struct Types {
    proxy: Arc<Proxy>,
    ours: Ours,
    checker: Mutex<Option<Arc<Checker>>>,
}

impl Types {
    /// A checker that is fetched and started when it is first needed.
    pub fn new(proxy: &Arc<Proxy>) -> Self {
        Self { proxy: Arc::clone(proxy), ours: ours(), checker: Mutex::new(None) }
    }

    /// What types say against a module; or why they say nothing.
    ///
    /// # Cancel safety
    /// Dropping the future stops the check.
    pub async fn check(&self, module: &Module, lock: &Lock) -> Vec<Diagnostic> {
        match self.try_check(module, lock).await {
            Ok(found) => found,
            Err(error) => {
                tracing::info!(%error, "types were not checked");
                vec![error.diagnostic()]
            }
        }
    }

    async fn try_check(&self, module: &Module, lock: &Lock) -> Result<Vec<Diagnostic>, NotChecked> {
        module.checkable()?;
        let late = |_| NotChecked::Missing("the checker or declarations are still being fetched".to_owned());
        let ready = async { Ok::<_, NotChecked>((self.checker().await?, self.declarations(lock).await?)) };
        let (checker, declarations) = tokio::time::timeout(FETCHING, ready).await.map_err(late)??;
        checker.check(&declarations, module).await
    }

    /// Fetches the checker and the declarations of a lock's packages.
    ///
    /// # Errors
    /// One cannot be had.
    pub async fn fetch(&self, lock: &Lock) -> Result<(), NotChecked> {
        self.checker().await?;
        self.declarations(lock).await.map(drop)
    }

    async fn checker(&self) -> Result<Arc<Checker>, NotChecked> {
        let missing = |error: String| NotChecked::Missing(error);
        let mut place = self.checker.lock().await;
        if let Some(checker) = &*place {
            return Ok(Arc::clone(checker));
        }
        let program = self.proxy.checker().await.map_err(|error| missing(error.to_string()))?;
        let launcher = services::isolate_command().map_err(|error| missing(format!("{error:#}")))?;
        let checker = Arc::new(Checker::new(Launch::new(launcher, program, self.proxy.declaration_folders().into())));
        *place = Some(Arc::clone(&checker));
        Ok(checker)
    }

    async fn declarations(&self, lock: &Lock) -> Result<std::path::PathBuf, NotChecked> {
        let files = files(&self.ours, &self.proxy.plain_specifiers(lock));
        let made = self.proxy.declarations(lock, &files).await;
        let made = made.map_err(|error| NotChecked::Missing(error.to_string()))?;
        if !made.missing.is_empty() {
            tracing::info!(missing = made.missing.join(", "), "some packages are checked without their types");
        }
        Ok(made.folder)
    }
}

/// What the kit declares, and the specifiers that stand for it.
fn ours() -> Ours {
    let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let mut aliases: BTreeMap<String, String> = kit::aliases()
        .into_iter()
        .map(|(alias, subpath)| match subpath.as_str() {
            "" => (alias, kit::NAME.to_owned()),
            "macaron" => (alias, "$macaron/ui".to_owned()),
            subpath => (alias, format!("{}/{subpath}", kit::NAME)),
        })
        .collect();
    aliases.insert("$macaron/chat".to_owned(), "$ui4a/chat".to_owned());
    Ours { types: kit::types().into_iter().map(owned).collect(), aliases }
}

/// A check of a closed revision that is under way.
#[derive(Clone, Debug)]
pub struct Pending(watch::Receiver<Option<Arc<Vec<Diagnostic>>>>);

impl Pending {
    /// Starts a check of a revision that was stored. What it finds is added to the revision and told in the log.
    pub fn start(app: &Arc<App>, live: &Arc<Live>, of: Closing) -> Self {
        let (told, pending) = watch::channel(None);
        let (app, live) = (Arc::clone(app), Arc::clone(live));
        tokio::spawn(async move {
            let found = app.types.check(&of.module, &of.lock).await;
            if !found.is_empty()
                && let Err(error) = tell(&app, &live, &of, &found)
            {
                // The session may have been deleted meanwhile.
                tracing::info!(%error, "findings about types could not be stored");
            }
            let found = Arc::new(found);
            // First this: whoever judges the revision at the end of its turn sees it, or has left a chain to judge.
            told.send_replace(Some(Arc::clone(&found)));
            agent::consider_late(&app, &live, &of.artifact, of.rev, &found, of.module.source());
        });
        Self(pending)
    }

    /// Nothing to check.
    pub fn nothing() -> Self {
        Self(watch::channel(Some(Arc::default())).1)
    }

    /// The findings, if they are known.
    pub fn now(&self) -> Option<Arc<Vec<Diagnostic>>> {
        self.0.borrow().clone()
    }

    /// The findings, if they come within `patience`: errors among them are what surely breaks.
    pub async fn within(&self, patience: Duration) -> Option<Arc<Vec<Diagnostic>>> {
        let mut pending = self.0.clone();
        let found = tokio::time::timeout(patience, pending.wait_for(Option::is_some)).await;
        found.ok()?.ok()?.clone()
    }
}

/// A revision that is about to be closed.
pub struct Closing {
    /// The artifact.
    pub artifact: String,
    /// Its revision.
    pub rev: u32,
    /// Number of its last frame.
    pub frame: u32,
    /// Its text.
    pub module: Module,
    /// What it imports.
    pub lock: Lock,
}

fn tell(app: &App, live: &Live, of: &Closing, found: &[Diagnostic]) -> anyhow::Result<()> {
    let all = tokio::task::block_in_place(|| app.db.add_diagnostics(&of.artifact, of.rev, found))?;
    let Some(diagnostics) = all else { return Ok(()) };
    let (artifact, rev, frame) = (of.artifact.clone(), of.rev, of.frame);
    live.append(Event::ArtifactDiagnostics { artifact, rev, frame, diagnostics })?;
    Ok(())
}
