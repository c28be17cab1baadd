//! Addresses in source text: which are fetched for the artifact, and which only look like it.

use memchr::memmem;
use std::collections::BTreeMap;
use ui4a_types::diagnostic::position;
use ui4a_types::{AddressRole, ImportUse};

/// Endings of paths that are pictures, sounds, films, fonts or models.
const ENDINGS: [&str; 19] = [
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".ico", ".mp3", ".wav", ".ogg", ".mp4", ".webm",
    ".woff2", ".woff", ".ttf", ".otf", ".glb", ".wasm",
];

/// Hosts whose addresses are pictures whatever they end in.
const PICTURES: [&str; 13] = [
    "picsum.photos",
    "images.unsplash.com",
    "source.unsplash.com",
    "plus.unsplash.com",
    "images.pexels.com",
    "placehold.co",
    "via.placeholder.com",
    "dummyimage.com",
    "i.pravatar.cc",
    "ui-avatars.com",
    "api.dicebear.com",
    "loremflickr.com",
    "placekitten.com",
];

/// Longest address that is looked at, in bytes.
const LONGEST: usize = 2_000;

/// Whether an address is one of another place: `https://…`, `http://…` or `//host/…`.
pub(crate) fn is_outside(address: &str) -> bool {
    let scheme = |prefix: &str| address.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    address.len() <= LONGEST
        && (scheme("https://") || scheme("http://") || (address.starts_with("//") && address.len() > 3))
}

/// The address as it is asked for: with a scheme.
pub(crate) fn absolute(address: &str) -> String {
    if address.starts_with("//") { format!("https:{address}") } else { address.to_owned() }
}

/// Whether an address in a program's text is surely something to look at or to listen to.
pub(crate) fn is_asset(address: &str) -> bool {
    if !is_outside(address) || address.contains(char::is_whitespace) {
        return false;
    }
    let rest = address.split_once("//").map_or(address, |(_, rest)| rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = path.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    ENDINGS.iter().any(|ending| path.ends_with(ending)) || (PICTURES.contains(&host) && !path.is_empty())
}

/// The assets that a module's string literals name, as uses of their keys. A string that is still being written is none.
/// Those that were whole before `from` are passed over.
pub(crate) fn in_module(source: &str, from: usize) -> BTreeMap<String, ImportUse> {
    let mut found = BTreeMap::new();
    let bytes = source.as_bytes();
    let from = from.saturating_sub(LONGEST);
    for at in memmem::find_iter(&bytes[from..], b"://").map(|at| from + at) {
        let start = ["https", "http"].iter().find_map(|scheme| {
            let start = at.checked_sub(scheme.len())?;
            source.get(start..at).filter(|text| text.eq_ignore_ascii_case(scheme)).map(|_| start)
        });
        let Some(start) = start.filter(|start| *start > 0) else { continue };
        // Within quotes, or within the brackets of a style's `url()`.
        let end = match bytes[start - 1] {
            quote @ (b'"' | b'\'' | b'`') => bytes[start..].iter().position(|byte| *byte == quote || *byte == b'\n'),
            b'(' => bytes[start..].iter().position(|byte| *byte == b')' || *byte == b'\n'),
            _ => None,
        };
        let Some(end) = end.map(|length| start + length).filter(|end| bytes[*end] != b'\n') else {
            continue;
        };
        let address = &source[start..end];
        // A template that is filled in later.
        if address.contains("${") {
            continue;
        }
        let in_url = bytes[start - 1] == b'(' || source[..start - 1].ends_with("url(");
        if is_asset(address) || (in_url && is_outside(address) && !address.contains(['$', ' '])) {
            let (line, column) = position(source, start - 1);
            let used = ImportUse { line, column, ..ImportUse::default() };
            found.entry(AddressRole::Asset.key(address)).or_insert(used);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assets_of_a_module_are_its_picture_literals() {
        let source = "const a = { image: \"https://a.test/x.png?w=1\", site: \"https://a.test/\", api: 'https://a.test/x.json' };\n\
                      const b = <div style={{ backgroundImage: `url(https://b.test/bg)` }}><img src=\"https://picsum.photos/200\" /></div>;\n\
                      const c = `https://a.test/${id}.png`; const d = \"https://a.test/half";
        let found = in_module(source, 0);
        let keys: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            ["asset:https://a.test/x.png?w=1", "asset:https://b.test/bg", "asset:https://picsum.photos/200"]
        );
        assert_eq!((found[keys[0]].line, found[keys[0]].column), (1, 20));
    }
}
