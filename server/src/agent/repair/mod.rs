//! Mending with the model: at most two rounds a chain of revisions, each with the evidence, under a token budget.
//!
//! Only a revision that this process closed in a live turn can be mended, or one that a person asks for: replaying a log,
//! reloading a page or starting the program begins nothing.

mod chain;

pub use chain::{Chain, MOST_ROUNDS};

use super::finding::{self, Failure};
use super::wake;
use super::writer::Closed;
use crate::app::App;
use crate::hub::{Desk, Live};
use crate::problem::{Answer, Problem};
use axum::http::StatusCode;
use std::sync::Arc;
use ui4a_types::{Diagnostic, Event, RepairOutcome, Report, ReportStatus, TurnInput};

/// Most artifacts of a session that may be mended at a time; the oldest are forgotten.
const MOST_CHAINS: usize = 16;

/// How a turn ended, as far as mending asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The model was done.
    Done,
    /// Its answer was cut off at a limit.
    CutOff,
    /// A person stopped it.
    Stopped,
    /// The budget left no room for an answer.
    BudgetUsed,
    /// It failed.
    Failed,
}

/// Takes note of what a turn wrote, and queues a round where it failed already.
pub fn after_turn(app: &App, live: &Live, input: &TurnInput, closed: &[Closed], end: End, tokens: u64) {
    let mut ended = Vec::new();
    {
        let mut desk = live.desk();
        let subject = match input {
            TurnInput::Repair { artifact, .. } => {
                let chain = desk.take(artifact);
                // None: it was stopped meanwhile, and that was told.
                if let Some(mut chain) = chain {
                    chain.tokens += tokens;
                    ended.extend(answered(&mut desk, app, chain, closed, end));
                }
                Some(artifact)
            }
            _ => None,
        };
        for closed in closed.iter().filter(|closed| Some(&closed.artifact) != subject) {
            // A late report about an earlier revision must not undo this one.
            desk.take(&closed.artifact);
            // What a round wrote beside its subject is not mended: rounds would beget rounds. Nor is what was cut off.
            if subject.is_none() && end == End::Done && !closed.truncated {
                ended.extend(written(&mut desk, app, Chain::new(&closed.artifact, closed.rev, &closed.source), closed));
            }
        }
    }
    tell(live, ended);
}

/// What a round came to.
fn answered(desk: &mut Desk, app: &App, mut chain: Chain, closed: &[Closed], end: End) -> Option<Ended> {
    let last = closed.iter().rev().find(|closed| closed.artifact == chain.artifact);
    let outcome = match (end, last) {
        (End::Stopped, _) => Err(RepairOutcome::Stopped),
        (End::BudgetUsed, _) => Err(RepairOutcome::BudgetUsed),
        (End::Failed, _) => Err(RepairOutcome::TurnFailed),
        (End::CutOff, _) => Err(RepairOutcome::CutOff),
        (End::Done, None) => Err(RepairOutcome::NoModule),
        (End::Done, Some(closed)) => chain.advance(closed.rev, &closed.source).map(|()| closed),
    };
    if let Some(closed) = last {
        chain.rev = closed.rev;
    }
    match outcome {
        Ok(closed) => written(desk, app, chain, closed),
        Err(outcome) => Some(Ended { chain, outcome }),
    }
}

/// Judges a revision that a turn closed: by its findings, else by what was reported before the turn was over.
fn written(desk: &mut Desk, app: &App, chain: Chain, closed: &Closed) -> Option<Ended> {
    let types = closed.types.now();
    let found: Vec<_> = closed.diagnostics.iter().chain(types.iter().flat_map(|types| types.iter())).cloned().collect();
    if let Some(failure) = finding::of_diagnostics(&found, &closed.source) {
        return settle(desk, app, chain, failure);
    }
    let stored = app.db.revision(&closed.artifact, Some(closed.rev));
    let stored = stored.inspect_err(|error| tracing::error!(%error, "a report could not be read"));
    match stored.ok().flatten().and_then(|revision| revision.report) {
        Some(report) => reported(desk, app, chain, &report, &closed.source),
        None => {
            keep(desk, chain);
            None
        }
    }
}

/// Takes note of a report whose positions are already the source's.
pub fn consider(app: &Arc<App>, live: &Arc<Live>, artifact: &str, report: &Report, source: &str) {
    judge(app, live, artifact, report.rev, |desk, chain| reported(desk, app, chain, report, source));
}

/// Takes note of findings that came after their revision was closed. What came before its turn was over is judged with it.
pub fn consider_late(app: &Arc<App>, live: &Arc<Live>, artifact: &str, rev: u32, found: &[Diagnostic], source: &str) {
    let Some(failure) = finding::of_diagnostics(found, source) else { return };
    judge(app, live, artifact, rev, |desk, chain| settle(desk, app, chain, failure));
}

