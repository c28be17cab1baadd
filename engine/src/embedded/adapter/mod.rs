//! LoRA adapters as PEFT writes them: a folder with `adapter_config.json` and `adapter_model.safetensors`.
//!
//! Owns what such a folder means to a decoder of a given shape. What would change an answer and cannot be honoured is
//! refused by its name; nothing is skipped. An [`Adapter`] is one generation: it is named by the hash of its bytes and
//! never changes, so whoever holds it finishes with it, whatever is loaded under the same name meanwhile.

mod delta;
mod settings;

pub use delta::Delta;

use super::config::{Config, Rope};
use crate::EngineError;
use half::f16;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use settings::Settings;
use sha2::{Digest as _, Sha256};
use std::{collections::BTreeMap, path::Path};

/// Bytes of a weights file that are read: rank 256 on every matrix of an 8B model is less.
const MOST_BYTES: u64 = 2 << 30;
/// Bytes of `adapter_config.json` that are read.
const MOST_SETTINGS: u64 = 1 << 20;
const SETTINGS_FILE: &str = "adapter_config.json";
const WEIGHTS_FILE: &str = "adapter_model.safetensors";

/// A matrix of a layer that an adapter may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Queries.
    Q,
    /// Keys.
    K,
    /// Values.
    V,
    /// What attention gives back.
    O,
    /// The gate of the feed-forward layer.
    Gate,
    /// Its way up.
    Up,
    /// Its way down.
    Down,
}

impl Target {
    const ALL: [Self; 7] = [Self::Q, Self::K, Self::V, Self::O, Self::Gate, Self::Up, Self::Down];

    /// The module's name in a checkpoint.
    fn module(self) -> &'static str {
        match self {
            Self::Q => "self_attn.q_proj",
            Self::K => "self_attn.k_proj",
            Self::V => "self_attn.v_proj",
            Self::O => "self_attn.o_proj",
            Self::Gate => "mlp.gate_proj",
            Self::Up => "mlp.up_proj",
            Self::Down => "mlp.down_proj",
        }
    }

    /// `(out, in)` of its matrix.
    fn shape(self, config: &Config) -> (usize, usize) {
        let (q, kv) = (config.heads * config.head, config.kv_heads * config.head);
        match self {
            Self::Q => (q, config.hidden),
            Self::K | Self::V => (kv, config.hidden),
            Self::O => (config.hidden, q),
            Self::Gate | Self::Up => (config.ffn, config.hidden),
            Self::Down => (config.hidden, config.ffn),
        }
    }
}

/// One generation of an adapter.
pub struct Adapter {
    generation: String,
    rank: usize,
    bytes: u64,
    deltas: BTreeMap<(usize, Target), Delta>,
}

impl Adapter {
    /// Reads the folder `dir` for a model of this shape.
    ///
    /// # Errors
    /// [`EngineError::Io`] when a file cannot be read, [`EngineError::BrokenAdapter`] when it is damaged, made for
    /// another shape, or wants what is not done here.
    pub fn open(dir: &Path, config: &Config) -> Result<Self, EngineError> {
        let broken = |reason: String| EngineError::BrokenAdapter { path: dir.into(), reason };
        let text = read(&dir.join(SETTINGS_FILE), MOST_SETTINGS)?;
        let weights = read(&dir.join(WEIGHTS_FILE), MOST_BYTES)?;
        let settings = Settings::read(&text).map_err(broken)?;
        let mut hash = Sha256::new();
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(&text);
        hash.update(&weights);
        let generation = hex::encode(hash.finalize());
        let deltas = deltas(&weights, &settings, config).map_err(broken)?;
        Ok(Self { generation, rank: settings.rank, bytes: weights.len() as u64, deltas })
    }

    /// The hash of its bytes.
    pub fn generation(&self) -> &str {
        &self.generation
    }

