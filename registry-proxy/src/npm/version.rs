//! Which version a range means, as npm picks it.

use super::packument::Packument;
use crate::RegistryError;
use nodejs_semver::{Range, Version};

/// What a dependency asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Want {
    /// Any version, the `latest` first.
    Any,
    /// A dist-tag.
    Tag(String),
    /// A range.
    Range(Box<Range>, String),
}

impl Want {
    /// Reads a range, version or tag. What is no range is a tag.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.trim();
        if matches!(text, "" | "*" | "x" | "latest") {
            return Self::Any;
        }
        match Range::parse(text) {
            Ok(range) => Self::Range(Box::new(range), text.to_owned()),
            Err(_) => Self::Tag(text.to_owned()),
        }
    }

    /// Whether a version will do. A tag is only known with a packument: no version is assumed to have it.
    pub(crate) fn accepts(&self, version: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Tag(_) => false,
            Self::Range(range, text) => {
                text == version || Version::parse(version).is_ok_and(|version| version.satisfies(range))
            }
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Any => "*",
            Self::Tag(text) | Self::Range(_, text) => text,
        }
    }
}

/// Splits `npm:name@range` into the name that is meant and its range; another text is a range of `alias` itself.
///
/// # Errors
/// The dependency is a folder, an address or a repository, none of which a registry can answer.
pub(crate) fn target<'a>(alias: &'a str, range: &'a str) -> Result<(&'a str, &'a str), String> {
    if let Some(rest) = range.strip_prefix("npm:") {
        let at = rest.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
        let (name, range) = at.map_or((rest, "*"), |at| (&rest[..at], &rest[at + 1..]));
        crate::specifier::check_name(name)?;
        return Ok((name, range));
    }
    let foreign = ["file:", "link:", "workspace:", "git", "http:", "https:", "portal:", "patch:", "catalog:"];
    if foreign.iter().any(|prefix| range.starts_with(prefix)) || range.contains('/') {
        return Err(format!("`{range}` does not come from an npm registry"));
    }
    crate::specifier::check_name(alias)?;
    Ok((alias, range))
}

/// The version that npm would install: the `latest` where it fits, else the highest that is not deprecated, else the highest.
/// Versions for which `suits` is false come last.
///
/// # Errors
/// None satisfies the range, or there is no such tag.
pub(crate) fn pick(packument: &Packument, want: &Want, suits: impl Fn(&str) -> bool) -> Result<String, RegistryError> {
    let tag = |tag: &str| packument.tags.get(tag).filter(|version| packument.versions.contains_key(*version)).cloned();
    let latest = tag("latest");
    let missing = || missing(packument, want, latest.as_deref());
    if let Want::Tag(name) = want {
        return tag(name).ok_or_else(missing);
    }
    if let Some(version) = &latest
        && want.accepts(version)
        && suits(version)
    {
        return Ok(version.clone());
    }
    let best = packument
        .versions
        .iter()
        .filter(|(version, _)| want.accepts(version))
        .filter_map(|(text, manifest)| {
            let version = Version::parse(text).ok()?;
            // With no range, a pre-release is only taken when there is nothing else.
            let stable = !matches!(want, Want::Any) || !version.is_prerelease();
            let not_newer =
                latest.as_deref().and_then(|l| Version::parse(l).ok()).is_none_or(|latest| version <= latest);
            let rank =
                (suits(text), stable, matches!(want, Want::Range(..)) || not_newer, manifest.deprecated.is_none());
            Some((rank, version, text))
        })
        .max_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1)));
    match best {
        Some((rank, _, text)) if rank.0 || latest.is_none() => Ok(text.clone()),
        Some((_, _, text)) => Ok(latest.filter(|version| want.accepts(version)).unwrap_or_else(|| text.clone())),
        None => Err(missing()),
    }
}

/// None will do: because there is none, or because those that would may not be used.
fn missing(packument: &Packument, want: &Want, latest: Option<&str>) -> RegistryError {
    let tagged = match want {
        Want::Tag(name) => packument.tags.get(name),
        _ => None,
    };
    let withheld = packument.withheld.iter().filter(|(version, _)| Some(*version) == tagged || want.accepts(version));
    let newest = withheld.max_by_key(|(version, _)| Version::parse(version.as_str()).ok());
    match newest {
        Some((version, reason)) => {
            RegistryError::Denied { name: format!("{}@{version}", packument.name), reason: reason.clone() }
        }
        None => RegistryError::NoSuchVersion {
            name: packument.name.clone(),
            range: want.text().to_owned(),
            latest: latest.unwrap_or("unknown").to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npm::packument::Manifest;

    fn packument(versions: &[&str], latest: &str) -> Packument {
        Packument {
            name: "x".into(),
            tags: [("latest".to_owned(), latest.to_owned()), ("next".to_owned(), "3.0.0-rc.1".to_owned())].into(),
            versions: versions.iter().map(|v| ((*v).to_owned(), Manifest::default())).collect(),
            ..Packument::default()
        }
    }

    #[test]
    fn ranges_tags_and_latest() {
        let p = packument(&["1.0.0", "1.2.0", "2.0.0", "2.1.0", "3.0.0-rc.1"], "2.0.0");
        let pick = |text: &str| pick(&p, &Want::parse(text), |_| true);
        assert_eq!(pick("").expect("any"), "2.0.0");
        assert_eq!(pick("^1").expect("range"), "1.2.0");
        assert_eq!(pick("^2").expect("latest is preferred"), "2.0.0");
        assert_eq!(pick("next").expect("tag"), "3.0.0-rc.1");
        assert_eq!(pick("1.x || >=2.5.0 || 5.0.0 - 7.2.3").expect("or"), "1.2.0");
        assert!(pick("^9").expect_err("none").to_string().contains("its latest is 2.0.0"));
    }

    #[test]
    fn a_version_that_suits_beats_a_newer_one() {
        let p = packument(&["1.0.0", "2.0.0"], "2.0.0");
        assert_eq!(pick(&p, &Want::Any, |version| version.starts_with('1')).expect("older"), "1.0.0");
        assert_eq!(pick(&p, &Want::Any, |_| false).expect("latest when none suits"), "2.0.0");
    }

    #[test]
    fn aliases_name_another_package() {
        assert_eq!(target("a", "npm:@s/b@^1"), Ok(("@s/b", "^1")));
        assert_eq!(target("a", "npm:b"), Ok(("b", "*")));
        assert!(target("a", "file:../x").is_err());
        assert!(target("a", "user/repo").is_err());
    }
}
