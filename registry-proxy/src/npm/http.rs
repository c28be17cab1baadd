//! Requests to registries: credentials, retries with backoff, redirects, and errors that tell "not there" from "not reachable".
//!
//! A registry is wherever the user says, on any network. Where it leads to (a tarball's address, a redirect) is only what it
//! says: that is asked on the registry's own origin, on another registry of the user's, on an origin that the user allowed,
//! or on a public address over https, and credentials go with it only where npm's configuration has some for that place.

use super::npmrc::{Npmrc, masked};
use crate::address::guard::{Allowed, PublicNames, is_public};
use crate::{Limits, RegistryError};
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::Semaphore;
use url::Url;

/// How long a registry that did not answer is not asked again.
const DOWN: Duration = Duration::from_secs(5);
/// What says in a request that it comes from here: a registry that is this program again must not ask itself.
pub(crate) const VIA: &str = "1.1 ui4a";

/// An HTTP client with npm's settings.
#[derive(Debug)]
pub(crate) struct Http {
    /// Reaches what the user named.
    open: reqwest::Client,
    /// Reaches public addresses alone.
    guarded: reqwest::Client,
    /// Whether another program looks names up, so that where they lead cannot be checked here.
    proxied: bool,
    allowed: Allowed,
    slots: Semaphore,
    limits: Limits,
    /// Registries that did not answer, until when, and what the network said.
    down: Mutex<Vec<(String, Instant, String)>>,
}

/// Why one try came to nothing.
pub(crate) struct Failure {
    pub error: RegistryError,
    /// Whether another try may do better.
    pub again: bool,
    /// How long the registry asks to be left alone.
    pub after: Option<Duration>,
}

impl From<RegistryError> for Failure {
    fn from(error: RegistryError) -> Self {
        Self { error, again: false, after: None }
    }
}

/// The tries of one request.
pub(crate) struct Tries<'a> {
    http: &'a Http,
    registry: String,
    done: u32,
}

impl Tries<'_> {
    /// Waits until another try is worth it.
    ///
    /// # Errors
    /// None is: what the last one said.
    pub(crate) async fn again(&mut self, failure: Failure) -> Result<(), RegistryError> {
        let limits = &self.http.limits;
        let patient = failure.after.is_none_or(|after| after <= limits.retry_after);
        if !failure.again || self.done >= limits.retries || !patient {
            if let RegistryError::Unreachable { reason, .. } = &failure.error {
                self.http.remember_down(&self.registry, reason);
            }
            return Err(failure.error);
        }
        // Those that failed together do not come back together.
        let noise =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| u64::from(since.subsec_nanos()) % 100);
        let backoff = Duration::from_millis((150 << (2 * self.done.min(8))) + noise);
        tokio::time::sleep(failure.after.map_or(backoff, |after| after.max(backoff))).await;
        self.done += 1;
        Ok(())
    }
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
    pub(crate) async fn bytes(self, name: &str, what: &'static str, limit: u64) -> Result<Vec<u8>, Failure> {
        let too_much = || RegistryError::Limit { name: name.to_owned(), what, limit };
        if self.response.content_length().is_some_and(|length| length > limit) {
            return Err(too_much().into());
        }
        let mut body = Vec::new();
        let registry = shown(self.response.url());
        let mut stream = self.response.bytes_stream();
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| broken(name, &registry, &error))?;
            if (body.len() + chunk.len()) as u64 > limit {
                return Err(too_much().into());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Bytes that the body will have, where the registry says so.
    pub(crate) fn length(&self) -> Option<u64> {
        self.response.content_length()
    }

    /// The body as it arrives.
    pub(crate) fn stream(self) -> impl Stream<Item = Result<Bytes, reqwest::Error>> + Unpin {
        Box::pin(self.response.bytes_stream())
    }
}

impl Http {
    pub(crate) fn new(
        npmrc: &Npmrc,
        allowed: Allowed,
        names: PublicNames,
        limits: &Limits,
    ) -> Result<Self, RegistryError> {
        let proxy = npmrc.proxy()?;
        let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
        let proxied =
            proxy.is_some() || variables.iter().any(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()));
        let certificates = npmrc.certificates()?;
        let client = || {
            let builder = reqwest::Client::builder()
                .user_agent(concat!("ui4a/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(limits.connect_time)
                .read_timeout(limits.read_time)
                .tls_certs_merge(certificates.clone())
                .redirect(reqwest::redirect::Policy::none())
                .referer(false);
            match &proxy {
                Some(proxy) => builder.proxy(proxy.clone()),
                None => builder,
            }
        };
        let built = |builder: reqwest::ClientBuilder| {
            builder.build().map_err(|error| RegistryError::Setting {
                key: "cafile or proxy".to_owned(),
                origin: "npm's configuration".to_owned(),
                reason: chain(&error),
            })
        };
        // Where a proxy looks names up, only its own would be checked here.
        let guarded = if proxied { client() } else { client().dns_resolver(names) };
        Ok(Self {
            open: built(client())?,
            guarded: built(guarded)?,
            proxied,
            allowed,
            slots: Semaphore::new(limits.requests),
            limits: limits.clone(),
            down: Mutex::new(Vec::new()),
        })
    }

    /// Begins a request to a registry, on behalf of package `name`.
    ///
    /// # Errors
    /// The registry did not answer a moment ago.
    pub(crate) fn tries(&self, registry: &Url, name: &str) -> Result<Tries<'_>, RegistryError> {
        let registry = shown(registry);
        if let Some(reason) = self.known_down(&registry) {
            return Err(RegistryError::Unreachable { name: name.to_owned(), registry, reason });
        }
        Ok(Tries { http: self, registry, done: 0 })
    }

