//! The numbers that shape a decoder, read from a model file's metadata.
//!
//! Knows the three families that run and refuses others by name; knows nothing of tensors' bytes.

use super::gguf::Gguf;
use crate::EngineError;

/// How rotary embedding pairs the numbers of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rope {
    /// `(0,1) (2,3) …`: Llama files, whose q and k rows were permuted for it.
    Interleaved,
    /// `(0,d/2) (1,d/2+1) …`: Qwen files.
    Halves,
}

/// A decoder's shape.
#[derive(Clone, Debug)]
pub struct Config {
    /// Layers.
    pub layers: usize,
    /// Numbers in a hidden state.
    pub hidden: usize,
    /// Numbers in the feed-forward layer.
    pub ffn: usize,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; divides `heads`.
    pub kv_heads: usize,
    /// Numbers in a head.
    pub head: usize,
    /// Tokens that the model was trained to see together.
    pub context: usize,
    /// Added under the root of the RMS norm.
    pub eps: f32,
    /// Rotary pairing.
    pub rope: Rope,
    /// Whether each head's query and key are normed before they are rotated.
    pub head_norm: bool,
    /// Rotary base.
    pub theta: f64,
    /// Positions are divided by this (linear scaling); 1 for none.
    pub position_scale: f64,
}

/// No published model of these families is larger in any of these; keeps products far from overflow.
const LARGEST: usize = 1 << 20;

impl Config {
    /// Reads the shape of `gguf`.
    ///
    /// # Errors
    /// [`EngineError::BrokenModel`] when the architecture is another one, or a number is missing or senseless.
    pub fn read(gguf: &Gguf) -> Result<Self, EngineError> {
        let arch = gguf
            .text("general.architecture")
            .ok_or_else(|| gguf.broken("`general.architecture` is missing from its metadata"))?;
        let (rope, head_norm) = match arch {
            "llama" => (Rope::Interleaved, false),
            "qwen2" => (Rope::Halves, false),
            "qwen3" => (Rope::Halves, true),
            other => {
                let reason =
                    format!("its architecture is `{other}`, and the embedded engine runs `llama`, `qwen2` and `qwen3`");
                return Err(gguf.broken(reason));
            }
        };
        let key = |name: &str| format!("{arch}.{name}");
        let need = |name: &str| gguf.need_int(&key(name));
        let heads = need("attention.head_count")?;
        let hidden = need("embedding_length")?;
        let head = gguf.int(&key("attention.key_length")).unwrap_or(hidden.checked_div(heads).unwrap_or(0));
        let config = Self {
            layers: need("block_count")?,
            hidden,
            ffn: need("feed_forward_length")?,
            heads,
            kv_heads: gguf.int(&key("attention.head_count_kv")).unwrap_or(heads),
            head,
            context: need("context_length")?,
            eps: gguf
                .float(&key("attention.layer_norm_rms_epsilon"))
                .ok_or_else(|| gguf.broken(format!("`{arch}.attention.layer_norm_rms_epsilon` is missing")))?
                as f32,
            rope,
            head_norm,
            theta: gguf.float(&key("rope.freq_base")).unwrap_or(10_000.0),
            position_scale: match gguf.text(&key("rope.scaling.type")) {
                None | Some("none") => 1.0,
                Some("linear") => gguf.float(&key("rope.scaling.factor")).unwrap_or(1.0),
                Some(other) => return Err(gguf.broken(format!("its rope scaling `{other}` is not supported"))),
            },
        };
        config.check(gguf, arch)?;
        Ok(config)
    }

    /// Bytes of the keys and values of one token.
    pub fn token_bytes(&self) -> usize {
        2 * size_of::<f32>() * self.layers * self.kv_heads * self.head
    }

    fn check(&self, gguf: &Gguf, arch: &str) -> Result<(), EngineError> {
        let sizes = [self.layers, self.hidden, self.ffn, self.heads, self.kv_heads, self.head];
        let senseless = if sizes.iter().any(|n| *n == 0 || *n > LARGEST) || self.context == 0 {
            Some("one of its sizes is zero or beyond any model".to_owned())
        } else if !self.heads.is_multiple_of(self.kv_heads) || !self.head.is_multiple_of(2) {
            Some(format!("{} heads of {} do not go with {} key heads", self.heads, self.head, self.kv_heads))
        } else if gguf.int(&format!("{arch}.rope.dimension_count")).is_some_and(|n| n != self.head) {
            Some("it rotates only a part of each head, which is not supported".to_owned())
        } else if gguf.int(&format!("{arch}.attention.value_length")).is_some_and(|n| n != self.head) {
            Some("its keys and values differ in length, which is not supported".to_owned())
        } else if !(self.theta > 0.0 && self.position_scale > 0.0 && self.eps > 0.0) {
            Some("its rope or norm constants are not positive".to_owned())
        } else if gguf.int(&format!("{arch}.expert_count")).is_some_and(|n| n > 0) {
            Some("it is a mixture of experts, which is not supported".to_owned())
        } else {
            None
        };
        senseless.map_or(Ok(()), |reason| Err(gguf.broken(reason)))
    }
}
