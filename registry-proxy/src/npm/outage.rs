//! What is said while a registry does not answer: once, and not for each of a hundred packages.

use crate::RegistryError;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long an outage is not mentioned again.
const QUIET: Duration = Duration::from_secs(600);

/// Whether an error says that nothing can be asked, rather than what the answer is.
pub(super) fn is_outage(error: &RegistryError) -> bool {
    matches!(
        error,
        RegistryError::Unreachable { .. }
            | RegistryError::BadAnswer { .. }
            | RegistryError::NoRegistry
            | RegistryError::Limit { .. }
    )
}

/// When an outage was last mentioned.
#[derive(Debug, Default)]
pub(super) struct Outage(Mutex<Option<Instant>>);

impl Outage {
    /// Logs why a package's metadata could not be renewed. Whoever needs it new is told; until then the old one does.
    pub(super) fn log(&self, name: &str, error: &RegistryError) {
        let RegistryError::Unreachable { registry, reason, .. } = error else {
            tracing::warn!(%error, "the metadata of {name} could not be renewed");
            return;
        };
        if self.is_news(Instant::now()) {
            tracing::warn!(
                "the npm registry {registry} cannot be reached ({reason}): what lies in the cache is used as it is"
            );
        } else {
            tracing::debug!(%error, "the metadata of {name} could not be renewed");
        }
    }

    fn is_news(&self, now: Instant) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| now.saturating_duration_since(last) < QUIET) {
            return false;
        }
        *last = Some(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{Outage, QUIET};
    use std::time::Instant;

    #[test]
    fn an_outage_is_news_once_in_a_while() {
        let (outage, start) = (Outage::default(), Instant::now());
        assert!(outage.is_news(start));
        assert!(!outage.is_news(start + QUIET / 2));
        assert!(outage.is_news(start + QUIET));
    }
}
