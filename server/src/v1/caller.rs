//! Who asks: the user, with the token, or a program with a key of its own.
//!
//! A key opens `/v1/` alone. What was answered to one is found by nobody else, and none takes the place of another: each has
//! so many bytes and so many requests at a time.

use super::{Api, Fault};
use crate::app::App;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use futures::StreamExt as _;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use ui4a_store::db::{ApiKey, Digest};

/// Bytes of the user's own answers that are kept.
const MOST_BYTES: u64 = 256 << 20;
/// What every key begins with, so that it is known where it turns up by mistake.
pub const KEY_PREFIX: &str = "ui4a-";
const KEY_DIGITS: usize = 64;

/// Who asks.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The key's name; empty: the user.
    pub name: String,
    /// Bytes of its answers that are kept.
    pub most_bytes: u64,
    most_running: Option<u32>,
}

impl Caller {
    /// The user, who has the token.
    pub fn user() -> Self {
        Self { name: String::new(), most_bytes: MOST_BYTES, most_running: None }
    }

    /// The program that a key was given to; none where there is no such key. The database is asked only for what looks
    /// like one.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn of_key(app: &App, given: &str) -> anyhow::Result<Option<Self>> {
        let digits = given.strip_prefix(KEY_PREFIX).unwrap_or_default();
        if digits.len() != KEY_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let found = app.db.key(&digest(given))?;
        Ok(found.map(|ApiKey { name, most_bytes, most_running, .. }| Self {
            name,
            most_bytes,
            most_running: Some(most_running),
        }))
    }
}

/// What is stored of a key. It is random, so that nothing slower is needed.
pub fn digest(key: &str) -> Digest {
    Sha256::digest(key.as_bytes()).into()
}

/// How many requests of each key are running.
#[derive(Default)]
pub struct Running(Mutex<HashMap<String, (u32, Arc<Semaphore>)>>);

impl Running {
    /// A place for one more request; it is free again when what is returned is dropped.
    fn enter(&self, caller: &Caller) -> Result<Option<OwnedSemaphorePermit>, Fault> {
        let Some(most) = caller.most_running else { return Ok(None) };
        let places = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|_, (_, places)| Arc::strong_count(places) > 1);
            let fresh = || (most, Arc::new(Semaphore::new(most as usize)));
            let (found, places) = all.entry(caller.name.clone()).or_insert_with(fresh);
            if *found != most {
                // The key was made anew with another bound.
                (*found, *places) = fresh();
            }
            Arc::clone(places)
        };
        places.try_acquire_owned().map(Some).map_err(|_| {
            let message = format!(
                "The key `{}` has {most} requests running, as many as it may; ask again when one of them has ended.",
                caller.name
            );
            Fault::new(StatusCode::TOO_MANY_REQUESTS, "rate_limit_exceeded", message)
        })
    }
}

/// Hands a request to whoever answers it, with who asks. A request for an answer has its place until the last of the answer
/// was sent, or its reader went away.
pub async fn admitted(app: &App, caller: Caller, mut request: Request, next: Next) -> Response {
    let api = Api::of(request.uri().path());
    let place = if request.method() == Method::POST { app.running.enter(&caller) } else { Ok(None) };
    request.extensions_mut().insert(caller);
    match place {
        Err(fault) => fault.answer(api),
        Ok(None) => next.run(request).await,
        Ok(Some(place)) => {
            let (head, body) = next.run(request).await.into_parts();
            let held = body.into_data_stream().inspect(move |_| {
                let _ = &place;
            });
            Response::from_parts(head, Body::from_stream(held))
        }
    }
}
