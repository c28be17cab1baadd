//! One forward pass of a Llama-family, Qwen2 or Qwen3 decoder, over rows that have nothing to do with each other.
//!
//! Each [`Row`] brings tokens, a cache and perhaps an adapter; logits come out. All rows go through each matrix
//! together, so its weights are read once; attention is each row's own. Knows nothing of text, sampling, requests or
//! threads. Follows the GGUF files' conventions: weights `[out, in]`, optional biases on q, k and v, an output matrix
//! that may be the embedding's own.

use super::{
    adapter::{Adapter, Target},
    cache::KvCache,
    config::{Config, Rope},
    gguf::Gguf,
    weights::Weights,
};
use crate::EngineError;
use candle_core::{D, Device, Result, Tensor};
use candle_nn::{ops, rotary_emb};
use std::ops::Range;

/// A model's weights and shape.
pub struct Decoder {
    config: Config,
    embedding: Weights,
    layers: Vec<Layer>,
    norm: Tensor,
    output: Weights,
    vocabulary: usize,
    /// Rotary angles by position, `[positions, head / 2]`.
    cos: Tensor,
    sin: Tensor,
}

/// A matrix and what is added after it.
struct Linear {
    weights: Weights,
    bias: Option<Tensor>,
}

struct Layer {
    attention_norm: Tensor,
    q: Linear,
    k: Linear,
    v: Linear,
    o: Linear,
    /// What each head's query and key are normed by, `[head]`.
    head_norms: Option<(Tensor, Tensor)>,
    ffn_norm: Tensor,
    gate: Linear,
    up: Linear,
    down: Linear,
}

/// One sequence's part of a forward pass.
pub struct Row<'a> {
    /// What is read, after what its cache holds.
    pub tokens: &'a [u32],
    /// What it remembers.
    pub cache: &'a mut KvCache,
    /// What changes the weights for it.
    pub adapter: Option<&'a Adapter>,
    /// Where logits are wanted.
    pub logits: Logits,
}

/// Where logits are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logits {
    /// Nowhere: the tokens are only read into the cache.
    None,
    /// After the last token: one row.
    Last,
    /// After each token: a row each.
    All,
}

impl Linear {
    fn find(gguf: &Gguf, name: &str, rows: usize, columns: usize) -> Found<Self> {
        let weights = Weights::find(gguf, &format!("{name}.weight"), &[rows, columns])?;
        let bias = format!("{name}.bias");
        let bias = if gguf.tensor(&bias).is_some() { Some(vector(gguf, &bias, rows)?) } else { None };
        Ok(Self { weights, bias })
    }

    /// `x · weightsᵀ`, and what the rows' adapters add to it.
    fn apply(&self, x: &Tensor, batch: &Batch<'_>, layer: usize, target: Target) -> Result<Tensor> {
        let deltas: Vec<_> = batch
            .spans
            .iter()
            .zip(&batch.adapters)
            .filter_map(|(span, adapter)| Some((span.clone(), adapter.as_ref()?.delta(layer, target)?)))
            .collect();
        let y = self.weights.apply(x, &deltas)?;
        match &self.bias {
            Some(bias) => y.broadcast_add(bias),
            None => Ok(y),
        }
    }
}

/// What the layers need to know of the rows.
struct Batch<'a> {
    /// Where each row's tokens are among all.
    spans: Vec<Range<usize>>,
    adapters: Vec<Option<&'a Adapter>>,
    /// Where each may look; `None` for a single token, which sees all before it.
    masks: Vec<Option<Tensor>>,
    cos: Tensor,
    sin: Tensor,
}

type Found<T> = std::result::Result<T, EngineError>;

fn vector(gguf: &Gguf, name: &str, len: usize) -> Found<Tensor> {
    let floats = Weights::find(gguf, name, &[len])?.floats();
    Tensor::from_vec(floats, len, &Device::Cpu).map_err(|e| gguf.broken(e.to_string()))
}

