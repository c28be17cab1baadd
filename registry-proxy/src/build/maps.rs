//! Source maps of modules: kept as the bundler drew them, and fitted to the text that is served when somebody asks.
//!
//! A built text and the module that is linked from it differ only where addresses are named, so what lies between these places
//! tells how far each column has moved. Nothing of this is done on the way to a frame.

use super::clauses;
use super::locate::PLACEHOLDER;
use super::store::Modules;
use oxc_sourcemap::{SourceMap, Token};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// The last line of a module that has a map: its own address, with a query. A name of the map's could not stand in a text
/// that is named after its own hash.
pub(crate) const COMMENT: &str = "\n//# sourceMappingURL=?map\n";

/// Bytes of a placeholder.
const ADDRESS: usize = PLACEHOLDER.len() + 64;

/// Most bytes of sources that one answer holds; the rest is named and not shown.
const SOURCES: usize = 32 << 20;

/// Where a module comes from, as blobs: its text before linking, and the map of that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    pub code: String,
    pub map: String,
}

impl Modules {
    /// The source map of a module by its name; none when it has none, or what it was made of is gone. Blocks.
    pub(crate) fn map(&self, name: &str, packages: &Path) -> Option<Vec<u8>> {
        let origin = self.origin(name)?;
        let text = |hash: &str| self.text(hash).ok().flatten();
        let module = self.get(name)?.bytes;
        served(&text(&origin.map)?, (&text(&origin.code)?, std::str::from_utf8(&module).ok()?), packages)
    }
}

/// A map as it is kept: without its sources' texts, which lie in the folder of packages.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    version: u32,
    sources: Vec<String>,
    names: Vec<String>,
    mappings: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sources_content: Option<Vec<Option<String>>>,
}

/// The map of a built text, to be kept: `map` is the bundler's, of `printed`, which became `code` with changes in `places`.
pub(crate) fn kept(
    map: &SourceMap<'_>,
    (printed, code): (&str, &str),
    places: &[Range<usize>],
    packages: &Path,
) -> Option<Vec<u8>> {
    let moved = if printed == code { None } else { Some(moves(printed, code, places)?) };
    let sources = map.get_sources().map(|source| relative(source, packages)).collect();
    to_json(map, moved.as_deref(), sources, None)
}

/// The map of a module for whoever debugs it: `kept` is of `code`, which was linked to `module`.
pub(crate) fn served(kept: &str, (code, module): (&str, &str), packages: &Path) -> Option<Vec<u8>> {
    let map = SourceMap::from_json_string(kept).ok()?;
    let mut addresses: Vec<&str> =
        code.match_indices(PLACEHOLDER).filter_map(|(at, _)| code.get(at..at + ADDRESS)).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let places: Vec<_> =
        addresses.iter().flat_map(|address| clauses::uses(code, address)).map(|one| one.range).collect();
    let moved = moves(code, module, &places)?;
    let mut left = SOURCES;
    let texts = map.get_sources().map(|source| text(source, packages, &mut left)).collect();
    let sources = map.get_sources().map(shown).collect();
    to_json(&map, Some(&moved), sources, Some(texts))
}

fn to_json(
    map: &SourceMap<'_>,
    moved: Option<&[Move]>,
    sources: Vec<String>,
    sources_content: Option<Vec<Option<String>>>,
) -> Option<Vec<u8>> {
    let tokens = map.get_tokens().map(|token| match moved {
        Some(moved) => at(&token, moved),
        None => token,
    });
    let tokens: Vec<Token> = tokens.collect();
    let plain = SourceMap::new(None, Vec::new(), None, Vec::new(), Vec::new(), tokens.into_boxed_slice(), None);
    let json = plain.to_json();
    let names = map.get_names().map(str::to_owned).collect();
    serde_json::to_vec(&Kept { version: 3, sources, names, mappings: json.mappings, sources_content }).ok()
}

/// A place from which on a line's columns have moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Move {
    line: u32,
    column: u32,
    by: i64,
}

/// How the columns of `before` have moved in `after`, which differs in `places` alone. None when the two do not fit.
fn moves(before: &str, after: &str, places: &[Range<usize>]) -> Option<Vec<Move>> {
    let mut places = places.to_vec();
    places.sort_by_key(|place| place.start);
    let (mut moved, mut start, mut reached) = (Vec::new(), 0, 0);
    let (mut old, mut new) = (Position::default(), Position::default());
    let ends = places.iter().map(|place| place.start).chain([before.len()]);
    for (index, end) in ends.enumerate() {
        let same = before.get(start..end)?;
        let found = match index {
            // What was put before all of it.
            0 => after.find(same)?,
            _ => reached + after.get(reached..)?.find(same)?,
        };
        old.pass(before.get(old.offset..start)?);
        new.pass(after.get(new.offset..found)?);
        // A change that holds a line break would move lines: none does.
        if old.line != new.line {
            return None;
        }
        moved.push(Move { line: old.line, column: old.column, by: i64::from(new.column) - i64::from(old.column) });
        reached = found + same.len();
        start = places.get(index).map_or(end, |place| place.end);
    }
    Some(moved)
}

