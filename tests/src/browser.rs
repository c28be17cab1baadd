//! A Chromium of its own for a test, with a new profile, that reaches nothing but this machine.

use crate::cdp::Cdp;
use crate::page::Page;
use crate::{PATIENCE, eventually};
use anyhow::{Context as _, Result};
use std::process::Stdio;
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// A running browser; it ends when dropped.
pub struct Browser {
    cdp: Cdp,
    _child: Child,
    _profile: TempDir,
}

/// Measured: without these Chromium calls home at every start and waits for answers.
const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "about:blank",
];

impl Browser {
    /// Starts Chromium: `UI4A_CHROMIUM`, or `chromium` on the PATH.
    ///
    /// # Errors
    /// There is none.
    pub async fn launch() -> Result<Self> {
        let profile = TempDir::new()?;
        let program = std::env::var("UI4A_CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
        let child = Command::new(&program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| {
                format!("starting {program}; run `make setup-test`, or name a Chromium in UI4A_CHROMIUM")
            })?;
        let file = profile.path().join("DevToolsActivePort");
        let address = eventually("Chromium's debugger port", PATIENCE, || async {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let lines = text.split_once('\n').filter(|(_, path)| path.starts_with('/'));
            Ok(lines.map(|(port, path)| format!("ws://127.0.0.1:{port}{}", path.trim())))
        })
        .await?;
        Ok(Self { cdp: Cdp::connect(&address).await?, _child: child, _profile: profile })
    }

    /// Opens an address in a new tab of 1280 × 900.
    ///
    /// # Errors
    /// Chromium fails.
    pub async fn open(&self, url: &str) -> Result<Page> {
        Page::open(self.cdp.clone(), url, 1280, 900).await
    }

    /// Opens an address in a new tab of another size.
    ///
    /// # Errors
    /// Chromium fails.
    pub async fn open_sized(&self, url: &str, width: u32, height: u32) -> Result<Page> {
        Page::open(self.cdp.clone(), url, width, height).await
    }
}
