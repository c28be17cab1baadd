//! What is sent to browsers, compiled when the program starts: page scripts, the sandbox document and the kit.
//!
//! `web` only holds sources; here the renderer compiles them and the proxy gets the kit as a package of its own.

use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use ui4a_registry_proxy::OwnPackage;
use ui4a_renderer::{KitNames, compile_library, tailwind};
use ui4a_web::{assets, frame, kit, runtime};

/// A page script or style sheet, ready to be served.
#[derive(Clone, Debug)]
pub struct Asset {
    /// Its `Content-Type`.
    pub content_type: &'static str,
    /// Its text.
    pub text: String,
}

/// Everything compiled.
pub struct Runtime {
    /// Page scripts and style sheets by path below `/assets/`.
    pub assets: BTreeMap<&'static str, Asset>,
    /// The sandbox document.
    pub frame: String,
    /// The sandbox runtime as one script.
    pub script: String,
    /// Style sheet that every sandbox starts with: reset, tokens and the kit's classes.
    pub css: String,
    /// The kit's names by specifier.
    pub kit_names: Arc<KitNames>,
    /// The kit as a package.
    pub kit: OwnPackage,
}

impl Runtime {
    /// Compiles all of it: some tens of milliseconds.
    ///
    /// # Errors
    /// One of our own sources does not compile; a fault of this program, told with its file and line.
    pub fn compile() -> Result<Self> {
        let assets = assets::assets().iter().map(|asset| {
            let text = if asset.typescript { library(asset.text, asset.file)? } else { asset.text.to_owned() };
            Ok((asset.path, Asset { content_type: asset.content_type, text }))
        });
        let assets = assets.collect::<Result<_>>()?;
        let script = library(&runtime::source(), runtime::FILE_NAME)?;
        let sources = kit::files();
        let classes: BTreeSet<String> = sources.values().flat_map(|source| tailwind::classes(source)).collect();
        let css = format!("{}\n{}\n{}", tailwind::base_css(), kit::tokens_css(), tailwind::css(&classes));
        let mut files = BTreeMap::new();
        for (path, source) in &sources {
            files.insert(kit::compiled_path(path), library(source, path)?);
        }
        let kit = OwnPackage {
            name: kit::NAME.to_owned(),
            files,
            entries: kit::entries(),
            dependencies: kit::dependencies(),
            inlined: kit::inlined(),
            aliases: kit::aliases(),
        };
        let kit_names = Arc::new(KitNames::new(kit::manifest()));
        Ok(Self { assets, frame: frame::frame_document(&script, &css, "UI4A")?, script, css, kit_names, kit })
    }
}

fn library(source: &str, file: &str) -> Result<String> {
    match compile_library(source, file) {
        Ok(code) => Ok(code),
        Err(found) => {
            let first = found.first().map(|first| format!("{}:{}: {}", first.line, first.column, first.message));
            bail!("{file}:{}", first.unwrap_or_else(|| " does not compile".to_owned()))
        }
    }
}
