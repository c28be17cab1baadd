//! Which sequences stay in memory, so that a prompt that begins like an earlier one is not read again.
//!
//! Sequences are kept as long as they fit a budget of bytes, and belong to one generation of one adapter: the next
//! prompt for the same one continues the sequence that it shares most with, or gets a copy of the shared beginning where
//! much would be lost. So a constant instruction stays warm, and so does every conversation, whichever comes next.

use super::{cache::KvCache, config::Config};
use candle_core::Result;

/// Sequences kept at most: each prompt is compared with all of them.
const KEPT: usize = 64;
/// Copying fewer tokens than this is not worth a sequence of its own.
pub const WORTH_COPYING: usize = 16;
/// A sequence is continued where it loses no more than this, or a fifth of it; else its beginning is copied.
const LOST: usize = 16;

/// The sequences that are kept, the least recently used first.
pub struct Prefixes {
    kept: Vec<Sequence>,
    most_bytes: usize,
}

/// The generation of the adapter that keys and values were computed with; `None` for the model itself.
pub type Key = Option<String>;

/// Tokens, and what a decoder remembers of them.
pub struct Sequence {
    /// The tokens in `cache`.
    pub tokens: Vec<u32>,
    /// Their keys and values.
    pub cache: KvCache,
    /// Whose they are.
    pub key: Key,
}

/// Tokens that two sequences begin with.
pub fn shared(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

impl Prefixes {
    /// Nothing is kept yet; keys and values of at most `most_bytes` will be, and one sequence in any case.
    pub fn new(most_bytes: usize) -> Self {
        Self { kept: Vec::new(), most_bytes }
    }

    /// How many tokens of `prompt` are remembered.
    pub fn known(&self, key: &Key, prompt: &[u32]) -> usize {
        self.kept.iter().filter(|s| s.key == *key).map(|s| shared(&s.tokens, prompt)).max().unwrap_or(0)
    }

    /// A sequence that holds the beginning of `prompt`, at least one token less than all of it, with room for
    /// `capacity` tokens.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn take(&mut self, config: &Config, key: &Key, prompt: &[u32], capacity: usize) -> Result<Sequence> {
        let of_key = self.kept.iter().enumerate().filter(|(_, s)| s.key == *key);
        let nearest = of_key.map(|(i, s)| (shared(&s.tokens, prompt), i)).max();
        let Some((shared, i)) = nearest.filter(|(shared, _)| *shared > 0) else {
            return Ok(Sequence { tokens: Vec::new(), cache: KvCache::new(config, capacity)?, key: key.clone() });
        };
        // The last token is always read again: its logits are not kept.
        let shared = shared.min(prompt.len().saturating_sub(1));
        let lost = self.kept[i].tokens.len() - shared;
        let continues = lost <= LOST || lost * 4 <= shared;
        if continues && self.kept[i].cache.capacity() >= capacity {
            let mut sequence = self.kept.remove(i);
            sequence.tokens.truncate(shared);
            sequence.cache.truncate(shared);
            return Ok(sequence);
        }
        let copied = if continues || shared >= WORTH_COPYING { shared } else { 0 };
        let cache = self.kept[i].cache.fork(config, copied, capacity)?;
        if continues {
            self.kept.remove(i);
        } else {
            // What is copied from is in use.
            let used = self.kept.remove(i);
            self.kept.push(used);
        }
        Ok(Sequence { tokens: prompt[..copied].to_vec(), cache, key: key.clone() })
    }

    /// Keeps `sequence`, and lets go of those unused for longest when there are too many.
    pub fn give(&mut self, config: &Config, sequence: Sequence) {
        if sequence.tokens.is_empty() {
            return;
        }
        self.kept.push(sequence);
        let bytes = |kept: &[Sequence]| kept.iter().map(|s| s.tokens.len() * config.token_bytes()).sum::<usize>();
        while self.kept.len() > 1 && (self.kept.len() > KEPT || bytes(&self.kept) > self.most_bytes) {
            self.kept.remove(0);
        }
    }

    /// Forgets everything, after a failure that may have left a sequence half written.
    pub fn clear(&mut self) {
        self.kept.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::config::Rope;

    fn config() -> Config {
        Config {
            layers: 1,
            hidden: 4,
            ffn: 4,
            heads: 1,
            kv_heads: 1,
            head: 4,
            context: 1000,
            eps: 1e-5,
            rope: Rope::Halves,
            head_norm: false,
            theta: 1e4,
            position_scale: 1.0,
        }
    }

    fn read(prefixes: &mut Prefixes, prompt: &[u32]) -> usize {
        read_for(prefixes, &None, prompt)
    }

    fn read_for(prefixes: &mut Prefixes, key: &Key, prompt: &[u32]) -> usize {
        let mut sequence = prefixes.take(&config(), key, prompt, prompt.len() + 10).expect("memory");
        let reused = sequence.tokens.len();
        assert_eq!(sequence.tokens[..], prompt[..reused]);
        assert_eq!(sequence.cache.len(), reused);
        sequence.cache.advance(prompt.len() - reused);
        sequence.tokens = prompt.to_vec();
        prefixes.give(&config(), sequence);
        reused
    }

    #[test]
    fn a_prompt_that_continues_reads_only_what_is_new() {
        let mut prefixes = Prefixes::new(usize::MAX);
        let prompt: Vec<u32> = (0..60).collect();
        assert_eq!(read(&mut prefixes, &prompt[..40]), 0);
        assert_eq!(read(&mut prefixes, &prompt), 40);
        assert_eq!(read(&mut prefixes, &prompt), 59, "the last token's logits are computed again");
    }

    #[test]
    fn two_conversations_with_one_instruction_stay_warm_in_turn() {
        let mut prefixes = Prefixes::new(usize::MAX);
        let with = |tail: u32| (0..20).chain(std::iter::repeat_n(tail, 80)).collect::<Vec<u32>>();
        assert_eq!(read(&mut prefixes, &with(500)), 0);
        assert_eq!(read(&mut prefixes, &with(600)), 20, "the instruction is copied");
        assert_eq!(read(&mut prefixes, &with(500)), 99, "and the first conversation is still there");
    }

    #[test]
    fn what_was_computed_for_one_adapter_is_never_given_to_another() {
        let mut prefixes = Prefixes::new(usize::MAX);
        let (one, two) = (Some("a1".to_owned()), Some("b2".to_owned()));
        let prompt: Vec<u32> = (0..60).collect();
        assert_eq!(read_for(&mut prefixes, &one, &prompt), 0);
        assert_eq!(read_for(&mut prefixes, &two, &prompt), 0);
        assert_eq!(read_for(&mut prefixes, &None, &prompt), 0);
        assert_eq!((prefixes.known(&one, &prompt), prefixes.known(&Some("c3".into()), &prompt)), (60, 0));
        assert_eq!(read_for(&mut prefixes, &one, &prompt), 59);
    }

    #[test]
    fn the_longest_unused_goes_when_the_budget_is_met() {
        let mut prefixes = Prefixes::new(250 * config().token_bytes());
        let of = |n: u32| (n * 1000..n * 1000 + 100).collect::<Vec<u32>>();
        assert_eq!([1, 2, 1, 3].map(|n| read(&mut prefixes, &of(n))), [0, 0, 99, 0]);
        assert_eq!([1, 2].map(|n| prefixes.known(&None, &of(n))), [100, 0]);
    }
}
