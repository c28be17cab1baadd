//! npm's own configuration: which registry, for which scope, with which credentials, through which proxy.
//!
//! Order: `npm_config_*` in the environment, the `.npmrc` files that were named (the project's, then the user's), then
//! what the `npm` program says. Secrets are never printed: `Debug` masks them.

use crate::RegistryError;
use base64::Engine as _;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use url::Url;

/// A secret for a registry, as the value of an `Authorization` header.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Authorization(pub String);

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authorization(***)")
    }
}

/// npm's settings, those that matter here.
#[derive(Clone, Default)]
pub(crate) struct Npmrc {
    /// First layer wins. A layer is (where it is from, its settings).
    layers: Vec<(String, BTreeMap<String, String>)>,
}

impl fmt::Debug for Npmrc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (origin, settings) in &self.layers {
            for (key, value) in settings {
                let lower = key.to_lowercase();
                let secret = ["auth", "password", "username", "email", "key", "otp", "token"];
                let shown = match secret.iter().any(|word| lower.contains(word)) {
                    true => "***".to_owned(),
                    false => masked(value),
                };
                map.entry(&format!("{key} ({origin})"), &shown);
            }
        }
        map.finish()
    }
}

impl Npmrc {
    /// Reads the environment, the `.npmrc` of each folder and the user's own, in the order of precedence.
    pub(crate) fn load(env: &BTreeMap<String, String>, folders: &[PathBuf]) -> Self {
        let mut from_env = BTreeMap::new();
        for (name, value) in env {
            let is_setting = name.get(..11).is_some_and(|prefix| prefix.eq_ignore_ascii_case("npm_config_"));
            if is_setting && !value.is_empty() {
                let key = &name[11..];
                // Only plain names are rewritten: `_authToken` keeps its case behind a `//host/` prefix.
                let key = match key.starts_with("//") || key.starts_with('@') {
                    true => key.to_owned(),
                    false => key.to_lowercase().replace('_', "-"),
                };
                from_env.insert(key, value.clone());
            }
        }
        let mut layers = vec![("the environment".to_owned(), from_env)];
        let mut files: Vec<PathBuf> = folders.iter().map(|folder| folder.join(".npmrc")).collect();
        let user = layers[0].1.get("userconfig").map(PathBuf::from);
        files.extend(user.or_else(|| Some(Path::new(env.get("HOME")?).join(".npmrc"))));
        for path in files {
            if let Ok(text) = std::fs::read_to_string(&path) {
                layers.push((path.display().to_string(), parse(&text, env)));
            }
        }
        Self { layers }
    }

    /// Adds what the `npm` program answers, as the weakest layer. Nothing is added when there is no such program.
    pub(crate) fn ask_npm(&mut self) {
        // Its own secrets come back as "(protected)", which is of no use and is dropped.
        let answer = std::process::Command::new("npm")
            .args(["config", "list", "--json", "--long"])
            .stdin(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .output();
        let Ok(answer) = answer else { return };
        let Ok(serde_json::Value::Object(settings)) = serde_json::from_slice(&answer.stdout) else { return };
        let wanted = |key: &str| {
            matches!(key, "registry" | "cafile" | "proxy" | "https-proxy" | "noproxy") || key.ends_with(":registry")
        };
        let settings = settings
            .into_iter()
            .filter(|(key, _)| wanted(key))
            .filter_map(|(key, value)| Some((key, value.as_str()?.to_owned())))
            .filter(|(_, value)| !value.is_empty() && value != "(protected)")
            .collect();
        self.layers.push(("npm itself".to_owned(), settings));
    }

    pub(crate) fn get(&self, key: &str) -> Option<(&str, &str)> {
        self.layers.iter().find_map(|(origin, settings)| Some((settings.get(key)?.as_str(), origin.as_str())))
    }

    /// The registry of a package, with a trailing slash.
    ///
    /// # Errors
    /// None is configured, or its address does not parse.
    pub(crate) fn registry(&self, package: &str) -> Result<Url, RegistryError> {
        let scope = package.starts_with('@').then(|| package.split('/').next().unwrap_or(package));
        let scoped = scope.map(|scope| format!("{scope}:registry"));
        let found = scoped.as_deref().and_then(|key| Some((key, self.get(key)?)));
        let (key, (value, origin)) =
            found.or_else(|| Some(("registry", self.get("registry")?))).ok_or(RegistryError::NoRegistry)?;
        let refuse = |reason: String| RegistryError::Setting { key: key.to_owned(), origin: origin.to_owned(), reason };
        let mut url = Url::parse(value.trim()).map_err(|error| refuse(format!("{} ({error})", masked(value))))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(refuse("it is not an http or https address".to_owned()));
        }
        if !url.path().ends_with('/') {
            let path = format!("{}/", url.path());
            url.set_path(&path);
        }
        Ok(url)
    }

