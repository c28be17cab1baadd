//! Frames of a revision that is being written.

mod stream;

pub use stream::{ArtifactStream, Step};
