//! The plugin as its users meet it.

mod transcripts;
