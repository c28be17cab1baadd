//! Artifacts as they are written: from pieces of a model's stream to events, frames and stored revisions.

use super::imports::{Resolver, Uses};
use crate::app::App;
use crate::hub::Live;
use crate::type_check::{Closing, Pending};
use anyhow::{Context as _, Result};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;
use ui4a_renderer::carrier::{Opening, Piece};
use ui4a_renderer::{ArtifactStream, Options};
use ui4a_store::db::{Artifact, Revision};
use ui4a_types::frame::FrameState;
use ui4a_types::{Diagnostic, Event, Kind, Phase, Severity, Specialist, TurnInput};

/// Least time between two frames of a revision. A frame costs a few milliseconds here and a commit in the sandbox.
const FRAME_PAUSE: Duration = Duration::from_millis(80);
/// Longest source in bytes.
pub const MOST_SOURCE: usize = 1 << 20;

/// Where pieces come from.
pub struct Origin {
    /// The turn; empty when a program rendered the source itself.
    pub turn: String,
    /// Who writes.
    pub owner: Specialist,
    /// The artifact that is meant when the source names none: the one being mended or answered for.
    pub subject: Option<String>,
    /// Whether that artifact is also meant by a name that no other one has: who mends it writes nothing new.
    pub only_subject: bool,
    /// Nobody waits for imports any more once it is cancelled.
    pub cancel: CancellationToken,
}

impl Origin {
    /// A turn on `input`.
    pub fn of(turn: &str, input: &TurnInput, cancel: CancellationToken) -> Self {
        let (subject, only_subject) = match input {
            TurnInput::Text(_) => (None, false),
            TurnInput::Action(action) => (Some(action.artifact.clone()).filter(|id| !id.is_empty()), false),
            TurnInput::Repair { artifact, .. } | TurnInput::Continue { artifact, .. } => (Some(artifact.clone()), true),
        };
        Self { turn: turn.to_owned(), owner: Specialist::default(), subject, only_subject, cancel }
    }

    /// A program that renders a source itself.
    pub fn program() -> Self {
        Self {
            turn: String::new(),
            owner: Specialist::L3,
            subject: None,
            only_subject: false,
            cancel: CancellationToken::new(),
        }
    }

    /// The same, written by `owner`.
    #[must_use]
    pub fn owned_by(mut self, owner: Specialist) -> Self {
        self.owner = owner;
        self
    }
}

/// Writes artifacts of one turn.
pub struct Writer {
    app: Arc<App>,
    live: Arc<Live>,
    origin: Origin,
    open: Option<Open>,
    /// Revisions that were closed, in order.
    pub closed: Vec<Closed>,
}

/// A revision that is whole.
#[derive(Clone, Debug)]
pub struct Closed {
    /// The artifact.
    pub artifact: String,
    /// Its revision.
    pub rev: u32,
    /// Number of its last frame.
    pub frame: u32,
    /// The source.
    pub source: String,
    /// Whether it was cut off.
    pub truncated: bool,
    /// Findings about it, but those about types.
    pub diagnostics: Vec<Diagnostic>,
    /// Findings about types, when they are known.
    pub types: Pending,
}

impl Closed {
    /// Whether it compiled; if not, the last good frame is shown.
    pub fn compiles(&self) -> bool {
        !self.diagnostics.iter().any(|found| found.severity == Severity::Error && found.phase == Phase::Syntax)
    }
}

/// Another one is writing the artifact of this name.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is being written by another turn or program; wait until it is whole, then send it again")]
pub struct Busy(pub String);

struct Open {
    /// Held until the revision is closed.
    _claim: OwnedMutexGuard<()>,
    artifact: Artifact,
    rev: u32,
    stream: ArtifactStream,
    resolver: Resolver,
    frame: u32,
    last_frame: Option<Instant>,
    diagnostics: Arc<Vec<Diagnostic>>,
    uses: Arc<Uses>,
    overflowed: bool,
}

impl Writer {
    /// A writer into a session.
    pub fn new(app: &Arc<App>, live: &Arc<Live>, origin: Origin) -> Self {
        Self { app: Arc::clone(app), live: Arc::clone(live), origin, open: None, closed: Vec::new() }
    }

