//! One repair turn, with the evidence, when a final revision fails.
//!
//! Only a revision that this process closed in a live turn can be repaired, and once: replaying a log or reloading a page
//! starts nothing.

use super::{finding, wake};
use crate::app::App;
use crate::hub::Live;
use std::sync::Arc;
use ui4a_types::{Report, ReportStatus, TurnInput};

/// Most revisions that may still be repaired in a session.
const MOST_OPEN: usize = 16;

/// Takes note of a revision that a turn closed: repairs it at once when its findings are errors, else lets a report
/// decide.
pub fn closed(live: &Live, closed: &super::writer::Closed) {
    let mut desk = live.desk();
    // A late report about an earlier revision must not undo this one.
    desk.repairable.retain(|(artifact, _)| *artifact != closed.artifact);
    if let Some(evidence) = finding::of_diagnostics(&closed.diagnostics) {
        desk.inbox.push_front(TurnInput::Repair { artifact: closed.artifact.clone(), rev: closed.rev, evidence });
        return;
    }
    if desk.repairable.len() == MOST_OPEN {
        desk.repairable.remove(0);
    }
    desk.repairable.push((closed.artifact.clone(), closed.rev));
}

/// Takes note of a report whose positions are already the source's. Returns whether a repair was started.
pub fn consider(app: &Arc<App>, live: &Arc<Live>, artifact: &str, report: &Report, source: &str) -> bool {
    let mut desk = live.desk();
    let Some(at) = desk.repairable.iter().position(|(id, rev)| id == artifact && *rev == report.rev) else {
        return false;
    };
    let Some(evidence) = finding::of_report(report, source) else { return false };
    desk.repairable.remove(at);
    if report.status == ReportStatus::Rendered && report.errors.is_empty() {
        return false;
    }
    desk.inbox.push_front(TurnInput::Repair { artifact: artifact.to_owned(), rev: report.rev, evidence });
    drop(desk);
    wake(app, live);
    true
}
