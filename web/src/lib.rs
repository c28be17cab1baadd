//! Pages, page scripts, the sandbox runtime and the component kit.
//!
//! Owns everything that is sent to a browser, as text embedded in the program. Knows nothing of HTTP, of databases or of
//! compilers: TypeScript leaves here as it was written, and the server compiles it with the renderer.

pub mod assets;
pub mod frame;
pub mod kit;
pub mod pages;
pub mod runtime;