impl Decoder {
    /// Finds all weights of `gguf`; `positions` is how many tokens a sequence may have.
    ///
    /// # Errors
    /// [`EngineError::BrokenModel`] when a tensor is missing or has another shape than the metadata says.
    pub fn open(gguf: &Gguf, config: Config, positions: usize) -> Found<Self> {
        let (hidden, head) = (config.hidden, config.head);
        let (q_rows, kv_rows) = (config.heads * head, config.kv_heads * head);
        let vocabulary = gguf
            .tensor("token_embd.weight")
            .and_then(|t| t.shape.first().copied())
            .ok_or_else(|| gguf.broken("tensor `token_embd.weight` is missing"))?;
        let matrix = |name: &str, rows, columns| Weights::find(gguf, name, &[rows, columns]);
        let embedding = matrix("token_embd.weight", vocabulary, hidden)?;
        let output = match gguf.tensor("output.weight") {
            Some(_) => matrix("output.weight", vocabulary, hidden)?,
            None => embedding.clone(),
        };
        let mut layers = Vec::with_capacity(config.layers.min(1024));
        for i in 0..config.layers {
            let name = |part: &str| format!("blk.{i}.{part}");
            let linear = |part: &str, rows, columns| Linear::find(gguf, &name(part), rows, columns);
            layers.push(Layer {
                attention_norm: vector(gguf, &name("attn_norm.weight"), hidden)?,
                q: linear("attn_q", q_rows, hidden)?,
                k: linear("attn_k", kv_rows, hidden)?,
                v: linear("attn_v", kv_rows, hidden)?,
                o: linear("attn_output", hidden, q_rows)?,
                head_norms: match config.head_norm {
                    true => {
                        let norm = |part: &str| vector(gguf, &name(part), head);
                        Some((norm("attn_q_norm.weight")?, norm("attn_k_norm.weight")?))
                    }
                    false => None,
                },
                ffn_norm: vector(gguf, &name("ffn_norm.weight"), hidden)?,
                gate: linear("ffn_gate", config.ffn, hidden)?,
                up: linear("ffn_up", config.ffn, hidden)?,
                down: linear("ffn_down", hidden, config.ffn)?,
            });
        }
        let norm = vector(gguf, "output_norm.weight", hidden)?;
        let factors = match gguf.tensor("rope_freqs.weight") {
            Some(_) => Weights::find(gguf, "rope_freqs.weight", &[head / 2])?.floats(),
            None => vec![1.0; head / 2],
        };
        let (cos, sin) = angles(&config, &factors, positions).map_err(|e| gguf.broken(e.to_string()))?;
        Ok(Self { config, embedding, layers, norm, output, vocabulary, cos, sin })
    }

