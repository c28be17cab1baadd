//! The addresses under which the server is reached.

use crate::settings::Settings;
use std::net::SocketAddr;

/// The main origin and the sandbox origins, known once both ports are bound.
#[derive(Clone, Debug)]
pub struct Origins {
    /// `http://127.0.0.1:4400`.
    pub main: String,
    /// `http://{label}.localhost:4401`, with `{label}` standing for a mount's label.
    pub sandbox: String,
    /// Name of the cookie; it holds the port, since cookies ignore ports.
    pub cookie: String,
    hosts: Vec<String>,
    /// What follows the label: `.localhost:4401`.
    sandbox_suffix: String,
}

impl Origins {
    /// The origins of a server on these addresses.
    pub fn new(settings: &Settings, main: SocketAddr, sandbox: SocketAddr) -> Self {
        let port = main.port();
        let mut hosts = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
        let own = main.to_string();
        if !hosts.contains(&own) && !main.ip().is_unspecified() {
            hosts.insert(0, own);
        }
        let suffix = settings.sandbox_host.trim_start_matches('*');
        Self {
            main: format!("http://{}", hosts[0]),
            sandbox: format!("http://{{label}}{suffix}:{}", sandbox.port()),
            cookie: format!("ui4a_{port}"),
            hosts,
            sandbox_suffix: format!("{suffix}:{}", sandbox.port()),
        }
    }

    /// Whether `host` is one of the main origin's.
    pub fn is_main_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    /// Whether `origin` is the main origin.
    pub fn is_main(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.is_main_host(host))
    }

    /// Whether `host` is one label below the sandbox host.
    pub fn is_sandbox_host(&self, host: &str) -> bool {
        host.strip_suffix(&self.sandbox_suffix).is_some_and(|label| {
            (1..=63).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
    }

    /// What a page's `frame-src` names: every sandbox origin and nothing else.
    pub fn frame_src(&self) -> String {
        self.sandbox.replace("{label}", "*")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_apart() {
        let settings = Settings::load(
            crate::settings::Options::default(),
            &crate::paths::Paths::under("/nonexistent".as_ref()),
            "/nonexistent".as_ref(),
        )
        .expect("defaults");
        let origins = Origins::new(&settings, ([127, 0, 0, 1], 4400).into(), ([127, 0, 0, 1], 4401).into());
        assert!(origins.is_main_host("localhost:4400") && origins.is_main("http://127.0.0.1:4400"));
        for foreign in ["evil.example", "127.0.0.1", "127.0.0.1:4401", "a.localhost:4400", ""] {
            assert!(!origins.is_main_host(foreign), "{foreign}");
        }
        assert!(origins.is_sandbox_host("abc123.localhost:4401"));
        for foreign in ["localhost:4401", ".localhost:4401", "a.b.localhost:4401", "a.localhost:4400", "127.0.0.1:4401"]
        {
            assert!(!origins.is_sandbox_host(foreign), "{foreign}");
        }
        assert_eq!(origins.frame_src(), "http://*.localhost:4401");
    }
}
