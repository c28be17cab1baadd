//! Which token comes next.
//!
//! Logits in, one token out: penalties, then greedy or temperature, top-k and top-p, in llama.cpp's order.
//! Knows nothing of text or of the model.

use crate::{EngineError, Request};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    hash::{BuildHasher, Hasher, RandomState},
};

/// A token counts as just written for this many tokens.
const REPEAT_WINDOW: usize = 256;
/// Tokens less likely than the best by this factor are never drawn: e⁻³⁰, far below what sampling could show.
const NEGLIGIBLE: f32 = 30.0;

/// Draws tokens for one answer.
pub struct Sampler {
    temperature: f32,
    top_p: f32,
    top_k: usize,
    repeat_penalty: f32,
    frequency_penalty: f32,
    presence_penalty: f32,
    recent: VecDeque<u32>,
    /// How often each token was written; kept where a penalty asks for it.
    written: HashMap<u32, u32>,
    state: u64,
}

impl Sampler {
    /// The sampler that `request` asks for.
    pub fn new(request: &Request) -> Self {
        Self {
            temperature: request.temperature,
            top_p: request.top_p,
            top_k: request.top_k,
            repeat_penalty: request.repeat_penalty,
            frequency_penalty: request.frequency_penalty,
            presence_penalty: request.presence_penalty,
            recent: VecDeque::new(),
            written: HashMap::new(),
            state: request.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()),
        }
    }

    /// The next token.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when the logits are no numbers.
    pub fn next(&mut self, mut logits: Vec<f32>) -> Result<u32, EngineError> {
        if self.repeat_penalty != 1.0 {
            for id in self.recent.iter().collect::<HashSet<_>>() {
                if let Some(logit) = logits.get_mut(*id as usize) {
                    *logit = if *logit > 0.0 { *logit / self.repeat_penalty } else { *logit * self.repeat_penalty };
                }
            }
        }
        for (id, count) in &self.written {
            if let Some(logit) = logits.get_mut(*id as usize) {
                *logit -= self.presence_penalty + self.frequency_penalty * *count as f32;
            }
        }
        let best = best(&logits)?;
        let id = if self.temperature > 0.0 { self.draw(&logits, logits[best as usize]) } else { best };
        if self.presence_penalty != 0.0 || self.frequency_penalty != 0.0 {
            *self.written.entry(id).or_default() += 1;
        }
        self.recent.push_back(id);
        if self.recent.len() > REPEAT_WINDOW {
            self.recent.pop_front();
        }
        Ok(id)
    }

    fn draw(&mut self, logits: &[f32], highest: f32) -> u32 {
        let weight = |logit: f32| (logit - highest) / self.temperature;
        let mut candidates: Vec<(u32, f32)> = logits
            .iter()
            .enumerate()
            .map(|(id, logit)| (id as u32, weight(*logit)))
            .filter(|(_, weight)| *weight > -NEGLIGIBLE)
            .collect();
        candidates.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if self.top_k > 0 {
            candidates.truncate(self.top_k);
        }
        candidates.iter_mut().for_each(|c| c.1 = c.1.exp());
        let all: f32 = candidates.iter().map(|c| c.1).sum();
        let mut kept = 0.0;
        let enough = candidates.iter().position(|c| {
            kept += c.1;
            kept >= self.top_p * all
        });
        candidates.truncate(enough.map_or(candidates.len(), |at| at + 1));
        let kept: f32 = candidates.iter().map(|c| c.1).sum();
        let mut left = self.uniform() * kept;
        for (id, weight) in &candidates {
            left -= weight;
            if left < 0.0 {
                return *id;
            }
        }
        candidates.last().map_or(0, |c| c.0)
    }

    /// In [0, 1), by SplitMix64 (Steele, Lea and Flood 2014): small, and the same on every machine.
    fn uniform(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// The token with the highest logit, the first of equals.
///
/// # Errors
/// [`EngineError::Compute`] when it is no finite number.
pub fn best(logits: &[f32]) -> Result<u32, EngineError> {
    let mut best = 0;
    for (id, logit) in logits.iter().enumerate() {
        // Written so that a NaN in front does not win for ever.
        if *logit > logits[best] || logits[best].is_nan() {
            best = id;
        }
    }
    match logits.get(best) {
        Some(logit) if logit.is_finite() => Ok(best as u32),
        _ => Err(EngineError::Compute("its logits are not numbers; the model file may be damaged".into())),
    }
}

/// The `count` likeliest tokens of log-probabilities, best first.
pub fn likeliest(log: &[f32], count: usize) -> Vec<(u32, f32)> {
    let mut best: Vec<(u32, f32)> = Vec::with_capacity(count + 1);
    for (id, weight) in log.iter().enumerate() {
        if best.len() == count && best.last().is_none_or(|last| last.1 >= *weight) {
            continue;
        }
        let at = best.partition_point(|(_, other)| other >= weight);
        best.insert(at, (id as u32, *weight));
        best.truncate(count);
    }
    best
}

/// Log-probabilities of all tokens.
pub fn log_softmax(logits: &[f32]) -> Vec<f32> {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits.iter().map(|l| f64::from(l - highest).exp()).sum();
    let offset = highest + sum.ln() as f32;
    logits.iter().map(|l| l - offset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(request: &Request, n: usize) -> Vec<u32> {
        let mut sampler = Sampler::new(request);
        (0..n).map(|_| sampler.next(vec![0.0, 2.0, 1.0, -1.0]).expect("finite logits")).collect()
    }

    #[test]
    fn zero_temperature_takes_the_best() {
        assert_eq!(draws(&Request::default(), 3), [1, 1, 1]);
    }

    #[test]
    fn a_seed_repeats_and_another_differs() {
        let request = |seed| Request { temperature: 1.0, seed: Some(seed), ..Request::default() };
        assert_eq!(draws(&request(7), 50), draws(&request(7), 50));
        assert_ne!(draws(&request(7), 50), draws(&request(8), 50));
    }

    #[test]
    fn draws_follow_the_distribution() {
        let request = Request { temperature: 1.0, seed: Some(1), ..Request::default() };
        let share = draws(&request, 4000).iter().filter(|id| **id == 1).count() as f64 / 4000.0;
        let truth = 2f64.exp() / (0f64.exp() + 2f64.exp() + 1f64.exp() + (-1f64).exp());
        assert!((share - truth).abs() < 0.03, "{share} is not near {truth}");
    }

    #[test]
    fn top_k_and_top_p_cut_the_tail() {
        let k = Request { temperature: 5.0, top_k: 2, seed: Some(3), ..Request::default() };
        assert!(draws(&k, 300).iter().all(|id| [1, 2].contains(id)));
        let p = Request { temperature: 1.0, top_p: 0.5, seed: Some(3), ..Request::default() };
        assert!(draws(&p, 300).iter().all(|id| *id == 1));
    }

    #[test]
    fn a_penalty_ends_repetition() {
        let request = Request { repeat_penalty: 4.0, ..Request::default() };
        assert_eq!(draws(&request, 2), [1, 2]);
    }

    #[test]
    fn penalties_grow_with_what_was_written() {
        let often = Request { frequency_penalty: 0.6, ..Request::default() };
        assert_eq!(draws(&often, 4), [1, 1, 2, 1], "2.0, 1.4, then 0.8 against 1.0, then 0.8 against 0.4");
        let once = Request { presence_penalty: 1.5, ..Request::default() };
        assert_eq!(draws(&once, 4), [1, 2, 1, 1], "0.5 against 1.0, then 0.5 against -0.5, and no more is taken");
    }

    #[test]
    fn the_likeliest_come_in_order() {
        let log = log_softmax(&[0.0, 2.0, 1.0, -1.0]);
        let best: Vec<u32> = likeliest(&log, 2).iter().map(|(id, _)| *id).collect();
        assert_eq!(best, [1, 2]);
        assert!(likeliest(&log, 0).is_empty());
        assert!((log.iter().map(|l| l.exp()).sum::<f32>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn numbers_that_are_none_are_an_error() {
        assert!(best(&[f32::NAN, f32::NAN]).is_err());
        assert_eq!(best(&[f32::NAN, 1.0]).expect("one is finite"), 1);
    }
}
