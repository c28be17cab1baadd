//! The cache at work: one request for many, old metadata, registries that are busy or gone, two programs on one folder.

use crate::registry::{Registry, package, proxy, proxy_with, uses, with_react};
use serde_json::json;
use std::time::Duration;
use ui4a_registry_proxy::{Config, Limits};
use ui4a_types::ImportStatus;

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

fn lib(version: &str) -> crate::registry::Published {
    package("lib", version, json!({}), &[("index.js", &format!("exports.version = '{version}';"))])
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_want_the_same_ask_once() {
    let registry = Registry::start(with_react(vec![lib("1.0.0")])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let used = uses(&[("lib", "version")]);
    let all = futures::future::join_all((0..8).map(|_| proxy.resolve(&used, None, &quiet))).await;
    for resolution in &all {
        assert_eq!(resolution.imports["lib"].state, ImportStatus::Ready, "{:?}", resolution.diagnostics);
        assert_eq!(resolution.lock, all[0].lock);
    }
    let mut asked = registry.asked();
    asked.sort();
    let each = asked.len();
    asked.dedup();
    assert_eq!(asked.len(), each, "nothing was asked for twice: {asked:?}");
}

/// What is old is used at once, and what is new the next time.
#[tokio::test(flavor = "multi_thread")]
async fn old_metadata_is_used_while_new_metadata_is_fetched() {
    let registry = Registry::start(with_react(vec![lib("1.0.0")])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits { packument_age: Duration::ZERO, ..Limits::default() };
    let open = || proxy_with(&registry.address, folder.path(), Config { limits: limits.clone(), ..Config::default() });
    let used = uses(&[("lib", "version")]);
    assert_eq!(open().resolve(&used, None, &quiet).await.imports["lib"].version.as_deref(), Some("1.0.0"));
    registry.script.lock().expect("script").packages.push(lib("1.1.0"));
    // A range that only the new one satisfies is not refused for the old one's sake.
    let newer = open().resolve(&uses(&[("lib@^1.1", "version")]), None, &quiet).await;
    assert_eq!(newer.imports["lib@^1.1"].version.as_deref(), Some("1.1.0"), "{:?}", newer.diagnostics);
    registry.script.lock().expect("script").packages.push(lib("1.2.0"));
    let before = registry.asked().iter().filter(|path| *path == "lib").count();
    let stale = open();
    assert_eq!(stale.resolve(&used, None, &quiet).await.imports["lib"].version.as_deref(), Some("1.1.0"));
    while registry.asked().iter().filter(|path| *path == "lib").count() == before {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // What came is written when it is whole: another program sees it then.
    let mut version = None;
    for _ in 0..400 {
        version = open().resolve(&used, None, &quiet).await.imports["lib"].version.clone();
        if version.as_deref() == Some("1.2.0") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(version.as_deref(), Some("1.2.0"));
}

/// C14: nothing that was seen before needs the registry.
#[tokio::test(flavor = "multi_thread")]
async fn old_metadata_is_used_when_the_registry_is_gone() {
    let registry = Registry::start(with_react(vec![lib("1.0.0")])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let address = registry.address.clone();
    let first = proxy(&address, folder.path(), "").resolve(&uses(&[("lib", "version")]), None, &quiet).await;
    drop(registry);
    // So old that it must be asked for first.
    let limits =
        Limits { packument_age: Duration::ZERO, packument_stale: Duration::ZERO, retries: 0, ..Limits::default() };
    let proxy = proxy_with(&address, folder.path(), Config { limits, ..Config::default() });
    let again = proxy.resolve(&uses(&[("lib", "version")]), None, &quiet).await;
    assert_eq!(again.imports["lib"].url, first.imports["lib"].url, "{:?}", again.diagnostics);
    // Packages are unpacked again from the tarballs that were kept, and built again.
    for gone in ["packages", "builds", "blobs"] {
        std::fs::remove_dir_all(folder.path().join("cache").join(gone)).expect("is removed");
    }
    let rebuilt = proxy_with(&address, folder.path(), Config::default());
    let rebuilt = rebuilt.resolve(&uses(&[("lib", "version")]), Some(&first.lock), &quiet).await;
    assert_eq!(rebuilt.imports["lib"].url, first.imports["lib"].url, "the same bytes: {:?}", rebuilt.diagnostics);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_registry_is_asked_again() {
    let registry = Registry::start(with_react(vec![lib("1.0.0")])).await;
    registry.script.lock().expect("script").busy = 2;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy_with(&registry.address, folder.path(), Config::default());
    let resolution = proxy.resolve(&uses(&[("lib", "version")]), None, &quiet).await;
    assert_eq!(resolution.imports["lib"].state, ImportStatus::Ready, "{:?}", resolution.diagnostics);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_programs_share_a_cache() {
    let registry = Registry::start(with_react(vec![lib("1.0.0")])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let programs: Vec<_> = (0..4).map(|_| proxy(&registry.address, folder.path(), "")).collect();
    let used = uses(&[("lib", "version")]);
    let all = futures::future::join_all(programs.iter().map(|program| program.resolve(&used, None, &quiet))).await;
    for resolution in &all {
        assert_eq!(resolution.imports["lib"].state, ImportStatus::Ready, "{:?}", resolution.diagnostics);
        assert_eq!(resolution.lock, all[0].lock);
    }
    let left = std::fs::read_dir(folder.path().join("cache/tmp")).expect("tmp").count();
    assert_eq!(left, 0, "nothing half is left behind");
}

/// A tarball that was damaged on disk is not used.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_tarball_is_fetched_again() {
    let registry = Registry::start(with_react(vec![lib("1.0.0")])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let first = proxy(&registry.address, folder.path(), "").resolve(&uses(&[("lib", "version")]), None, &quiet).await;
    let cache = folder.path().join("cache");
    for between in std::fs::read_dir(cache.join("tarballs")).expect("tarballs").flatten() {
        for file in std::fs::read_dir(between.path()).expect("tarballs").flatten() {
            let bytes = std::fs::read(file.path()).expect("a tarball");
            std::fs::write(file.path(), &bytes[..bytes.len() / 2]).expect("is cut");
        }
    }
    std::fs::remove_dir_all(cache.join("packages")).expect("is removed");
    std::fs::remove_dir_all(cache.join("builds")).expect("is removed");
    let again = proxy(&registry.address, folder.path(), "").resolve(&uses(&[("lib", "version")]), None, &quiet).await;
    assert_eq!(again.imports["lib"].url, first.imports["lib"].url, "{:?}", again.diagnostics);
}
