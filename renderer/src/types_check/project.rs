//! The files beside an artifact's packages: the checker's settings, the kit's declarations, and the names that are there
//! without an import.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The document that holds the artifact.
pub(super) const ARTIFACT: &str = "artifact.tsx";
/// Another document, empty, that changes with it.
pub(super) const BESIDE: &str = "beside.ts";

/// What an artifact may import that comes from no registry.
#[derive(Clone, Debug, Default)]
pub struct Ours {
    /// Specifier → its declarations.
    pub types: BTreeMap<String, String>,
    /// Other specifiers (with a last `*` for a prefix) → one of `types`.
    pub aliases: BTreeMap<String, String>,
}

/// What is there without an import: `JSX` as TypeScript had it before React 19, and what every frame has.
const AMBIENT: &str = r#"
declare namespace JSX {
  type Element = import("react").JSX.Element;
  type ElementType = import("react").JSX.ElementType;
  type IntrinsicElements = import("react").JSX.IntrinsicElements;
}
declare module "*.css";
interface Window { [name: string]: any; }
"#;

/// The files of a project by path. `plain` holds specifiers that no resolver reads (`three@0.180`, addresses) and what they
/// mean.
pub fn files(ours: &Ours, plain: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut paths = Map::new();
    let file =
        |specifier: &str| format!("./ours/{}.d.ts", specifier.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    for (specifier, text) in &ours.types {
        let path = file(specifier);
        files.insert(path.trim_start_matches("./").to_owned(), text.clone());
        paths.insert(specifier.clone(), json!([path]));
    }
    for (alias, specifier) in ours.aliases.iter().filter(|(_, specifier)| ours.types.contains_key(*specifier)) {
        paths.entry(alias.clone()).or_insert(json!([file(specifier)]));
    }
    let mut ambient = AMBIENT.to_owned();
    for (specifier, meant) in plain {
        let (specifier, meant) = (Value::from(specifier.as_str()), Value::from(meant.as_str()));
        ambient.push_str(&format!(
            "declare module {specifier} {{ export * from {meant}; export {{ default }} from {meant}; }}\n"
        ));
    }
    let settings = json!({
        "compilerOptions": {
            "target": "esnext", "module": "esnext", "moduleResolution": "bundler", "moduleDetection": "force",
            "jsx": "react-jsx", "lib": ["esnext", "dom", "dom.iterable"], "types": [], "noEmit": true,
            // Models write JavaScript with types here and there: only what is surely meant otherwise counts.
            "strict": false, "noImplicitAny": false, "skipLibCheck": true,
            "allowUmdGlobalAccess": true, "allowImportingTsExtensions": true, "resolveJsonModule": true,
            "experimentalDecorators": true, "useDefineForClassFields": true,
            // Packages are links; what they import is looked for where the links are.
            "preserveSymlinks": true, "paths": paths,
        },
        "files": [ARTIFACT, BESIDE, "ambient.d.ts"],
    });
    files.insert("tsconfig.json".to_owned(), settings.to_string());
    files.insert("ambient.d.ts".to_owned(), ambient);
    files.insert(ARTIFACT.to_owned(), "export {};\n".to_owned());
    files.insert(BESIDE.to_owned(), "export {};\n".to_owned());
    files
}

/// The text that is checked: the model's, and after it the imports that the renderer supplies. Imports hold for the whole
/// module wherever they stand, so no position changes.
pub(super) fn checked_text(source: &str, supplied: &[String]) -> String {
    let mut text = String::with_capacity(source.len() + 64);
    let mut rest = source;
    // A carriage return alone ends a line for the checker and none for us.
    while let Some(at) = rest.find('\r') {
        text.push_str(&rest[..at]);
        text.push(if rest[at + 1..].starts_with('\n') { '\r' } else { ' ' });
        rest = &rest[at + 1..];
    }
    text.push_str(rest);
    if !supplied.is_empty() {
        text.push('\n');
        text.push_str(&supplied.join("\n"));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supplied_imports_move_nothing() {
        let text = checked_text("a\r\nb\rc", &["import { useState } from \"react\";".to_owned()]);
        assert_eq!(text, "a\r\nb c\nimport { useState } from \"react\";\n");
    }

    #[test]
    fn aliases_lead_to_declarations_and_odd_specifiers_to_packages() {
        let ours = Ours {
            types: [("$ui4a/ui".to_owned(), "export {};".to_owned())].into(),
            aliases: [("@/components/ui/*".to_owned(), "$ui4a/ui".to_owned()), ("x".to_owned(), "none".to_owned())]
                .into(),
        };
        let plain = [("three@0.180".to_owned(), "three".to_owned())].into();
        let files = files(&ours, &plain);
        assert_eq!(files["ours/-ui4a-ui.d.ts"], "export {};");
        let settings: Value = serde_json::from_str(&files["tsconfig.json"]).expect("JSON");
        let paths = &settings["compilerOptions"]["paths"];
        assert_eq!(
            *paths,
            json!({"$ui4a/ui": ["./ours/-ui4a-ui.d.ts"], "@/components/ui/*": ["./ours/-ui4a-ui.d.ts"]})
        );
        assert!(files["ambient.d.ts"].contains(r#"declare module "three@0.180" { export * from "three";"#));
    }
}
