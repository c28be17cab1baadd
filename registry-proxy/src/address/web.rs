//! Fetching an address: GET alone, with nothing of the user's, under limits, kept by what was answered.

use super::content::{Wanted, extension};
use super::guard::{Allowed, PublicNames, is_public};
use super::{blocking, shown};
use crate::flight::Flights;
use crate::npm::http::chain;
use crate::npm::registry::write_whole;
use crate::policy::Policy;
use crate::{Limits, RegistryError};
use base64::Engine as _;
use futures::StreamExt as _;
use http::header;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use ui4a_store::Blobs;
use url::Url;

/// What an address answered.
#[derive(Clone, Debug)]
pub(crate) struct Fetched {
    pub bytes: Vec<u8>,
    pub extension: &'static str,
    /// Where it was in the end, after redirects: what it names is relative to this.
    pub url: Url,
    /// `sha256-…` of the body.
    pub integrity: String,
}

/// What is kept of an answer, beside its body.
#[derive(Serialize, Deserialize)]
struct Kept {
    url: Url,
    media_type: String,
    body: String,
    /// Seconds since 1970.
    at: u64,
}

/// Whether a file's text is what is kept of an answer.
pub(crate) fn is_kept_answer(text: &[u8]) -> bool {
    serde_json::from_slice::<Kept>(text).is_ok()
}

/// The client of everything that is no registry.
#[derive(Debug)]
pub(crate) struct Web {
    /// Reaches public addresses alone.
    guarded: reqwest::Client,
    /// Reaches what it is told to: asked only for origins that the user allowed.
    open: reqwest::Client,
    allowed: Allowed,
    policy: Arc<Policy>,
    blobs: Blobs,
    folder: PathBuf,
    flights: Flights<String>,
    limits: Limits,
}