/// A place in a text, as source maps count: lines, and UTF-16 units.
#[derive(Default)]
struct Position {
    offset: usize,
    line: u32,
    column: u32,
}

impl Position {
    fn pass(&mut self, text: &str) {
        self.offset += text.len();
        for c in text.chars() {
            match c {
                '\n' => (self.line, self.column) = (self.line + 1, 0),
                _ => self.column += c.len_utf16() as u32,
            }
        }
    }
}

fn at(token: &Token, moved: &[Move]) -> Token {
    let (line, column) = (token.get_dst_line(), token.get_dst_col());
    let before = moved.partition_point(|one| (one.line, one.column) <= (line, column));
    let by = before.checked_sub(1).and_then(|at| moved.get(at)).filter(|one| one.line == line).map_or(0, |one| one.by);
    let column = u32::try_from(i64::from(column) + by).unwrap_or(0);
    Token::new(line, column, token.get_src_line(), token.get_src_col(), token.get_source_id(), token.get_name_id())
}

/// A source as it is kept: its path in the folder of packages, or what it is called when it is no file there.
fn relative(source: &str, packages: &Path) -> String {
    // The bundler tells paths from the folder that it would write to, which lies in that of packages.
    let mut path = packages.join("dist");
    for part in Path::new(source).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    match path.strip_prefix(packages) {
        Ok(inside) if !inside.starts_with("dist") => inside.to_string_lossy().into_owned(),
        _ => source.rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

/// A source as a person reads it: `npm:///react@19.3.1/index.js`.
fn shown(kept: &str) -> String {
    match kept.split_once("/node_modules/") {
        Some((folder, file)) => {
            let version = folder.rsplit_once('-').map_or(folder, |(version, _)| version).rsplit('@').next();
            let (name, rest) = super::locate::split_bare(file);
            format!("npm:///{name}@{}/{rest}", version.unwrap_or_default())
        }
        None => format!("npm:///{kept}"),
    }
}

/// The text of a source that lies in the folder of packages, and nowhere else.
fn text(kept: &str, packages: &Path, left: &mut usize) -> Option<String> {
    let path = Path::new(kept);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let path: PathBuf =
        packages.join(path).canonicalize().ok().filter(|path| is_inside && path.starts_with(packages))?;
    let bytes = usize::try_from(path.metadata().ok().filter(std::fs::Metadata::is_file)?.len()).ok()?;
    *left = left.checked_sub(bytes)?;
    std::fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_move_with_the_addresses_before_them() {
        let before = "import{a}from\"ui4a:x\";const é=a();import{b as c}from\"ui4a:y\";c();\nd();";
        let after =
            "import{\"m0$a\"as a}from\"./0123.js\";const é=a();import{b as c}from\"./4567.js\";c();\nd();\n//# end\n";
        let place = |text: &str| {
            let start = before.find(text).expect("a place");
            start..start + text.len()
        };
        let places = [place("import{b as c}from\"ui4a:y\""), place("import{a}from\"ui4a:x\"")];
        let moved = moves(before, after, &places).expect("fits");
        let column = |text: &str, line_start: usize| text[line_start..].chars().map(char::len_utf16).sum::<usize>();
        for mark in ["const", "a()", "c()"] {
            let (old, new) = (before.find(mark).expect("old"), after.find(mark).expect("new"));
            let token = Token::new(0, column(&before[..old], 0) as u32, 0, 0, None, None);
            assert_eq!(at(&token, &moved).get_dst_col() as usize, column(&after[..new], 0), "{mark}");
        }
        let next_line = Token::new(1, 0, 0, 0, None, None);
        assert_eq!(at(&next_line, &moved).get_dst_col(), 0);
        assert_eq!(moves(before, "another text", &places), None);
    }

    #[test]
    fn sources_are_shown_by_package_and_read_from_packages_alone() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path().canonicalize().expect("a path");
        let packages = root.join("packages");
        let file = "x@1.0.0-0123abcd/node_modules/x/index.js";
        std::fs::create_dir_all(packages.join(file).parent().expect("a parent")).expect("made");
        std::fs::write(packages.join(file), "x").expect("written");
        std::fs::write(root.join("secret"), "secret").expect("written");
        assert_eq!(shown(file), "npm:///x@1.0.0/index.js");
        assert_eq!(relative(&format!("../{file}"), &packages), file);
        let mut left = 100;
        assert_eq!(text(file, &packages, &mut left).as_deref(), Some("x"));
        for bad in ["../secret", "x@1.0.0-0123abcd/../../secret", "/etc/hostname", "", "x@1.0.0-0123abcd"] {
            assert_eq!(text(bad, &packages, &mut left), None, "{bad}");
        }
        assert_eq!(text(file, &packages, &mut 0), None);
    }
}
