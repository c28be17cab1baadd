//! Mixture of LoRA above any backend: four specialists, the router that chooses one a turn, and the prompt each reads.
//!
//! Knows nothing of how a model runs or where a conversation is kept: it is handed the turns as plain data.

mod conversation;
mod mend;
mod profile;
mod prompt;
mod router;
mod talk;
pub mod view;

pub use conversation::{Piece, Turn, input_text, last_source};
pub use profile::Profile;
pub use prompt::{Ask, prompt};
pub use router::{Route, Router, explicit, owner};
pub use talk::Talk;
