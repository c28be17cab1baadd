//! One layer of settings.

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::IpAddr;
use ui4a_registry_proxy::Limits;

/// Every setting, none required.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Address to listen on.
    pub host: Option<IpAddr>,
    /// Port of the pages.
    pub port: Option<u16>,
    /// Port of the sandbox.
    pub sandbox_port: Option<u16>,
    /// Host pattern of the sandbox origins.
    pub sandbox_host: Option<String>,
    /// Embedded model.
    pub model: Option<String>,
    /// Threads of the embedded model.
    pub threads: Option<usize>,
    /// Most tokens of one answer.
    pub max_tokens: Option<usize>,
    /// Most tokens that mending one interface may take; 0 turns it off.
    pub repair_tokens: Option<u64>,
    /// 0 leaves it to the specialist.
    pub temperature: Option<f32>,
    /// Whether a browser is opened.
    pub open_browser: Option<bool>,
    /// Origins that addresses in artifacts may lead to although they are not public or not https.
    pub allow_addresses: Option<Vec<String>>,
    /// Which packages may be used.
    pub packages: PackagesOptions,
    /// Bounds of packages, by name.
    pub limits: BTreeMap<String, u64>,
    /// A model server.
    pub openai: OpenAiOptions,
}

/// The part `[packages]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct PackagesOptions {
    /// What artifacts may name: packages, scopes (`@mine/*`), origins. All, when there is no such list.
    pub allow: Option<Vec<String>>,
    /// What no artifact gets: packages, with ranges (`left-pad@<1.3`).
    pub deny: Option<Vec<String>>,
    /// How long a version must have been published: `36h`, `3d`.
    pub minimum_age: Option<String>,
}

impl PackagesOptions {
    fn or(self, below: Self) -> Self {
        Self {
            allow: self.allow.or(below.allow),
            deny: self.deny.or(below.deny),
            minimum_age: self.minimum_age.or(below.minimum_age),
        }
    }

    fn is_empty(&self) -> bool {
        self.allow.is_none() && self.deny.is_none() && self.minimum_age.is_none()
    }
}

/// The part `[openai]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct OpenAiOptions {
    /// Address.
    pub base_url: Option<String>,
    /// Key.
    pub api_key: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Tokens that its prompt and answer may have together.
    pub context_tokens: Option<usize>,
}

impl OpenAiOptions {
    /// As [`Options::or`], but a key goes only to an address of its own layer or a nearer one: a project's file that names
    /// another server must not be handed the user's key.
    fn or(self, below: Self) -> Self {
        let own_address = self.base_url.is_some();
        Self {
            base_url: self.base_url.or(below.base_url),
            api_key: if own_address { self.api_key } else { self.api_key.or(below.api_key) },
            model: self.model.or(below.model),
            context_tokens: self.context_tokens.or(below.context_tokens),
        }
    }
}

const KEYS: &[&str] = &[
    "host",
    "port",
    "sandbox_port",
    "sandbox_host",
    "model",
    "threads",
    "max_tokens",
    "repair_tokens",
    "temperature",
    "open_browser",
    "allow_addresses",
    "packages.allow",
    "packages.deny",
    "packages.minimum_age",
    "openai.base_url",
    "openai.api_key",
    "openai.model",
    "openai.context_tokens",
];

impl Options {
    /// This layer, and `below` where it says nothing.
    #[must_use]
    pub fn or(self, below: Self) -> Self {
        Self {
            host: self.host.or(below.host),
            port: self.port.or(below.port),
            sandbox_port: self.sandbox_port.or(below.sandbox_port),
            sandbox_host: self.sandbox_host.or(below.sandbox_host),
            model: self.model.or(below.model),
            threads: self.threads.or(below.threads),
            max_tokens: self.max_tokens.or(below.max_tokens),
            repair_tokens: self.repair_tokens.or(below.repair_tokens),
            temperature: self.temperature.or(below.temperature),
            open_browser: self.open_browser.or(below.open_browser),
            allow_addresses: self.allow_addresses.or(below.allow_addresses),
            packages: self.packages.or(below.packages),
            limits: below.limits.into_iter().chain(self.limits).collect(),
            openai: self.openai.or(below.openai),
        }
    }

