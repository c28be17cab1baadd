//! One revision of an artifact while it is written: deltas in, frames out.
//!
//! Each frame is a patch on the one before. When what there is cannot be shown, the last good frame stays. The cost of a
//! frame follows what is open: statements that are over are compiled once, and text that shows nothing costs nothing.

use crate::compile::{Live, Options, Outcome};
use crate::complete::Completer;
use crate::html::TextCompiler;
use crate::source_map::SourceMaps;
use crate::types_check::Module;
use std::collections::BTreeMap;
use std::sync::Arc;
use ui4a_types::frame::FrameState;
use ui4a_types::{Diagnostic, Frame, ImportUse, Kind};

/// One revision being written.
pub struct ArtifactStream {
    options: Options,
    live: Live,
    texts: TextCompiler,
    completer: Completer,
    /// What the viewer has.
    shown: FrameState,
    ok: bool,
    imports: Arc<BTreeMap<String, ImportUse>>,
    /// Addresses of pictures and the like in the strings of a module that goes on, and up to where it was looked for them.
    assets: BTreeMap<String, ImportUse>,
    looked: usize,
    diagnostics: Arc<Vec<Diagnostic>>,
    /// Import statements that were supplied, where it was compiled as whole.
    supplied: Vec<String>,
    /// The maps of the last good frame, where it was compiled as whole.
    map: Option<SourceMaps>,
    /// Length of the source that was last compiled, and whether it was compiled as whole.
    seen: Option<(usize, bool)>,
}

/// What one call of [`ArtifactStream::frame`] gives.
#[derive(Clone, Debug)]
pub struct Step {
    /// The patch on the frame before. `None` when nothing changed, or when the last good frame is kept.
    pub patch: Option<Frame>,
    /// Whether something good is shown: this frame compiled, or one before it did.
    pub ok: bool,
    /// What is imported so far: specifiers whose statement is whole.
    pub imports: Arc<BTreeMap<String, ImportUse>>,
    /// What was found in the source so far.
    pub diagnostics: Arc<Vec<Diagnostic>>,
}

impl ArtifactStream {
    /// A revision that starts from `base`, the last frame shown of the revision before.
    pub fn new(options: Options, base: Option<FrameState>) -> Self {
        Self {
            options,
            live: Live::new(),
            texts: TextCompiler::default(),
            assets: BTreeMap::new(),
            looked: 0,
            completer: Completer::new(),
            shown: base.unwrap_or_default(),
            ok: false,
            imports: Arc::default(),
            diagnostics: Arc::default(),
            supplied: Vec::new(),
            map: None,
            seen: None,
        }
    }

    /// Adds source text. It is read once; nothing is compiled.
    pub fn push(&mut self, delta: &str) {
        self.completer.push(delta);
    }

    /// Compiles what there is. `complete` says that the revision is whole: then names and exports are judged too.
    pub fn frame(&mut self, complete: bool) -> Step {
        let seen = Some((self.source().len(), complete));
        let patch = if self.seen == seen {
            None
        } else if self.options.kind == Kind::Tsx && !complete {
            self.part()
        } else {
            self.whole(complete)
        };
        self.seen = seen;
        Step {
            patch: patch.filter(|patch| *patch != Frame::default()),
            ok: self.ok,
            imports: Arc::clone(&self.imports),
            diagnostics: Arc::clone(&self.diagnostics),
        }
    }

    /// A frame of a module that goes on.
    fn part(&mut self) -> Option<Frame> {
        if self.seen.is_some_and(|(_, complete)| complete) {
            // It was compiled as whole in between.
            self.live.compare_all();
            self.completer.forget();
        }
        let patch = match self.live.frame(&mut self.completer, &self.options, &mut self.shown) {
            Outcome::Same => None,
            Outcome::Failed(diagnostics) => {
                // The last good frame stays; what is wrong is said all the same.
                self.diagnostics = Arc::new(diagnostics);
                return None;
            }
            Outcome::Shown(patch) => {
                (self.ok, self.map) = (true, None);
                Some(patch)
            }
        };
        if self.map.is_none() && self.live.is_shown() {
            (self.imports, self.diagnostics) = self.live.told(self.completer.source());
        }
        self.look_for_assets();
        patch
    }

    /// Adds the addresses in what was written since. They are asked for while the rest is written.
    fn look_for_assets(&mut self) {
        let source = self.completer.source();
        self.assets.extend(crate::address::in_module(source, self.looked));
        self.looked = source.len();
        if self.assets.keys().any(|key| !self.imports.contains_key(key)) {
            let mut imports = (*self.imports).clone();
            imports.extend(self.assets.clone());
            self.imports = Arc::new(imports);
        }
    }

    /// A frame of the source as one piece.
    fn whole(&mut self, complete: bool) -> Option<Frame> {
        let source = self.completer.source();
        let compiled = match self.options.kind {
            Kind::Tsx => self.live.whole(source, &self.options),
            kind => self.texts.compile(source, kind, complete),
        };
        self.diagnostics = Arc::new(compiled.diagnostics);
        if !compiled.ok {
            return None;
        }
        let patch = self.shown.patch_to(&compiled.state);
        self.shown = compiled.state;
        (self.ok, self.map) = (true, Some(compiled.map));
        self.supplied = compiled.supplied;
        if *self.imports != compiled.imports {
            self.imports = Arc::new(compiled.imports);
        }
        Some(patch)
    }

    /// All source text so far.
    pub fn source(&self) -> &str {
        self.completer.source()
    }

    /// The state that all patches so far add up to.
    pub fn state(&self) -> &FrameState {
        &self.shown
    }

    /// The whole module, for a type check.
    pub fn module(&self) -> Module {
        Module::of(self.source(), &self.supplied, &self.diagnostics, self.ok)
    }

    /// From positions in the cells of the last good frame to positions in the source. Made when asked for.
    pub fn maps(&self) -> SourceMaps {
        self.map.clone().unwrap_or_else(|| self.live.maps(self.source()))
    }
}
