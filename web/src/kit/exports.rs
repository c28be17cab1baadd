//! The names that a kit source exports, read from its text.
//!
//! Owns a reader of the export forms that the kit uses, all at the start of a line. Not a parser: a form that it does not
//! know fails the test that compares its answer with a count of `export` keywords.

use super::files::SOURCES;
use std::collections::BTreeSet;

/// What recharts exports, since `charts` exports all of it: `export * from "recharts"`.
const RECHARTS: &str = include_str!("../../kit/charts/recharts-names.txt");

/// All names that the source at `path` exports, those of the files that it re-exports included. Types are left out.
pub(super) fn of(path: &str) -> BTreeSet<String> {
    let text = SOURCES.iter().find(|(name, _)| *name == path).map_or("", |(_, text)| *text);
    let mut names = BTreeSet::new();
    for statement in statements(text) {
        match read(statement) {
            Export::Names(found) => names.extend(found.into_iter().filter(|name| name != "default")),
            Export::AllOf("recharts") => names.extend(RECHARTS.lines().map(str::to_owned)),
            Export::AllOf("$ui4a/ui") => names.extend(of("index.ts")),
            Export::AllOf(from) => names.extend(of(&beside(path, from))),
            Export::Type | Export::Unknown => {}
        }
    }
    names
}

/// The kinds of export statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Export<'a> {
    Names(Vec<String>),
    AllOf(&'a str),
    Type,
    Unknown,
}

/// The text after each `export ` at the start of a line, up to the end of its braces or its line.
pub(super) fn statements(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices("export ").map(|(at, _)| at);
    let starts = starts.filter(|at| *at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n'));
    starts.map(|at| {
        let rest = text[at..].trim_start_matches("export ");
        let end = if rest.starts_with('{') { rest.find('}').map(|at| at + 1) } else { rest.find('\n') };
        &rest[..end.unwrap_or(rest.len())]
    })
}

/// Reads the text after `export `.
pub(super) fn read(statement: &str) -> Export<'_> {
    if let Some(list) = statement.strip_prefix('{') {
        let items = list.trim_end_matches('}').split(',').map(str::trim).filter(|item| !item.is_empty());
        let values = items.filter(|item| !item.starts_with("type "));
        return Export::Names(values.map(|item| item.rsplit(' ').next().unwrap_or(item).to_owned()).collect());
    }
    if let Some(from) = statement.strip_prefix("* from ") {
        return from.split('"').nth(1).map_or(Export::Unknown, Export::AllOf);
    }
    let mut words =
        statement.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|word| !word.is_empty());
    let mut kind = words.next();
    if kind == Some("async") {
        kind = words.next();
    }
    match kind {
        Some("type" | "interface") => Export::Type,
        Some("default") => Export::Names(vec!["default".to_owned()]),
        Some("function" | "const" | "let" | "class") => {
            words.next().map_or(Export::Unknown, |name| Export::Names(vec![name.to_owned()]))
        }
        _ => Export::Unknown,
    }
}

/// The source that `from`, a compiled path relative to `path`, stands for.
fn beside(path: &str, from: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in from.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let stem = parts.join("/");
    let stem = stem.trim_end_matches(".js");
    let known = SOURCES
        .iter()
        .map(|(name, _)| *name)
        .find(|name| name.strip_prefix(stem).is_some_and(|end| matches!(end, ".ts" | ".tsx")));
    known.unwrap_or_default().to_owned()
}
