//! The sandbox runtime: the one script that shares a realm with model-written code.
//!
//! Owns the order in which the parts of `runtime/` become one script. They hold no import and no export, so that they can
//! be written and read apart and still share one closure: nothing of the runtime is reachable from model code but what it
//! hands out. Knows nothing of compilers: the text is TypeScript, and the server strips its types.

/// The parts, in the order of evaluation.
const PARTS: [(&str, &str); 24] = [
    ("primordials.ts", include_str!("../runtime/primordials.ts")),
    ("port.ts", include_str!("../runtime/port.ts")),
    ("errors.ts", include_str!("../runtime/errors.ts")),
    ("guards.ts", include_str!("../runtime/guards.ts")),
    ("load.ts", include_str!("../runtime/load.ts")),
    ("console.ts", include_str!("../runtime/console.ts")),
    ("stacks.ts", include_str!("../runtime/stacks.ts")),
    ("standins.ts", include_str!("../runtime/standins.ts")),
    ("workers.ts", include_str!("../runtime/workers.ts")),
    ("leaving.ts", include_str!("../runtime/leaving.ts")),
    ("addresses.ts", include_str!("../runtime/addresses.ts")),
    ("imports.ts", include_str!("../runtime/imports.ts")),
    ("builtins.ts", include_str!("../runtime/builtins.ts")),
    ("adapt.ts", include_str!("../runtime/adapt.ts")),
    ("boundaries.ts", include_str!("../runtime/boundaries.ts")),
    ("components.ts", include_str!("../runtime/components.ts")),
    ("cells.ts", include_str!("../runtime/cells.ts")),
    ("documents.ts", include_str!("../runtime/documents.ts")),
    ("view.ts", include_str!("../runtime/view.ts")),
    ("colors.ts", include_str!("../runtime/colors.ts")),
    ("layout.ts", include_str!("../runtime/layout.ts")),
    ("frames.ts", include_str!("../runtime/frames.ts")),
    ("alone.ts", include_str!("../runtime/alone.ts")),
    ("main.ts", include_str!("../runtime/main.ts")),
];

/// The name under which [`source`] is compiled, for diagnostics.
pub const FILE_NAME: &str = "runtime.ts";

/// The modules that the runtime itself answers for. They are never asked of the registry proxy.
pub const BUILT_IN_SPECIFIERS: [&str; 4] = ["$ui4a/chat", "$macaron/chat", "$ui4a/state", "$ui4a/fs"];

/// Modules of which the runtime hands out names that an artifact may not import, in place of others: they are wanted whole.
pub const WHOLE_SPECIFIERS: [&str; 2] = ["react-router", "react-router-dom"];

/// The runtime as one TypeScript script: a strict function that calls itself, erasable types only, no import and no
/// export. Compiled, it is what [`crate::frame::frame_document`] takes.
pub fn source() -> String {
    let mut text = String::from("(() => {\n\"use strict\";\n");
    for (name, part) in PARTS {
        text.push_str("// ---- ");
        text.push_str(name);
        text.push('\n');
        text.push_str(part);
    }
    text.push_str("})();\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_in_the_folder_is_listed_once() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/runtime");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .filter(|name| name.ends_with(".ts"))
            .collect();
        let mut listed: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
        files.sort();
        listed.sort_unstable();
        assert_eq!(files, listed);
    }

    /// They share one closure: a name that two of them declare would stop the whole script.
    #[test]
    fn no_two_parts_declare_the_same_name() {
        let mut seen = std::collections::BTreeMap::new();
        for (part, text) in PARTS {
            for line in text.lines() {
                let mut words = line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
                let declares = words.next().is_some_and(|word| matches!(word, "const" | "let" | "function" | "class"));
                let Some(name) = words.next().filter(|name| declares && !name.is_empty()) else { continue };
                let before = seen.insert(name, part);
                assert_eq!(before, None, "{name} of {part} is there already");
            }
        }
        assert!(seen.len() > 200, "the names are read");
    }

    #[test]
    fn parts_are_no_modules() {
        for (name, part) in PARTS {
            for line in part.lines() {
                assert!(!line.starts_with("import ") && !line.starts_with("export "), "{name}: {line}");
            }
        }
    }
}
