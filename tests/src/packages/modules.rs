//! The modules that a page loaded, read back from the server: their size, how many Reacts are in them, and whether one still
//! calls `require`.

use crate::Ui4a;
use anyhow::{Context as _, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// Modules and style sheets by name.
pub type Loaded = BTreeMap<String, String>;

/// What stands where React itself is defined, once in each copy, in any version from 16 on.
const MARKS: [&str; 2] = [
    ".__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE=",
    ".__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED=",
];

/// The names of modules among the addresses that a page asked for.
pub fn names(requests: &[String]) -> BTreeSet<String> {
    let name = |url: &String| Some(url.split_once("/m/")?.1.split(['?', '#']).next()?.to_owned());
    requests.iter().filter_map(name).collect()
}

/// Reads modules from the sandbox's origin.
///
/// # Errors
/// One of them is not served.
pub async fn load(ui4a: &Ui4a, names: &BTreeSet<String>) -> Result<Loaded> {
    // A label's name means this machine to browsers alone.
    let host = ui4a.sandbox.replace("{label}", "read").replace("http://", "");
    let port = host.rsplit(':').next().context("a port")?;
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut loaded = Loaded::new();
    for name in names {
        let request = client.get(format!("http://127.0.0.1:{port}/m/{name}")).header("host", &host);
        let answer = request.send().await?;
        ensure!(answer.status().is_success(), "/m/{name}: {}", answer.status());
        loaded.insert(name.clone(), String::from_utf8_lossy(&answer.bytes().await?).into_owned());
    }
    Ok(loaded)
}

/// How many copies of React are in them.
pub fn reacts(loaded: &Loaded) -> usize {
    // The older mark is also that of react-dom and of preact's likeness, which define other things under it.
    let is_react = |text: &str| text.contains("useSyncExternalStore") && text.contains("forwardRef");
    let marks = |text: &str| MARKS.iter().map(|mark| text.matches(mark).count()).sum::<usize>();
    loaded.values().filter(|text| is_react(text)).map(|text| marks(text)).sum()
}

/// Module → calls of a `require` that nothing around them defines.
///
/// # Errors
/// The script that reads them fails.
pub async fn requires(loaded: &Loaded, peers: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let mut child = Command::new("node")
        .current_dir(peers)
        .arg("requires.mjs")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("node")?;
    let code: BTreeMap<_, _> = loaded.iter().filter(|(name, _)| name.ends_with(".js")).collect();
    let mut stdin = child.stdin.take().context("its input")?;
    stdin.write_all(&serde_json::to_vec(&code)?).await?;
    drop(stdin);
    let output = child.wait_with_output().await?;
    ensure!(
        output.status.success(),
        "tests/bench/requires.mjs failed (`make conformance-imports` installs its packages)"
    );
    Ok(serde_json::from_slice(&output.stdout)?)
}
