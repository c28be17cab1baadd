//! Imports that nothing uses.
//!
//! A name counts as used when its word stands anywhere else in the module, types and text included: what is told is sure.

use super::link::Placed;
use super::lint::Finding;
use std::collections::HashMap;
use ui4a_types::{Phase, Severity};

/// Findings for the imported names that stand nowhere else in `text`.
pub(crate) fn unused(items: &[Placed], text: &str, comments: &[(u32, u32)]) -> Vec<Finding> {
    let imports = || items.iter().filter_map(|placed| Some((placed, placed.item.surface.import.as_ref()?)));
    if imports().next().is_none() {
        return Vec::new();
    }
    let mut skipped: Vec<(u32, u32)> = imports().map(|(placed, _)| (placed.start, placed.end)).collect();
    skipped.extend(comments);
    skipped.sort_unstable();
    let words = words(text, &skipped);
    let mut findings = Vec::new();
    for (placed, import) in imports() {
        for binding in &import.bindings {
            let name = binding.local.as_str();
            // What older React wanted in every file, and re-exports.
            if name == "React" || name.is_empty() || name == "default export" || words.contains_key(name) {
                continue;
            }
            let at = (placed.start + binding.at.0, placed.start + binding.at.1);
            let message = format!("{name} is imported and never used");
            findings.push(Finding::new("unused-import", Severity::Hint, Phase::Import, message, at).help("Remove it"));
        }
    }
    findings
}

/// The words of a text outside the ranges.
fn words<'t>(text: &'t str, skipped: &[(u32, u32)]) -> HashMap<&'t str, ()> {
    let mut words = HashMap::new();
    let mut from = 0_usize;
    let end = (text.len() as u32, text.len() as u32);
    for &(start, stop) in skipped.iter().chain([&end]) {
        let (start, stop) = (start as usize, stop as usize);
        if start >= from
            && let Some(part) = text.get(from..start)
        {
            let split = part.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
            words.extend(split.filter(|word| !word.is_empty()).map(|word| (word, ())));
        }
        from = from.max(stop);
    }
    words
}
