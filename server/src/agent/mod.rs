//! The agent: takes what people say and do in a session, one turn at a time, and lets the model answer.
//!
//! One worker a session, started when there is something to do and gone when there is not. What arrives while a turn runs
//! waits in the log, so a killed server loses none of it.

pub mod finding;
mod history;
pub mod imports;
pub mod recover;
mod repair;
mod resume;
mod turn;
pub mod warm;
pub mod writer;

pub use imports::{judged, outside};
pub use repair::{Chain, again, consider, consider_late};
pub use resume::go_on;

use crate::app::App;
use crate::hub::{Live, MOST_WAITING};
use crate::problem::{Answer, Problem};
use axum::http::StatusCode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use ui4a_types::{Action, ActionKind, TurnInput, Visibility};

/// Takes a person's words. Returns whether they wait for a running turn to end.
///
/// # Errors
/// Too much is waiting, or the database fails.
pub fn say(app: &Arc<App>, live: &Arc<Live>, text: String) -> Answer<bool> {
    {
        let mut desk = live.desk();
        // What a killed server left waiting was said before.
        if desk.running.is_none() && app.db.waiting_actions(&live.id)?.is_empty() {
            desk.inbox.push_back(TurnInput::Text(text));
            drop(desk);
            wake(app, live);
            return Ok(false);
        }
    }
    if app.db.waiting_actions(&live.id)?.len() >= MOST_WAITING {
        return Err(Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too-many-waiting",
            format!("{MOST_WAITING} messages are waiting already."),
            "Wait for the running turn, or stop it.",
        ));
    }
    let action = Action {
        id: uuid::Uuid::new_v4(),
        artifact: String::new(),
        rev: 0,
        kind: ActionKind::Message,
        name: String::new(),
        text,
        payload: serde_json::Value::Null,
        visibility: Visibility::default(),
        gesture: true,
    };
    live.append_action(&action)?;
    wake(app, live);
    Ok(true)
}

/// Stops the running turn and all mending that waits. Returns whether a turn ran.
pub fn stop(live: &Live) -> bool {
    repair::stop(live);
    let running = live.desk().running.clone();
    if let Some(cancel) = &running {
        cancel.cancel();
    }
    running.is_some()
}

/// Starts the session's worker unless it runs.
pub fn wake(app: &Arc<App>, live: &Arc<Live>) {
    let mut desk = live.desk();
    if desk.running.is_some() {
        return;
    }
    let cancel = CancellationToken::new();
    desk.running = Some(cancel.clone());
    tokio::spawn(work(Arc::clone(app), Arc::clone(live), cancel));
}

async fn work(app: Arc<App>, live: Arc<Live>, cancel: CancellationToken) {
    // A stop that comes before the first turn began is for that turn.
    let mut first = Some(cancel);
    while let Some((input, cancel)) = next(&app, &live, first.take()) {
        // A task of its own: a panic in a turn ends that turn and not the session.
        let turn = tokio::spawn(turn::run(Arc::clone(&app), Arc::clone(&live), input, cancel));
        if let Err(error) = turn.await {
            tracing::error!(%error, session = live.id, "a turn ended abnormally");
            recover::session(&app, &live, "internal", "The turn ended because of a fault in the program.");
        }
    }
}

/// The next input, or `None` when there is none: then the worker no longer counts as running.
fn next(app: &App, live: &Live, cancel: Option<CancellationToken>) -> Option<(TurnInput, CancellationToken)> {
    let mut desk = live.desk();
    let mut waiting = std::iter::from_fn(|| {
        let input = desk.inbox.pop_front()?;
        let wanted = match &input {
            TurnInput::Repair { artifact, rev, .. } => repair::is_wanted(&desk, artifact, *rev),
            _ => true,
        };
        Some(wanted.then_some(input))
    });
    let input = waiting.find_map(|input| input).or_else(|| {
        let taken = app.db.waiting_actions(&live.id).and_then(|waiting| {
            let Some((_, action)) = waiting.into_iter().next() else { return Ok(None) };
            app.db.handle_action(&action.id)?;
            Ok(Some(TurnInput::Action(action)))
        });
        taken.unwrap_or_else(|error| {
            tracing::error!(%error, session = live.id, "waiting actions could not be read");
            None
        })
    });
    let cancel = input.is_some().then(|| cancel.unwrap_or_default());
    desk.running.clone_from(&cancel);
    input.zip(cancel)
}
