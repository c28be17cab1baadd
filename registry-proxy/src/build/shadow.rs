//! Names in a package's text that would hide the bundler's own.
//!
//! rolldown 1.2.5 wraps a CommonJS module in a function and calls its helpers from within; a module that was made by esbuild
//! declares helpers of the same names, and then calls those, which know nothing of `module.exports` (measured:
//! react-draggable 4.7.2 got a React without `Component`).

use regex::{Captures, Regex};
use std::sync::LazyLock;

/// A text in which what it declares under the name of a helper has another name. None when there is nothing to change.
pub(crate) fn renamed(code: &str) -> Option<String> {
    static DECLARED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?:\b(?:var|let|const|function)\s+|,\s*)(__toCommonJS|__toESM|__reExport|__require)\s*[=(]").ok()
    });
    static NAMED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(^|[^.\w$])(__toCommonJS|__toESM|__reExport|__require)\b").ok());
    if !code.contains("__toCommonJS") && !code.contains("__require") {
        return None;
    }
    let declared: Vec<String> = DECLARED.as_ref()?.captures_iter(code).map(|found| found[1].to_owned()).collect();
    if declared.is_empty() {
        return None;
    }
    let rename = |found: &Captures<'_>| match declared.iter().any(|name| *name == found[2]) {
        true => format!("{}{}$own", &found[1], &found[2]),
        false => found[0].to_owned(),
    };
    Some(NAMED.as_ref()?.replace_all(code, rename).into_owned())
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn only_what_is_declared_is_renamed() {
        let text =
            "var __toCommonJS = (mod) => mod;\nmodule.exports = __toCommonJS(x); x.__toCommonJS; __require('a');";
        let expected = "var __toCommonJS$own = (mod) => mod;\nmodule.exports = __toCommonJS$own(x); x.__toCommonJS; __require('a');";
        assert_eq!(renamed(text).as_deref(), Some(expected));
        assert_eq!(renamed("module.exports = __toCommonJS(x)"), None);
        assert_eq!(renamed("module.exports = 1"), None);
    }
}
