//! The embedded engine: one decoder over a mapped GGUF file.
