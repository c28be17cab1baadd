//! What a specifier asks for, by its text alone: no file is read and nothing is fetched.

mod cdn;
mod node;

use crate::RegistryError;
use std::collections::BTreeMap;

pub(crate) use node::{is_node_builtin, is_stand_in, stand_in_for};

/// A specifier, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Specifier {
    /// An npm package.
    Npm(NpmSpecifier),
    /// An address that stands for itself.
    Address(String),
    /// A path relative to a file that a one-file artifact does not have.
    Relative,
    /// A module of Node's that browsers lack.
    NodeBuiltin(String),
}

/// A package, a range and an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NpmSpecifier {
    /// The package's name.
    pub name: String,
    /// A range, a version or a dist-tag; `None` when any version will do.
    pub range: Option<String>,
    /// The entry, without a leading slash; empty for the main one.
    pub subpath: String,
    /// Whether the subpath is a file of the package, as in a CDN address, when no entry is called so.
    pub file: bool,
    /// Whether the file may lie elsewhere in the package: the address is of a network that arranges files its own way.
    pub loose: bool,
    /// Versions of other packages that the address asks for (`?deps=`).
    pub pins: BTreeMap<String, String>,
    /// What the package and its own get in place of other packages (`?alias=react:preact/compat`).
    pub aliases: BTreeMap<String, NpmSpecifier>,
}

/// Reads a specifier as an artifact writes it.
///
/// # Errors
/// It is no name, path or address that could ever be imported.
pub(crate) fn parse(specifier: &str) -> Result<Specifier, RegistryError> {
    let refuse = |reason: &str| RegistryError::Specifier {
        specifier: specifier.chars().take(200).collect(),
        reason: reason.to_owned(),
    };
    if specifier.len() > 2_000 {
        return Err(refuse("it is longer than 2,000 bytes"));
    }
    if specifier.starts_with("./") || specifier.starts_with("../") || specifier.starts_with('/') || specifier == "." {
        return Ok(Specifier::Relative);
    }
    if let Some(rest) = specifier.strip_prefix("node:") {
        return Ok(builtin(rest));
    }
    if let Some(rest) = specifier.strip_prefix("npm:") {
        return parse_npm(rest.trim_start_matches('/')).map(Specifier::Npm).map_err(|reason| refuse(&reason));
    }
    if specifier.starts_with("https:") || specifier.starts_with("http:") {
        return parse_address(specifier).map_err(|reason| refuse(&reason));
    }
    if is_node_builtin(specifier) {
        return Ok(builtin(specifier));
    }
    if let Some((scheme, _)) = specifier.split_once(':')
        && !scheme.contains(['/', '@'])
    {
        return Err(refuse(&format!("`{scheme}:` is not supported; use a package name or an https: address")));
    }
    parse_npm(specifier).map(Specifier::Npm).map_err(|reason| refuse(&reason))
}

/// A module of Node's: the package that stands for it, where there is one.
fn builtin(name: &str) -> Specifier {
    match stand_in_for(name) {
        Some((package, subpath)) => Specifier::Npm(NpmSpecifier {
            name: package.to_owned(),
            subpath: subpath.to_owned(),
            ..NpmSpecifier::default()
        }),
        None => Specifier::NodeBuiltin(name.to_owned()),
    }
}

/// `name[@range][/subpath]`, with or without a scope.
fn parse_npm(text: &str) -> Result<NpmSpecifier, String> {
    let scope_end = match text.starts_with('@') {
        true => text.find('/').ok_or("a scope needs a name after it")? + 1,
        false => 0,
    };
    let rest = &text[scope_end..];
    let name_end = rest.find(['/', '@']).unwrap_or(rest.len()) + scope_end;
    let name = &text[..name_end];
    check_name(name)?;
    let after = &text[name_end..];
    let (range, subpath) = match after.strip_prefix('@') {
        Some(tail) => match tail.split_once('/') {
            Some((range, subpath)) => (Some(range), subpath),
            None => (Some(tail), ""),
        },
        None => (None, after.strip_prefix('/').unwrap_or("")),
    };
    let subpath = check_subpath(subpath)?;
    let range = range.map(str::trim).filter(|range| !range.is_empty()).map(str::to_owned);
    Ok(NpmSpecifier { name: name.to_owned(), range, subpath, ..NpmSpecifier::default() })
}

/// Accepts what npm accepts as a package name, new or old.
///
/// # Errors
/// In words, what is wrong with it.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~'))
    };
    let valid = match name.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| part(scope) && part(name)),
        None => part(name) && !name.starts_with('_'),
    };
    if name.len() > 214 || !valid {
        return Err("it is not a valid npm package name".to_owned());
    }
    Ok(())
}

fn check_subpath(subpath: &str) -> Result<String, String> {
    let subpath = subpath.trim_end_matches('/');
    let bad = subpath.split('/').any(|part| part == ".." || part == "." || part.is_empty())
        || subpath.contains(['\0', '\\', '%', '\n', '\r']);
    if bad && !subpath.is_empty() {
        return Err("its path holds `.`, `..` or characters that no entry has".to_owned());
    }
    Ok(subpath.to_owned())
}

/// An `https:` address: the package that it stands for on a well-known CDN, or itself.
fn parse_address(address: &str) -> Result<Specifier, String> {
    let url = url::Url::parse(address).map_err(|error| format!("the address does not parse: {error}"))?;
    Ok(cdn::package(&url)?.map_or_else(|| Specifier::Address(address.to_owned()), Specifier::Npm))
}

