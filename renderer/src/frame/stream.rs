//! One revision of an artifact while it is written: deltas in, frames out.
//!
//! Each frame is a patch on the one before. When what there is cannot be shown, the last good frame stays. The cost of a
//! frame follows what changed: statements that stand are lowered once.

use crate::compile::{Compiled, Compiler, Options};
use crate::complete::Completer;
use std::collections::BTreeMap;
use ui4a_types::frame::FrameState;
use ui4a_types::{Diagnostic, Frame, ImportUse, Kind};

/// One revision being written.
pub struct ArtifactStream {
    options: Options,
    compiler: Compiler,
    completer: Completer,
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
            completer: Completer::new(),
            shown: base.unwrap_or_default(),
            compiled: Compiled::default(),
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
        if self.seen == seen {
            return self.step(None);
        }
        self.seen = seen;
        let compiled = match self.options.kind {
            Kind::Tsx if complete => self.compiler.whole(self.completer.source(), &self.options),
            Kind::Tsx => {
                let completion = self.completer.complete();
                self.compiler.part(self.completer.source(), &self.options, completion)
            }
            kind => crate::html::compile(self.completer.source(), kind, complete),
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
        self.completer.source()
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
