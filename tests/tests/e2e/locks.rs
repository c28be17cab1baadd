//! `ui4a resolve --lock`: a lock keeps versions, and is moved on purpose alone.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;
use ui4a_tests::server;

async fn resolve(home: &Path, arguments: &[&str]) -> Result<Output> {
    Ok(server::command(home)?.arg("resolve").args(arguments).output().await?)
}

fn entry(output: &Output, specifier: &str) -> Result<Value> {
    let answer: Value =
        serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    Ok(answer["entries"][specifier].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_keeps_its_versions_until_it_is_moved_on_purpose() -> Result<()> {
    let home = server::new_home()?;
    let file = home.path().join("lock.json");
    let path = file.to_str().context("a path")?;
    let old = entry(&resolve(home.path(), &["clsx@2.0.0", "--json"]).await?, "clsx@2.0.0")?;
    let lock = json!({
        "entries": {"clsx": {"package": "clsx", "version": "2.0.0", "integrity": old["integrity"], "module": "0".repeat(64)}},
        "packages": {"clsx@2.0.0": {"version": "2.0.0", "integrity": old["integrity"]}},
    });
    std::fs::write(&file, json!({"lock": lock}).to_string())?;

    let kept = entry(&resolve(home.path(), &["--lock", path, "--json"]).await?, "clsx")?;
    assert_eq!(kept["version"], "2.0.0", "{kept}");
    let written: Value = serde_json::from_slice(&std::fs::read(&file)?)?;
    assert_eq!(format!("/m/{}.js", written["entries"]["clsx"]["module"].as_str().context("a module")?), kept["url"]);

    let moved = resolve(home.path(), &["--lock", path, "--update", "--json"]).await?;
    let version = entry(&moved, "clsx")?["version"].as_str().context("a version")?.to_owned();
    assert_ne!(version, "2.0.0");
    let told = String::from_utf8_lossy(&moved.stderr).into_owned();
    assert!(told.contains(&format!("clsx 2.0.0 → {version}")), "{told}");
    let again = entry(&resolve(home.path(), &["--lock", path, "--json"]).await?, "clsx")?;
    assert_eq!(again["version"], version.as_str());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_lock_is_refused_and_left_alone() -> Result<()> {
    let home = server::new_home()?;
    let file = home.path().join("notes.json");
    std::fs::write(&file, "{\"name\": \"mine\"}")?;
    let refused = resolve(home.path(), &["clsx", "--lock", file.to_str().context("a path")?]).await?;
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is not a lock"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&file)?, "{\"name\": \"mine\"}");
    Ok(())
}