    /// Takes pieces in order.
    ///
    /// # Errors
    /// The database fails.
    pub async fn take(&mut self, pieces: Vec<Piece>) -> Result<()> {
        for piece in pieces {
            match piece {
                Piece::Text(delta) if delta.is_empty() => {}
                Piece::Text(delta) => {
                    self.live.append(Event::TextDelta { turn: self.origin.turn.clone(), delta })?;
                }
                Piece::Opened(opening) => self.open(opening).await?,
                Piece::Source(delta) => self.source(delta)?,
                Piece::Closed { truncated } => self.close(truncated).await?,
                Piece::Retracted { text } => self.retract(text)?,
            }
        }
        Ok(())
    }

    /// Whether a source became too long.
    pub fn overflowed(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.overflowed)
    }

    async fn open(&mut self, opening: Opening) -> Result<()> {
        let db = &self.app.db;
        let subject = match &self.origin.subject {
            Some(subject) => db.artifact(subject)?,
            None => None,
        };
        let name = match (&opening.id, &subject) {
            (None, Some(subject)) => subject.name.clone(),
            (Some(name), Some(subject))
                if self.origin.only_subject && db.artifact_named(&self.live.id, name)?.is_none() =>
            {
                subject.name.clone()
            }
            (Some(name), _) => name.clone(),
            (None, None) => free_name(db, &self.live.id)?,
        };
        let claim = self.live.claim(&name);
        let claim = match claim.clone().try_lock_owned() {
            Ok(claim) => claim,
            Err(_) if self.origin.turn.is_empty() => return Err(Busy(name).into()),
            Err(_) => claim.lock_owned().await,
        };
        let named = db.artifact_named(&self.live.id, &name)?;
        let artifact = match named {
            Some(known) => Artifact {
                title: opening.title.clone().unwrap_or_else(|| known.title.clone()),
                kind: opening.kind,
                owner: self.origin.owner,
                ..known
            },
            None => Artifact {
                id: uuid::Uuid::now_v7().simple().to_string(),
                session: self.live.id.clone(),
                name,
                title: opening.title.clone().unwrap_or_default(),
                kind: opening.kind,
                owner: self.origin.owner,
            },
        };
        db.put_artifact(&artifact)?;
        db.set_writing(&artifact.id, true)?;
        let before = db.revision(&artifact.id, None)?;
        let rev = before.as_ref().map_or(1, |revision| revision.rev + 1);
        self.live.append(Event::ArtifactOpened {
            artifact: artifact.id.clone(),
            rev,
            kind: artifact.kind,
            dialect: opening.dialect.unwrap_or_default(),
            title: artifact.title.clone(),
            carrier: opening.carrier,
            turn: self.origin.turn.clone(),
        })?;
        let lock = before.as_ref().map(|revision| revision.lock.clone());
        let base = before.map(|revision| revision.compiled);
        self.open = Some(Open {
            _claim: claim,
            resolver: Resolver::start(&self.app, &self.live, &artifact, rev, lock),
            stream: ArtifactStream::new(options(&self.app, artifact.kind), base),
            artifact,
            rev,
            frame: 0,
            last_frame: None,
            diagnostics: Arc::default(),
            uses: Arc::default(),
            overflowed: false,
        });
        Ok(())
    }

    fn source(&mut self, delta: String) -> Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        if open.overflowed || open.stream.source().len() + delta.len() > MOST_SOURCE {
            open.overflowed = true;
            return Ok(());
        }
        open.stream.push(&delta);
        self.live.append(Event::ArtifactSource { artifact: open.artifact.id.clone(), rev: open.rev, delta })?;
        if open.last_frame.is_none_or(|last| last.elapsed() >= FRAME_PAUSE) {
            open.step(&self.live, false)?;
        }
        Ok(())
    }

    /// Closes the open revision, if there is one.
    ///
    /// # Errors
    /// The database fails.
    pub async fn close(&mut self, truncated: bool) -> Result<()> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        let truncated = truncated || open.overflowed;
        let live = Arc::clone(&self.live);
        let closing = live.closing(&open.artifact.id, open.rev);
        open.step(&self.live, true)?;
        // The claim is held to the end.
        let Open { artifact, rev, stream, resolver, frame, diagnostics, uses, overflowed, _claim, .. } = open;
        let mut diagnostics = Arc::unwrap_or_clone(diagnostics);
        resolver.want(&uses);
        let resolution = resolver.finish(&self.origin.cancel).await.context("resolving imports failed")?;
        diagnostics.extend(resolution.diagnostics);
        if overflowed {
            diagnostics.push(oversized());
        }
        self.live.append(Event::ArtifactDiagnostics {
            artifact: artifact.id.clone(),
            rev,
            frame,
            diagnostics: diagnostics.clone(),
        })?;
        let revision = Revision {
            rev,
            turn: self.origin.turn.clone(),
            source: stream.source().to_owned(),
            compiled: stream.state().clone(),
            maps: serde_json::to_value(stream.maps())?,
            imports: resolution.imports,
            lock: resolution.lock.clone(),
            diagnostics: diagnostics.clone(),
            report: None,
            frame,
            closed: true,
            truncated,
        };
        self.app.db.put_revision(&artifact.id, &revision)?;
        drop(closing);
        let (id, source) = (artifact.id.clone(), revision.source);
        let types = Pending::nothing();
        self.closed.push(Closed { artifact: id, rev, frame, source, truncated, diagnostics, types });
        let lock = resolution.lock;
        self.live.append(Event::ArtifactClosed {
            artifact: artifact.id.clone(),
            rev,
            truncated,
            lock: lock.clone(),
        })?;
        self.app.db.set_writing(&artifact.id, false)?;
        // Told behind the end of the revision: nothing waits for it.
        if let Some(closed) = self.closed.last_mut().filter(|_| artifact.kind == Kind::Tsx) {
            let module = stream.module();
            let closing = Closing { artifact: artifact.id, rev, frame, module, lock };
            closed.types = Pending::start(&self.app, &self.live, closing);
        }
        Ok(())
    }

    fn retract(&mut self, text: String) -> Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        self.app.db.set_writing(&open.artifact.id, false)?;
        self.app.db.retract(&open.artifact.id, open.rev)?;
        self.live.append(Event::ArtifactRetracted {
            artifact: open.artifact.id,
            rev: open.rev,
            turn: self.origin.turn.clone(),
            text,
        })?;
        Ok(())
    }
}

