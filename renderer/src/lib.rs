//! Turns what a model writes into what a sandbox can show: source text in, frames and diagnostics out.
//!
//! Owns the carriers that artifacts arrive in, the completion of unfinished source, the compilation of modules into cells,
//! the frames made of them, the artifact's style sheet, and all findings about source text. Knows nothing of packages on a
//! registry (it names specifiers, the server has them resolved), of sessions, or of browsers.
//!
//! Completing and compiling never fail: the answer is a value plus diagnostics.

mod address;
pub mod carrier;
pub mod check;
pub mod compile;
pub mod complete;
pub mod frame;
mod html;
pub mod kit_names;
mod lines;
pub mod source_map;
pub mod tailwind;
pub mod types_check;

pub use check::{Checked, check};
pub use compile::library::compile_library;
pub use compile::{Compiled, Options, compile};
pub use frame::{ArtifactStream, Step};
pub use kit_names::KitNames;
pub use source_map::SourceMaps;
