//! The user's own registry: the packages that interfaces import most, as they are published.

use crate::registry::{modules, uses};
use std::collections::BTreeMap;
use std::sync::Arc;
use ui4a_registry_proxy::{Config, Proxy};
use ui4a_types::ImportStatus;

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

fn open(folder: &std::path::Path) -> Arc<Proxy> {
    let home = std::env::var_os("HOME").map(Into::into).into_iter().collect();
    let config = Config { cache: folder.to_owned(), npmrc_dirs: home, isolate: Some(isolate()), ..Config::default() };
    Arc::new(Proxy::open(config).expect("opens"))
}

/// As the product does: names that no lexer finds are learnt by running.
fn isolate() -> Arc<ui4a_isolate::Pool> {
    let own = std::env::current_exe().expect("this program");
    let worker = own.ancestors().skip(1).take(2).map(|folder| folder.join("ui4a-isolate")).find(|path| path.is_file());
    let worker = worker.expect("ui4a-isolate is not built; run `make build`");
    Arc::new(ui4a_isolate::Pool::new(std::process::Command::new(worker)))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_usual_packages_resolve_as_one_graph() {
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = open(folder.path());
    let used = uses(&[
        ("recharts", "LineChart,Line,XAxis,ResponsiveContainer"),
        ("lucide-react", "Home,ArrowRight"),
        ("lodash", "default"),
        ("lodash/debounce", "default"),
        ("dayjs", "default"),
        ("react-dom/client", "createRoot"),
    ]);
    let start = std::time::Instant::now();
    let cold = proxy.resolve(&used, None, &quiet).await;
    println!("cold: {} ms", start.elapsed().as_millis());
    let errors: Vec<_> =
        cold.diagnostics.iter().filter(|finding| finding.severity > ui4a_types::Severity::Hint).collect();
    assert!(errors.is_empty(), "{:#?}", cold.diagnostics);
    let mut all = BTreeMap::new();
    for (specifier, import) in &cold.imports {
        assert_eq!(import.state, ImportStatus::Ready, "{specifier}: {import:?}");
        assert!(
            import.names.contains(&"default".to_owned()) || import.names.len() > 5,
            "{specifier}: {:?}",
            import.names
        );
        all.extend(modules(&proxy, import.url.as_deref().expect("an address")));
    }
    assert!(cold.imports["react"].names.contains(&"useState".to_owned()), "{:?}", cold.imports["react"].names);
    for family in ["react", "react-dom", "scheduler", "react-is", "use-sync-external-store"] {
        let versions = cold
            .lock
            .packages
            .keys()
            .filter(|key| key.rsplit_once('@').is_some_and(|(name, _)| name == family))
            .count();
        assert!(versions <= 1, "{family}: {versions}");
    }
    for (name, text) in &all {
        assert!(
            !text.contains("require(\"react") && !text.contains("require(`react") && !text.contains("ui4a:"),
            "{name}"
        );
    }
    let start = std::time::Instant::now();
    let warm = proxy.resolve(&used, None, &quiet).await;
    println!("warm: {} ms", start.elapsed().as_millis());
    assert_eq!(warm.lock, cold.lock);
    let start = std::time::Instant::now();
    let locked = open(folder.path()).resolve(&used, Some(&cold.lock), &quiet).await;
    println!("locked, new process: {} ms", start.elapsed().as_millis());
    assert_eq!(locked.lock, cold.lock);
}

/// Three icons are some kilobytes, charts are what was imported of them, and nothing makes a chain of requests.
#[tokio::test(flavor = "multi_thread")]
async fn an_artifact_loads_what_it_imports_in_few_requests() {
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = open(folder.path());
    let used = uses(&[
        ("recharts", "LineChart,Line,XAxis,Tooltip,ResponsiveContainer"),
        ("lucide-react", "Home,Search,Settings"),
        ("motion/react", "motion,AnimatePresence"),
    ]);
    let resolution = proxy.resolve(&used, None, &quiet).await;
    let wrong: Vec<_> =
        resolution.diagnostics.iter().filter(|found| found.severity > ui4a_types::Severity::Hint).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let mut all = BTreeMap::new();
    for import in resolution.imports.values() {
        all.extend(modules(&proxy, import.url.as_deref().expect("an address")));
    }
    for (specifier, import) in &resolution.imports {
        let name = import.url.clone().unwrap_or_default().replace("/m/", "");
        println!("{specifier}: {} bytes, waits for {}", all[&name].len(), import.preload.len());
    }
    assert!(all.len() <= 12, "{:?}", all.keys());
    let icons = resolution.imports["lucide-react"].url.clone().unwrap_or_default().replace("/m/", "");
    assert!(all[&icons].len() <= 12_000, "{} bytes of icons", all[&icons].len());
    assert!(resolution.imports["lucide-react"].names.len() > 1_000, "all icons are known by name");
}