/// Lets `by` judge the chain of a revision, unless a round about it waits or runs already.
fn judge(
    app: &Arc<App>,
    live: &Arc<Live>,
    artifact: &str,
    rev: u32,
    by: impl FnOnce(&mut Desk, Chain) -> Option<Ended>,
) {
    let ended = {
        let mut desk = live.desk();
        let found = desk.chains.iter().position(|chain| chain.artifact == artifact && chain.rev == rev);
        let Some(at) = found.filter(|at| !desk.chains[*at].asked) else { return };
        let chain = desk.chains.remove(at);
        by(&mut desk, chain)
    };
    tell(live, ended);
    if !live.desk().inbox.is_empty() {
        wake(app, live);
    }
}

fn reported(desk: &mut Desk, app: &App, mut chain: Chain, report: &Report, source: &str) -> Option<Ended> {
    if let Some(failure) = finding::of_report(report, source) {
        return settle(desk, app, chain, failure);
    }
    let works = report.status == ReportStatus::Rendered && report.pending == 0 && chain.rounds > 0;
    let mended = works && !std::mem::replace(&mut chain.told, true);
    keep(desk, chain.clone());
    mended.then_some(Ended { chain, outcome: RepairOutcome::Mended })
}

/// Queues the next round of a chain that failed; `Some` when it is over.
fn settle(desk: &mut Desk, app: &App, mut chain: Chain, failure: Failure) -> Option<Ended> {
    let budget = app.settings.repair_tokens;
    if budget == 0 {
        return None;
    }
    match chain.judge(&failure, budget) {
        Ok(round) => desk.inbox.push_back(TurnInput::Repair {
            artifact: chain.artifact.clone(),
            rev: chain.rev,
            evidence: failure.evidence,
            faults: failure.faults,
            reason: failure.reason,
            round,
            rounds: MOST_ROUNDS,
        }),
        Err(outcome) => return Some(Ended { chain, outcome }),
    }
    keep(desk, chain);
    None
}

/// Keeps a chain that may go on.
fn keep(desk: &mut Desk, chain: Chain) {
    if desk.chains.len() == MOST_CHAINS {
        desk.chains.remove(0);
    }
    desk.chains.push(chain);
}

/// Whether a queued round is still wanted: it was not stopped, and no newer revision came.
pub fn is_wanted(desk: &Desk, artifact: &str, rev: u32) -> bool {
    desk.chains.iter().any(|chain| chain.artifact == artifact && chain.rev == rev && chain.asked)
}

/// Tokens that are left to mend `artifact`.
pub fn left(app: &App, live: &Live, artifact: &str) -> u64 {
    let used = live.desk().chains.iter().find(|chain| chain.artifact == artifact).map_or(0, |chain| chain.tokens);
    app.settings.repair_tokens.saturating_sub(used)
}

/// A person stopped what runs: no round that waits begins.
pub fn stop(live: &Live) {
    let stopped: Vec<_> = live.desk().chains.extract_if(.., |chain| chain.asked).collect();
    tell(live, stopped.into_iter().map(|chain| Ended { chain, outcome: RepairOutcome::Stopped }));
}

/// A person wants the newest revision of an artifact mended, whatever was tried before.
///
/// # Errors
/// Nothing is known to be wrong with it, it is being mended, or the database fails.
pub fn again(app: &Arc<App>, live: &Arc<Live>, artifact: &str) -> Answer<()> {
    let revision = app.db.revision(artifact, None)?.ok_or_else(|| Problem::not_found("revision", "newest"))?;
    let failure = finding::of_diagnostics(&revision.diagnostics, &revision.source)
        .or_else(|| finding::of_report(revision.report.as_ref()?, &revision.source));
    let refused = |code, title: &str, detail: &str| Err(Problem::new(StatusCode::CONFLICT, code, title, detail));
    let Some(failure) = failure else {
        return refused("nothing-to-mend", "Nothing is known to be wrong with it.", "Say what should change.");
    };
    if app.settings.repair_tokens == 0 {
        return refused("repair-off", "Mending is turned off.", "Set repair_tokens above 0.");
    }
    let ended = {
        let mut desk = live.desk();
        if is_wanted(&desk, artifact, revision.rev) {
            return refused("already-mending", "It is being mended.", "Wait for the running turn, or stop it.");
        }
        desk.take(artifact);
        settle(&mut desk, app, Chain::new(artifact, revision.rev, &revision.source), failure)
    };
    tell(live, ended);
    wake(app, live);
    Ok(())
}

/// A chain that is over.
struct Ended {
    chain: Chain,
    outcome: RepairOutcome,
}

fn tell(live: &Live, ended: impl IntoIterator<Item = Ended>) {
    for Ended { chain, outcome } in ended {
        let event = Event::RepairEnded {
            artifact: chain.artifact,
            rev: chain.rev,
            outcome,
            reason: chain.reason,
            rounds: chain.rounds,
            tokens: chain.tokens,
        };
        if let Err(error) = live.append(event) {
            tracing::error!(%error, session = live.id, "the end of a repair could not be stored");
        }
    }
}
