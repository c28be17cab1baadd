//! Runs untrusted JavaScript in child processes, and programs that read hostile text under the same fences ([`Confined`]).
//!
//! Owns the [`Pool`] of children, the pipe to them, and what runs inside them ([`worker_main`]). The operating system is
//! the boundary: a child has no files, no network, no environment and a deadline after which it is killed; the
//! JavaScript engine's own limits only make the message better. Knows nothing of packages or artifacts: source goes in,
//! a JSON value comes out, and it must be believed no more than the source.

mod confine;
mod error;
mod pool;
mod wire;
mod worker;

pub use confine::Confined;
pub use error::IsolateError;
pub use pool::{Job, Limits, Pool};
pub use worker::{FENCES_MISSING, probe_main, worker_main};