    /// Takes out what only the person who runs the program decides: a project's file may be anybody's.
    pub fn distrust(&mut self) {
        if self.allow_addresses.take().is_some() {
            tracing::warn!("allow_addresses in a project's ui4a.toml is not heeded; set it in your own");
        }
        if !std::mem::take(&mut self.packages).is_empty() || !std::mem::take(&mut self.limits).is_empty() {
            tracing::warn!("packages and limits in a project's ui4a.toml are not heeded; set them in your own");
        }
    }

    /// A settings file.
    ///
    /// # Errors
    /// It is not TOML, or has a key that is not known; the nearest is named.
    pub fn from_toml(text: &str) -> Result<Self> {
        let table: toml::Table = text.parse()?;
        for (key, value) in &table {
            match value {
                toml::Value::Table(inner) if matches!(key.as_str(), "openai" | "packages" | "limits") => {
                    for inner_key in inner.keys() {
                        known(&format!("{key}.{inner_key}"))?;
                    }
                }
                _ => known(key)?,
            }
        }
        Ok(table.try_into()?)
    }

    /// `UI4A_*` variables: `UI4A_PORT`, `UI4A_OPENAI_BASE_URL` and so on, one for each key.
    ///
    /// # Errors
    /// A value does not parse.
    pub fn from_environment() -> Result<Self> {
        let read = |key: &str| {
            let name = format!("UI4A_{}", key.replace('.', "_").to_uppercase());
            let value = std::env::var(&name).ok().filter(|value| !value.is_empty());
            value.map(|value| (name, value))
        };
        let list = |key: &str| {
            let (_, list) = read(key)?;
            let parts = list.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty());
            Some(parts.collect::<Vec<_>>())
        };
        let mut limits = BTreeMap::new();
        for name in Limits::settings() {
            if let Some(value) = parse(read(&format!("limits.{name}")))? {
                limits.insert(name.to_owned(), value);
            }
        }
        fn parse<T: std::str::FromStr>(found: Option<(String, String)>) -> Result<Option<T>>
        where
            T::Err: std::error::Error + Send + Sync + 'static,
        {
            found.map(|(name, value)| value.parse().with_context(|| format!("{name} is `{value}`"))).transpose()
        }
        Ok(Self {
            host: parse(read("host"))?,
            port: parse(read("port"))?,
            sandbox_port: parse(read("sandbox_port"))?,
            sandbox_host: parse(read("sandbox_host"))?,
            model: parse(read("model"))?,
            threads: parse(read("threads"))?,
            max_tokens: parse(read("max_tokens"))?,
            repair_tokens: parse(read("repair_tokens"))?,
            temperature: parse(read("temperature"))?,
            open_browser: parse(read("open_browser"))?,
            allow_addresses: list("allow_addresses"),
            packages: PackagesOptions {
                allow: list("packages.allow"),
                deny: list("packages.deny"),
                minimum_age: parse(read("packages.minimum_age"))?,
            },
            limits,
            openai: OpenAiOptions {
                base_url: parse(read("openai.base_url"))?,
                api_key: parse(read("openai.api_key"))?,
                model: parse(read("openai.model"))?,
                context_tokens: parse(read("openai.context_tokens"))?,
            },
        })
    }
}

fn known(key: &str) -> Result<()> {
    let limits = Limits::settings().map(|name| format!("limits.{name}"));
    let keys: Vec<String> = KEYS.iter().map(|key| (*key).to_owned()).chain(limits).collect();
    if keys.iter().any(|known| known == key) {
        return Ok(());
    }
    let nearest = keys.iter().max_by(|a, b| strsim::jaro_winkler(key, a).total_cmp(&strsim::jaro_winkler(key, b)));
    bail!("there is no setting `{key}`; the nearest is `{}`", nearest.map_or("model", String::as_str));
}
