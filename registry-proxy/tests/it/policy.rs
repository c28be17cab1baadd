//! What the user allows, denies, and wants to wait for.

use crate::registry::{Registry, package, proxy_with, uses, with_react};
use serde_json::json;
use std::time::Duration;
use ui4a_registry_proxy::{Config, Policy};
use ui4a_types::{Diagnostic, ImportStatus, Severity};

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

fn rules(allow: &[&str], deny: &[&str], days: u64) -> Config {
    let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let age = Duration::from_secs(days * 86_400);
    Config { policy: Policy::new(&own(allow), &own(deny), age).expect("rules"), ..Config::default() }
}

fn finding<'a>(found: &'a [Diagnostic], code: &str) -> &'a Diagnostic {
    found.iter().find(|finding| finding.code == code).unwrap_or_else(|| panic!("{code} among {found:#?}"))
}

async fn registry() -> Registry {
    Registry::start(with_react(vec![
        package("lib", "1.0.0", json!({}), &[("index.js", "exports.a = 1;")]),
        package("lib", "1.1.0", json!({}), &[("index.js", "exports.a = 2;")]),
        package(
            "user",
            "1.0.0",
            json!({"dependencies": {"lib": "^1"}}),
            &[("index.js", "exports.b = require('lib').a;")],
        ),
        package("old", "1.0.0", json!({"deprecated": "use lib instead"}), &[("index.js", "exports.a = 1;")]),
    ]))
    .await
}

#[tokio::test]
async fn a_denied_package_is_a_stub_whoever_wants_it_and_is_never_asked_for() {
    let (registry, folder) = (registry().await, tempfile::tempdir().expect("a folder"));
    let proxy = proxy_with(&registry.address, folder.path(), rules(&[], &["lib"], 0));
    let resolution = proxy.resolve(&uses(&[("lib", "a"), ("user", "b"), ("old", "a")]), None, &quiet).await;
    assert_eq!(resolution.imports["lib"].state, ImportStatus::Stub);
    assert_eq!(resolution.imports["user"].state, ImportStatus::Stub, "{:?}", resolution.imports["user"]);
    assert_eq!(resolution.imports["old"].state, ImportStatus::Ready);
    let found = finding(&resolution.diagnostics, "package-denied");
    assert!(found.message.contains("`packages.deny` names `lib`") && found.line == 1, "{found:?}");
    assert!(!registry.asked().iter().any(|path| path.starts_with("lib")), "{:?}", registry.asked());
}

#[tokio::test]
async fn denied_versions_are_passed_over_and_a_lock_does_not_bring_them_back() {
    let (registry, folder) = (registry().await, tempfile::tempdir().expect("a folder"));
    let open = |config| proxy_with(&registry.address, folder.path(), config);
    let before = open(Config::default()).resolve(&uses(&[("lib", "a")]), None, &quiet).await;
    assert_eq!(before.imports["lib"].version.as_deref(), Some("1.1.0"));
    let denied = open(rules(&[], &["lib@>=1.1"], 0));
    let after = denied.resolve(&uses(&[("lib", "a")]), Some(&before.lock), &quiet).await;
    assert_eq!(after.imports["lib"].version.as_deref(), Some("1.0.0"), "{:?}", after.diagnostics);
    let exact = denied.resolve(&uses(&[("lib@1.1.0", "a")]), None, &quiet).await;
    let found = finding(&exact.diagnostics, "package-denied");
    assert!(found.message.contains("`lib@1.1.0`") && found.message.contains("lib@>=1.1"), "{found:?}");
}

#[tokio::test]
async fn only_what_is_allowed_may_be_named_and_it_brings_its_own() {
    let (registry, folder) = (registry().await, tempfile::tempdir().expect("a folder"));
    let proxy = proxy_with(&registry.address, folder.path(), rules(&["user"], &[], 0));
    let used = uses(&[
        ("user", "b"),
        ("lib", "a"),
        ("https://unpkg.com/lib@1.0.0/index.js", "a"),
        ("https://example.test/x.js", "a"),
    ]);
    let resolution = proxy.resolve(&used, None, &quiet).await;
    assert_eq!(resolution.imports["user"].state, ImportStatus::Ready, "{:?}", resolution.diagnostics);
    assert_eq!(resolution.imports["react"].state, ImportStatus::Ready);
    for name in ["lib", "https://unpkg.com/lib@1.0.0/index.js", "https://example.test/x.js"] {
        assert_eq!(resolution.imports[name].state, ImportStatus::Stub, "{name}");
        assert!(
            resolution.imports[name].error.as_deref().is_some_and(|error| error.contains("packages.allow")),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_version_that_is_too_young_waits() {
    let (registry, folder) = (registry().await, tempfile::tempdir().expect("a folder"));
    let today = time::OffsetDateTime::now_utc().format(&time::format_description::well_known::Rfc3339).expect("a date");
    let times =
        [("1.0.0", "2020-01-01T00:00:00.000Z"), ("19.0.0", "2020-01-01T00:00:00.000Z"), ("1.1.0", today.as_str())];
    registry.script.lock().expect("script").times = times.map(|(v, at)| (v.to_owned(), at.to_owned())).into();
    let proxy = proxy_with(&registry.address, folder.path(), rules(&[], &[], 3));
    let resolution = proxy.resolve(&uses(&[("lib", "a"), ("lib@1.1.0", "a")]), None, &quiet).await;
    assert_eq!(resolution.imports["lib"].version.as_deref(), Some("1.0.0"), "{:?}", resolution.diagnostics);
    let found = finding(&resolution.diagnostics, "package-denied");
    assert!(found.message.contains("lib@1.1.0") && found.message.contains("3 days") && found.line == 2, "{found:?}");
}

#[tokio::test]
async fn a_deprecated_package_says_so() {
    let (registry, folder) = (registry().await, tempfile::tempdir().expect("a folder"));
    let proxy = proxy_with(&registry.address, folder.path(), Config::default());
    let resolution = proxy.resolve(&uses(&[("old", "a")]), None, &quiet).await;
    let found = finding(&resolution.diagnostics, "deprecated-package");
    assert!(found.message.contains("use lib instead") && found.severity == Severity::Hint, "{found:?}");
}
