//! All findings of this crate, each a function.

use crate::known::{PACKAGES, nearest};
use crate::{Limits, RegistryError};
use ui4a_types::{AddressRole, Diagnostic, ImportUse, Phase, Severity};

fn at(diagnostic: Diagnostic, specifier: &str, used: Option<&ImportUse>) -> Diagnostic {
    let Some(used) = used.filter(|used| used.line > 0) else { return diagnostic };
    let width = specifier.encode_utf16().count() as u32 + 2;
    Diagnostic {
        line: used.line,
        column: used.column,
        end_line: used.line,
        end_column: used.column.saturating_add(width),
        ..diagnostic
    }
}

fn did_you_mean(names: &[String]) -> Option<String> {
    match names {
        [] => None,
        names => Some(format!(
            "Did you mean {}?",
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        )),
    }
}

fn with_help(diagnostic: Diagnostic, help: Option<String>) -> Diagnostic {
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// A specifier that did not become a module. `own` are the specifiers that the program itself provides.
pub(crate) fn failed(specifier: &str, used: Option<&ImportUse>, error: &RegistryError, own: &[String]) -> Diagnostic {
    let near = || nearest(specifier, own.iter().map(String::as_str).chain(PACKAGES.iter().copied()), 3);
    let (code, help) = match error {
        RegistryError::NoSuchPackage { name, .. } => {
            ("unknown-package", did_you_mean(&near()).or_else(|| private(name)))
        }
        RegistryError::NoSuchVersion { latest, .. } => {
            ("unknown-version", Some(format!("Ask for {latest}, or for no version.")))
        }
        RegistryError::NoSuchEntry { .. } => ("unknown-entry", did_you_mean(&near())),
        RegistryError::Specifier { .. } => ("unknown-module", did_you_mean(&near())),
        RegistryError::Forbidden { .. } => ("address-refused", None),
        RegistryError::Address { .. } => ("address-failed", None),
        RegistryError::Unreachable { .. } => ("registry-unreachable", None),
        RegistryError::NoRegistry | RegistryError::Setting { .. } => ("registry-not-configured", None),
        RegistryError::Unauthorized { .. } => ("registry-refused", None),
        RegistryError::Integrity { .. } => ("package-integrity", Some("Nothing of it was used.".to_owned())),
        RegistryError::Limit { what, .. } => ("package-limit", raise(what)),
        RegistryError::Denied { .. } => {
            ("package-denied", Some("Use another package, or change `packages` in your own ui4a.toml.".to_owned()))
        }
        RegistryError::BadAnswer { .. } | RegistryError::Tarball { .. } => ("package-damaged", None),
        RegistryError::NoChecker { .. } => ("no-type-checker", None),
        RegistryError::Build { .. } => ("package-build", None),
        RegistryError::Io { .. } | RegistryError::Store(_) | RegistryError::Bundle { .. } => ("cache-failed", None),
    };
    with_help(at(Diagnostic::new(code, Severity::Error, Phase::Import, error.to_string()), specifier, used), help)
}

/// Registries say that a private package is not there to whom they do not know.
fn private(name: &str) -> Option<String> {
    let (scope, _) = name.strip_prefix('@')?.split_once('/')?;
    Some(format!("If it is private, .npmrc needs `@{scope}:registry=` and the token of that registry."))
}

/// What to do about a bound that the user may set.
fn raise(what: &str) -> Option<String> {
    let setting = Limits::setting_of(what)?;
    Some(format!("If you trust it, raise `limits.{setting}` in your own ui4a.toml."))
}

/// The address of a script, a style sheet or an asset that could not be had.
pub(crate) fn resource(
    address: &str,
    used: Option<&ImportUse>,
    error: &RegistryError,
    role: AddressRole,
) -> Diagnostic {
    let what = match role {
        AddressRole::Script => "script",
        AddressRole::Style => "style sheet",
        AddressRole::Asset => "image, font or sound",
    };
    // Without a script the rest does not run; without a picture it does.
    let severity = if role == AddressRole::Script { Severity::Error } else { Severity::Warning };
    let message = format!("This {what} could not be loaded: {error}");
    let help = match error {
        RegistryError::NoSuchEntry { .. } => "Name a file that the package has, or the package alone.",
        RegistryError::NoSuchPackage { .. } => "Use the address of a package that exists.",
        _ => "Use an npm package, or put it into the source (a data: address, an inline SVG, a gradient).",
    };
    at(Diagnostic::new("resource", severity, Phase::Import, message), address, used).help(help)
}

/// A module of Node's, which a browser cannot have.
pub(crate) fn node_builtin(specifier: &str, used: Option<&ImportUse>, name: &str) -> Diagnostic {
    let message = format!("`{specifier}` is Node's module `{name}`, which browsers do not have");
    at(Diagnostic::new("node-builtin", Severity::Error, Phase::Import, message), specifier, used)
        .help("Use what the browser has instead, or remove the import.")
}

/// A name that a ready module does not export.
pub(crate) fn unknown_export(specifier: &str, used: Option<&ImportUse>, name: &str, names: &[String]) -> Diagnostic {
    let message = match name {
        "default" => format!("`{specifier}` has no default export"),
        name => format!("`{specifier}` does not export `{name}`: a stand-in is shown in its place"),
    };
    let near = match name {
        "default" => names.iter().take(3).cloned().collect(),
        name => nearest(name, names.iter().map(String::as_str), 3),
    };
    let found = Diagnostic::new("unknown-export", Severity::Warning, Phase::Import, message);
    with_help(at_name(found, specifier, used, name), did_you_mean(&near))
}

/// The place of one imported name, where it is known; else the specifier's.
fn at_name(diagnostic: Diagnostic, specifier: &str, used: Option<&ImportUse>, name: &str) -> Diagnostic {
    let Some((line, column)) = used.and_then(|used| used.places.get(name).copied()).filter(|(line, _)| *line > 0)
    else {
        return at(diagnostic, specifier, used);
    };
    let end_column = column.saturating_add(name.encode_utf16().count() as u32);
    Diagnostic { line, column, end_line: line, end_column, ..diagnostic }
}

/// An icon that a package lacks, and the one that is shown in its place.
pub(crate) fn repaired_icon(specifier: &str, used: Option<&ImportUse>, name: &str, shown: &str) -> Diagnostic {
    let message = format!("`{specifier}` has no icon `{name}`: `{shown}` is shown in its place");
    let found = Diagnostic::new("repaired-icon", Severity::Warning, Phase::Import, message);
    at_name(found, specifier, used, name).help(format!("Import `{shown}`, or another icon of `{specifier}`."))
}

/// Something about a package that works.
pub(crate) fn note(code: &str, specifier: &str, used: Option<&ImportUse>, message: &str) -> Diagnostic {
    at(Diagnostic::new(code, Severity::Hint, Phase::Import, message), specifier, used)
}