    /// Asks once for `url`. 404 and 405 are "no such package"; 304 is passed on.
    ///
    /// # Errors
    /// The registry cannot be reached, refuses, leads where it may not, or answers with an error.
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
    ) -> Result<Answer, Failure> {
        let printable = shown(registry);
        // The semaphore is never closed.
        let _slot = self.slots.acquire().await;
        let mut at = url.clone();
        for _ in 0..=self.limits.redirects {
            let guarded = !self.is_named(npmrc, registry, &at)?;
            let client = if guarded { &self.guarded } else { &self.open };
            let answer = client.get(at.clone()).headers(headers(npmrc, registry, &at, extra)).send().await;
            let response = answer.map_err(|error| broken(name, &printable, &error))?;
            let inside = response.remote_addr().is_some_and(|peer| !is_public(peer.ip()));
            if guarded && inside && !self.proxied {
                return Err(forbidden(&at, "it leads to an address that is not public".to_owned()).into());
            }
            if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return self.judge(response, name, &printable);
            }
            let to = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
            let next = to.and_then(|to| at.join(to).ok());
            at = next.ok_or_else(|| bad_answer(name, &printable, "a redirect to nowhere".to_owned()))?;
        }
        Err(bad_answer(name, &printable, format!("more than {} redirects", self.limits.redirects)).into())
    }

    /// Whether the user named this place, as a registry or as an origin that is allowed. Other places must be public.
    fn is_named(&self, npmrc: &Npmrc, registry: &Url, at: &Url) -> Result<bool, RegistryError> {
        if !matches!(at.scheme(), "http" | "https") {
            return Err(forbidden(at, "its address is not http or https".to_owned()));
        }
        if at.origin() == registry.origin() || npmrc.is_registry(at) || self.allowed.holds(at) {
            return Ok(true);
        }
        let told = |reason| {
            forbidden(at, format!("{reason}; the registry leads there, so allow its origin with `allow_addresses`"))
        };
        self.allowed.check(at).map_err(told)?;
        Ok(false)
    }

    /// Splits answers into those of use and errors, with whether to try again.
    fn judge(&self, response: reqwest::Response, name: &str, registry: &str) -> Result<Answer, Failure> {
        let status = response.status();
        let (name, registry) = (name.to_owned(), registry.to_owned());
        match status.as_u16() {
            200 | 304 => Ok(Answer { status, headers: response.headers().clone(), response }),
            404 | 405 | 410 => Err(RegistryError::NoSuchPackage { name, registry }.into()),
            401 | 403 => Err(RegistryError::Unauthorized { name, registry, status: status.as_u16() }.into()),
            408 | 425 | 429 | 500..=599 => {
                let after = response
                    .headers()
                    .get(header::RETRY_AFTER)
                    .and_then(|value| value.to_str().ok()?.trim().parse().ok());
                let reason = format!("status {status}, after {} tries", self.limits.retries + 1);
                Err(Failure {
                    error: bad_answer(&name, &registry, reason),
                    again: true,
                    after: after.map(Duration::from_secs),
                })
            }
            _ => Err(bad_answer(&name, &registry, format!("status {status}")).into()),
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

/// What goes with a request to `at`: what the caller adds, and the credentials for that place.
fn headers(npmrc: &Npmrc, registry: &Url, at: &Url, extra: &[(header::HeaderName, String)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::VIA, HeaderValue::from_static(VIA));
    for (key, value) in extra {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(key.clone(), value);
        }
    }
    if let Some(secret) = npmrc.authorization(at, registry)
        && let Ok(mut value) = HeaderValue::from_str(&secret.0)
    {
        value.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, value);
    }
    headers
}

fn forbidden(url: &Url, reason: String) -> RegistryError {
    RegistryError::Forbidden { address: masked(url.as_str()).chars().take(200).collect(), reason }
}

fn bad_answer(name: &str, registry: &str, reason: String) -> RegistryError {
    RegistryError::BadAnswer { name: name.to_owned(), registry: registry.to_owned(), reason }
}

/// A registry's address as it may be printed.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path("/");
    masked(url.as_str())
}

/// A connection that was not made, or broke: worth another try.
pub(crate) fn broken(name: &str, registry: &str, error: &reqwest::Error) -> Failure {
    let (name, registry) = (name.to_owned(), registry.to_owned());
    Failure { error: RegistryError::Unreachable { name, registry, reason: chain(error) }, again: true, after: None }
}

/// The innermost cause says the most: "Connection refused".
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
