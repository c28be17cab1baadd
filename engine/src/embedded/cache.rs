//! Keys and values of the tokens that a decoder has read.
//!
//! One [`KvCache`] is one sequence. It is allocated once for as many tokens as its request may need, forgets from the
//! end ([`KvCache::truncate`]) and lends its beginning to another sequence ([`KvCache::fork`]). Which sequence to keep
//! is [`super::prefix`]'s business.

use super::config::Config;
use candle_core::{DType, Device, Result, Tensor};

/// The keys and values of one sequence, for every layer `[kv_heads, capacity, head]`.
pub struct KvCache {
    layers: Vec<(Tensor, Tensor)>,
    len: usize,
    capacity: usize,
}

impl KvCache {
    /// An empty cache with room for `capacity` tokens. The system hands out its pages when they are first written.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn new(config: &Config, capacity: usize) -> Result<Self> {
        let shape = (config.kv_heads, capacity, config.head);
        let zeros = || Tensor::zeros(shape, DType::F32, &Device::Cpu);
        let layers = (0..config.layers).map(|_| Ok((zeros()?, zeros()?))).collect::<Result<_>>()?;
        Ok(Self { layers, len: 0, capacity })
    }

    /// Tokens held.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Tokens that there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Forgets all tokens from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// A cache of its own with the first `len` tokens of this one.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn fork(&self, config: &Config, len: usize, capacity: usize) -> Result<Self> {
        let mut fork = Self::new(config, capacity.max(len))?;
        fork.len = len.min(self.len);
        if fork.len > 0 {
            for ((from_k, from_v), (k, v)) in self.layers.iter().zip(&fork.layers) {
                k.slice_set(&from_k.narrow(1, 0, fork.len)?.contiguous()?, 1, 0)?;
                v.slice_set(&from_v.narrow(1, 0, fork.len)?.contiguous()?, 1, 0)?;
            }
        }
        Ok(fork)
    }

    /// Writes the keys and values of new tokens, `[kv_heads, new, head]`, after those held, and answers with all of
    /// them. [`KvCache::advance`] makes them count, once every layer has written its own.
    pub(super) fn write(&self, layer: usize, k: &Tensor, v: &Tensor) -> Result<(Tensor, Tensor)> {
        let (all_k, all_v) = &self.layers[layer];
        all_k.slice_set(k, 1, self.len)?;
        all_v.slice_set(v, 1, self.len)?;
        let len = self.len + k.dim(1)?;
        Ok((all_k.narrow(1, 0, len)?, all_v.narrow(1, 0, len)?))
    }

    pub(super) fn advance(&mut self, new: usize) {
        self.len += new;
    }
}