impl Web {
    pub(crate) fn open(
        cache: &Path,
        allowed: Allowed,
        policy: Arc<Policy>,
        names: PublicNames,
        limits: &Limits,
    ) -> Result<Self, RegistryError> {
        let folder = cache.join("addresses");
        std::fs::create_dir_all(&folder).map_err(|error| RegistryError::io("creating", &folder, &error))?;
        // A proxy would look names up itself, and the check of what they lead to would be worth nothing: so none is used.
        let client = || {
            reqwest::Client::builder()
                .user_agent(concat!("ui4a/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(limits.connect_time)
                .redirect(reqwest::redirect::Policy::none())
                .referer(false)
                .no_proxy()
        };
        let built = |builder: reqwest::ClientBuilder| {
            builder.build().map_err(|error| RegistryError::Store(format!("no client could be made: {}", chain(&error))))
        };
        Ok(Self {
            guarded: built(client().dns_resolver(names))?,
            open: built(client())?,
            allowed,
            policy,
            blobs: Blobs::open(cache.join("blobs"))?,
            folder,
            flights: Flights::default(),
            limits: limits.clone(),
        })
    }

    /// What an address answers, from the cache where it was asked before: one that was fetched lately is not asked again,
    /// and one that does not answer now is as it was.
    ///
    /// # Errors
    /// It may not be asked, does not answer in time, or answers with something that is not `wanted`.
    ///
    /// # Cancel safety
    /// Dropping the future closes the connection; nothing is kept of half an answer.
    pub(crate) async fn get(&self, url: &Url, wanted: Wanted) -> Result<Fetched, RegistryError> {
        let mut url = url.clone();
        url.set_fragment(None);
        self.may(&url)?;
        let file = self.folder.join(format!("{}.json", hex::encode(Sha256::digest(url.as_str()))));
        let _flight = self.flights.lock(url.to_string()).await;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let kept = self.kept(&file).await;
        let fresh = |kept: &Kept| now.saturating_sub(kept.at) < self.limits.address_age.as_secs() && kept.at <= now;
        let (kept, bytes) = match kept {
            Some((kept, bytes)) if fresh(&kept) => (kept, bytes),
            old => match self.ask(&url, now).await {
                Ok(answer) => self.keep(&file, answer).await?,
                // As it was is better than not at all.
                Err(error) => old.ok_or(error)?,
            },
        };
        let extension = extension(wanted, &kept.media_type, &bytes)
            .map_err(|reason| RegistryError::Address { address: shown(url.as_str()), reason })?;
        let digest = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(&bytes));
        Ok(Fetched { bytes, extension, url: kept.url, integrity: format!("sha256-{digest}") })
    }

    fn may(&self, url: &Url) -> Result<(), RegistryError> {
        let refuse = |reason| RegistryError::Forbidden { address: shown(url.as_str()), reason };
        self.allowed.check(url).map_err(refuse)?;
        self.policy.address(url)
    }

    async fn kept(&self, file: &Path) -> Option<(Kept, Vec<u8>)> {
        let kept: Kept = serde_json::from_slice(&tokio::fs::read(file).await.ok()?).ok()?;
        // What a redirect led to must still be allowed.
        self.may(&kept.url).ok()?;
        let (blobs, body) = (self.blobs.clone(), kept.body.clone());
        let bytes = blocking(move || Ok(blobs.get(&body)?)).await.ok()??;
        Some((kept, bytes))
    }

    async fn keep(&self, file: &Path, (mut kept, bytes): (Kept, Vec<u8>)) -> Result<(Kept, Vec<u8>), RegistryError> {
        let (blobs, file) = (self.blobs.clone(), file.to_owned());
        blocking(move || {
            kept.body = blobs.put(&bytes)?;
            let text = serde_json::to_vec(&kept).map_err(|error| RegistryError::Store(error.to_string()))?;
            write_whole(&file, &[&text])?;
            Ok((kept, bytes))
        })
        .await
    }

    /// Asks, following redirects one by one: each is checked like the first.
    async fn ask(&self, url: &Url, now: u64) -> Result<(Kept, Vec<u8>), RegistryError> {
        let fail = |reason: String| RegistryError::Address { address: shown(url.as_str()), reason };
        let asking = async {
            let mut at = url.clone();
            for _ in 0..=self.limits.redirects {
                self.may(&at)?;
                let client = if self.allowed.holds(&at) { &self.open } else { &self.guarded };
                let answer = self.send(client, &at).await.map_err(|error| fail(chain(&error)))?;
                let inside = answer.remote_addr().is_some_and(|peer| !is_public(peer.ip()));
                if inside && !self.allowed.holds(&at) {
                    return Err(fail("it leads to an address that is not public".to_owned()));
                }
                if answer.status().is_redirection() {
                    let to = answer.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
                    let to = to.ok_or_else(|| fail("it redirects to nowhere".to_owned()))?;
                    at = at.join(to).map_err(|error| fail(format!("it redirects to nowhere: {error}")))?;
                    continue;
                }
                if !answer.status().is_success() {
                    return Err(fail(format!("it answers with status {}", answer.status().as_u16())));
                }
                let media_type = answer.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
                let media_type = media_type.unwrap_or_default().to_owned();
                let bytes = self.body(answer, url).await?;
                return Ok((Kept { url: at, media_type, body: String::new(), at: now }, bytes));
            }
            Err(fail(format!("it redirects more than {} times", self.limits.redirects)))
        };
        let waited = tokio::time::timeout(self.limits.address_time, asking).await;
        waited.unwrap_or_else(|_| {
            Err(fail(format!("it did not answer within {} seconds", self.limits.address_time.as_secs())))
        })
    }

    /// Sends one request, and again when the connection breaks before an answer or the other end is overloaded.
    async fn send(&self, client: &reqwest::Client, at: &Url) -> Result<reqwest::Response, reqwest::Error> {
        let mut tries = 0;
        loop {
            let answer = client.get(at.clone()).send().await;
            let again = match &answer {
                Ok(answer) => matches!(answer.status().as_u16(), 429 | 502..=504),
                // A name that leads inside does so the next time too.
                Err(error) => !chain(error).contains("not a public address"),
            };
            if !again || tries >= self.limits.retries {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(150 << (2 * tries.min(8)))).await;
            tries += 1;
        }
    }

    async fn body(&self, answer: reqwest::Response, url: &Url) -> Result<Vec<u8>, RegistryError> {
        let limit = self.limits.address_bytes;
        if answer.content_length().is_some_and(|length| length > limit) {
            return Err(RegistryError::Limit { name: shown(url.as_str()), what: "bytes", limit });
        }
        let (mut bytes, mut stream) = (Vec::new(), answer.bytes_stream());
        while let Some(chunk) = stream.next().await {
            let broken = |error| RegistryError::Address { address: shown(url.as_str()), reason: chain(&error) };
            let chunk = chunk.map_err(broken)?;
            if (bytes.len() + chunk.len()) as u64 > limit {
                return Err(RegistryError::Limit { name: shown(url.as_str()), what: "bytes", limit });
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}
