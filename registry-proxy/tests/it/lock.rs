//! Locks: the same modules for ever, with no network.

use crate::registry::{Registry, package, proxy, uses, with_react};
use serde_json::json;
use ui4a_types::ImportStatus;

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

#[tokio::test]
async fn a_lock_replays_with_the_registry_closed_and_in_a_new_process() {
    let registry =
        Registry::start(with_react(vec![package("lib", "1.0.0", json!({}), &[("index.js", "exports.a = 1;")])])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let address = registry.address.clone();
    let first = proxy(&address, folder.path(), "").resolve(&uses(&[("lib", "a")]), None, &quiet).await;
    assert_eq!(first.imports["lib"].state, ImportStatus::Ready);
    drop(registry);
    let again = proxy(&address, folder.path(), "").resolve(&uses(&[("lib", "a")]), Some(&first.lock), &quiet).await;
    assert_eq!(again.imports["lib"].url, first.imports["lib"].url);
    assert_eq!(again.lock, first.lock);
    // Without a lock, what is cached is enough too.
    let unlocked = proxy(&address, folder.path(), "").resolve(&uses(&[("lib", "a")]), None, &quiet).await;
    assert_eq!(unlocked.imports["lib"].url, first.imports["lib"].url);
}

/// A later revision with one more import keeps the versions that it had, although there are newer ones.
#[tokio::test]
async fn a_lock_keeps_versions_when_imports_are_added() {
    let registry = Registry::start(with_react(vec![
        package("lib", "1.0.0", json!({}), &[("index.js", "exports.a = 1;")]),
        package(
            "more",
            "1.0.0",
            json!({"dependencies": {"lib": "*"}}),
            &[("index.js", "exports.b = require('lib').a;")],
        ),
    ]))
    .await;
    let folder = tempfile::tempdir().expect("a folder");
    let first = proxy(&registry.address, folder.path(), "").resolve(&uses(&[("lib", "a")]), None, &quiet).await;
    registry.script.lock().expect("script").packages.push(package(
        "lib",
        "1.1.0",
        json!({}),
        &[("index.js", "exports.a = 2;")],
    ));
    let elsewhere = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, elsewhere.path(), "");
    let second = proxy.resolve(&uses(&[("lib", "a"), ("more", "b")]), Some(&first.lock), &quiet).await;
    assert_eq!(second.imports["lib"].version.as_deref(), Some("1.0.0"));
    assert_eq!(second.imports["lib"].url, first.imports["lib"].url, "the same bytes from an empty cache");
    let unlocked = proxy.resolve(&uses(&[("lib", "a")]), None, &quiet).await;
    assert_eq!(unlocked.imports["lib"].version.as_deref(), Some("1.1.0"));
}

/// C16: what a lock names is kept, and a lock of another builder is not taken for one of ours.
#[tokio::test]
async fn another_builders_lock_is_built_again() {
    let registry = Registry::start(with_react(vec![])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let first = proxy.resolve(&uses(&[("react", "")]), None, &quiet).await;
    let mut old = first.lock.clone();
    old.builder = "0".into();
    old.entries.get_mut("react").expect("an entry").module = "0".repeat(64);
    let again = proxy.resolve(&uses(&[("react", "")]), Some(&old), &quiet).await;
    assert_eq!(again.lock, first.lock);
}

#[tokio::test]
async fn a_changed_tarball_under_a_locked_version_is_refused() {
    let registry =
        Registry::start(with_react(vec![package("lib", "1.0.0", json!({}), &[("index.js", "exports.a = 1;")])])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let first = proxy(&registry.address, folder.path(), "").resolve(&uses(&[("lib", "a")]), None, &quiet).await;
    {
        let mut script = registry.script.lock().expect("script");
        script.packages.retain(|p| p.name != "lib");
        script.packages.push(package("lib", "1.0.0", json!({}), &[("index.js", "exports.a = 'evil';")]));
    }
    let elsewhere = tempfile::tempdir().expect("a folder");
    let second =
        proxy(&registry.address, elsewhere.path(), "").resolve(&uses(&[("lib", "a")]), Some(&first.lock), &quiet).await;
    assert_eq!(second.imports["lib"].state, ImportStatus::Failed);
    assert!(second.diagnostics.iter().any(|finding| finding.code == "package-integrity"), "{:?}", second.diagnostics);
}
