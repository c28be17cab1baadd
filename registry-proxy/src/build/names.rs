//! What a module exports, told from its text.
//!
//! ES modules are the bundler's to read. CommonJS modules assign their exports while they run: Node's own lexer finds
//! most names, following re-exports; where it finds none, or cannot have found all, the module is run, elsewhere.

use super::locate::{Located, Manner};
use super::scene::Scene;
use crate::graph::PackageId;
use async_trait::async_trait;
use merve::{LexerError, parse_commonjs};
use regex::Regex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Learns the export names of a CommonJS bundle by running it, in a process that may be lost.
#[async_trait]
pub trait ExportNames: Send + Sync {
    /// The names of the properties of `module.exports` after `source` has run.
    ///
    /// # Errors
    /// In words: it threw, took too long, or cannot be run at all.
    async fn names(&self, source: &str) -> Result<Vec<String>, String>;
}

#[async_trait]
impl ExportNames for ui4a_isolate::Pool {
    async fn names(&self, source: &str) -> Result<Vec<String>, String> {
        self.names(source).await.map_err(|error| error.to_string())
    }
}

/// What kind of module a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An ES module.
    Module,
    /// A CommonJS module, and what its text tells.
    CommonJs(Told),
    /// A style sheet.
    Style,
    /// JSON.
    Json,
    /// Anything else: an address of the file.
    Asset,
}

/// What the text of a CommonJS module tells of its exports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub names: BTreeSet<String>,
    /// Re-exports that could not be followed, and why: names may be missing.
    pub problems: BTreeSet<String>,
    /// Whether the module gives away an object that was made elsewhere, which may have more names than the text assigns.
    pub partial: bool,
}

/// What stands after a text while it is lexed.
const PADDING: &str = "\n\n\n\n\n\n\n\n";

/// How deep re-exports are followed.
const DEPTH: usize = 12;

/// Reads what kind of module `file` is.
pub(crate) fn kind(scene: &Scene, owner: &PackageId, file: &Path) -> std::io::Result<Kind> {
    match file.extension().and_then(|extension| extension.to_str()).unwrap_or("js") {
        "css" => Ok(Kind::Style),
        "json" => Ok(Kind::Json),
        "mjs" => Ok(Kind::Module),
        "js" | "cjs" | "jsx" | "ts" | "tsx" => {
            let text = std::fs::read_to_string(file)?;
            let mut told = Told::default();
            match lex(&text) {
                None => Ok(Kind::Module),
                Some(lexed) => {
                    let mut seen = BTreeSet::from([file.to_owned()]);
                    follow(scene, owner, file, lexed, &mut told, &mut seen, DEPTH);
                    told.names.remove("default");
                    told.names.remove("__esModule");
                    Ok(Kind::CommonJs(told))
                }
            }
        }
        _ => Ok(Kind::Asset),
    }
}

struct Lexed {
    partial: bool,
    names: Vec<String>,
    reexports: Vec<String>,
    /// Why the lexer gave up, when it did: names may be missing.
    problem: Option<String>,
}

/// The exports of a CommonJS text, or `None` for an ES module.
fn lex(text: &str) -> Option<Lexed> {
    // merve 1.2.2 looks at the byte after its input (measured: a quote, bracket or slash there changes the answer), so there
    // must be one, and it must mean nothing.
    let mut padded = String::with_capacity(text.len() + PADDING.len());
    padded.push_str(text);
    padded.push_str(PADDING);
    match parse_commonjs(&padded[..text.len()]) {
        Ok(found) => {
            let names = found.exports().map(|export| export.name.to_owned()).collect();
            let mut reexports: Vec<String> = found.reexports().map(|export| export.name.to_owned()).collect();
            reexports.extend(production_branches(text));
            Some(Lexed { names, reexports, problem: None, partial: gives_an_object(text) })
        }
        Err(error) => match error.kind {
            LexerError::UnexpectedEsmImport | LexerError::UnexpectedEsmExport | LexerError::UnexpectedEsmImportMeta => {
                None
            }
            // What the lexer cannot read is judged by its first statements.
            _ => (!looks_like_module(text)).then(|| Lexed {
                partial: gives_an_object(text),
                names: Vec::new(),
                reexports: production_branches(text),
                problem: Some(format!("{:?} in {} bytes", error.kind, text.len())),
            }),
        },
    }
}

/// Whether `module.exports` is assigned something whose names the text does not list as the lexer reads it: a function, a
/// class, a variable, a call, a literal that holds more than names.
fn gives_an_object(text: &str) -> bool {
    /// An object literal of names alone, which the lexer reads to its end.
    static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let space = r"(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*";
        let one = format!(r#"(?:\.\.\.require\(['"][^'"]*['"]\)|[\w$]+(?:{space}:{space}[\w$]+)?)"#);
        Regex::new(&format!(r"^\{{{space}(?:{one}{space},{space})*(?:{one}{space})?\}}")).ok()
    });
    text.match_indices("module.exports").any(|(at, found)| {
        let assigned = text[at + found.len()..].trim_start().strip_prefix('=');
        let value = assigned.filter(|rest| !rest.starts_with(['=', '>'])).map(str::trim_start);
        let told = |value: &str| match value.starts_with('{') {
            true => NAMES.as_ref().is_some_and(|names| names.is_match(value)),
            false => ["require(", "__toCommonJS(", "exports", "void 0"].iter().any(|start| value.starts_with(start)),
        };
        value.is_some_and(|value| !told(value))
    })
}

