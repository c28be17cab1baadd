//! What a program that shows a source is told: the truth about its first paint, or why nobody saw one.

use crate::agent::finding;
use crate::agent::writer::Closed;
use crate::app::App;
use crate::browser;
use crate::hub::{Live, Viewers};
use crate::problem::{Answer, Problem};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;
use tokio::time::{Instant, timeout_at};
use ui4a_types::{Report, ReportStatus};

/// How long a program waits for the first paint when a page is open, or for a page to open.
const WAIT: Duration = Duration::from_secs(10);
/// How long after a first paint an error of an effect or a promise still counts: the sandbox tells of one within 50 ms.
const SETTLE: Duration = Duration::from_millis(700);
/// How long after a first paint the layout is waited for: it is looked at when what moves in has come to rest.
const LOOK: Duration = Duration::from_millis(2500);

/// How much longer it waits for what types say.
const TYPES_WAIT: Duration = Duration::from_secs(2);

/// Listens from before the source is written, so that no report is missed.
pub struct Watch {
    live: Arc<Live>,
    reports: broadcast::Receiver<(String, Report)>,
}

impl Watch {
    /// Listens from now on.
    pub fn new(live: &Arc<Live>) -> Self {
        Self { live: Arc::clone(live), reports: live.reports.subscribe() }
    }

    /// Waits for the first paint or error of a revision and puts what came of it into `answer`: `status` rendered, blank,
    /// error or unseen, `page`, `errors`, `diagnostics`, and `evidence` in words.
    ///
    /// # Errors
    /// The database fails.
    pub async fn tell(mut self, app: &App, closed: &Closed, answer: &mut Value) -> Answer<()> {
        if !closed.compiles() {
            // Nobody has to look: what is shown is at best what was there before.
            answer["status"] = json!("error");
            answer["errors"] = json!([]);
            let failure = finding::of_diagnostics(&closed.diagnostics, &closed.source);
            let before = if closed.rev > 1 { " The revision before it stays on the page." } else { "" };
            answer["evidence"] = json!(format!(
                "It does not compile, so nothing of it is shown.{before}\n{}",
                failure.map(|failure| failure.evidence).unwrap_or_default()
            ));
            return Ok(());
        }
        if self.live.viewers().pages == 0 {
            let link = super::links::link(app, Some(&format!("/sessions/{}", self.live.id)))
                .map_err(|error| Problem::internal(&error))?;
            browser::open(&link, app.settings.open_browser);
        }
        let report = self.first(closed).await;
        // Usually known by now.
        closed.types.within(TYPES_WAIT).await;
        // Findings that came while it was waited for are findings too.
        if let Some(stored) = app.db.revision(&closed.artifact, Some(closed.rev))? {
            answer["diagnostics"] = json!(stored.diagnostics);
        }
        let viewers = self.live.viewers();
        answer["page"] = json!(page(viewers));
        match report {
            Some(report) => {
                answer["status"] = json!(report.status);
                let waits = (report.pending > 0).then(|| {
                    let (pending, seconds) = (report.pending, WAIT.as_secs());
                    format!("After {seconds} seconds {pending} imports are still on their way; what needs them is not drawn.")
                });
                let failure = finding::of_report(&report, &closed.source).map(|failure| failure.evidence);
                let notes = || Some(finding::beside(&report)).filter(|notes| !notes.is_empty());
                answer["evidence"] = json!(failure.or(waits).or_else(notes));
                answer["errors"] = json!(report.errors);
                answer["report"] = json!(report);
            }
            None => {
                answer["status"] = json!("unseen");
                answer["evidence"] = json!(unseen(viewers));
            }
        }
        Ok(())
    }

    /// The report that tells how it came out; `None` when no page told in time.
    async fn first(&mut self, closed: &Closed) -> Option<Report> {
        let deadline = Instant::now() + WAIT;
        let (mut until, mut last) = (deadline, None);
        while let Ok(Some(report)) = timeout_at(until, self.next(closed)).await {
            let over = report.status == ReportStatus::Error;
            // Drawn, and nothing is on its way: it looks well so far; what an effect throws comes a moment later.
            until = match &report {
                Report { pending: 0, looked: true, .. } => Instant::now() + SETTLE,
                Report { pending: 0, .. } => Instant::now() + LOOK,
                _ => deadline,
            };
            last = Some(report);
            if over {
                break;
            }
        }
        last
    }

    async fn next(&mut self, closed: &Closed) -> Option<Report> {
        loop {
            match self.reports.recv().await {
                Ok((artifact, report))
                    if artifact == closed.artifact && report.rev == closed.rev && report.frame >= closed.frame =>
                {
                    return Some(report);
                }
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

fn page(viewers: Viewers) -> &'static str {
    match viewers {
        Viewers { pages: 0, .. } => "none",
        Viewers { visible: 0, .. } => "hidden",
        _ => "visible",
    }
}

fn unseen(viewers: Viewers) -> &'static str {
    match page(viewers) {
        "none" => "No page showed it within ten seconds: none is open. Ask the person to open the address in `url`.",
        "hidden" => {
            "No page showed it within ten seconds: the page is open but in the background. Ask the person to look at it."
        }
        _ => {
            "The page is open, but its frame told nothing within ten seconds: it may still be fetching packages, or it is \
             stuck. Ask the person what it shows."
        }
    }
}
