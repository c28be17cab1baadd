//! What the user allows and denies: packages by name and version, and how old a version must be.
//!
//! Deny rules hold for every package of a graph. Allow rules hold for what an artifact (or a module that it fetches by
//! address) names itself: what an allowed package depends on comes with it, and React is always there. The minimum age holds
//! for versions that are chosen now; what a lock has is kept.

use crate::RegistryError;
use crate::graph::family::is_family;
use crate::npm::packument::Packument;
use nodejs_semver::{Range, Version};
use std::time::{Duration, SystemTime};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use ui4a_types::Lock;
use url::Url;

/// Which packages may be used.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    allow: Option<Vec<Rule>>,
    deny: Vec<Rule>,
    minimum_age: Duration,
}

/// A name, a name's beginning with a `*` after it, or an origin; and of a package, which versions.
#[derive(Clone, Debug)]
struct Rule {
    text: String,
    name: String,
    range: Option<Range>,
}

impl Policy {
    /// Reads rules: `lodash`, `@scope/*`, `left-pad@<1.3.0`, and among those that allow, origins (`https://host`). With no
    /// allow rules everything is allowed.
    ///
    /// # Errors
    /// In words, which rule is none.
    pub fn new(allow: &[String], deny: &[String], minimum_age: Duration) -> Result<Self, String> {
        let rules = |texts: &[String]| texts.iter().map(|text| Rule::parse(text)).collect::<Result<Vec<_>, _>>();
        let allow = if allow.is_empty() { None } else { Some(rules(allow)?) };
        Ok(Self { allow, deny: rules(deny)?, minimum_age })
    }

    /// Whether publication dates matter: only whole packuments have them.
    pub(crate) fn wants_dates(&self) -> bool {
        !self.minimum_age.is_zero()
    }

    /// Whether an artifact may name this package.
    ///
    /// # Errors
    /// It may not.
    pub(crate) fn direct(&self, name: &str) -> Result<(), RegistryError> {
        self.package(name)?;
        let Some(allow) = &self.allow else { return Ok(()) };
        if is_family(name) || allow.iter().any(|rule| rule.names(name)) {
            return Ok(());
        }
        Err(denied(name, "`packages.allow` does not name it".to_owned()))
    }

    /// Whether an artifact may fetch from this address, which stands for no package.
    ///
    /// # Errors
    /// It may not.
    pub(crate) fn address(&self, url: &Url) -> Result<(), RegistryError> {
        let origin = url.origin().ascii_serialization();
        let covers = |rule: &Rule| rule.name == "*" || rule.name.trim_end_matches('/') == origin;
        match &self.allow {
            Some(allow) if !allow.iter().any(covers) => {
                let address: String = url.as_str().chars().take(200).collect();
                Err(RegistryError::Forbidden { address, reason: format!("`packages.allow` does not name {origin}") })
            }
            _ => Ok(()),
        }
    }

    /// Whether any version of this package may be used.
    ///
    /// # Errors
    /// None may.
    pub(crate) fn package(&self, name: &str) -> Result<(), RegistryError> {
        match self.deny.iter().find(|rule| rule.range.is_none() && rule.names(name)) {
            Some(rule) => Err(denied(name, rule.reason())),
            None => Ok(()),
        }
    }

    /// Whether this version may be used, its age left aside.
    ///
    /// # Errors
    /// In words, why not.
    pub(crate) fn version(&self, name: &str, version: &str) -> Result<(), String> {
        match self.deny.iter().find(|rule| rule.names(name) && rule.covers(version)) {
            Some(rule) => Err(rule.reason()),
            None => Ok(()),
        }
    }

    /// Takes the versions that may not be used out of a packument, and keeps why.
    pub(crate) fn apply(&self, packument: &mut Packument, now: SystemTime) {
        if self.deny.is_empty() && !self.wants_dates() {
            return;
        }
        let name = packument.name.clone();
        let (times, withheld) = (&packument.times, &mut packument.withheld);
        packument.versions.retain(|version, _| {
            let reason = self.version(&name, version).and_then(|()| self.age(times.get(version), now)).err();
            let kept = reason.is_none();
            if let Some(reason) = reason {
                withheld.insert(version.clone(), reason);
            }
            kept
        });
    }

    fn age(&self, published: Option<&String>, now: SystemTime) -> Result<(), String> {
        if !self.wants_dates() {
            return Ok(());
        }
        let least = spell(self.minimum_age);
        let Some(at) = published.and_then(|text| OffsetDateTime::parse(text, &Rfc3339).ok()) else {
            return Err(format!(
                "the registry does not say when it was published, and `packages.minimum_age` is {least}"
            ));
        };
        // A date to come is no age at all.
        let age = Duration::try_from(OffsetDateTime::from(now) - at).unwrap_or_default();
        match age >= self.minimum_age {
            true => Ok(()),
            false => Err(format!("it was published {} ago, and `packages.minimum_age` is {least}", spell(age))),
        }
    }

