//! Who gave which answer: the engine's [`ViewStore`] over the database, with what was looked up lately in memory.
//!
//! A database that fails takes nothing from an answer: history is unknown then, and read word for word.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ui4a_engine::mol::view::{Key, ViewStore};
use ui4a_store::{Db, StoreError};
use ui4a_types::Specialist;

/// Most lookups that are held: some 4 MB.
const MOST_HELD: usize = 100_000;

/// What is remembered of answers.
pub struct Views {
    db: Arc<Db>,
    held: Mutex<HashMap<Key, Option<Specialist>>>,
}

impl Views {
    /// Over a database.
    pub fn new(db: Arc<Db>) -> Self {
        Self { db, held: Mutex::default() }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<Key, Option<Specialist>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a lookup found; nothing where the database fails.
fn found<T: Default>(found: Result<T, StoreError>) -> T {
    found.unwrap_or_else(|error| {
        tracing::error!(%error, "who gave an answer could not be looked up or kept");
        T::default()
    })
}

impl ViewStore for Views {
    fn owner(&self, key: &Key) -> Option<Specialist> {
        if let Some(owner) = self.held().get(key) {
            return *owner;
        }
        let owner = found(self.db.answer_owner(key));
        let mut held = self.held();
        if held.len() >= MOST_HELD {
            held.clear();
        }
        held.insert(*key, owner);
        owner
    }

    fn own(&self, keys: &[Key], owner: Specialist) {
        found(self.db.put_answer(keys, owner));
        let mut held = self.held();
        for key in keys {
            held.remove(key);
        }
    }

    fn summary(&self, turn: &Key) -> Option<String> {
        found(self.db.summary(turn))
    }

    fn summarise(&self, turn: &Key, text: &str, tokens: u64) {
        found(self.db.put_summary(turn, text, tokens));
    }

    fn spent(&self, turn: &Key) -> u64 {
        found(self.db.take_summary_tokens(turn))
    }
}
