//! The script elements of a document.

use super::map::lines;
use super::scan::{Attribute, Tag, decoded};
use super::script::{self, Language, Script};
use super::{TextCompiler, Work};
use crate::address::{absolute, is_outside};
use crate::source_map::CellMap;
use std::collections::HashMap;
use std::sync::Arc;
use ui4a_types::address::token;
use ui4a_types::{AddressRole, Diagnostic, Phase, Severity};
use url::Url;

/// The type of a script that the sandbox runs when the document is read: what compilers in pages do with theirs.
const COMPILED_TYPE: &str = "ui4a/compiled";

/// What a script element is.
enum Role {
    Script(Language),
    ImportMap,
    /// Data, or a language that nobody here knows.
    Other,
}

fn role(tag: &Tag, text: &str) -> Role {
    let written = tag.attribute("type").map_or("", |found| &text[found.value.0..found.value.1]);
    let kind = written.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "" | "text/javascript" | "application/javascript" | "application/x-javascript" | "text/ecmascript" => {
            Role::Script(Language::Classic)
        }
        "module" => Role::Script(Language::Module),
        "importmap" => Role::ImportMap,
        "text/babel"
        | "text/jsx"
        | "text/tsx"
        | "text/typescript"
        | "application/typescript"
        | "babel"
        | "jsx"
        | "tsx"
        | "application/babel" => Role::Script(Language::Jsx),
        _ => Role::Other,
    }
}

/// Scripts of other pages whose work is done here: what they leave behind for the scripts after them.
fn stand_in(address: &str) -> Option<(&'static str, &'static str)> {
    let lower = address.to_ascii_lowercase();
    if lower.contains("cdn.tailwindcss.com")
        || lower.contains("@tailwindcss/browser")
        || lower.contains("/tailwindcss@")
    {
        return Some(("window.tailwind ??= {};", "Tailwind's classes are generated here: this script is not needed."));
    }
    let babel =
        lower.contains("@babel/standalone") || lower.contains("babel-standalone") || lower.ends_with("/babel.min.js");
    babel.then_some(("", "JSX is compiled here, before the page runs it: this script is not needed."))
}

impl TextCompiler {
    /// Rewrites every script: addresses, specifiers, languages.
    pub(super) fn scripts(&mut self, work: &mut Work<'_>, tags: &[Tag]) {
        let text = work.source;
        let scripts: Vec<&Tag> = tags.iter().filter(|tag| tag.name == "script").collect();
        // A map counts for the scripts after it, as in browsers: so what stands before it never changes.
        let mut map = ImportMap::default();
        let mut kept = HashMap::new();
        for (number, tag) in scripts.into_iter().enumerate() {
            let language = match role(tag, text) {
                Role::Script(language) => language,
                Role::ImportMap => {
                    map.add(tag.content.map_or("", |(from, to)| &text[from..to]));
                    continue;
                }
                Role::Other => continue,
            };
            match tag.attribute("src") {
                Some(source) => external(work, tag, source, language, &map),
                None => {
                    let (from, to) = tag.content.unwrap_or((tag.end, tag.end));
                    let own = &text[from..to];
                    if own.trim().is_empty() {
                        continue;
                    }
                    let key = (language, map.entries.len(), own.to_owned());
                    let known = self.scripts.remove(&key).or_else(|| kept.get(&key).cloned());
                    let script =
                        known.unwrap_or_else(|| Arc::new(script::read(own, language, &|written| map.target(written))));
                    inline(work, tag, (from, to), language, &script, number + 1);
                    kept.insert(key, script);
                }
            }
        }
        self.scripts = kept;
    }
}

/// `<script src>`: the address becomes a token; what is done here needs no script.
fn external(work: &mut Work<'_>, tag: &Tag, source: &Attribute, language: Language, map: &ImportMap) {
    let text = work.source;
    let written = decoded(text[source.value.0..source.value.1].trim());
    let at = source.value.0;
    if let Some((leaves, hint)) = stand_in(&written) {
        work.out.replace(source.at, "data-replaced-here");
        if !leaves.is_empty() {
            work.out.replace((tag.end, tag.end), leaves);
        }
        let found = Diagnostic::new("script-not-needed", Severity::Hint, Phase::Import, hint);
        return work.diagnostics.push(found.at(text, at, source.value.1));
    }
    if !is_outside(&written) {
        if !written.starts_with("data:") && !written.starts_with("blob:") && !written.is_empty() {
            work.diagnostics.push(no_such_file(&written).at(text, at, source.value.1));
        }
        return;
    }
    let address = absolute(&written);
    let key = match language {
        Language::Classic => AddressRole::Script.key(&address),
        Language::Module => map.target(&address).unwrap_or(address),
        Language::Jsx => {
            let message = "A script in JSX is only compiled when it stands in the document itself";
            let found = Diagnostic::new("script-not-compiled", Severity::Error, Phase::Import, message);
            let found = found.help("Write the script between <script type=\"text/babel\"> and </script>.");
            return work.diagnostics.push(found.at(text, at, source.value.1));
        }
    };
    work.out.replace(source.at, format!("src=\"{}\"", token(&key)));
    // Without it errors of the script are told without message and place.
    match tag.attribute("crossorigin") {
        Some(own) => work.out.replace(own.at, "crossorigin=\"anonymous\""),
        None => work.out.replace((source.at.0, source.at.0), "crossorigin=\"anonymous\" "),
    }
    drop_integrity(work, tag);
    work.uses(key, Vec::new(), at);
}

