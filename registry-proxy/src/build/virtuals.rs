//! The small modules that stand where no file does: wrappers around CommonJS entries, and stand-ins for what browsers lack.

use super::locate::placeholder;
use super::names::exportable;
use crate::graph::EntryId;
use std::fmt::Write as _;

/// Prefix of modules whose text a build brings along.
pub(crate) const GIVEN: &str = "ui4a-given:";
/// Prefix of a CommonJS view of a module that stays outside.
pub(crate) const REQUIRE: &str = "ui4a-require:";
/// Prefix of stand-ins for Node's modules.
pub(crate) const BUILTIN: &str = "ui4a-builtin:";
/// Prefix of stand-ins for what the graph does not hold, where the importer can catch the failure.
pub(crate) const THROWS: &str = "ui4a-throws:";
/// Prefix of stand-ins for what the graph does not hold, or what the package says is nothing.
pub(crate) const EMPTY: &str = "ui4a-empty:";

/// A string literal of JavaScript.
pub(crate) fn quote(text: &str) -> String {
    // JSON is JavaScript, since 2019 without exception.
    serde_json::Value::from(text).to_string()
}

/// An ES module around a CommonJS file: `default` is what `import x from` is expected to give, the names are bound, and
/// `module.exports` carries the object itself for other CommonJS modules.
pub(crate) fn commonjs_wrapper<'a>(file: &str, names: impl IntoIterator<Item = &'a String>) -> String {
    let mut text = format!("const m = require({});\n", quote(file));
    text.push_str("const d = m != null && m.__esModule && 'default' in m ? m.default : m;\n");
    text.push_str("export { d as default, m as \"module.exports\" };\n");
    let names = names.into_iter().filter(|name| exportable(name)).enumerate();
    for (index, name) in names {
        // A primitive or null has no properties worth exporting, and a name may be a getter that throws.
        let _ = write!(text, "const v{index} = m?.[{0}];\nexport {{ v{index} as {0} }};\n", quote(name));
    }
    text
}

/// Names from the files that define them: name, file, name there.
pub(crate) fn cut_wrapper(origins: &[(String, std::path::PathBuf, String)]) -> String {
    let mut text = String::new();
    for (name, file, original) in origins {
        let _ = writeln!(
            text,
            "export {{ {} as {} }} from {};",
            quote(original),
            quote(name),
            quote(&file.to_string_lossy())
        );
    }
    text
}

/// The CommonJS view of a module that stays outside: its own `module.exports`, or its namespace as `require` gives it.
pub(crate) fn require_view(entry: &EntryId) -> String {
    format!(
        "import * as ns from {};\n\
         const v = ns[\"module.exports\"] ?? Object.defineProperty(Object.create(null, Object.getOwnPropertyDescriptors(ns)), '__esModule', {{ value: true }});\n\
         export {{ v as \"module.exports\" }};\n",
        quote(&placeholder(entry))
    )
}

/// Node's module in a browser: anything may be read from it, so that code that only mentions it works; using it says what
/// is wrong.
pub(crate) fn builtin(name: &str, package: &str) -> String {
    let message = format!("{package} uses Node's `{name}`, which browsers do not have");
    format!(
        "const fail = () => {{ throw new Error({}); }};\n\
         const stand = () => new Proxy(function () {{}}, {{\n\
           get: (target, key) => key === 'prototype' ? target.prototype : typeof key === 'symbol' || key === '__esModule' || key === 'then' ? undefined : stand(),\n\
           apply: fail, construct: fail,\n\
         }});\n\
         module.exports = stand();\n",
        quote(&message)
    )
}

/// What `require` does for a module that is not there.
pub(crate) fn throws(name: &str) -> String {
    let message = quote(&format!("Cannot find module '{name}'"));
    format!("module.exports = {{}};\nthrow Object.assign(new Error({message}), {{ code: 'MODULE_NOT_FOUND' }});\n")
}
