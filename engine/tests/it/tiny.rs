//! The tiny random models of `tests/fixtures/engine/tiny`, and what torch, transformers and peft said of them.

use serde::Deserialize;
use std::{collections::BTreeMap, path::PathBuf};
use ui4a_engine::embedded::{Embedded, EmbeddedOptions, Model};

/// The families.
pub const FAMILIES: [&str; 3] = ["llama", "qwen2", "qwen3"];

/// `expected.json`.
#[derive(Deserialize)]
pub struct Expected {
    /// What was read.
    pub ids: Vec<u32>,
    /// Numbers a token.
    pub vocabulary: usize,
    /// By family, then by what was asked: logits by token.
    pub models: BTreeMap<String, BTreeMap<String, Vec<Vec<f32>>>>,
}

/// What the reference said.
pub fn expected() -> Expected {
    serde_json::from_str(include_str!("../../../tests/fixtures/engine/tiny/expected.json")).expect("it is JSON")
}

/// A file or folder of the fixtures.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/engine/tiny").join(name)
}

/// A model without a thread.
pub fn model(name: &str) -> Model {
    Model::open(&path(name), &EmbeddedOptions { threads: Some(2), ..Default::default() }).expect("the model opens")
}

/// A model that answers.
pub fn embedded(name: &str, options: EmbeddedOptions) -> Embedded {
    Embedded::open(&path(name), EmbeddedOptions { threads: Some(2), ..options }).expect("the model opens")
}
