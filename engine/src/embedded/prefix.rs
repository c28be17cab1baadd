//! Which sequences stay in memory, so that a prompt that begins like an earlier one is not read again.
//!
//! A few sequences are kept. The next prompt continues the one that it shares most with when that is most of it, else
//! it gets a copy of the shared beginning: a constant instruction stays warm, and so does a conversation, whichever
//! comes next.

use super::{cache::KvCache, config::Config};
use candle_core::Result;

/// Sequences kept: the router's, two conversations', and one in work.
const KEPT: usize = 4;
/// Bytes of keys and values that kept sequences may have together.
const KEPT_BYTES: usize = 768 << 20;
/// Copying fewer tokens than this is not worth a sequence of its own.
const WORTH_COPYING: usize = 16;

/// The sequences that are kept, the least recently used first.
#[derive(Default)]
pub struct Prefixes {
    kept: Vec<Sequence>,
}

/// Tokens, and what a decoder remembers of them.
pub struct Sequence {
    /// The tokens in `cache`.
    pub tokens: Vec<u32>,
    /// Their keys and values.
    pub cache: KvCache,
}

impl Prefixes {
    /// A sequence that holds the beginning of `prompt`, at least one token less than all of it, with room for
    /// `capacity` tokens.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn take(&mut self, config: &Config, prompt: &[u32], capacity: usize) -> Result<Sequence> {
        let shared = |s: &Sequence| s.tokens.iter().zip(prompt).take_while(|(a, b)| a == b).count();
        let nearest = self.kept.iter().enumerate().map(|(i, s)| (shared(s), i)).max();
        let Some((shared, i)) = nearest.filter(|(shared, _)| *shared > 0) else {
            return Ok(Sequence { tokens: Vec::new(), cache: KvCache::new(config, capacity)? });
        };
        // The last token is always read again: its logits are not kept.
        let shared = shared.min(prompt.len().saturating_sub(1));
        let continues = shared * 2 >= self.kept[i].tokens.len();
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
        }
        Ok(Sequence { tokens: prompt[..copied].to_vec(), cache })
    }

    /// Keeps `sequence`, and lets go of those unused for longest when there are too many.
    pub fn give(&mut self, config: &Config, sequence: Sequence) {
        let token_bytes = 2 * size_of::<f32>() * config.layers * config.kv_heads * config.head;
        self.kept.push(sequence);
        let bytes = |kept: &[Sequence]| kept.iter().map(|s| s.tokens.len() * token_bytes).sum::<usize>();
        while self.kept.len() > 1 && (self.kept.len() > KEPT || bytes(&self.kept) > KEPT_BYTES) {
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
            theta: 1e4,
            position_scale: 1.0,
        }
    }

    fn read(prefixes: &mut Prefixes, prompt: &[u32]) -> usize {
        let mut sequence = prefixes.take(&config(), prompt, prompt.len() + 10).expect("memory");
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
        let mut prefixes = Prefixes::default();
        let prompt: Vec<u32> = (0..60).collect();
        assert_eq!(read(&mut prefixes, &prompt[..40]), 0);
        assert_eq!(read(&mut prefixes, &prompt), 40);
        assert_eq!(read(&mut prefixes, &prompt), 59, "the last token's logits are computed again");
    }

    #[test]
    fn two_conversations_with_one_instruction_stay_warm_in_turn() {
        let mut prefixes = Prefixes::default();
        let with = |tail: u32| (0..20).chain(std::iter::repeat_n(tail, 80)).collect::<Vec<u32>>();
        assert_eq!(read(&mut prefixes, &with(500)), 0);
        assert_eq!(read(&mut prefixes, &with(600)), 20, "the instruction is copied");
        assert_eq!(read(&mut prefixes, &with(500)), 99, "and the first conversation is still there");
    }
}
