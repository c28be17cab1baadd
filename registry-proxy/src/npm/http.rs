//! Requests to registries: credentials, retries with backoff, and errors that tell "not there" from "not reachable".

use super::npmrc::{Npmrc, masked};
use crate::{Limits, RegistryError};
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use url::Url;

/// How long a registry that did not answer is not asked again.
const DOWN: Duration = Duration::from_secs(5);

/// An HTTP client with npm's settings.
#[derive(Debug)]
pub(crate) struct Http {
    client: reqwest::Client,
    slots: Semaphore,
    retries: u32,
    /// Registries that did not answer, until when, and what the network said.
    down: Mutex<Vec<(String, Instant, String)>>,
}

/// What a registry answered.
pub(crate) struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    response: reqwest::Response,
}

impl Answer {
    /// The body, at most `limit` bytes.
    ///
    /// # Errors
    /// The limit, or the connection broke.
    pub(crate) async fn bytes(self, name: &str, what: &'static str, limit: u64) -> Result<Vec<u8>, RegistryError> {
        let mut body = Vec::new();
        let registry = shown(self.response.url());
        let mut stream = self.response.bytes_stream();
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| unreachable(name, &registry, &error))?;
            if (body.len() + chunk.len()) as u64 > limit {
                return Err(RegistryError::Limit { name: name.to_owned(), what, limit });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// The body as it arrives.
    pub(crate) fn stream(self) -> impl Stream<Item = Result<Bytes, reqwest::Error>> + Unpin {
        Box::pin(self.response.bytes_stream())
    }
}

impl Http {
    pub(crate) fn new(npmrc: &Npmrc, limits: &Limits) -> Result<Self, RegistryError> {
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("ui4a/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(limits.connect_time)
            .read_timeout(limits.read_time)
            .tls_certs_merge(npmrc.certificates()?)
            .redirect(reqwest::redirect::Policy::limited(5));
        if let Some(proxy) = npmrc.proxy()? {
            builder = builder.proxy(proxy);
        }
        let client = builder.build().map_err(|error| RegistryError::Setting {
            key: "cafile or proxy".to_owned(),
            origin: "npm's configuration".to_owned(),
            reason: chain(&error),
        })?;
        let (slots, retries) = (Semaphore::new(limits.requests), limits.retries);
        Ok(Self { client, slots, retries, down: Mutex::new(Vec::new()) })
    }

    /// Asks for `url`, on behalf of package `name`. 404 and 405 are "no such package"; 304 is passed on.
    ///
    /// # Errors
    /// The registry cannot be reached, refuses, or answers with an error, after all retries.
    ///
    /// # Cancel safety
    /// Dropping the future closes the connection.
    pub(crate) async fn get(
        &self,
        npmrc: &Npmrc,
        registry: &Url,
        url: &Url,
        name: &str,
        extra: &[(header::HeaderName, String)],
    ) -> Result<Answer, RegistryError> {
        let shown = shown(registry);
        if let Some(reason) = self.known_down(&shown) {
            return Err(RegistryError::Unreachable { name: name.to_owned(), registry: shown, reason });
        }
        let mut headers = HeaderMap::new();
        for (key, value) in extra {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(key.clone(), value);
            }
        }
        if let Some(secret) = npmrc.authorization(url, registry)
            && let Ok(mut value) = HeaderValue::from_str(&secret.0)
        {
            value.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, value);
        }
        let mut attempt = 0;
        loop {
            let failure = match self.send(url, headers.clone()).await {
                Ok(response) => match self.judge(response, name, &shown) {
                    Ok(answer) => return Ok(answer),
                    Err((error, false)) => return Err(error),
                    Err((error, true)) => error,
                },
                Err(error) => unreachable(name, &shown, &error),
            };
            if attempt >= self.retries {
                if let RegistryError::Unreachable { reason, .. } = &failure {
                    self.remember_down(&shown, reason);
                }
                return Err(failure);
            }
            tokio::time::sleep(Duration::from_millis(150 << (2 * attempt))).await;
            attempt += 1;
        }
    }

    async fn send(&self, url: &Url, headers: HeaderMap) -> Result<reqwest::Response, reqwest::Error> {
        // The semaphore is never closed.
        let _slot = self.slots.acquire().await;
        self.client.get(url.clone()).headers(headers).send().await
    }

    /// Splits answers into those of use and errors, with whether to try again.
    fn judge(&self, response: reqwest::Response, name: &str, registry: &str) -> Result<Answer, (RegistryError, bool)> {
        let status = response.status();
        let bad =
            |reason: String| RegistryError::BadAnswer { name: name.to_owned(), registry: registry.to_owned(), reason };
        match status.as_u16() {
            200 | 304 => Ok(Answer { status, headers: response.headers().clone(), response }),
            404 | 405 | 410 => {
                Err((RegistryError::NoSuchPackage { name: name.to_owned(), registry: registry.to_owned() }, false))
            }
            401 | 403 => Err((
                RegistryError::Unauthorized {
                    name: name.to_owned(),
                    registry: registry.to_owned(),
                    status: status.as_u16(),
                },
                false,
            )),
            429 | 500..=599 => Err((bad(format!("status {status}, after {} tries", self.retries + 1)), true)),
            _ => Err((bad(format!("status {status}")), false)),
        }
    }

    fn known_down(&self, registry: &str) -> Option<String> {
        let mut down = self.down.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let now = Instant::now();
        down.retain(|(_, until, _)| *until > now);
        down.iter().find(|(name, ..)| name == registry).map(|(_, _, reason)| reason.clone())
    }

    fn remember_down(&self, registry: &str, reason: &str) {
        let mut down = self.down.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        down.retain(|(name, ..)| name != registry);
        down.push((registry.to_owned(), Instant::now() + DOWN, reason.to_owned()));
    }
}

/// A registry's address as it may be printed.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path("/");
    masked(url.as_str())
}

pub(crate) fn unreachable(name: &str, registry: &str, error: &reqwest::Error) -> RegistryError {
    RegistryError::Unreachable { name: name.to_owned(), registry: registry.to_owned(), reason: chain(error) }
}

/// The innermost cause says the most: "Connection refused".
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
