//! The table of seeded faults: what small models get wrong, and whether it is found on its line.

#[path = "../fixtures/faults/table.rs"]
mod table;

use std::sync::Arc;
use table::{Fault, faults};
use ui4a_renderer::{KitNames, Options, compile};
use ui4a_types::{Diagnostic, Kind};

/// Whether the fault is among the findings, on its line.
fn is_found(fault: &Fault<'_>, found: &[Diagnostic]) -> bool {
    found.iter().any(|found| found.code == fault.code && found.line == fault.line)
}

fn options() -> Options {
    Options { kind: Kind::Tsx, kit: Arc::new(KitNames::new(ui4a_web::kit::manifest())) }
}

#[test]
fn seeded_faults_are_found_on_their_lines() {
    let all = faults();
    let (own, others): (Vec<_>, Vec<_>) = all.iter().partition(|fault| fault.by.is_empty());
    let mut missed = Vec::new();
    for fault in &own {
        let found = compile(&fault.source, &options()).diagnostics;
        let hit = is_found(fault, &found);
        println!("{:7} {:24} line {:2}  {}", if hit { "found" } else { "missed" }, fault.code, fault.line, fault.name);
        if !hit {
            let found: Vec<_> = found.iter().map(|found| format!("{}:{}", found.code, found.line)).collect();
            missed.push(format!("{} ({}:{}), but {found:?}", fault.name, fault.code, fault.line));
        }
    }
    println!("{} of {} found; {} more need packages or types", own.len() - missed.len(), own.len(), others.len());
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}

#[test]
fn what_was_repaired_parses_and_shows_something() {
    for fault in faults() {
        let compiled = compile(&fault.source, &options());
        let repaired = fault.code.starts_with("repaired-");
        assert!(!repaired || compiled.ok, "{}: {:?}", fault.name, compiled.diagnostics);
        assert!(!repaired || compiled.state.cells.contains_key("$default"), "{}", fault.name);
        let errors: Vec<&Diagnostic> =
            compiled.diagnostics.iter().filter(|found| found.severity == ui4a_types::Severity::Error).collect();
        assert!(!repaired || errors.is_empty(), "{}: {errors:?}", fault.name);
    }
}
