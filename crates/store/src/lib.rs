//! Where UI4A keeps things: content-addressed blobs in files, and everything else in one SQLite database.
//!
//! Owns the bytes on disk and their consistency: a blob is verified when read, an event is in the log before anyone sees
//! it, `seq` has no gaps. Knows nothing of HTTP, models, npm or rendering, and never starts anything.
//!
//! All calls block; an asynchronous caller moves them to a blocking thread.

pub mod blob;
pub mod db;
mod error;

pub use blob::Blobs;
pub use db::Db;
pub use error::StoreError;