    /// Whether an address is on the origin of a registry that is configured, the default or a scope's.
    pub(crate) fn is_registry(&self, url: &Url) -> bool {
        let settings = self.layers.iter().flat_map(|(_, settings)| settings);
        let mut registries = settings.filter(|(key, _)| *key == "registry" || key.ends_with(":registry"));
        registries.any(|(_, value)| Url::parse(value.trim()).is_ok_and(|registry| registry.origin() == url.origin()))
    }

    /// The credentials for an address: those of the longest `//host/path/` that it starts with; else those of the
    /// registry, where the address is on the registry's own origin.
    pub(crate) fn authorization(&self, url: &Url, registry: &Url) -> Option<Authorization> {
        let own = self.authorization_at(url);
        let same_origin = url.origin() == registry.origin();
        own.or_else(|| same_origin.then(|| self.authorization_at(registry)).flatten())
            .or_else(|| same_origin.then(|| self.unscoped(registry)).flatten())
    }

    fn authorization_at(&self, url: &Url) -> Option<Authorization> {
        let host = match url.port() {
            Some(port) => format!("{}:{port}", url.host_str()?),
            None => url.host_str()?.to_owned(),
        };
        let mut path = url.path().to_owned();
        loop {
            let place = format!("//{host}{path}");
            for prefix in [place.trim_end_matches('/').to_owned(), format!("{}/", place.trim_end_matches('/'))] {
                let found = self.credentials(|name| self.get(&format!("{prefix}:{name}")).map(|(value, _)| value));
                if found.is_some() {
                    return found;
                }
            }
            if path == "/" || path.is_empty() {
                return None;
            }
            let shorter = path.trim_end_matches('/').rsplit_once('/').map_or("", |(head, _)| head);
            path = format!("{shorter}/");
        }
    }

    /// Credentials without a host are npm 6's: they go to the default registry alone.
    fn unscoped(&self, registry: &Url) -> Option<Authorization> {
        let (default, _) = self.get("registry")?;
        let default = Url::parse(default).ok()?;
        if default.origin() != registry.origin() {
            return None;
        }
        self.credentials(|name| {
            let env_name = name.trim_start_matches('_').to_lowercase();
            self.get(name).or_else(|| self.get(&format!("-{}", env_name.replace('_', "-")))).map(|(value, _)| value)
        })
    }

    fn credentials<'a>(&self, get: impl Fn(&str) -> Option<&'a str>) -> Option<Authorization> {
        if let Some(token) = get("_authToken") {
            return Some(Authorization(format!("Bearer {token}")));
        }
        if let Some(basic) = get("_auth") {
            return Some(Authorization(format!("Basic {basic}")));
        }
        let (user, password) = (get("username")?, get("_password")?);
        let engine = base64::engine::general_purpose::STANDARD;
        let password = String::from_utf8(engine.decode(password.trim()).ok()?).ok()?;
        Some(Authorization(format!("Basic {}", engine.encode(format!("{user}:{password}")))))
    }

    /// The certificate authorities that are trusted beside the system's: PEM bundles.
    pub(crate) fn certificates(&self) -> Result<Vec<reqwest::Certificate>, RegistryError> {
        let mut found = Vec::new();
        if let Some((path, origin)) = self.get("cafile") {
            let refuse =
                |reason: String| RegistryError::Setting { key: "cafile".to_owned(), origin: origin.to_owned(), reason };
            let pem = std::fs::read(Path::new(path)).map_err(|error| refuse(format!("{path}: {error}")))?;
            found.extend(
                reqwest::Certificate::from_pem_bundle(&pem).map_err(|error| refuse(format!("{path}: {error}")))?,
            );
        }
        for key in ["ca", "ca[]"] {
            if let Some((pem, origin)) = self.get(key) {
                let pem = pem.replace("\\n", "\n");
                let parsed = reqwest::Certificate::from_pem_bundle(pem.as_bytes()).map_err(|error| {
                    RegistryError::Setting { key: key.to_owned(), origin: origin.to_owned(), reason: error.to_string() }
                })?;
                found.extend(parsed);
            }
        }
        Ok(found)
    }

    /// The HTTP proxy, when npm names one. The usual variables of the environment are read by the HTTP client itself.
    pub(crate) fn proxy(&self) -> Result<Option<reqwest::Proxy>, RegistryError> {
        let found = ["https-proxy", "proxy"].into_iter().find_map(|key| {
            let (value, origin) = self.get(key)?;
            (!matches!(value, "null" | "false" | "")).then_some((key, value, origin))
        });
        let Some((key, value, origin)) = found else { return Ok(None) };
        let proxy = reqwest::Proxy::all(value).map_err(|error| RegistryError::Setting {
            key: key.to_owned(),
            origin: origin.to_owned(),
            reason: format!("{} ({error})", masked(value)),
        })?;
        let none = self.get("noproxy").and_then(|(hosts, _)| reqwest::NoProxy::from_string(hosts));
        Ok(Some(proxy.no_proxy(none)))
    }
}

