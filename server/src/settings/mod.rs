//! Settings: flag over environment over project `ui4a.toml` over user `ui4a.toml` over default.
//!
//! [`Options`] is one layer, every field optional; [`Settings`] is what came of combining them.

mod options;

pub use options::{OpenAiOptions, Options, PackagesOptions};

use crate::paths::Paths;
use anyhow::{Context as _, Result};
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;
use ui4a_registry_proxy::{Limits, Policy};

/// Two rounds of the default model on a long module: some 2,000 tokens of instructions, and the module read and written.
const REPAIR_TOKENS: u64 = 24_000;

/// What the program runs with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address to listen on; loopback unless set.
    pub host: IpAddr,
    /// Port of the pages; 0 lets the system choose.
    pub port: u16,
    /// Port of the sandbox; 0 lets the system choose.
    pub sandbox_port: u16,
    /// Host pattern of the sandbox origins.
    pub sandbox_host: String,
    /// Id of the embedded model, or a path to a GGUF file.
    pub model: String,
    /// Threads of the embedded model.
    pub threads: Option<usize>,
    /// Most tokens of one answer.
    pub max_tokens: usize,
    /// Most tokens that mending one interface may read and write, over all rounds; 0 turns mending off.
    pub repair_tokens: u64,
    /// 0 leaves it to the specialist.
    pub temperature: f32,
    /// A model server instead of the embedded engine.
    pub openai: Option<OpenAi>,
    /// Whether a browser is opened.
    pub open_browser: bool,
    /// Origins that addresses in artifacts may lead to although they are not public or not https.
    pub allow_addresses: Vec<String>,
    /// Which packages may be used.
    pub packages: Policy,
    /// Bounds of packages.
    pub limits: Limits,
}

/// A model server that speaks the OpenAI protocol.
#[derive(Clone)]
pub struct OpenAi {
    /// Its address, usually ending in `/v1`.
    pub base_url: String,
    /// Its key, never printed.
    pub api_key: Option<String>,
    /// The model to ask for.
    pub model: String,
    /// Tokens that its prompt and answer may have together.
    pub context_tokens: usize,
}

impl std::fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = self.api_key.as_ref().map(|_| "••••");
        f.debug_struct("OpenAi")
            .field("base_url", &self.base_url)
            .field("api_key", &key)
            .field("model", &self.model)
            .finish()
    }
}

impl Settings {
    /// Reads all layers below `flags`.
    ///
    /// # Errors
    /// A file is not TOML, has a key that is not known, or a value is out of range.
    pub fn load(flags: Options, paths: &Paths, project: &Path) -> Result<Self> {
        let mut options = flags.or(Options::from_environment()?);
        let own = paths.config.join("ui4a.toml");
        for file in [project.join("ui4a.toml"), own.clone()] {
            match std::fs::read_to_string(&file) {
                Ok(text) => {
                    let mut layer = Options::from_toml(&text).with_context(|| format!("in {}", file.display()))?;
                    if file != own {
                        layer.distrust();
                    }
                    options = options.or(layer);
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error).with_context(|| format!("reading {}", file.display())),
            }
        }
        Self::resolve(options)
    }

    fn resolve(options: Options) -> Result<Self> {
        let temperature = options.temperature.unwrap_or(0.0);
        anyhow::ensure!((0.0..=2.0).contains(&temperature), "temperature must be between 0 and 2, not {temperature}");
        let max_tokens = options.max_tokens.unwrap_or(2048);
        anyhow::ensure!((1..=65_536).contains(&max_tokens), "max_tokens must be between 1 and 65536, not {max_tokens}");
        let OpenAiOptions { base_url, api_key, model, context_tokens } = options.openai;
        let context_tokens = context_tokens.unwrap_or(32_768);
        anyhow::ensure!(
            (1_024..=16_777_216).contains(&context_tokens),
            "openai.context_tokens must be between 1024 and 16777216, not {context_tokens}"
        );
        let openai = match (base_url, model) {
            (Some(base_url), Some(model)) => Some(OpenAi { base_url, api_key, model, context_tokens }),
            (Some(base_url), None) => anyhow::bail!(
                "openai.base_url is {base_url}, but openai.model is not set; name the model that the server should run"
            ),
            (None, _) => None,
        };
        let PackagesOptions { allow, deny, minimum_age } = options.packages;
        let minimum_age = minimum_age.as_deref().map(age).transpose()?.unwrap_or_default();
        let packages = Policy::new(&allow.unwrap_or_default(), &deny.unwrap_or_default(), minimum_age);
        let packages = packages.map_err(|reason| anyhow::anyhow!("packages.allow and packages.deny: {reason}"))?;
        let mut limits = Limits::default();
        for (name, value) in options.limits {
            anyhow::ensure!(limits.set(&name, value), "there is no limit `{name}`");
        }
        Ok(Self {
            host: options.host.unwrap_or(IpAddr::from([127, 0, 0, 1])),
            port: options.port.unwrap_or(4400),
            sandbox_port: options.sandbox_port.unwrap_or(4401),
            sandbox_host: options.sandbox_host.unwrap_or_else(|| "*.localhost".to_owned()),
            model: options.model.unwrap_or_else(|| ui4a_engine::models::DEFAULT.to_owned()),
            threads: options.threads,
            max_tokens,
            repair_tokens: options.repair_tokens.unwrap_or(REPAIR_TOKENS),
            temperature,
            openai,
            open_browser: options.open_browser.unwrap_or(true),
            allow_addresses: options.allow_addresses.unwrap_or_default(),
            packages,
            limits,
        })
    }
}

