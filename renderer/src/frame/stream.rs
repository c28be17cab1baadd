//! One revision of an artifact while it is written: deltas in, frames out.
//!
//! Each frame is a patch on the one before. When what there is cannot be shown, the last good frame stays. The cost of a
//! frame follows what changed: statements that stand are lowered once.

use crate::compile::{Compiled, Compiler, Options};
use std::collections::BTreeMap;
use ui4a_types::frame::FrameState;
use ui4a_types::{Diagnostic, Frame, ImportUse, Kind};

/// One revision being written.
pub struct ArtifactStream {
    options: Options,
    compiler: Compiler,
    source: String,
    /// What the viewer has.
    shown: FrameState,
    compiled: Compiled,
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
    pub imports: BTreeMap<String, ImportUse>,
    /// What was found in the source so far.
    pub diagnostics: Vec<Diagnostic>,
}

impl ArtifactStream {
    /// A revision that starts from `base`, the last frame shown of the revision before.
    pub fn new(options: Options, base: Option<FrameState>) -> Self {
        Self {
            options,
            compiler: Compiler::new(),
            source: String::new(),
            shown: base.unwrap_or_default(),
            compiled: Compiled::default(),
            seen: None,
        }
    }

    /// Adds source text. Nothing is compiled.
    pub fn push(&mut self, delta: &str) {
        self.source.push_str(delta);
    }

    /// Compiles what there is. `complete` says that the revision is whole: then names and exports are judged too.
    pub fn frame(&mut self, complete: bool) -> Step {
        if self.seen == Some((self.source.len(), complete)) {
            return self.step(None);
        }
        self.seen = Some((self.source.len(), complete));
        let compiled = match self.options.kind {
            Kind::Tsx => self.compiler.compile(&self.source, &self.options, complete),
            kind => crate::html::compile(&self.source, kind, complete),
        };
        if !compiled.ok {
            // The last good frame stays; what is wrong is said all the same.
            self.compiled.diagnostics = compiled.diagnostics;
            return self.step(None);
        }
        let patch = self.shown.patch_to(&compiled.state);
        self.shown = compiled.state.clone();
        self.compiled = compiled;
        self.step((patch != Frame::default()).then_some(patch))
    }

    fn step(&self, patch: Option<Frame>) -> Step {
        Step {
            patch,
            ok: self.compiled.ok,
            imports: self.compiled.imports.clone(),
            diagnostics: self.compiled.diagnostics.clone(),
        }
    }

    /// All source text so far.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The state that all patches so far add up to.
    pub fn state(&self) -> &FrameState {
        &self.shown
    }

    /// What was last compiled, with the state of the last good frame.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }
}
