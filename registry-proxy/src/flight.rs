//! Single flight: of several that want the same thing made, one makes it and the others wait.
//!
//! A caller locks the key, looks whether the thing is there already, and makes it only when it is not. Exists because a
//! packument, a package and a build are each wanted by many imports at once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, Weak};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// Locks by key. A key that nobody holds takes no room for long: it is swept when the map has grown.
#[derive(Debug)]
pub(crate) struct Flights<K> {
    locks: Mutex<HashMap<K, Weak<AsyncMutex<()>>>>,
}

impl<K> Default for Flights<K> {
    fn default() -> Self {
        Self { locks: Mutex::new(HashMap::new()) }
    }
}

impl<K: Eq + Hash> Flights<K> {
    /// Waits until no other holds `key`.
    ///
    /// # Cancel safety
    /// Dropping the future gives up the place in the queue; nothing else changes.
    pub(crate) async fn lock(&self, key: K) -> OwnedMutexGuard<()> {
        let lock = {
            let mut locks = self.locks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if locks.len() > 1_024 {
                locks.retain(|_, lock| lock.strong_count() > 0);
            }
            match locks.get(&key).and_then(Weak::upgrade) {
                Some(lock) => lock,
                None => {
                    let lock = Arc::new(AsyncMutex::new(()));
                    locks.insert(key, Arc::downgrade(&lock));
                    lock
                }
            }
        };
        lock.lock_owned().await
    }
}
