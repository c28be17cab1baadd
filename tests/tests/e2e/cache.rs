//! `ui4a cache`: taking it elsewhere, making it smaller, and being killed at any moment.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;
use std::time::Duration;
use tempfile::TempDir;
use ui4a_tests::hostile::{Answers, Hostile, Reply};
use ui4a_tests::server::command;
use ui4a_tests::tarballs::{integrity, package};
use ui4a_tests::{PATIENCE, Setup, Ui4a};

async fn run(home: &Path, registry: &str, arguments: &[&str]) -> Result<Output> {
    let mut command = command(home)?;
    command.args(arguments).env("npm_config_registry", registry);
    Ok(tokio::time::timeout(4 * PATIENCE, command.output()).await.context("it did not end")??)
}

fn json(output: &Output) -> Result<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.trim()).with_context(|| format!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

fn state(output: &Output, specifier: &str) -> Result<Value> {
    Ok(json(output)?["entries"][specifier].clone())
}

/// Twelve packages of some files, each of which needs the one before.
async fn registry() -> Result<Hostile> {
    let mut packages = BTreeMap::new();
    for number in 0..12 {
        let name = format!("lib{number}");
        let text = format!("export const name = '{name}';").repeat(1) + &"// filler\n".repeat(2_000);
        let before = if number > 0 { format!("{{\"lib{}\":\"*\"}}", number - 1) } else { "{}".to_owned() };
        let text = if number > 0 { format!("export * as before from 'lib{}';{text}", number - 1) } else { text };
        let manifest = format!(
            "{{\"name\":\"{name}\",\"version\":\"1.0.0\",\"type\":\"module\",\"main\":\"index.js\",\"dependencies\":{before}}}"
        );
        let tarball = package(&[("package.json", &manifest), ("index.js", &text)]);
        let dependencies: Value = serde_json::from_str(&before)?;
        let version = serde_json::json!({"version": "1.0.0", "dependencies": dependencies,
            "dist": {"tarball": "ORIGIN/NAME/-/x-1.0.0.tgz", "integrity": integrity(&tarball)}});
        let document = ui4a_tests::hostile::document(&version);
        packages.insert(name, Answers { packument: Reply::json(&document), tarball: Reply::bytes(tarball) });
    }
    Hostile::start(packages).await
}

const LAST: &str = "lib11";

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_works_on_a_machine_with_no_network() -> Result<()> {
    let (registry, home, other) = (registry().await?, TempDir::new()?, TempDir::new()?);
    let online = format!("{}/", registry.origin);
    let first = run(home.path(), &online, &["resolve", LAST, "--json"]).await?;
    ensure!(state(&first, LAST)?["state"] == "ready", "{first:?}");
    let file = home.path().join("bundle");
    let file = file.to_str().context("a path")?;
    let written = run(home.path(), &online, &["cache", "export", file, "--json"]).await?;
    ensure!(written.status.success(), "{written:?}");
    let offline = "http://127.0.0.1:9/";
    let taken = run(other.path(), offline, &["cache", "import", file, "--json"]).await?;
    assert_eq!(json(&taken)?["files"], json(&written)?["files"]);
    let there = run(other.path(), offline, &["resolve", LAST, "--json"]).await?;
    assert_eq!(state(&there, LAST)?["url"], state(&first, LAST)?["url"], "{there:?}");
    std::fs::write(file, b"nonsense")?;
    let bad = run(other.path(), offline, &["cache", "import", file]).await?;
    assert_eq!(bad.status.code(), Some(1), "{bad:?}");
    Ok(())
}

/// Killed again and again while it fetches and builds, it comes to the same in the end, with nothing half left for long.
#[tokio::test(flavor = "multi_thread")]
async fn being_killed_at_any_moment_does_no_harm() -> Result<()> {
    let (registry, whole, killed) = (registry().await?, TempDir::new()?, TempDir::new()?);
    let online = format!("{}/", registry.origin);
    let started = std::time::Instant::now();
    let want = run(whole.path(), &online, &["resolve", LAST, "--json"]).await?;
    let takes = started.elapsed();
    ensure!(state(&want, LAST)?["state"] == "ready", "{want:?}");
    for number in 1..=12_u32 {
        let mut command = command(killed.path())?;
        command.args(["resolve", LAST, "--json"]).env("npm_config_registry", &online);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.spawn()?;
        // From the first steps to the last.
        tokio::time::sleep(takes * number / 12).await;
        child.kill().await?;
    }
    let after = run(killed.path(), &online, &["resolve", LAST, "--json"]).await?;
    assert_eq!(state(&after, LAST)?["url"], state(&want, LAST)?["url"], "{after:?}");
    // What the killed ones were writing is swept away.
    let swept = run(killed.path(), &online, &["cache", "gc", "--keep", "0", "--size", "4G", "--json"]).await?;
    ensure!(swept.status.success(), "{swept:?}");
    assert_eq!(std::fs::read_dir(killed.path().join("cache/tmp"))?.count(), 0);
    let offline = run(killed.path(), "http://127.0.0.1:9/", &["resolve", LAST, "--json"]).await?;
    assert_eq!(state(&offline, LAST)?["url"], state(&want, LAST)?["url"], "{offline:?}");
    Ok(())
}

/// An interface that is stored keeps its modules, whatever the size that is asked for.
#[tokio::test(flavor = "multi_thread")]
async fn collecting_keeps_what_interfaces_need() -> Result<()> {
    let (registry, home) = (registry().await?, std::sync::Arc::new(TempDir::new()?));
    let online = format!("{}/", registry.origin);
    let setup = |registry: &str| Setup {
        model_server: Some("http://127.0.0.1:9/v1".into()),
        env: vec![("npm_config_registry".into(), registry.to_owned())],
        home: Some(std::sync::Arc::clone(&home)),
        ..Setup::default()
    };
    let source = "import { name } from 'lib3';\nexport default function App() { return <p>{name}</p>; }";
    let (url, artifact) = {
        let ui4a = Ui4a::start(setup(&online)).await?;
        let session = ui4a.session().await?;
        let made = ui4a
            .post(&format!("/api/sessions/{session}/artifacts"), serde_json::json!({"code": source, "kind": "tsx"}))
            .await?;
        let artifact = made["artifact"].as_str().with_context(|| format!("an artifact: {made}"))?.to_owned();
        let revision = ui4a.get(&format!("/api/artifacts/{artifact}/revisions/1")).await?;
        let url =
            revision["imports"]["lib3"]["url"].as_str().with_context(|| format!("an address: {revision}"))?.to_owned();
        ui4a.kill().await?;
        (url, artifact)
    };
    let gone = run(home.path(), &online, &["resolve", "lib11", "--json"]).await?;
    let gone = state(&gone, "lib11")?["url"].as_str().context("an address")?.to_owned();
    // A moment later, everything is old.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let done = run(home.path(), &online, &["cache", "gc", "--size", "0", "--keep", "1", "--json"]).await?;
    let done = json(&done)?;
    ensure!(done["removed"].as_u64() > Some(0) && done["locked"].as_u64() > Some(0), "{done}");
    let ui4a = Ui4a::start(setup("http://127.0.0.1:9/")).await?;
    let sandbox = ui4a.sandbox.replace("{label}", "x");
    let port = sandbox.rsplit(':').next().context("a port")?.to_owned();
    let client = reqwest::Client::builder().no_proxy().build()?;
    let status = async |url: &str| -> Result<u16> {
        let request = client.get(format!("http://127.0.0.1:{port}{url}")).header("host", format!("x.localhost:{port}"));
        Ok(request.send().await?.status().as_u16())
    };
    assert_eq!((status(&url).await?, status(&gone).await?), (200, 404), "{artifact}");
    Ok(())
}

/// Two servers with data of their own and one cache, asked at once from empty: neither is in the other's way.
#[tokio::test(flavor = "multi_thread")]
async fn two_servers_share_one_cache() -> Result<()> {
    let (registry, cache) = (registry().await?, TempDir::new()?);
    let start = async || -> Result<Ui4a> {
        let home = TempDir::new()?;
        std::os::unix::fs::symlink(cache.path(), home.path().join("cache"))?;
        Ui4a::start(Setup {
            model_server: Some("http://127.0.0.1:9/v1".into()),
            env: vec![("npm_config_registry".into(), format!("{}/", registry.origin))],
            home: Some(std::sync::Arc::new(home)),
            ..Setup::default()
        })
        .await
    };
    let (one, other) = (start().await?, start().await?);
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()?;
    let ask = async |ui4a: &Ui4a, name: &str| -> Result<String> {
        let answer = client.get(format!("{}/npm/{name}", ui4a.main)).bearer_auth(&ui4a.token).send().await?;
        let to = answer.headers().get("location").and_then(|to| to.to_str().ok()).map(str::to_owned);
        let to = to.with_context(|| format!("{name}: {}", answer.status()))?;
        Ok(url::Url::parse(&to)?.path().to_owned())
    };
    for name in ["lib11", "lib5", "lib0"] {
        let (first, second) = tokio::join!(ask(&one, name), ask(&other, name));
        assert_eq!(first?, second?, "{name}");
    }
    assert_eq!(std::fs::read_dir(cache.path().join("tmp"))?.count(), 0, "nothing half is left");
    assert_eq!(std::fs::read_dir(cache.path().join("owners"))?.count(), 2, "both keep what their interfaces need");
    Ok(())
}