    /// Whether nothing that a lock holds is denied.
    pub(crate) fn admits(&self, lock: &Lock) -> bool {
        let named = lock.entries.values().filter(|entry| !entry.version.is_empty());
        self.deny.is_empty() && self.allow.is_none()
            || named
                .map(|entry| entry.package.as_str())
                .filter(|name| !name.starts_with('$'))
                .all(|name| self.direct(name).is_ok())
                && lock.packages.iter().all(|(key, locked)| {
                    let name = key.rsplit_once('@').map_or(key.as_str(), |(name, _)| name);
                    self.version(name, &locked.version).is_ok()
                })
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.contains("://") {
            return match Url::parse(text) {
                Ok(url) if url.has_host() && url.path() == "/" => {
                    Ok(Self { text: text.to_owned(), name: url.origin().ascii_serialization(), range: None })
                }
                _ => Err(format!("`{text}` is no origin such as https://example.com")),
            };
        }
        let at = text.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
        let (name, range) = at.map_or((text, None), |at| (&text[..at], Some(&text[at + 1..])));
        let whole = match name.strip_suffix('*') {
            Some(stem) => format!("{stem}x"),
            None => name.to_owned(),
        };
        crate::specifier::check_name(&whole).map_err(|_| format!("`{text}` names no npm package"))?;
        let range = match range {
            Some(range) => {
                Some(Range::parse(range).map_err(|_| format!("`{range}` of `{text}` is no range of versions"))?)
            }
            None => None,
        };
        Ok(Self { text: text.to_owned(), name: name.to_owned(), range })
    }

    fn names(&self, name: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(stem) => name.starts_with(stem),
            None => self.name == name,
        }
    }

    fn covers(&self, version: &str) -> bool {
        let Some(range) = &self.range else { return true };
        // A version that does not parse is in no range, so it is in the denied one.
        let release = version.split(['-', '+']).next().unwrap_or(version);
        let within = |text: &str| Version::parse(text).map_or(true, |version| version.satisfies(range));
        within(version) || within(release)
    }

    fn reason(&self) -> String {
        format!("`packages.deny` names `{}`", self.text)
    }
}

fn denied(name: &str, reason: String) -> RegistryError {
    RegistryError::Denied { name: name.to_owned(), reason }
}

fn spell(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..=119 => format!("{seconds} seconds"),
        120..=7_199 => format!("{} minutes", seconds / 60),
        7_200..=172_799 => format!("{} hours", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npm::packument::Manifest;

    fn policy(allow: &[&str], deny: &[&str], days: u64) -> Policy {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        Policy::new(&own(allow), &own(deny), Duration::from_secs(days * 86_400)).expect("rules")
    }

    #[test]
    fn an_allow_list_is_for_what_is_named_and_a_deny_list_for_all() {
        let policy = policy(&["recharts", "@mine/*", "https://cdn.example"], &["evil", "left-pad@<1.3.0"], 0);
        for name in ["recharts", "@mine/a", "react", "react-dom", "scheduler"] {
            assert!(policy.direct(name).is_ok(), "{name}");
        }
        for name in ["lodash", "@mine", "@other/a", "evil", "rechartsx"] {
            assert!(policy.direct(name).is_err(), "{name}");
        }
        assert!(policy.package("lodash").is_ok() && policy.package("evil").is_err());
        assert!(policy.version("left-pad", "1.2.9").is_err() && policy.version("left-pad", "1.3.0").is_ok());
        assert!(policy.version("left-pad", "1.2.0-beta.1").is_err(), "a pre-release of a denied version is denied");
        let url = |text: &str| Url::parse(text).expect("an address");
        assert!(policy.address(&url("https://cdn.example/x.js")).is_ok());
        assert!(policy.address(&url("https://cdn.example.evil/x.js")).is_err());
    }

    #[test]
    fn young_versions_wait() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let mut packument = Packument {
            name: "x".into(),
            versions: ["1.0.0", "1.1.0", "1.2.0"].map(|v| (v.to_owned(), Manifest::default())).into(),
            times: [("1.0.0", "2023-11-01T00:00:00.000Z"), ("1.1.0", "2023-11-14T00:00:00.000Z")]
                .map(|(version, at)| (version.to_owned(), at.to_owned()))
                .into(),
            ..Packument::default()
        };
        policy(&[], &[], 3).apply(&mut packument, now);
        assert_eq!(packument.versions.keys().collect::<Vec<_>>(), ["1.0.0"]);
        assert!(packument.withheld["1.1.0"].contains("3 days"), "{:?}", packument.withheld);
        assert!(packument.withheld["1.2.0"].contains("does not say"), "{:?}", packument.withheld);
    }

    #[test]
    fn what_is_no_rule_is_said() {
        for bad in ["a b", "x@>>1", "http://", "../x", ""] {
            assert!(Policy::new(&[], &[bad.to_owned()], Duration::ZERO).is_err(), "{bad:?}");
        }
    }
}
