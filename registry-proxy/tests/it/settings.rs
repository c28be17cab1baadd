//! npm's configuration at work: scopes, tokens, and registries that are not there.

use crate::registry::{Registry, package, proxy, uses, with_react};
use serde_json::json;
use ui4a_types::ImportStatus;

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

#[tokio::test]
async fn a_scope_has_its_registry_and_its_token() {
    let public = Registry::start(with_react(vec![])).await;
    let private =
        Registry::start(vec![package("@mine/lib", "1.0.0", json!({}), &[("index.js", "exports.a = 1;")])]).await;
    private.script.lock().expect("script").token = Some("s3cret".into());
    let host = private.address.trim_start_matches("http:");
    let folder = tempfile::tempdir().expect("a folder");
    let npmrc = format!("@mine:registry={}/\n{host}/:_authToken=s3cret\n", private.address);
    let resolution =
        proxy(&public.address, folder.path(), &npmrc).resolve(&uses(&[("@mine/lib", "a")]), None, &quiet).await;
    assert_eq!(resolution.imports["@mine/lib"].state, ImportStatus::Ready, "{:?}", resolution.diagnostics);
    assert!(!public.asked().iter().any(|path| path.contains("mine")), "the public registry never hears of it");

    let other = tempfile::tempdir().expect("a folder");
    let npmrc = format!("@mine:registry={}/\n{host}/:_authToken=wr0ng\n", private.address);
    let resolution =
        proxy(&public.address, other.path(), &npmrc).resolve(&uses(&[("@mine/lib", "a")]), None, &quiet).await;
    let finding = resolution.diagnostics.iter().find(|finding| finding.code == "registry-refused").expect("a finding");
    assert!(finding.message.contains(".npmrc") && !finding.message.contains("wr0ng"), "{finding:?}");
    assert_eq!(resolution.imports["react"].state, ImportStatus::Ready);
}

#[tokio::test]
async fn a_closed_registry_says_what_to_do() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let folder = tempfile::tempdir().expect("a folder");
    let resolution =
        proxy(&address, folder.path(), "").resolve(&uses(&[("recharts", "LineChart")]), None, &quiet).await;
    for specifier in ["react", "react-dom/client", "recharts"] {
        assert_eq!(resolution.imports[specifier].state, ImportStatus::Failed, "{specifier}");
    }
    let finding = resolution.diagnostics.iter().find(|finding| finding.line == 1).expect("a finding at the import");
    assert_eq!(finding.code, "registry-unreachable");
    assert!(finding.message.contains(&address) && finding.message.contains("npm_config_registry"), "{finding:?}");
}

/// A registry that hides what is private says that it is not there: the finding says what to look at.
#[tokio::test]
async fn a_scope_that_nobody_knows_may_be_private() {
    let registry = Registry::start(with_react(vec![])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("@hidden/zzqx", "a")]), None, &quiet).await;
    let finding = resolution.diagnostics.iter().find(|finding| finding.code == "unknown-package").expect("a finding");
    assert!(finding.help.as_deref().is_some_and(|help| help.contains("`@hidden:registry=`")), "{finding:?}");
}
