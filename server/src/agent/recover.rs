//! After a kill: turns that were running are told as interrupted, and what they had written is kept.

use crate::app::App;
use crate::hub::Live;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use ui4a_store::db::Revision;
use ui4a_types::frame::FrameState;
use ui4a_types::{Event, ImportState, Lock, Problem};

/// Events read at once.
const BATCH: usize = 1024;

/// Closes all turns that a killed process left open, and all artifacts.
///
/// # Errors
/// The database fails.
pub fn all(app: &App) -> Result<()> {
    let turns = app.db.sessions()?.into_iter().filter(|session| session.turn.is_some()).map(|session| session.id);
    let sessions: BTreeSet<String> = turns.chain(app.db.sessions_written()?).collect();
    for interrupted in sessions {
        if let Some(live) = app.hub.live(&interrupted)? {
            session(app, &live, "interrupted", "The turn was interrupted: the program was stopped while it ran.");
        }
    }
    Ok(app.db.clear_writing()?)
}

/// Closes what a session has open, and says why its turn failed if one ran.
pub fn session(app: &App, live: &Live, code: &str, title: &str) {
    if let Err(error) = try_session(app, live, code, title) {
        tracing::error!(%error, session = live.id, "an interrupted turn could not be closed");
    }
}

fn try_session(app: &App, live: &Live, code: &str, title: &str) -> Result<()> {
    let turn = app.db.session(&live.id)?.and_then(|session| session.turn);
    for (artifact, written) in unfinished(app, live)? {
        // What another one writes in this moment is its own affair.
        let by_turn = turn.as_ref().is_some_and(|turn| *turn == written.turn);
        if !by_turn && live.is_claimed(&name_of(app, &artifact)?) {
            continue;
        }
        close(app, live, artifact, written)?;
    }
    let Some(turn) = turn else { return Ok(()) };
    let problem = Problem {
        code: code.to_owned(),
        title: title.to_owned(),
        detail: "What was shown is kept. Say it again to go on.".to_owned(),
    };
    live.append(Event::TurnFailed { turn, problem })?;
    app.db.set_turn(&live.id, None)?;
    Ok(())
}

fn name_of(app: &App, artifact: &str) -> Result<String> {
    Ok(app.db.artifact(artifact)?.map(|artifact| artifact.name).unwrap_or_default())
}

fn close(app: &App, live: &Live, artifact: String, written: Revision) -> Result<()> {
    app.db.set_writing(&artifact, false)?;
    if let Some(stored) = app.db.revision(&artifact, Some(written.rev))? {
        // It was stored whole; only the word of it is missing.
        let (rev, truncated, lock) = (stored.rev, stored.truncated, stored.lock);
        live.append(Event::ArtifactClosed { artifact, rev, truncated, lock })?;
        return Ok(());
    }
    let (rev, frame) = (written.rev, written.frame);
    app.db.put_revision(&artifact, &written)?;
    live.append(Event::ArtifactFrame {
        artifact: artifact.clone(),
        rev,
        frame: frame + 1,
        complete: true,
        patch: Default::default(),
    })?;
    live.append(Event::ArtifactClosed { artifact, rev, truncated: true, lock: written.lock })?;
    Ok(())
}

/// The revisions that were open when the log ends, by artifact, built from the log: a program may write one beside the
/// turn's.
fn unfinished(app: &App, live: &Live) -> Result<BTreeMap<String, Revision>> {
    let (mut after, mut open) = (0, BTreeMap::<String, Revision>::new());
    loop {
        let events = app.db.events(&live.id, after, BATCH)?;
        let Some(last) = events.last() else { return Ok(open) };
        after = last.seq;
        for logged in events {
            match logged.event {
                Event::ArtifactOpened { artifact, rev, turn, .. } => {
                    let compiled = super::writer::base_of(app, &artifact, rev)?;
                    open.insert(artifact, empty(rev, turn, compiled));
                }
                Event::ArtifactClosed { artifact, .. } | Event::ArtifactRetracted { artifact, .. } => {
                    open.remove(&artifact);
                }
                event => fold(&mut open, event),
            }
        }
    }
}

fn empty(rev: u32, turn: String, compiled: FrameState) -> Revision {
    Revision {
        rev,
        turn,
        source: String::new(),
        compiled,
        maps: serde_json::Value::Null,
        imports: BTreeMap::<String, ImportState>::new(),
        lock: Lock::default(),
        diagnostics: Vec::new(),
        report: None,
        frame: 0,
        closed: true,
        truncated: true,
    }
}

fn fold(open: &mut BTreeMap<String, Revision>, event: Event) {
    match event {
        Event::ArtifactSource { artifact, delta, .. } => {
            if let Some(revision) = open.get_mut(&artifact) {
                revision.source.push_str(&delta);
            }
        }
        Event::ArtifactImports { artifact, imports, .. } => {
            if let Some(revision) = open.get_mut(&artifact) {
                revision.imports.extend(imports);
            }
        }
        Event::ArtifactFrame { artifact, frame, patch, .. } => {
            let Some(revision) = open.get_mut(&artifact) else { return };
            revision.frame = frame;
            if !revision.compiled.apply(&patch) {
                tracing::warn!(frame, "a stored frame does not fit the one before");
            }
        }
        _ => {}
    }
}