/// `key = value` lines; `;` and `#` start comments; `${NAME}` is the environment's.
fn parse(text: &str, env: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut settings = BTreeMap::new();
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with([';', '#', '[']) {
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        settings.insert(expand(key.trim(), env), expand(value, env));
    }
    settings
}

fn expand(text: &str, env: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            out.push_str("${");
            rest = after;
            continue;
        };
        match env.get(name.trim_end_matches('?')) {
            Some(value) => out.push_str(value),
            // npm keeps a reference to a variable that is not set, unless it ends in `?`.
            None if name.ends_with('?') => {}
            None => out.push_str(&format!("${{{name}}}")),
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// An address without its user and password.
pub(crate) fn masked(address: &str) -> String {
    match Url::parse(address) {
        Ok(mut url) if !url.username().is_empty() || url.password().is_some() => {
            // Both fail only for addresses that cannot hold a user, which this one does.
            let _ = url.set_username("***");
            let _ = url.set_password(None);
            url.to_string()
        }
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npmrc(text: &str) -> Npmrc {
        let env = BTreeMap::from([("TOKEN".to_owned(), "s3cret".to_owned())]);
        Npmrc { layers: vec![("test".to_owned(), parse(text, &env))] }
    }

    #[test]
    fn scopes_have_their_own_registry_and_token() {
        let npmrc = npmrc(
            "registry=https://a.test/\n@mine:registry=https://b.test/npm\n//b.test/npm/:_authToken=${TOKEN}\n; comment\n",
        );
        let own = npmrc.registry("@mine/x").expect("registry");
        assert_eq!(own.as_str(), "https://b.test/npm/");
        assert_eq!(npmrc.registry("react").expect("registry").as_str(), "https://a.test/");
        let tarball = own.join("@mine/x/-/x-1.0.0.tgz").expect("url");
        assert_eq!(npmrc.authorization(&tarball, &own), Some(Authorization("Bearer s3cret".into())));
        let elsewhere = Url::parse("https://c.test/x.tgz").expect("url");
        assert_eq!(npmrc.authorization(&elsewhere, &own), None);
    }

    #[test]
    fn old_credentials_go_to_the_default_registry_alone() {
        let npmrc = npmrc("registry=https://a.test/\n_auth=dTpw\n@mine:registry=https://b.test/\n");
        let default = npmrc.registry("x").expect("registry");
        assert_eq!(npmrc.authorization(&default, &default), Some(Authorization("Basic dTpw".into())));
        let other = npmrc.registry("@mine/x").expect("registry");
        assert_eq!(npmrc.authorization(&other, &other), None);
    }

    #[test]
    fn user_and_password_become_basic() {
        let npmrc = npmrc("registry=https://a.test/\n//a.test/:username=u\n//a.test/:_password=cA==\n");
        let default = npmrc.registry("x").expect("registry");
        assert_eq!(npmrc.authorization(&default, &default), Some(Authorization("Basic dTpw".into())));
    }

    #[test]
    fn secrets_are_masked() {
        let npmrc = npmrc(
            "registry=https://me:pw@a.test/\n//a.test/:_authToken=${TOKEN}\n_auth=dTpw\n//a.test/:_password=cA==\n",
        );
        let shown = format!("{npmrc:?}");
        for secret in ["s3cret", "pw@", "dTpw", "cA=="] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(shown.contains("a.test"));
    }

    #[test]
    fn the_environment_comes_first_and_none_is_an_error() {
        let env = BTreeMap::from([("npm_config_registry".to_owned(), "http://127.0.0.1:1".to_owned())]);
        let npmrc = Npmrc::load(&env, &[]);
        assert_eq!(npmrc.registry("x").expect("registry").as_str(), "http://127.0.0.1:1/");
        let none = Npmrc::load(&BTreeMap::new(), &[]).registry("x").expect_err("none");
        assert!(none.to_string().contains("npm_config_registry"), "{none}");
    }
}