impl Open {
    /// Makes a frame of what there is and tells of it when it changed something.
    fn step(&mut self, live: &Live, complete: bool) -> Result<()> {
        let step = tokio::task::block_in_place(|| self.stream.frame(complete));
        self.last_frame = Some(Instant::now());
        if step.imports != self.uses {
            self.resolver.want(&step.imports);
            self.uses = step.imports;
        }
        // The last frame is always told: it is what says that the revision is complete.
        if let Some(patch) = step.patch.or_else(|| complete.then(Default::default)) {
            self.frame += 1;
            live.append(Event::ArtifactFrame {
                artifact: self.artifact.id.clone(),
                rev: self.rev,
                frame: self.frame,
                complete,
                patch,
            })?;
        }
        // While it is being written the end is always missing, so findings are told when it is whole.
        self.diagnostics = step.diagnostics;
        Ok(())
    }
}

/// A name for an artifact that the model gave none: it may have given such a name to another one.
fn free_name(db: &ui4a_store::Db, session: &str) -> Result<String> {
    let known = db.artifacts(session)?;
    let mut names = (known.len() + 1..).map(|number| format!("artifact-{number}"));
    names.find(|name| known.iter().all(|artifact| artifact.name != *name)).context("no name is free")
}

/// How sources are compiled here.
pub fn options(app: &App, kind: Kind) -> Options {
    Options { kind, kit: Arc::clone(&app.runtime.kit_names) }
}

fn oversized() -> Diagnostic {
    Diagnostic::new(
        "oversized",
        Severity::Error,
        Phase::Syntax,
        format!("The source is longer than {} KiB and was cut off.", MOST_SOURCE >> 10),
    )
    .help("Write a shorter module; move data into fewer rows.")
}

/// The state from which a viewer's first frame starts: the last frame of the revision before.
pub fn base_of(app: &App, artifact: &str, rev: u32) -> Result<FrameState> {
    if rev < 2 {
        return Ok(FrameState::default());
    }
    Ok(app.db.revision(artifact, Some(rev - 1))?.map(|revision| revision.compiled).unwrap_or_default())
}
