//! One forward pass of a Llama-family or Qwen2 decoder.
//!
//! Tokens and a cache in, logits out. Knows nothing of text, sampling, requests or threads. Follows the GGUF files'
//! conventions: weights `[out, in]`, optional biases on q, k and v, an output matrix that may be the embedding's own.

use super::{
    cache::KvCache,
    config::{Config, Rope},
    gguf::Gguf,
    weights::Weights,
};
use crate::EngineError;
use candle_core::{D, Device, Result, Tensor};
use candle_nn::{ops, rotary_emb};

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
    ffn_norm: Tensor,
    gate: Weights,
    up: Weights,
    down: Weights,
}

/// Where logits are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logits {
    /// Nowhere: the tokens are only read into the cache.
    None,
    /// After the last token: `[1, vocabulary]`.
    Last,
    /// After each token: `[tokens, vocabulary]`.
    All,
}

impl Linear {
    fn find(gguf: &Gguf, name: &str, rows: usize, columns: usize) -> Found<Self> {
        let weights = Weights::find(gguf, &format!("{name}.weight"), &[rows, columns])?;
        let bias = format!("{name}.bias");
        let bias = if gguf.tensor(&bias).is_some() { Some(vector(gguf, &bias, rows)?) } else { None };
        Ok(Self { weights, bias })
    }

    fn apply(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.weights.apply(x)?;
        match &self.bias {
            Some(bias) => y.broadcast_add(bias),
            None => Ok(y),
        }
    }
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
                ffn_norm: vector(gguf, &name("ffn_norm.weight"), hidden)?,
                gate: matrix(&name("ffn_gate.weight"), config.ffn, hidden)?,
                up: matrix(&name("ffn_up.weight"), config.ffn, hidden)?,
                down: matrix(&name("ffn_down.weight"), hidden, config.ffn)?,
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

    /// Reads `tokens` after those in `cache`, and says what might come next.
    ///
    /// # Errors
    /// When a token is outside the vocabulary or the cache has no room; the cache then holds what it held before.
    pub fn forward(&self, tokens: &[u32], cache: &mut KvCache, logits: Logits) -> Result<Option<Tensor>> {
        let (m, hidden, eps) = (tokens.len(), self.config.hidden, self.config.eps);
        if m == 0 || cache.len() + m > cache.capacity() {
            candle_core::bail!("{m} tokens do not go after {} into a cache of {}", cache.len(), cache.capacity());
        }
        let mask = if m > 1 { Some(causal(m, cache.len())?) } else { None };
        let cos = self.cos.narrow(0, cache.len(), m)?;
        let sin = self.sin.narrow(0, cache.len(), m)?;
        let mut x = Tensor::from_vec(self.embedding.gather(tokens)?, (m, hidden), &Device::Cpu)?;
        for (i, layer) in self.layers.iter().enumerate() {
            let normed = ops::rms_norm(&x, &layer.attention_norm, eps)?;
            let mixed = self.attend(i, layer, &normed, cache, (&cos, &sin), mask.as_ref())?;
            x = (x + mixed)?;
            let normed = ops::rms_norm(&x, &layer.ffn_norm, eps)?;
            let gated = (ops::silu(&layer.gate.apply(&normed)?)? * layer.up.apply(&normed)?)?;
            x = (x + layer.down.apply(&gated)?)?;
        }
        cache.advance(m);
        let x = match logits {
            Logits::None => return Ok(None),
            Logits::Last => x.narrow(0, m - 1, 1)?.contiguous()?,
            Logits::All => x,
        };
        self.output.apply(&ops::rms_norm(&x, &self.norm, eps)?).map(Some)
    }

    fn attend(
        &self,
        index: usize,
        layer: &Layer,
        x: &Tensor,
        cache: &KvCache,
        (cos, sin): (&Tensor, &Tensor),
        mask: Option<&Tensor>,
    ) -> Result<Tensor> {
        let Config { heads, kv_heads, head, .. } = self.config;
        let m = x.dim(0)?;
        // [m, heads * head] to [heads, m, head].
        let split = |t: Tensor, heads: usize| t.reshape((m, heads, head))?.transpose(0, 1)?.contiguous();
        let rotate = |t: Tensor| -> Result<Tensor> {
            let t = t.unsqueeze(0)?;
            match self.config.rope {
                Rope::Interleaved => rotary_emb::rope_i(&t, cos, sin)?,
                Rope::Halves => rotary_emb::rope(&t, cos, sin)?,
            }
            .squeeze(0)
        };
        let q = rotate(split(layer.q.apply(x)?, heads)?)?;
        let k = rotate(split(layer.k.apply(x)?, kv_heads)?)?;
        let v = split(layer.v.apply(x)?, kv_heads)?;
        let (k, v) = cache.write(index, &k, &v)?;
        let len = k.dim(1)?;
        // Query heads that share a key head are rows of one product: [kv_heads, group * m, head].
        let q = (q.reshape((kv_heads, heads / kv_heads * m, head))? * (1.0 / (head as f64).sqrt()))?;
        let mut scores = q.matmul(&k.transpose(D::Minus1, D::Minus2)?)?;
        if let Some(mask) = mask {
            scores = scores.reshape((heads, m, len))?.broadcast_add(mask)?.reshape((kv_heads, (), len))?;
        }
        let mixed = ops::softmax_last_dim(&scores)?.matmul(&v)?;
        let mixed = mixed.reshape((heads, m, head))?.transpose(0, 1)?.reshape((m, heads * head))?;
        layer.o.apply(&mixed)
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
