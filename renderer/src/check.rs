//! Checks a whole source without showing it.

use crate::compile::{Options, compile};
use serde::Serialize;
use std::collections::BTreeMap;
use ui4a_types::{Diagnostic, ImportUse, Severity};

/// What a check found.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// Whether nothing is an error.
    pub ok: bool,
    /// Everything that was found, in the order of its places.
    pub diagnostics: Vec<Diagnostic>,
    /// What it imports.
    pub imports: BTreeMap<String, ImportUse>,
}

/// Compiles a source and says what is wrong with it.
pub fn check(source: &str, options: &Options) -> Checked {
    let compiled = compile(source, options);
    let ok = compiled.ok && compiled.diagnostics.iter().all(|found| found.severity != Severity::Error);
    Checked { ok, diagnostics: compiled.diagnostics, imports: compiled.imports }
}
