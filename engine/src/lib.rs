//! The MoL engine and the model backends.
//!
//! Owns everything between a conversation and a stream of model text: the [`Backend`] trait, the embedded engine
//! ([`embedded`]), OpenAI-compatible servers ([`openai`]), the catalogue of model files ([`models`]) and the
//! Mixture-of-LoRA layer above any backend ([`mol`]). It knows nothing of artifacts, frames, sessions on disk or HTTP
//! routes: text goes in, text comes out.

pub mod backend;
pub mod embedded;
pub mod error;
pub mod models;
pub mod mol;
pub mod openai;
pub mod tools;

pub use backend::{
    AdapterInfo, Backend, Chunk, Grammar, Load, Message, Request, Role, ScorePrompt, StopReason, ToolCall, Weighed,
    Weight,
};
pub use error::EngineError;
pub use openai::OpenAi;
pub use tools::{Tool, ToolChoice, Tools};
