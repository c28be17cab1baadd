//! One-time links: how a browser gets the token without it standing in any address.

use super::token::random_hex;
use anyhow::Result;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a link may wait to be opened.
const LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// Most links that wait at once; the oldest is forgotten.
const MOST: usize = 64;

/// The links that were given out and not opened yet.
#[derive(Default)]
pub struct Links(Mutex<HashMap<String, Instant>>);

impl Links {
    /// A new code of 128 random bits.
    ///
    /// # Errors
    /// The system has no randomness to give.
    pub fn make(&self) -> Result<String> {
        let code = random_hex::<16>()?;
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|_, made| made.elapsed() < LIFETIME);
        if links.len() >= MOST
            && let Some(oldest) = links.iter().min_by_key(|(_, made)| **made).map(|(code, _)| code.clone())
        {
            links.remove(&oldest);
        }
        links.insert(code.clone(), Instant::now());
        Ok(code)
    }

    /// Spends a code. Returns whether it was good.
    pub fn spend(&self, code: &str) -> bool {
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.remove(code).is_some_and(|made| made.elapsed() < LIFETIME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_once() {
        let links = Links::default();
        let code = links.make().expect("a code");
        assert!(!links.spend("guess"));
        assert!(links.spend(&code));
        assert!(!links.spend(&code));
    }
}
