//! Taking a cache to another machine.

use crate::registry::{Registry, package, proxy, uses, with_react};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use ui4a_registry_proxy::{Cache, Limits, RegistryError};

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

fn open(root: &Path) -> Cache {
    Cache::open(root, Limits::default()).expect("opens")
}

/// A bundle of a cache with one package in it, its address, and the registry's, which is closed.
async fn bundle(folder: &Path) -> (PathBuf, String, String) {
    let lib = package("lib", "1.0.0", json!({}), &[("index.js", "exports.a = 1;")]);
    let registry = Registry::start(with_react(vec![lib])).await;
    let first = proxy(&registry.address, folder, "").resolve(&uses(&[("lib", "a")]), None, &quiet).await;
    let file = folder.join("cache.bundle");
    let written = open(&folder.join("cache")).export(&file).expect("is written");
    assert!(written.files > 10, "{written:?}");
    (file, first.imports["lib"].url.clone().expect("an address"), registry.address.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn another_machine_needs_no_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, url, address) = bundle(folder.path()).await;
    let other = tempfile::tempdir().expect("a folder");
    let cache = open(&other.path().join("cache"));
    let taken = cache.import(&file).expect("is taken in");
    assert_eq!((taken.known, taken.other_builder), (0, false));
    let there = proxy(&address, other.path(), "").resolve(&uses(&[("lib", "a")]), None, &quiet).await;
    assert_eq!(there.imports["lib"].url.as_ref(), Some(&url), "{:?}", there.diagnostics);
    let again = cache.import(&file).expect("is taken in twice");
    assert_eq!(again.known, again.files, "nothing is written over");
    // Another program's modules are no use to this builder: it builds them from the same packages.
    for gone in ["builds", "blobs"] {
        std::fs::remove_dir_all(other.path().join("cache").join(gone)).expect("is removed");
    }
    let rebuilt = proxy(&address, other.path(), "").resolve(&uses(&[("lib", "a")]), None, &quiet).await;
    assert_eq!(rebuilt.imports["lib"].url, there.imports["lib"].url, "{:?}", rebuilt.diagnostics);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_cache_is_the_same_bundle() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, ..) = bundle(folder.path()).await;
    let second = folder.path().join("second.bundle");
    open(&folder.path().join("cache")).export(&second).expect("is written");
    assert!(std::fs::read(file).expect("first") == std::fs::read(second).expect("second"));
}

/// What every bad bundle leads to: an error that says so, and nothing that was not checked.
fn refused(bytes: &[u8], says: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, root) = (folder.path().join("bad.bundle"), folder.path().join("in/cache"));
    std::fs::write(&file, bytes).expect("is written");
    let error = open(&root).import(&file).expect_err("is refused");
    assert!(matches!(error, RegistryError::Bundle { .. } | RegistryError::Limit { .. }), "{error}");
    assert!(error.to_string().contains(says), "{says:?}: {error}");
    let outside: Vec<_> =
        std::fs::read_dir(folder.path()).expect("the folder").flatten().map(|e| e.file_name()).collect();
    assert_eq!(outside.len(), 2, "{outside:?}");
    assert_eq!(std::fs::read_dir(root.join("tmp")).expect("tmp").count(), 0, "nothing half is left");
}

fn pack(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, kind, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        if path.len() > 100 {
            builder.append_data(&mut header, path, *bytes).expect("an entry");
            continue;
        }
        // The library refuses such paths: write them as an attacker would.
        header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        builder.append(&header, *bytes).expect("an entry");
    }
    builder.into_inner().and_then(GzEncoder::finish).expect("is packed")
}

#[test]
fn what_is_no_bundle_or_lies_is_refused() {
    use tar::EntryType::{Regular, Symlink};
    const HEAD: (&str, tar::EntryType, &[u8]) = ("ui4a-cache/head.json", Regular, b"{\"format\":1,\"builder\":\"x\"}");
    let blob = format!("blobs/ab/{}", "ab".repeat(32));
    refused(b"not a bundle", "damaged or cut off");
    refused(b"", "cut off");
    refused(&pack(&[("a", Regular, b"x")]), "no bundle of a cache");
    refused(&pack(&[("ui4a-cache/head.json", Regular, b"{\"format\":9,\"builder\":\"x\"}")]), "its format is 9");
    refused(&pack(&[HEAD]), "it is cut off");
    for path in [
        "../../escaped",
        "/tmp/escaped",
        "blobs/../../escaped",
        "packages/x/index.js",
        "config/.npmrc",
        "owners/x.path",
    ] {
        refused(&pack(&[HEAD, (path, Regular, b"x")]), "which no bundle does");
    }
    refused(&pack(&[HEAD, (&blob, Symlink, b"")]), "which no bundle does");
    refused(&pack(&[HEAD, (&blob, Regular, b"other bytes")]), "not what its name says");
    let tarball = format!("tarballs/ab/sha512-{}.tgz", "ab".repeat(64));
    refused(&pack(&[HEAD, (&tarball, Regular, b"other bytes")]), "not what its name says");
    refused(&pack(&[HEAD, ("metadata/x.packument.json", Regular, b"{}\n<html>")]), "not what its name says");
    let facts = format!("builds/{}.facts.json", "ab".repeat(32));
    let leads_out = b"{\"names\":[],\"styles\":[],\"imports\":[\"../../x.js\"],\"warnings\":[]}";
    refused(&pack(&[HEAD, (&facts, Regular, leads_out)]), "not what its name says");
    refused(&pack(&[HEAD, ("ui4a-cache/end.json", Regular, b"{\"files\":3}")]), "it is cut off");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_that_was_cut_or_changed_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, ..) = bundle(folder.path()).await;
    let whole = std::fs::read(file).expect("the bundle");
    for part in [1, whole.len() / 3, whole.len() - 10] {
        refused(&whole[..part], "cut off");
    }
    let mut text = Vec::new();
    GzDecoder::new(whole.as_slice()).read_to_end(&mut text).expect("unpacks");
    let at =
        text.windows(8).position(|bytes| bytes == b"exports.").or_else(|| text.windows(6).position(|b| b == b"export"));
    text[at.expect("code")] = b'X';
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&text).expect("packs");
    refused(&packed.finish().expect("packs"), "not what its name says");
}