fn looks_like_module(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("import ")
            || line.starts_with("import{")
            || line.starts_with("export ")
            || line.starts_with("export{")
    })
}

/// The lexer reports the last of `if (production) module.exports = require(a) else module.exports = require(b)`: the other
/// branch is the one that is built.
fn production_branches(text: &str) -> Vec<String> {
    if text.len() > 4_096 || !text.contains("process.env.NODE_ENV") {
        return Vec::new();
    }
    let requires = text.match_indices("require(").filter_map(|(at, found)| {
        let rest = &text[at + found.len()..];
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let inner = &rest[1..];
        Some(inner[..inner.find(quote)?].to_owned())
    });
    requires.filter(|path| path.starts_with('.') && path.contains("prod")).collect()
}

fn follow(
    scene: &Scene,
    owner: &PackageId,
    file: &Path,
    lexed: Lexed,
    told: &mut Told,
    seen: &mut BTreeSet<PathBuf>,
    depth: usize,
) {
    let mut reexports = lexed.reexports;
    // With a production branch, its development sibling only adds names that are not there.
    if reexports.iter().any(|path| path.contains("prod")) {
        reexports.retain(|path| !path.contains("development"));
    }
    told.names.extend(lexed.names);
    told.partial |= lexed.partial;
    if let Some(problem) = lexed.problem {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        told.problems.insert(format!("the exports of {owner} in {name} cannot be told from its text: {problem}"));
    }
    if depth == 0 {
        return;
    }
    for specifier in reexports {
        let target = scene.require_target(owner, file, &specifier).and_then(|target| {
            let Some((next_owner, next)) = target else { return Ok(None) };
            let text = std::fs::read_to_string(&next).map_err(|error| error.to_string())?;
            Ok(Some((next_owner, next, text)))
        });
        match target {
            Ok(Some((next_owner, next, text))) if seen.insert(next.clone()) => {
                if let Some(lexed) = lex(&text) {
                    follow(scene, &next_owner, &next, lexed, told, seen, depth - 1);
                }
            }
            Ok(_) => {}
            Err(reason) => {
                told.problems
                    .insert(format!("{owner} exports what `{specifier}` does, which cannot be read: {reason}"));
            }
        }
    }
}

impl Scene {
    /// Owner and file of what `file` requires; none when browsers get nothing there.
    fn require_target(
        &self,
        owner: &PackageId,
        file: &Path,
        specifier: &str,
    ) -> Result<Option<(PackageId, PathBuf)>, String> {
        let gone = || "its package is not there".to_owned();
        let (id, located) = match specifier.starts_with('.') {
            true => {
                let folder = self.folder(owner).ok_or_else(gone)?;
                let directory = file.parent().unwrap_or(folder);
                (owner.clone(), self.locator.inner(folder, directory, specifier, Manner::Require)?)
            }
            false => {
                let (id, subpath) = self.bare_package(owner, specifier).ok_or_else(gone)?;
                let folder = self.folder(&id).ok_or_else(gone)?;
                let located = self.locator.entry(folder, &id, &subpath, Manner::Require);
                (id, located.map_err(|error| error.to_string())?)
            }
        };
        Ok(match located {
            Located::File { path, .. } => Some((id, path)),
            Located::Nothing => None,
        })
    }
}

/// Names that can be bound by an `export` clause of ours: all strings can, but not these two, which we bind ourselves.
pub(crate) fn exportable(name: &str) -> bool {
    !matches!(name, "default" | "module.exports" | "__esModule") && !name.is_empty() && name.len() <= 200
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chained_exports_are_found() {
        let lexed = lex("exports.code = exports.codes = {a: 1}; exports.x = 1;").expect("CommonJS");
        assert!(lexed.names.contains(&"code".to_owned()) && lexed.names.contains(&"x".to_owned()), "{:?}", lexed.names);
        assert!(lex("export const a = 1").is_none());
    }

    #[test]
    fn an_object_from_elsewhere_may_have_more_names() {
        assert!(gives_an_object("module.exports = EventEmitter; module.exports.once = once;"));
        assert!(gives_an_object("exports = module.exports = function f() {}"));
        assert!(gives_an_object("module.exports = {\n graphlib: require('./lib'),\n\n layout: require('./layout') };"));
        assert!(gives_an_object("module.exports = { a, run() {}, b };"));
        for told in [
            "module.exports = { a, b };",
            "module.exports = {\n  // the first\n  a,\n  b: c, /* and */ ...require('./d'),\n};",
            "module.exports=require('./x')",
            "if (module.exports === 1) {}",
        ] {
            assert!(!gives_an_object(told), "{told}");
        }
    }

    #[test]
    fn what_lies_after_a_text_in_memory_does_not_count() {
        let code = "exports.a = exports.b = 1;";
        for after in ["`", "'", "(", "{", "}", "/"] {
            let memory = format!("{code}{after}");
            let lexed = lex(&memory[..code.len()]).expect("CommonJS");
            assert_eq!((lexed.names.len(), lexed.problem), (2, None), "{after}");
        }
    }

    #[test]
    fn the_production_branch_is_followed() {
        let text = "if (process.env.NODE_ENV === 'production') { module.exports = require('./cjs/a.production.js'); } \
                    else { module.exports = require('./cjs/a.development.js'); }";
        assert!(lex(text).expect("CommonJS").reexports.contains(&"./cjs/a.production.js".to_owned()));
    }
}
