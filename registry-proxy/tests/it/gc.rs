//! Making the cache smaller while it is used.

use crate::registry::{Registry, package, proxy, uses, with_react};
use serde_json::json;
use std::fs::{File, FileTimes};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use ui4a_registry_proxy::{Cache, Collect, Limits};
use ui4a_types::ImportStatus;

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

const ALL: Collect = Collect { most: 0, unused_for: Duration::from_secs(3_600), dry: false };

/// Makes everything of a cache look as if it was last used a day ago.
fn age(folder: &Path) {
    let then = FileTimes::new().set_modified(SystemTime::now() - Duration::from_secs(86_400));
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() {
            age(&entry.path());
        }
        if !kind.is_symlink() {
            File::open(entry.path()).and_then(|file| file.set_times(then)).expect("its time is set");
        }
    }
}

fn lib(name: &str) -> crate::registry::Published {
    let text = format!("exports.name = '{name}'; exports.style = 1;");
    package(name, "1.0.0", json!({}), &[("index.js", &text), ("style.css", "p{background:url(a.png)}"), ("a.png", "x")])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_lock_names_stays_and_the_rest_goes() {
    let registry = Registry::start(with_react(vec![lib("kept"), lib("other")])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (address, root) = (registry.address.clone(), folder.path().join("cache"));
    let used = uses(&[("kept", "name"), ("kept/style.css", "")]);
    let open = || proxy(&address, folder.path(), "");
    let kept = open().resolve(&used, None, &quiet).await;
    let other = open().resolve(&uses(&[("other", "name")]), None, &quiet).await;
    let cache = Cache::open(&root, Limits::default()).expect("opens");
    let fresh = cache.collect(ALL, &[]).expect("collects");
    assert_eq!(fresh.removed, 0, "what was used a moment ago stays: {fresh:?}");
    age(&root);
    let counted = cache.collect(Collect { dry: true, ..ALL }, std::slice::from_ref(&kept.lock)).expect("counts");
    let done = cache.collect(ALL, std::slice::from_ref(&kept.lock)).expect("collects");
    assert_eq!(counted, done, "what would go is what goes");
    assert!(done.after < done.before && done.locked > 0 && done.after >= done.locked, "{done:?}");
    drop(registry);
    let again = open().resolve(&used, Some(&kept.lock), &quiet).await;
    assert_eq!((&again.imports["kept"].url, &again.lock), (&kept.imports["kept"].url, &kept.lock));
    let served = open();
    for url in again.imports["kept/style.css"].styles.iter().chain(&again.imports["kept"].url) {
        assert!(served.module(url.trim_start_matches("/m/")).is_some(), "{url} is served");
    }
    // The packages behind it are there too: it can be built again.
    std::fs::remove_dir_all(root.join("builds")).expect("is removed");
    let rebuilt = open().resolve(&used, Some(&kept.lock), &quiet).await;
    assert_eq!(rebuilt.imports["kept"].url, kept.imports["kept"].url, "{:?}", rebuilt.diagnostics);
    let gone = open().resolve(&uses(&[("other", "name")]), Some(&other.lock), &quiet).await;
    assert_eq!(gone.imports["other"].state, ImportStatus::Failed);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_used_last_goes_last() {
    let registry = Registry::start(with_react(vec![lib("first"), lib("second")])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("cache");
    let open = || proxy(&registry.address, folder.path(), "");
    for name in ["first", "second"] {
        open().resolve(&uses(&[(name, "name")]), None, &quiet).await;
    }
    age(&root);
    let lock = open().resolve(&uses(&[("second", "name")]), None, &quiet).await.lock;
    let cache = Cache::open(&root, Limits::default()).expect("opens");
    cache.collect(ALL, &[]).expect("collects");
    let asked = registry.asked().len();
    let again = open().resolve(&uses(&[("second", "name")]), Some(&lock), &quiet).await;
    assert_eq!(again.imports["second"].state, ImportStatus::Ready, "{:?}", again.diagnostics);
    assert_eq!(registry.asked().len(), asked, "what was used a moment ago is still there");
}

/// Every interface that is resolved while things are removed comes out whole.
#[tokio::test(flavor = "multi_thread")]
async fn removing_waits_for_who_uses_the_cache() {
    let registry = Registry::start(with_react(vec![lib("a"), lib("b"), lib("c")])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("cache");
    let program = proxy(&registry.address, folder.path(), "");
    let used = uses(&[("a", "name"), ("b", "name"), ("c", "name")]);
    let (done, removed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let (until, count) = (Arc::clone(&done), Arc::clone(&removed));
    let collecting = std::thread::spawn(move || {
        let cache = Cache::open(&root, Limits::default()).expect("opens");
        let everything = Collect { most: 0, unused_for: Duration::ZERO, dry: false };
        while !until.load(Ordering::Relaxed) {
            count.fetch_add(cache.collect(everything, &[]).expect("collects").removed, Ordering::Relaxed);
        }
    });
    let start = std::time::Instant::now();
    let mut round = 0;
    // Until all of it was removed under the program's hands a few times.
    while round < 8 || removed.load(Ordering::Relaxed) < 100 {
        let resolution = program.resolve(&used, None, &quiet).await;
        for name in ["react", "a", "b", "c"] {
            let import = &resolution.imports[name];
            assert_eq!(import.state, ImportStatus::Ready, "round {round}: {:?}", resolution.diagnostics);
        }
        round += 1;
        assert!(start.elapsed() < Duration::from_secs(60), "{round} rounds, and little was removed: {removed:?}");
    }
    done.store(true, Ordering::Relaxed);
    collecting.join().expect("does not panic");
}