    /// The model's shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Rows of the embedding: one more than the largest token.
    pub fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// Reads each row's tokens after those in its cache, and says what might come next: the logits that were wanted,
    /// row after row, `[…, vocabulary]`; nothing when none were.
    ///
    /// # Errors
    /// When a token is outside the vocabulary or a cache has no room; the caches then hold what they held before.
    pub fn forward(&self, rows: &mut [Row<'_>]) -> Result<Option<Tensor>> {
        for Row { tokens, cache, .. } in rows.iter() {
            let (m, room) = (tokens.len(), self.cos.dim(0)?.min(cache.capacity()));
            if m == 0 || cache.len() + m > room {
                candle_core::bail!("{m} tokens do not go after {} into a cache of {room}", cache.len());
            }
        }
        let batch = self.batch(rows)?;
        let tokens: Vec<u32> = rows.iter().flat_map(|row| row.tokens).copied().collect();
        let (m, hidden, eps) = (tokens.len(), self.config.hidden, self.config.eps);
        let mut x = Tensor::from_vec(self.embedding.gather(&tokens)?, (m, hidden), &Device::Cpu)?;
        for (i, layer) in self.layers.iter().enumerate() {
            let normed = ops::rms_norm(&x, &layer.attention_norm, eps)?;
            x = (x + self.attend(i, layer, &normed, rows, &batch)?)?;
            let normed = ops::rms_norm(&x, &layer.ffn_norm, eps)?;
            let gate = layer.gate.apply(&normed, &batch, i, Target::Gate)?;
            let gated = (ops::silu(&gate)? * layer.up.apply(&normed, &batch, i, Target::Up)?)?;
            x = (x + layer.down.apply(&gated, &batch, i, Target::Down)?)?;
        }
        rows.iter_mut().for_each(|row| row.cache.advance(row.tokens.len()));
        let wanted = |(row, span): (&Row<'_>, &Range<usize>)| match row.logits {
            Logits::None => None,
            Logits::Last => Some(x.narrow(0, span.end - 1, 1)),
            Logits::All => Some(x.narrow(0, span.start, span.len())),
        };
        let wanted: Vec<Tensor> = rows.iter().zip(&batch.spans).filter_map(wanted).collect::<Result<_>>()?;
        if wanted.is_empty() {
            return Ok(None);
        }
        let x = Tensor::cat(&wanted, 0)?.contiguous()?;
        self.output.apply(&ops::rms_norm(&x, &self.norm, eps)?, &[]).map(Some)
    }

    fn batch<'a>(&self, rows: &[Row<'a>]) -> Result<Batch<'a>> {
        let mut end = 0;
        let mut batch =
            Batch { spans: vec![], adapters: vec![], masks: vec![], cos: self.cos.clone(), sin: self.sin.clone() };
        let (mut cos, mut sin) = (Vec::new(), Vec::new());
        for row in rows {
            let (m, before) = (row.tokens.len(), row.cache.len());
            batch.spans.push(end..end + m);
            batch.adapters.push(row.adapter);
            batch.masks.push(if m > 1 { Some(causal(m, before)?) } else { None });
            cos.push(self.cos.narrow(0, before, m)?);
            sin.push(self.sin.narrow(0, before, m)?);
            end += m;
        }
        batch.cos = Tensor::cat(&cos, 0)?;
        batch.sin = Tensor::cat(&sin, 0)?;
        Ok(batch)
    }

    fn attend(&self, index: usize, layer: &Layer, x: &Tensor, rows: &[Row<'_>], batch: &Batch<'_>) -> Result<Tensor> {
        let Config { heads, kv_heads, head, eps, .. } = self.config;
        let m = x.dim(0)?;
        // [m, heads * head] to [heads, m, head], each head normed where the family does it.
        let split = |t: Tensor, heads: usize, norm: Option<&Tensor>| -> Result<Tensor> {
            let t = t.reshape((m, heads, head))?;
            let t = norm.map_or(Ok(t.clone()), |norm| ops::rms_norm(&t, norm, eps))?;
            t.transpose(0, 1)?.contiguous()
        };
        let rotate = |t: Tensor| -> Result<Tensor> {
            let t = t.unsqueeze(0)?;
            match self.config.rope {
                Rope::Interleaved => rotary_emb::rope_i(&t, &batch.cos, &batch.sin)?,
                Rope::Halves => rotary_emb::rope(&t, &batch.cos, &batch.sin)?,
            }
            .squeeze(0)
        };
        let norms = layer.head_norms.as_ref();
        let q = layer.q.apply(x, batch, index, Target::Q)?;
        let q = rotate(split(q, heads, norms.map(|(q, _)| q))?)?;
        let k = layer.k.apply(x, batch, index, Target::K)?;
        let k = rotate(split(k, kv_heads, norms.map(|(_, k)| k))?)?;
        let v = split(layer.v.apply(x, batch, index, Target::V)?, kv_heads, None)?;
        let mut mixed = Vec::with_capacity(rows.len());
        for ((row, span), mask) in rows.iter().zip(&batch.spans).zip(&batch.masks) {
            let own = |t: &Tensor| t.narrow(1, span.start, span.len())?.contiguous();
            mixed.push(self.mix(index, own(&q)?, (&own(&k)?, &own(&v)?), row.cache, mask.as_ref())?);
        }
        layer.o.apply(&Tensor::cat(&mixed, 0)?, batch, index, Target::O)
    }

    /// What a row's tokens take from all that it remembers: `[m, heads * head]`.
    fn mix(
        &self,
        index: usize,
        q: Tensor,
        (k, v): (&Tensor, &Tensor),
        cache: &KvCache,
        mask: Option<&Tensor>,
    ) -> Result<Tensor> {
        let Config { heads, kv_heads, head, .. } = self.config;
        let m = q.dim(1)?;
        let (k, v) = cache.write(index, k, v)?;
        let len = k.dim(1)?;
        // Query heads that share a key head are rows of one product: [kv_heads, group * m, head].
        let q = (q.reshape((kv_heads, heads / kv_heads * m, head))? * (1.0 / (head as f64).sqrt()))?;
        let mut scores = q.matmul(&k.transpose(D::Minus1, D::Minus2)?)?;
        if let Some(mask) = mask {
            scores = scores.reshape((heads, m, len))?.broadcast_add(mask)?.reshape((kv_heads, (), len))?;
        }
        let mixed = ops::softmax_last_dim(&scores)?.matmul(&v)?;
        mixed.reshape((heads, m, head))?.transpose(0, 1)?.reshape((m, heads * head))
    }
}

/// `[m, before + m]`: 0 where a new token may look, −∞ at tokens after it.
fn causal(m: usize, before: usize) -> Result<Tensor> {
    let row = |i: usize| (0..before + m).map(move |j| if j > before + i { f32::NEG_INFINITY } else { 0.0 });
    Tensor::from_vec((0..m).flat_map(row).collect::<Vec<_>>(), (m, before + m), &Device::Cpu)
}

fn angles(config: &Config, factors: &[f32], positions: usize) -> Result<(Tensor, Tensor)> {
    let half = config.head / 2;
    let speeds: Vec<f64> = (0..half)
        .map(|i| {
            config.theta.powf(-2.0 * i as f64 / config.head as f64) / f64::from(factors[i]) / config.position_scale
        })
        .collect();
    let table = |f: fn(f64) -> f64| {
        let at = (0..positions).flat_map(|p| speeds.iter().map(move |s| f(p as f64 * s) as f32));
        Tensor::from_vec(at.collect::<Vec<_>>(), (positions, half), &Device::Cpu)
    };
    Ok((table(f64::cos)?, table(f64::sin)?))
}
