//! Files that are damaged, cut short or made to do harm.

use super::*;
use crate::embedded::{EmbeddedOptions, Model};

/// Writes GGUF files, right ones and wrong ones.
#[derive(Clone, Default)]
struct Builder {
    keys: Vec<Vec<u8>>,
    tensors: Vec<Vec<u8>>,
    data: Vec<u8>,
}

fn text(s: &str) -> Vec<u8> {
    [&(s.len() as u64).to_le_bytes(), s.as_bytes()].concat()
}

impl Builder {
    fn key(mut self, name: &str, kind: u32, value: &[u8]) -> Self {
        self.keys.push([&text(name)[..], &kind.to_le_bytes(), value].concat());
        self
    }

    fn int(self, name: &str, value: u32) -> Self {
        self.key(name, 4, &value.to_le_bytes())
    }

    fn tensor(mut self, name: &str, dims: &[u64], kind: u32, offset: u64) -> Self {
        let dims: Vec<u8> = dims.iter().flat_map(|d| d.to_le_bytes()).collect();
        let count = (dims.len() as u32 / 8).to_le_bytes();
        self.tensors.push([&text(name)[..], &count, &dims, &kind.to_le_bytes(), &offset.to_le_bytes()].concat());
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let counts = [self.tensors.len() as u64, self.keys.len() as u64].map(u64::to_le_bytes).concat();
        let mut file = [b"GGUF", &3u32.to_le_bytes()[..], &counts].concat();
        self.keys.iter().chain(&self.tensors).for_each(|part| file.extend_from_slice(part));
        file.resize(file.len().next_multiple_of(32), 0);
        file.extend_from_slice(&self.data);
        file
    }

    /// A file that is right as far as it goes.
    fn llama() -> Self {
        let mut builder = Self::default()
            .key("general.architecture", 8, &text("llama"))
            .int("llama.block_count", 1)
            .int("llama.context_length", 64)
            .int("llama.embedding_length", 32)
            .int("llama.feed_forward_length", 32)
            .int("llama.attention.head_count", 2)
            .key("llama.attention.layer_norm_rms_epsilon", 6, &1e-5f32.to_le_bytes())
            .key("tokenizer.ggml.tokens", 9, &[&8u32.to_le_bytes()[..], &1u64.to_le_bytes(), &text("a")].concat())
            .tensor("token_embd.weight", &[32, 4], 0, 0);
        builder.data = vec![0; 32 * 4 * 4];
        builder
    }
}

/// What opening these bytes as a model says.
fn refusal(bytes: &[u8]) -> String {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("it is written");
    match Model::open(file.path(), &EmbeddedOptions::default()) {
        Err(e @ EngineError::BrokenModel { .. }) => e.to_string(),
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("it opened"),
    }
}

#[track_caller]
fn refused(bytes: &[u8], reason: &str) {
    let said = refusal(bytes);
    assert!(said.contains(reason), "{said}");
    assert!(said.contains("ui4a model pull"), "it does not say what to do: {said}");
}

#[test]
fn what_is_no_model_file_is_said() {
    refused(b"", "cut short");
    refused(b"<!doctype html><title>404</title>", "GGUF");
    refused(&[b"GGUF", &9u32.to_le_bytes()[..]].concat(), "version 9");
    let folder = tempfile::tempdir().expect("a folder");
    let said = Model::open(folder.path(), &EmbeddedOptions::default()).err().expect("a folder is no model").to_string();
    assert!(said.contains("not a file"), "{said}");
    let missing = Model::open(&folder.path().join("none.gguf"), &EmbeddedOptions::default());
    assert!(matches!(missing, Err(EngineError::Io { .. })));
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let whole = Builder::llama().bytes();
    for end in 0..whole.len() {
        refusal(&whole[..end]);
    }
}

#[test]
fn a_byte_changed_anywhere_never_brings_it_down() {
    let whole = Builder::llama().bytes();
    for at in 0..whole.len() - 512 {
        for value in [0, 0x7f, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            refusal(&bytes);
        }
    }
}

#[test]
fn claims_beyond_the_file_take_no_memory() {
    let huge = u64::MAX.to_le_bytes();
    refused(&[b"GGUF", &3u32.to_le_bytes()[..], &huge, &huge].concat(), "claims");
    let long = Builder::default().key("general.name", 8, &huge).bytes();
    refused(&long, "cut short");
    let array = [&8u32.to_le_bytes()[..], &huge].concat();
    refused(&Builder::default().key("tokenizer.ggml.tokens", 9, &array).bytes(), "claims");
    let nested = [&9u32.to_le_bytes()[..], &1u64.to_le_bytes()].concat();
    refused(&Builder::default().key("x", 9, &nested).bytes(), "array of arrays");
    refused(&Builder::llama().tensor("big", &[1 << 40, 1 << 40], 0, 0).bytes(), "too many elements");
    refused(&Builder::llama().tensor("far", &[32], 0, 1 << 62).bytes(), "cut short");
    refused(&Builder::llama().int("llama.block_count", u32::MAX).bytes(), "beyond any model");
}

#[test]
fn what_does_not_run_is_named() {
    refused(&Builder::llama().tensor("w", &[256, 2], 23, 0).bytes(), "IQ4_XS");
    refused(&Builder::llama().tensor("w", &[100], 12, 0).bytes(), "do not fill");
    let other = Builder::default().key("general.architecture", 8, &text("gemma3"));
    refused(&other.bytes(), "`gemma3`");
    refused(&Builder::default().bytes(), "`general.architecture` is missing");
    refused(&Builder::llama().key("llama.rope.scaling.type", 8, &text("yarn")).bytes(), "`yarn`");
    refused(&Builder::llama().int("llama.attention.head_count", 0).bytes(), "zero");
    refused(&Builder::llama().bytes(), "`blk.0.attn_norm.weight` is missing");
}
