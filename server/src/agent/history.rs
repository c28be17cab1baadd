//! A session's log as the turns that prompts are made of.

use crate::app::App;
use anyhow::Result;
use std::collections::BTreeMap;
use ui4a_engine::mol::{Piece, Turn};
use ui4a_types::{Event, Specialist, TurnInput};

/// Events read at once.
const BATCH: usize = 1024;

/// The turns of a session that came to an answer, oldest first. Artifacts go by the names that the model gave them.
///
/// # Errors
/// The database fails.
pub fn read(app: &App, session: &str) -> Result<Vec<Turn>> {
    let names = names(app, session)?;
    let (mut after, mut reading) = (0, Reading { names, turns: Vec::new(), open: BTreeMap::new() });
    loop {
        let events = app.db.events(session, after, BATCH)?;
        let Some(last) = events.last() else { break };
        after = last.seq;
        for logged in events {
            reading.take(logged.event);
        }
    }
    reading.turns.retain(|turn| !turn.answer.is_empty());
    Ok(reading.turns)
}

/// The same input with the model's name for the artifact it is about.
///
/// # Errors
/// The database fails.
pub fn named(app: &App, mut input: TurnInput) -> Result<TurnInput> {
    if let Some(artifact) = subject(&mut input)
        && let Some(found) = app.db.artifact(artifact)?
    {
        *artifact = found.name;
    }
    Ok(input)
}

/// The artifact that an input is about.
fn subject(input: &mut TurnInput) -> Option<&mut String> {
    match input {
        TurnInput::Text(_) => None,
        TurnInput::Action(ui4a_types::Action { artifact, .. })
        | TurnInput::Repair { artifact, .. }
        | TurnInput::Continue { artifact, .. } => Some(artifact),
    }
}

fn names(app: &App, session: &str) -> Result<BTreeMap<String, String>> {
    Ok(app.db.artifacts(session)?.into_iter().map(|artifact| (artifact.id, artifact.name)).collect())
}

struct Reading {
    names: BTreeMap<String, String>,
    turns: Vec<Turn>,
    /// Where the source of an open revision goes: index of its piece in the last turn, by artifact.
    open: BTreeMap<String, usize>,
}

impl Reading {
    fn take(&mut self, event: Event) {
        match event {
            Event::TurnStarted { mut input, .. } => {
                if let Some(artifact) = subject(&mut input)
                    && let Some(name) = self.names.get(artifact)
                {
                    artifact.clone_from(name);
                }
                self.turns.push(Turn { input, specialist: Specialist::default(), answer: Vec::new() });
            }
            Event::RouteDecided { specialist, .. } => {
                if let Some(turn) = self.turns.last_mut() {
                    turn.specialist = specialist;
                }
            }
            Event::TextDelta { delta, .. } => self.text(&delta),
            Event::ArtifactOpened { artifact, rev, kind, title, .. } => {
                let Some(turn) = self.turns.last_mut() else { return };
                let id = self.names.get(&artifact).unwrap_or(&artifact).clone();
                let language = match kind {
                    ui4a_types::Kind::Tsx => "tsx",
                    ui4a_types::Kind::Html => "html",
                    ui4a_types::Kind::Svg => "svg",
                    ui4a_types::Kind::Markdown => "markdown",
                };
                self.open.insert(artifact, turn.answer.len());
                turn.answer.push(Piece::Artifact {
                    id,
                    title,
                    rev,
                    language: language.to_owned(),
                    source: String::new(),
                });
            }
            Event::ArtifactSource { artifact, delta, .. } => {
                let Some(turn) = self.turns.last_mut() else { return };
                let piece = self.open.get(&artifact).and_then(|at| turn.answer.get_mut(*at));
                if let Some(Piece::Artifact { source, .. }) = piece {
                    source.push_str(&delta);
                }
            }
            Event::ArtifactRetracted { artifact, text, .. } => {
                let (Some(turn), Some(at)) = (self.turns.last_mut(), self.open.remove(&artifact)) else { return };
                if let Some(piece) = turn.answer.get_mut(at) {
                    *piece = Piece::Text(text);
                }
            }
            Event::ArtifactClosed { artifact, .. } => {
                self.open.remove(&artifact);
            }
            _ => {}
        }
    }

    fn text(&mut self, delta: &str) {
        let Some(turn) = self.turns.last_mut() else { return };
        if let Some(Piece::Text(text)) = turn.answer.last_mut() {
            text.push_str(delta);
        } else {
            turn.answer.push(Piece::Text(delta.to_owned()));
        }
    }
}