    /// Its rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Bytes of its weights on disk.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What it adds to a matrix, if anything.
    pub fn delta(&self, layer: usize, target: Target) -> Option<&Delta> {
        self.deltas.get(&(layer, target))
    }
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, EngineError> {
    let size = std::fs::metadata(path).map_err(|e| EngineError::io(path, e))?.len();
    if size > most {
        let reason = format!("it has {size} bytes, and at most {most} are read");
        return Err(EngineError::BrokenAdapter { path: path.into(), reason });
    }
    std::fs::read(path).map_err(|e| EngineError::io(path, e))
}

fn deltas(weights: &[u8], settings: &Settings, config: &Config) -> Result<BTreeMap<(usize, Target), Delta>, String> {
    let file = SafeTensors::deserialize(weights).map_err(|e| format!("{WEIGHTS_FILE} cannot be read: {e}"))?;
    let mut downs = BTreeMap::new();
    let mut ups = BTreeMap::new();
    for (name, tensor) in file.iter() {
        let (layer, target, down) = place(name)
            .filter(|(layer, ..)| *layer < config.layers)
            .ok_or_else(|| format!("its tensor `{name}` is for no matrix that is adapted here"))?;
        let (out, into) = target.shape(config);
        let wanted = if down { [settings.rank, into] } else { [out, settings.rank] };
        if tensor.shape() != wanted {
            return Err(format!("its tensor `{name}` is {:?}, and this model needs {wanted:?}", tensor.shape()));
        }
        let numbers = numbers(&tensor).map_err(|why| format!("its tensor `{name}` {why}"))?;
        let into = if down { &mut downs } else { &mut ups };
        into.insert((layer, target), numbers);
    }
    if downs.is_empty() || downs.keys().ne(ups.keys()) {
        return Err("its tensors `lora_A` and `lora_B` do not come in pairs".into());
    }
    let mut deltas = BTreeMap::new();
    for (((layer, target), down), up) in downs.into_iter().zip(ups.into_values()) {
        let (out, into) = target.shape(config);
        // Files of the Llama family hold q and k with the rows of each head interleaved; a checkpoint has them in halves.
        let interleaved = config.rope == Rope::Interleaved && matches!(target, Target::Q | Target::K);
        let up = if interleaved { interleave(&up, config.head, settings.rank) } else { up };
        deltas.insert((layer, target), Delta::new(down, &up, (settings.rank, into, out), settings.scale));
    }
    Ok(deltas)
}

/// The layer, the matrix, and whether it is `lora_A`.
fn place(name: &str) -> Option<(usize, Target, bool)> {
    let rest = name.strip_prefix("base_model.model.").unwrap_or(name);
    let rest = rest.strip_prefix("model.").unwrap_or(rest).strip_prefix("layers.")?;
    let (layer, rest) = rest.split_once('.')?;
    let target = Target::ALL.into_iter().find(|target| rest.starts_with(&format!("{}.", target.module())))?;
    let down = match rest.strip_prefix(target.module())? {
        ".lora_A.weight" | ".lora_A.default.weight" => true,
        ".lora_B.weight" | ".lora_B.default.weight" => false,
        _ => return None,
    };
    Some((layer.parse().ok()?, target, down))
}

/// A tensor's numbers, rounded to 16 bits: half the memory that a step has to read.
fn numbers(tensor: &TensorView<'_>) -> Result<Vec<f16>, String> {
    let data = tensor.data();
    let numbers: Vec<f16> = match tensor.dtype() {
        Dtype::F16 => data.chunks_exact(2).map(|b| f16::from_le_bytes([b[0], b[1]])).collect(),
        Dtype::BF16 => {
            data.chunks_exact(2).map(|b| f16::from_f32(half::bf16::from_le_bytes([b[0], b[1]]).to_f32())).collect()
        }
        Dtype::F32 => {
            data.chunks_exact(4).map(|b| f16::from_f32(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))).collect()
        }
        other => return Err(format!("is stored as {other:?}, and F32, F16 and BF16 are read")),
    };
    match numbers.iter().all(|n| n.is_finite()) {
        true => Ok(numbers),
        false => Err("holds a number that is none, or is beyond 65504".into()),
    }
}

/// Row `(head, part, i)` of halves becomes row `(head, i, part)`.
fn interleave(rows: &[f16], head: usize, columns: usize) -> Vec<f16> {
    let mut out = Vec::with_capacity(rows.len());
    for block in rows.chunks_exact(head * columns) {
        for row in 0..head {
            let from = (row % 2) * (head / 2) + row / 2;
            out.extend_from_slice(&block[from * columns..(from + 1) * columns]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_are_found_by_the_names_that_peft_writes() {
        let name = "base_model.model.model.layers.3.mlp.down_proj.lora_B.weight";
        assert_eq!(place(name), Some((3, Target::Down, false)));
        let older = "base_model.model.model.layers.0.self_attn.q_proj.lora_A.default.weight";
        assert_eq!(place(older), Some((0, Target::Q, true)));
        for other in [
            "base_model.model.lm_head.lora_A.weight",
            "base_model.model.model.embed_tokens.lora_embedding_A",
            "base_model.model.model.layers.x.self_attn.q_proj.lora_A.weight",
            "base_model.model.model.layers.0.self_attn.q_proj.lora_magnitude_vector",
        ] {
            assert_eq!(place(other), None, "{other}");
        }
    }

    #[test]
    fn halves_become_pairs() {
        let rows: Vec<f16> = (0..8).map(|i| f16::from_f32(i as f32)).collect();
        let pairs: Vec<f32> = interleave(&rows, 4, 1).iter().map(|n| n.to_f32()).collect();
        assert_eq!(pairs, [0.0, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0]);
    }
}