/// A time such as `90m`, `36h` or `3d`.
fn age(text: &str) -> Result<Duration> {
    let units = [("m", 60), ("h", 3_600), ("d", 86_400), ("w", 7 * 86_400)];
    let found = units.iter().find_map(|(unit, seconds)| {
        let number: u64 = text.trim().strip_suffix(unit)?.trim().parse().ok()?;
        Some(Duration::from_secs(number.checked_mul(*seconds)?))
    });
    found.with_context(|| format!("packages.minimum_age is `{text}`; write a time such as 36h or 3d"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_name_the_nearest() {
        let error = Options::from_toml("modle = \"x\"").expect_err("is refused");
        assert!(error.to_string().contains("`modle`") && error.to_string().contains("`model`"), "{error}");
        let error = Options::from_toml("[openai]\nbaseurl = \"x\"").expect_err("is refused");
        assert!(error.to_string().contains("openai.base_url"), "{error}");
    }

    #[test]
    fn a_nearer_layer_wins() {
        let flags = Options { port: Some(1), ..Options::default() };
        let file = Options::from_toml("port = 2\nmodel = \"m\"").expect("parses");
        let settings = Settings::resolve(flags.or(file)).expect("resolves");
        assert_eq!((settings.port, settings.model.as_str(), settings.sandbox_port), (1, "m", 4401));
    }

    #[test]
    fn a_project_does_not_open_the_network_of_who_runs_it() {
        let text =
            "port = 3\nallow_addresses = [\"http://127.0.0.1:80\"]\n[packages]\ndeny = []\n[limits]\nspecifiers = 1";
        let mut project = Options::from_toml(text).expect("parses");
        project.distrust();
        let user = Options::from_toml("allow_addresses = [\"http://10.0.0.1\"]").expect("parses");
        let settings = Settings::resolve(project.or(user)).expect("resolves");
        assert_eq!((settings.port, settings.allow_addresses), (3, vec!["http://10.0.0.1".to_owned()]));
    }

    #[test]
    fn ages_and_limits_are_read_and_what_is_none_is_said() {
        let file =
            Options::from_toml("[packages]\ndeny = [\"evil\"]\nminimum_age = \"3d\"\n[limits]\ntarball_bytes = 5");
        let settings = Settings::resolve(file.expect("parses")).expect("resolves");
        assert_eq!(settings.limits.tarball_bytes, 5);
        for (text, word) in [
            ("[packages]\nminimum_age = \"soon\"", "36h"),
            ("[packages]\ndeny = [\"a b\"]", "`a b`"),
            ("[packages]\nalow = []", "packages.allow"),
            ("[limits]\ntarbal_bytes = 1", "limits.tarball_bytes"),
        ] {
            let error = Options::from_toml(text).and_then(Settings::resolve).expect_err("is refused");
            assert!(error.to_string().contains(word), "{error}");
        }
    }

    #[test]
    fn a_project_that_names_a_server_is_not_given_the_user_s_key() {
        let user =
            Options::from_toml("[openai]\nbase_url = \"https://a.example/v1\"\napi_key = \"secret\"\nmodel = \"m\"");
        let project = Options::from_toml("[openai]\nbase_url = \"http://evil.example/v1\"").expect("parses");
        let settings = Settings::resolve(project.or(user.expect("parses"))).expect("resolves");
        let openai = settings.openai.expect("a server");
        assert_eq!((openai.base_url.as_str(), openai.api_key), ("http://evil.example/v1", None));
    }
}
