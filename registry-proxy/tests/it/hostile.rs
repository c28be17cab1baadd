//! Tarballs and registries that lie, break or attack.

use crate::registry::{Published, Registry, package, proxy, sri, tarball, uses, with_react};
use serde_json::json;
use std::path::Path;
use ui4a_types::{Diagnostic, ImportStatus};

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

/// Resolves `bad`, which must fail alone, and returns its finding.
async fn refused(bad: Published, folder: &Path, cut: Option<usize>) -> Diagnostic {
    let registry = Registry::start(with_react(vec![])).await;
    let proxy = proxy(&registry.address, folder, "");
    let warm = proxy.resolve(&uses(&[("react", "")]), None, &quiet).await;
    assert_eq!(warm.imports["react-dom/client"].state, ImportStatus::Ready, "{:?}", warm.diagnostics);
    {
        let mut script = registry.script.lock().expect("script");
        script.packages.push(bad);
        script.cut = cut;
    }
    let resolution = proxy.resolve(&uses(&[("bad", "x")]), None, &quiet).await;
    assert_eq!(resolution.imports["bad"].state, ImportStatus::Failed, "{:?}", resolution.imports["bad"]);
    assert_eq!(resolution.imports["react"].state, ImportStatus::Ready);
    let left: Vec<_> = std::fs::read_dir(folder.join("cache/packages"))
        .expect("packages")
        .filter(|entry| entry.as_ref().expect("an entry").file_name().to_string_lossy().starts_with("bad@"))
        .collect();
    assert!(left.is_empty(), "nothing of it is in the cache");
    assert_eq!(std::fs::read_dir(folder.join("cache/tmp")).expect("tmp").count(), 0, "nothing is left behind");
    resolution.diagnostics.into_iter().next().expect("a finding")
}

fn bad(tarball: Vec<u8>) -> Published {
    Published { name: "bad".into(), version: "1.0.0".into(), manifest: json!({}), tarball, integrity: None }
}

fn entry(builder: &mut tar::Builder<flate2::write::GzEncoder<Vec<u8>>>, path: &str, bytes: &[u8]) {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    // The library refuses such paths: write them as an attacker would.
    header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
    header.set_cksum();
    builder.append(&header, bytes).expect("an entry");
}

#[tokio::test]
async fn wrong_integrity_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut lying = package("bad", "1.0.0", json!({}), &[("index.js", "exports.x = 1;")]);
    lying.integrity = Some(sri(b"something else"));
    assert_eq!(refused(lying, folder.path(), None).await.code, "package-integrity");
}

/// C11.
#[tokio::test]
async fn a_truncated_body_is_not_stored() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = package("bad", "1.0.0", json!({}), &[("index.js", "exports.x = 1;")]);
    assert_eq!(refused(whole, folder.path(), Some(60)).await.code, "package-integrity");
}

#[tokio::test]
async fn paths_that_leave_the_package_are_refused() {
    for path in ["package/../../../escaped.js", "/tmp/escaped.js", "package/a\\..\\b.js"] {
        let folder = tempfile::tempdir().expect("a folder");
        let finding =
            refused(bad(tarball(|builder| entry(builder, path, b"exports.x = 1"))), folder.path(), None).await;
        assert_eq!(finding.code, "package-damaged", "{path}: {finding:?}");
        assert!(!folder.path().join("escaped.js").exists() && !folder.path().join("cache/escaped.js").exists());
    }
}

#[tokio::test]
async fn links_are_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let linked = tarball(|builder| {
        for (kind, path) in [(tar::EntryType::Symlink, "package/index.js"), (tar::EntryType::Link, "package/hard.js")] {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(kind);
            header.set_size(0);
            builder.append_link(&mut header, path, "/etc/passwd").expect("a link");
        }
        entry(builder, "package/package.json", b"{\"name\":\"bad\",\"main\":\"index.js\"}");
    });
    let registry = Registry::start(with_react(vec![bad(linked)])).await;
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("bad", "x")]), None, &quiet).await;
    assert_eq!(resolution.imports["bad"].state, ImportStatus::Stub, "it has no entry: {:?}", resolution.diagnostics);
    let made = std::fs::read_dir(folder.path().join("cache/packages")).expect("packages");
    let root = made
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.to_string_lossy().contains("/bad@"))
        .expect("unpacked");
    let files: Vec<_> = std::fs::read_dir(root.join("node_modules/bad"))
        .expect("files")
        .map(|e| e.expect("an entry").file_name())
        .collect();
    assert_eq!(files, ["package.json"]);
}

#[tokio::test]
async fn bombs_meet_a_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let ratio = tarball(|builder| entry(builder, "package/zeros.js", &vec![0; 64 << 20]));
    let finding = refused(bad(ratio), folder.path(), None).await;
    assert_eq!(finding.code, "package-limit");
    assert!(finding.message.contains("unpacked bytes"), "{finding:?}");
}

#[tokio::test]
async fn garbage_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(refused(bad(b"not a tarball at all".to_vec()), folder.path(), None).await.code, "package-damaged");
}

#[tokio::test]
async fn a_package_that_does_not_parse_fails_alone_and_a_builtin_is_named() {
    let registry = Registry::start(with_react(vec![
        package("broken", "1.0.0", json!({"type": "module"}), &[("index.js", "export const = ;")]),
        package(
            "nodeish",
            "1.0.0",
            json!({}),
            &[("index.js", "const net = require('net'); exports.connect = () => net.connect(1);")],
        ),
        package("lib", "1.0.0", json!({}), &[("index.js", "exports.x = 1;")]),
    ]))
    .await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("broken", "x"), ("nodeish", "connect"), ("lib", "x")]), None, &quiet).await;
    assert_eq!(resolution.imports["broken"].state, ImportStatus::Failed);
    assert_eq!(resolution.imports["lib"].state, ImportStatus::Ready);
    assert_eq!(resolution.imports["nodeish"].state, ImportStatus::Ready);
    assert!(
        resolution.diagnostics.iter().any(|finding| finding.code == "package-build" && finding.line > 0),
        "{:?}",
        resolution.diagnostics
    );
    assert!(
        resolution.diagnostics.iter().any(|finding| finding.message.contains("Node's `net`")),
        "{:?}",
        resolution.diagnostics
    );
}

/// The memory of a build is bounded by what it reads: a package of too much source fails alone, with the bound named.
#[tokio::test]
async fn too_much_source_meets_a_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    // Text that is packed well, but not better than text is.
    let block: String =
        (0..1_000_u32).map(|number| format!("/* {} */\n", number.wrapping_mul(2_654_435_761))).collect();
    let file = block.repeat((10 << 20) / block.len());
    let large = tarball(|builder| {
        let main: String = (0..11).map(|number| format!("exports.x{number} = require('./f{number}.js');")).collect();
        entry(builder, "package/index.js", main.as_bytes());
        (0..11).for_each(|number| entry(builder, &format!("package/f{number}.js"), file.as_bytes()));
    });
    let registry = Registry::start(with_react(vec![bad(large)])).await;
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("bad", "x0")]), None, &quiet).await;
    assert_eq!(resolution.imports["bad"].state, ImportStatus::Failed);
    assert_eq!(resolution.imports["react"].state, ImportStatus::Ready);
    let found = resolution.diagnostics.iter().find(|finding| finding.code == "package-build").expect("a finding");
    assert!(found.message.contains("bytes of source in one build"), "{found:?}");
}