fn percent_decode(path: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [a, b, ..]) => {
                let hex = [*a, *b];
                let text = std::str::from_utf8(&hex).map_err(|_| "the address has a broken escape")?;
                bytes.push(u8::from_str_radix(text, 16).map_err(|_| "the address has a broken escape")?);
                rest = &tail[2..];
            }
            (byte, tail) => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| "the address is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npm(text: &str) -> (String, Option<String>, String) {
        match parse(text).expect(text) {
            Specifier::Npm(npm) => (npm.name, npm.range, npm.subpath),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn want(name: &str, range: &str, subpath: &str) -> (String, Option<String>, String) {
        (name.to_owned(), Some(range.to_owned()).filter(|range| !range.is_empty()), subpath.to_owned())
    }

    #[test]
    fn names_ranges_and_subpaths() {
        assert_eq!(npm("react"), want("react", "", ""));
        assert_eq!(npm("react-dom/client"), want("react-dom", "", "client"));
        assert_eq!(npm("@scope/x/sub/y.js"), want("@scope/x", "", "sub/y.js"));
        assert_eq!(
            npm("three@0.180/addons/controls/OrbitControls.js"),
            want("three", "0.180", "addons/controls/OrbitControls.js")
        );
        assert_eq!(npm("npm:@s/x@^2.1"), want("@s/x", "^2.1", ""));
        assert_eq!(npm("npm:x@next/y"), want("x", "next", "y"));
        assert_eq!(npm("events"), want("events", "", ""));
        assert_eq!(npm("node:events"), want("events", "", ""));
        assert_eq!(npm("path"), want("path-browserify", "", ""));
        assert_eq!(npm("node:process"), want("process", "", "browser"));
    }

    #[test]
    fn cdn_addresses_are_packages() {
        assert_eq!(npm("https://esm.sh/react@18.2.0"), want("react", "18.2.0", ""));
        assert_eq!(npm("https://esm.sh/stable/react@18.2.0/es2022/react.mjs"), want("react", "18.2.0", ""));
        assert_eq!(npm("https://esm.sh/v135/react-dom@18&dev/client"), want("react-dom", "18", "client"));
        assert_eq!(npm("https://cdn.jsdelivr.net/npm/d3@7/+esm"), want("d3", "7", ""));
        assert_eq!(
            npm("https://unpkg.com/htm@3/preact/standalone.module.js?module"),
            want("htm", "3", "preact/standalone.module.js")
        );
        assert_eq!(npm("https://cdn.skypack.dev/three@0.136.0"), want("three", "0.136.0", ""));
        assert_eq!(npm("https://esm.run/canvas-confetti"), want("canvas-confetti", "", ""));
        assert_eq!(npm("https://ga.jspm.io/npm:lit@3.1.0/index.js"), want("lit", "3.1.0", "index.js"));
        let cdnjs = |path: &str| npm(&format!("https://cdnjs.cloudflare.com/ajax/libs/{path}"));
        assert_eq!(cdnjs("p5.js/1.9.0/p5.min.js"), want("p5", "1.9.0", "lib/p5.min.js"));
        assert_eq!(cdnjs("three.js/r128/three.min.js"), want("three", "0.128", "build/three.min.js"));
        assert_eq!(cdnjs("Chart.js/4.4.1/chart.umd.js"), want("chart.js", "4.4.1", "dist/chart.umd.js"));
        assert_eq!(
            cdnjs("font-awesome/6.5.1/css/all.min.css"),
            want("@fortawesome/fontawesome-free", "6.5.1", "css/all.min.css")
        );
        assert_eq!(npm("https://code.jquery.com/jquery-3.7.1.min.js"), want("jquery", "3.7.1", "dist/jquery.min.js"));
        assert_eq!(npm("https://d3js.org/d3.v7.min.js"), want("d3", "7", "dist/d3.min.js"));
        assert_eq!(
            npm("https://cdn.plot.ly/plotly-2.27.0.min.js"),
            want("plotly.js-dist-min", "2.27.0", "plotly.min.js")
        );
        // React 19 has no such files: an address without a version means the last that had them.
        let umd = "umd/react.production.min.js";
        assert_eq!(npm(&format!("https://unpkg.com/react/{umd}")), want("react", "^18.0.0", umd));
        assert_eq!(npm(&format!("https://unpkg.com/react@17/{umd}")), want("react", "17", umd));
        let Ok(Specifier::Npm(pinned)) = parse("https://esm.sh/swr?deps=react@18.2.0") else { panic!("npm") };
        assert_eq!(pinned.pins["react"], "18.2.0");
        let aliased = parse("https://esm.sh/swr@2?alias=react:preact/compat,react-dom:preact@10/compat");
        let Ok(Specifier::Npm(aliased)) = aliased else { panic!("npm") };
        let targets: Vec<_> = aliased.aliases.iter().map(|(from, to)| (&**from, &*to.name, &*to.subpath)).collect();
        assert_eq!(targets, [("react", "preact", "compat"), ("react-dom", "preact", "compat")]);
        assert_eq!(aliased.aliases["react-dom"].range.as_deref(), Some("10"));
        assert!(parse("https://esm.sh/swr?alias=react:../x").is_err());
        assert!(matches!(parse("https://example.test/x.js"), Ok(Specifier::Address(_))));
    }

    #[test]
    fn what_cannot_be_imported_is_refused() {
        for bad in [
            "..",
            "@",
            "@x",
            "x/../y",
            "x/%2e%2e/y",
            "a\0b",
            "ＲＥＡＣＴ",
            "javascript:alert(1)",
            "",
            ".hidden",
            "a/b\\..\\c",
        ] {
            assert!(!matches!(parse(bad), Ok(Specifier::Npm(_))), "{bad:?}");
        }
        assert_eq!(parse("./api").ok(), Some(Specifier::Relative));
        assert_eq!(parse("node:fs").ok(), Some(Specifier::NodeBuiltin("fs".into())));
    }
}