/// What is served was verified against its package; a page's own hash is of another network's copy, or made up.
pub(super) fn drop_integrity(work: &mut Work<'_>, tag: &Tag) {
    if let Some(integrity) = tag.attribute("integrity") {
        work.out.replace((integrity.at.0, integrity.at.0), "data-");
    }
}

pub(super) fn no_such_file(written: &str) -> Diagnostic {
    let shown: String = written.chars().take(120).collect();
    let message = format!("There is no file “{shown}”: the artifact is this one document");
    Diagnostic::new("relative-import", Severity::Error, Phase::Import, message)
        .help("Write its content in this document, or name an npm package's address.")
}

/// A script in the document: a name for its errors' places, tokens for what it imports, and compiled text where needed.
fn inline(
    work: &mut Work<'_>,
    tag: &Tag,
    (from, to): (usize, usize),
    language: Language,
    script: &Script,
    number: usize,
) {
    let text = work.source;
    for finding in &script.findings {
        let at = |offset: u32| from + offset as usize;
        work.diagnostics.push(finding.diagnostic.clone().at(text, at(finding.at.0), at(finding.at.1)));
    }
    for (key, (names, at)) in &script.uses {
        work.uses(key.clone(), names.clone(), from + at);
    }
    let name = format!("script-{number}");
    // The first line is left empty, as in the cells of modules: places count from the line after it.
    let closing = format!("\n//# sourceURL=ui4a-cell:///{name}\n");
    let map = match &script.text {
        Some(compiled) => {
            work.out.replace((from, to), format!("\n{compiled}{closing}"));
            let segments = script.segments.iter().map(|(line, column, at)| (*line, *column, from as u32 + at));
            CellMap::exact(segments.collect())
        }
        None if language == Language::Jsx => return,
        None => {
            for ((start, end), with) in &script.literals {
                work.out.replace((from + start, from + end), with.clone());
            }
            work.out.replace((from, from), "\n");
            work.out.replace((to, to), closing);
            let segments = lines(&text[from..to]).enumerate();
            CellMap::linear(segments.map(|(line, (at, _))| (line as u32, 0, (from + at) as u32)).collect())
        }
    };
    work.out.cell(name, map);
    if language == Language::Jsx
        && let Some(kind) = tag.attribute("type")
    {
        let module = script.is_module
            || tag.attribute("data-type").is_some_and(|own| &text[own.value.0..own.value.1] == "module");
        let as_module = if module { " data-module" } else { "" };
        work.out.replace(kind.at, format!("type=\"{COMPILED_TYPE}\"{as_module}"));
    }
}

/// The document's import map.
#[derive(Default)]
pub(super) struct ImportMap {
    entries: Vec<(String, String)>,
}

impl ImportMap {
    /// What a specifier means by the map; `None` when it says nothing of it.
    pub fn target(&self, specifier: &str) -> Option<String> {
        let exact = self.entries.iter().find(|(name, _)| name == specifier).map(|(_, target)| target.clone());
        let prefixes =
            || self.entries.iter().filter(|(name, _)| name.ends_with('/') && specifier.starts_with(name.as_str()));
        let found = exact.or_else(|| {
            let (name, target) = prefixes().max_by_key(|(name, _)| name.len())?;
            let joined = Url::parse(target).ok()?.join(&specifier[name.len()..]).ok()?;
            Some(joined.to_string())
        });
        found.or_else(|| specifier.starts_with("//").then(|| absolute(specifier)))
    }
}

impl ImportMap {
    /// Adds what an import map says.
    fn add(&mut self, text: &str) {
        let Ok(map) = serde_json::from_str::<serde_json::Value>(text) else { return };
        let pairs = map.get("imports").and_then(serde_json::Value::as_object).into_iter().flatten();
        self.entries.extend(pairs.filter_map(|(name, target)| Some((name.clone(), absolute(target.as_str()?)))));
    }
}
