//! Live sessions: the one way into the event log, and the bell that tells readers of it.
//!
//! An event is stored before anyone is told. Readers read the log itself, so a slow one misses nothing and holds nothing
//! up.

use crate::agent::Chain;
use anyhow::Result;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use ui4a_store::db::Appended;
use ui4a_store::{Db, StoreError};
use ui4a_types::event::LoggedEvent;
use ui4a_types::{Action, Event, Report, TurnInput};

/// Most inputs that wait in one session.
pub const MOST_WAITING: usize = 64;

/// All live sessions.
pub struct Hub {
    db: Arc<Db>,
    sessions: Mutex<HashMap<String, Arc<Live>>>,
}

/// One live session.
pub struct Live {
    /// Its id.
    pub id: String,
    db: Arc<Db>,
    head: watch::Sender<u64>,
    /// Reports as they arrive: artifact and report.
    pub reports: broadcast::Sender<(String, Report)>,
    /// Rung when an action arrives.
    pub actions: watch::Sender<u64>,
    /// Cancelled when the session was deleted.
    pub gone: CancellationToken,
    pages: Mutex<HashMap<String, Watching>>,
    claims: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    /// Artifacts whose last frame was told and whose revision is not stored yet.
    closing: Mutex<HashMap<String, u32>>,
    desk: Mutex<Desk>,
}

/// One page that watches.
struct Watching {
    visible: bool,
    /// Its connections: a new one may come before the loss of the old one is noticed.
    connections: usize,
}

/// Pages that watch a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewers {
    /// All of them.
    pub pages: usize,
    /// Those that are not in the background.
    pub visible: usize,
}

/// What a session's worker has in front of it.
#[derive(Default)]
pub struct Desk {
    /// The running turn's cancel switch; `None` when no worker runs.
    pub running: Option<CancellationToken>,
    /// Inputs that start the next turns.
    pub inbox: VecDeque<TurnInput>,
    /// Artifacts that this process wrote in live turns and that may be mended.
    pub chains: Vec<Chain>,
}

impl Desk {
    /// Removes the chain of an artifact.
    pub fn take(&mut self, artifact: &str) -> Option<Chain> {
        let at = self.chains.iter().position(|chain| chain.artifact == artifact)?;
        Some(self.chains.remove(at))
    }
}

impl Hub {
    /// A hub over a database.
    pub fn new(db: Arc<Db>) -> Self {
        Self { db, sessions: Mutex::default() }
    }

    /// The live side of a session that exists.
    ///
    /// # Errors
    /// The database fails.
    pub fn live(&self, id: &str) -> Result<Option<Arc<Live>>, StoreError> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(live) = sessions.get(id) {
            return Ok(Some(Arc::clone(live)));
        }
        let Some(session) = self.db.session(id)? else { return Ok(None) };
        let live = Arc::new(Live {
            id: session.id,
            db: Arc::clone(&self.db),
            head: watch::Sender::new(session.head),
            reports: broadcast::Sender::new(64),
            actions: watch::Sender::new(0),
            gone: CancellationToken::new(),
            pages: Mutex::default(),
            claims: Mutex::default(),
            closing: Mutex::default(),
            desk: Mutex::default(),
        });
        sessions.insert(id.to_owned(), Arc::clone(&live));
        Ok(Some(live))
    }

    /// Whether a turn runs in a session. Makes nothing live.
    pub fn running(&self, id: &str) -> bool {
        let live = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        live.is_some_and(|live| live.desk().running.is_some())
    }

    /// Forgets a session that was deleted: ends its streams, stops its turn.
    pub fn forget(&self, id: &str) {
        let removed = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        let Some(live) = removed else { return };
        live.gone.cancel();
        let running = live.desk().running.clone();
        if let Some(cancel) = running {
            cancel.cancel();
        }
    }
}

impl Live {
    /// Stores an event, then tells its readers.
    ///
    /// # Errors
    /// The database fails; nobody is told.
    pub fn append(&self, event: Event) -> Result<LoggedEvent, StoreError> {
        let logged = tokio::task::block_in_place(|| self.db.append(&self.id, event))?;
        self.ring(logged.seq);
        Ok(logged)
    }

    /// Stores an action once for each id, then tells its readers.
    ///
    /// # Errors
    /// The database fails; nobody is told.
    pub fn append_action(&self, action: &Action) -> Result<Appended, StoreError> {
        let appended = tokio::task::block_in_place(|| self.db.append_action(&self.id, action))?;
        if let Appended::New(logged) = &appended {
            self.ring(logged.seq);
            self.actions.send_replace(logged.seq);
        }
        Ok(appended)
    }

    /// Two appends may ring out of order; the bell only ever rises.
    fn ring(&self, seq: u64) {
        self.head.send_if_modified(|head| {
            let newer = seq > *head;
            *head = (*head).max(seq);
            newer
        });
    }

    /// The newest `seq`, and the bell.
    pub fn head(&self) -> watch::Receiver<u64> {
        self.head.subscribe()
    }

    /// What the worker has in front of it.
    pub fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a page that watches, until the guard is dropped.
    pub fn watch(self: &Arc<Self>, page: String, visible: bool) -> Viewer {
        let mut pages = self.pages();
        let known = pages.entry(page.clone()).or_insert(Watching { visible, connections: 0 });
        known.visible = visible;
        known.connections += 1;
        drop(pages);
        Viewer { live: Arc::clone(self), page }
    }

    /// Takes note that a page that watches came to the front or went to the background.
    pub fn seen(&self, page: &str, visible: bool) {
        if let Some(known) = self.pages().get_mut(page) {
            known.visible = visible;
        }
    }

    /// The pages that watch.
    pub fn viewers(&self) -> Viewers {
        let pages = self.pages();
        Viewers { pages: pages.len(), visible: pages.values().filter(|page| page.visible).count() }
    }

    fn pages(&self) -> MutexGuard<'_, HashMap<String, Watching>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What whoever writes the artifact of this name holds meanwhile: two writers would interleave their frames.
    pub fn claim(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        claims.retain(|_, claim| Arc::strong_count(claim) > 1);
        Arc::clone(claims.entry(name.to_owned()).or_default())
    }
}

impl Live {
    /// Says that the whole of a revision is about to be told, until the answer is dropped.
    pub fn closing(&self, artifact: &str, rev: u32) -> IsClosing<'_> {
        let mut closing = self.closing.lock().unwrap_or_else(PoisonError::into_inner);
        closing.insert(artifact.to_owned(), rev);
        IsClosing { closing: &self.closing, artifact: artifact.to_owned() }
    }

    /// Whether the whole of a revision was told that is not stored yet.
    pub fn is_closing(&self, artifact: &str, rev: u32) -> bool {
        self.closing.lock().unwrap_or_else(PoisonError::into_inner).get(artifact) == Some(&rev)
    }

    /// Whether the artifact of this name is being written.
    pub fn is_claimed(&self, name: &str) -> bool {
        self.claim(name).try_lock().is_err()
    }
}

/// A revision between its last frame and its place in the database.
pub struct IsClosing<'l> {
    closing: &'l Mutex<HashMap<String, u32>>,
    artifact: String,
}

impl Drop for IsClosing<'_> {
    fn drop(&mut self) {
        self.closing.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.artifact);
    }
}

/// A page that watches a session.
pub struct Viewer {
    live: Arc<Live>,
    page: String,
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let mut pages = self.live.pages();
        let Some(known) = pages.get_mut(&self.page) else { return };
        known.connections -= 1;
        if known.connections == 0 {
            pages.remove(&self.page);
        }
    }
}
