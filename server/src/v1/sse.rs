//! Server-sent events as the imitated APIs send them.

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::Stream;
use serde_json::Value;
use std::convert::Infallible;
use std::time::Duration;

/// An event.
pub type Item = Result<Event, Infallible>;

/// An event that is only data.
pub fn data(value: &Value) -> Item {
    text(&value.to_string())
}

/// An event that is only text.
pub fn text(text: &str) -> Item {
    Ok(Event::default().data(text))
}

/// An event named by its `type`.
pub fn named(value: &Value) -> Item {
    Ok(Event::default().event(value["type"].as_str().unwrap_or_default()).data(value.to_string()))
}

/// The events as an answer. A connection that is silent while a model reads is kept alive.
pub fn answer(events: impl Stream<Item = Item> + Send + 'static) -> Response {
    Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response()
}
