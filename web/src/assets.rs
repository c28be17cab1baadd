//! The scripts and style sheets of the host pages, as `build.rs` found them in `page/` and `host/`.
//!
//! Owns the list and each file's public name. Knows nothing of compiling or caching them.

/// One file that the server serves at `/assets/{path}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Where it is served, below `/assets/`: `page/main.js` for `page/main.ts`.
    pub path: &'static str,
    /// The file in this folder, for diagnostics: `page/main.ts`.
    pub file: &'static str,
    /// The `Content-Type` of what is served.
    pub content_type: &'static str,
    /// The text as written.
    pub text: &'static str,
    /// Whether `text` is TypeScript that must be compiled to an ES module before it is served. Erasable syntax only.
    pub typescript: bool,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The asset that is served at `/embed.js` too: the script that other pages use to embed an artifact.
pub const EMBED_SCRIPT: &str = "page/embed-loader.js";

/// All of them, ordered by path.
pub fn assets() -> &'static [Asset] {
    ASSETS
}

/// The asset that is served at `/assets/{path}`.
pub fn asset(path: &str) -> Option<&'static Asset> {
    ASSETS.binary_search_by(|asset| asset.path.cmp(path)).ok().map(|at| &ASSETS[at])
}
