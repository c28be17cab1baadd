//! The event stream of a session: the log from `after` on, then what is added to it.

use crate::app::App;
use crate::problem::{Answer, Problem};
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use futures::{Stream, StreamExt as _};
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Events read from the log at once.
const BATCH: usize = 256;

/// Where to begin.
#[derive(Deserialize)]
pub struct From {
    #[serde(default)]
    after: u64,
    /// The page's own name for itself; empty where no page watches.
    #[serde(default)]
    page: String,
    /// Whether the page is in the background.
    #[serde(default)]
    hidden: bool,
}

/// `GET /api/sessions/{id}/events?after=SEQ`; `Last-Event-ID` wins over `after`. A page names itself in `page`, and says
/// with `hidden=true` that it is in the background.
pub async fn stream(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(from): Query<From>,
    headers: HeaderMap,
) -> Answer<Sse<impl Stream<Item = Result<SseEvent, Infallible>>>> {
    let live = app.hub.live(&id)?.ok_or_else(|| Problem::not_found("session", &id))?;
    let resumed = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let after = resumed.unwrap_or(from.after);
    // A program that reads the log shows nothing to anyone.
    let viewer = (!from.page.is_empty()).then(|| live.watch(from.page.clone(), !from.hidden));
    let state = (app, viewer, live.head(), live, after);
    let batches = futures::stream::unfold(state, |(app, viewer, mut bell, live, after)| async move {
        loop {
            let read = tokio::task::block_in_place(|| app.db.events(&live.id, after, BATCH));
            let events = match read {
                Ok(events) => events,
                Err(error) => {
                    tracing::error!(%error, session = live.id, "the log could not be read; the stream ends");
                    return None;
                }
            };
            let Some(last) = events.last().map(|event| event.seq) else {
                // Wakes at once when something was appended after the read; ends when the session is gone.
                let rung = async { bell.wait_for(|head| *head > after).await.is_ok() };
                let rung = tokio::select! {
                    rung = rung => rung,
                    () = live.gone.cancelled() => false,
                };
                if !rung {
                    return None;
                }
                continue;
            };
            let items: Vec<_> = events
                .iter()
                .filter_map(|event| {
                    let json = serde_json::to_string(event)
                        .inspect_err(|error| tracing::error!(%error, seq = event.seq, "an event could not be written"))
                        .ok()?;
                    Some(Ok(SseEvent::default().id(event.seq.to_string()).data(json)))
                })
                .collect();
            return Some((futures::stream::iter(items), (app, viewer, bell, live, last)));
        }
    });
    Ok(Sse::new(batches.flatten()).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))))
}
