//! The text of cells.

use std::sync::Arc;
use ui4a_renderer::{Compiled, KitNames, Options, compile};
use ui4a_types::Kind;

pub fn options() -> Options {
    let kit = KitNames::new([
        ("$ui4a/ui", vec!["Button", "Card", "Text", "Stack", "Tabs"]),
        ("$ui4a/ui/charts", vec!["LineChart", "ChartContainer"]),
        ("$ui4a/chat", vec!["sendMessage", "useAutoSend"]),
        ("$ui4a/state", vec!["usePersistedState"]),
    ]);
    Options { kind: Kind::Tsx, kit: Arc::new(kit) }
}

pub fn compiled(source: &str) -> Compiled {
    compile(source, &options())
}

/// Cells in order, one after the other.
pub fn text(compiled: &Compiled) -> String {
    compiled.state.order.iter().map(|name| format!("── {name}\n{}\n", compiled.state.cells[name])).collect()
}

#[test]
fn sample() {
    let source = include_str!("fixtures/sample.tsx");
    let compiled = compiled(source);
    println!("{}", text(&compiled));
    println!("{:#?}", compiled.diagnostics);
    println!("{:#?}", compiled.imports);
}
