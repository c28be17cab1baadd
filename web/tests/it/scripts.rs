//! Rules that the pages' scripts keep: model text never becomes markup, types can be erased, imports lead somewhere.

use std::path::{Component, Path, PathBuf};
use ui4a_web::assets::{EMBED_SCRIPT, asset, assets};

fn scripts() -> impl Iterator<Item = &'static ui4a_web::assets::Asset> {
    assets().iter().filter(|asset| asset.typescript)
}

/// Each line of a script without its comment, with its number.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(at, line)| (at + 1, line.split("// ").next().unwrap_or(line)))
}

#[test]
fn assets_are_found_by_their_path() {
    for path in ["page/main.js", "page/page.css", "page/mark.svg", "host/frame-host.js", EMBED_SCRIPT] {
        let found = asset(path).unwrap_or_else(|| panic!("{path} is not served"));
        assert!(!found.text.is_empty());
        assert_eq!(found.typescript, found.file.ends_with(".ts"));
    }
    assert!(
        asset("page/main.ts").is_none() && asset("page/tsconfig.json").is_none() && asset("../Cargo.toml").is_none()
    );
}

#[test]
fn nothing_parses_text_as_markup_or_code() {
    for script in scripts() {
        for (at, line) in lines(script.text) {
            for way in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc"]
            {
                assert!(!line.contains(way), "{}:{at} uses {way}", script.file);
            }
        }
    }
}

#[test]
fn types_can_be_erased() {
    for script in scripts() {
        for (at, line) in lines(script.text) {
            let code = line.trim_start().trim_start_matches("export ").trim_start_matches("const ");
            assert!(!code.starts_with("enum ") && !code.starts_with("namespace "), "{}:{at}: {line}", script.file);
            let parameter =
                code.starts_with("constructor(") && (code.contains("private ") || code.contains("readonly "));
            assert!(!parameter, "{}:{at}: {line}", script.file);
        }
    }
}

#[test]
fn imports_lead_to_scripts_that_are_served() {
    let mut followed = 0;
    for script in scripts() {
        for (_, rest) in script.text.match_indices(" from \"").map(|(at, found)| (at, &script.text[at + found.len()..]))
        {
            let specifier = &rest[..rest.find('"').expect("an end")];
            if !specifier.starts_with('.') {
                continue;
            }
            let folder = Path::new(script.path).parent().expect("a folder");
            let target = clean(&folder.join(specifier));
            assert!(asset(&target).is_some(), "{} imports {specifier}, which is not served", script.file);
            followed += 1;
        }
    }
    assert!(followed > 20, "only {followed} imports were seen");
}

/// `page/../host/x.js` → `host/x.js`.
fn clean(path: &Path) -> String {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts.to_str().expect("UTF-8").replace('\\', "/")
}

#[test]
fn classic_scripts_are_no_modules() {
    for path in ["page/early.js", EMBED_SCRIPT] {
        let script = asset(path).expect("served");
        assert!(script.text.lines().all(|line| !line.starts_with("import ") && !line.starts_with("export ")), "{path}");
    }
}
