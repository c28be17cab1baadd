//! What imports mean: one graph, one React, names, stubs, own packages.

use crate::registry::{Registry, modules, package, proxy, uses, with_react};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Mutex;
use ui4a_registry_proxy::OwnPackage;
use ui4a_types::{ImportStatus, Severity};

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

/// C4, C27: all of React's parts are of one version, names come from the production build, and no `require` is left.
#[tokio::test]
async fn react_is_one_and_has_its_names() {
    let registry = Registry::start(with_react(vec![])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("react", "useState,default")]), None, &quiet).await;
    assert!(resolution.diagnostics.is_empty(), "{:?}", resolution.diagnostics);
    let versions: BTreeSet<_> = resolution.imports.values().map(|import| import.version.clone()).collect();
    assert_eq!(versions.len(), 1, "{:?}", resolution.imports);
    let react = &resolution.imports["react"];
    assert_eq!(react.state, ImportStatus::Ready);
    assert_eq!(react.names, ["default", "useState", "version"]);
    let client = resolution.imports["react-dom/client"].url.clone().expect("an address");
    let all = modules(&proxy, &client);
    assert!(all.len() >= 4, "client, react-dom, react and scheduler are modules: {:?}", all.keys());
    for (name, text) in &all {
        assert!(
            !text.contains("require(\"") && !text.contains("require('") && !text.contains("ui4a:"),
            "{name}: {text}"
        );
    }
    let reacts = all.values().filter(|text| text.contains("19.0.0")).count();
    assert_eq!(reacts, 1, "one module holds React");
}

/// C5: packages that would each bring another React get the one that the artifact has.
#[tokio::test]
async fn two_packages_that_want_two_reacts_share_one() {
    let mut old = crate::registry::react("17.0.0");
    old.extend(with_react(vec![
        package(
            "a",
            "1.0.0",
            json!({"dependencies": {"react": "^17.0.0"}}),
            &[("index.js", "exports.react = require('react');")],
        ),
        package(
            "b",
            "1.0.0",
            json!({"peerDependencies": {"react": "^19.0.0"}, "type": "module"}),
            &[("index.js", "export { version } from 'react';")],
        ),
    ]));
    let registry = Registry::start(old).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("a", "react"), ("b", "version")]), None, &quiet).await;
    assert!(
        resolution.lock.packages.keys().filter(|key| key.starts_with("react@")).eq(["react@19.0.0"]),
        "{:?}",
        resolution.lock
    );
    let react = resolution.imports["react"].url.clone().expect("an address").replace("/m/", "");
    for specifier in ["a", "b"] {
        let url = resolution.imports[specifier].url.clone().expect("an address");
        assert!(modules(&proxy, &url).contains_key(&react), "{specifier} imports the page's React");
    }
}

/// C1: a package that asks for a newer React than the artifact pins is taken in the version that fits.
#[tokio::test]
async fn an_unpinned_package_follows_the_pinned_react() {
    let mut all = crate::registry::react("18.2.0");
    all.extend(with_react(vec![
        package(
            "fiber",
            "8.0.0",
            json!({"peerDependencies": {"react": ">=18 <19"}}),
            &[("index.js", "exports.v = 8;")],
        ),
        package("fiber", "9.0.0", json!({"peerDependencies": {"react": "^19"}}), &[("index.js", "exports.v = 9;")]),
    ]));
    let registry = Registry::start(all).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("react-dom@18.2.0", ""), ("fiber", "v")]), None, &quiet).await;
    assert_eq!(resolution.imports["react"].version.as_deref(), Some("18.2.0"));
    assert_eq!(resolution.imports["fiber"].version.as_deref(), Some("8.0.0"));
}

/// An optional peer that is imported without asking is installed; one that is only asked for is not.
#[tokio::test]
async fn optional_peers_are_installed_only_when_a_file_needs_them() {
    let manifest = json!({"type": "module", "peerDependencies": {"engine": "*", "native": "*"},
                          "peerDependenciesMeta": {"engine": {"optional": true}, "native": {"optional": true}}});
    let registry = Registry::start(with_react(vec![
        package(
            "styled",
            "1.0.0",
            manifest,
            &[(
                "index.js",
                "import { css } from 'engine'; export const x = css; export const y = () => import('native');",
            )],
        ),
        package("engine", "1.0.0", json!({"type": "module"}), &[("index.js", "export const css = 'the-engine';")]),
        package("native", "1.0.0", json!({"type": "module"}), &[("index.js", "export const n = 1;")]),
    ]))
    .await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("styled", "x")]), None, &quiet).await;
    let all = modules(&proxy, resolution.imports["styled"].url.as_deref().expect("an address"));
    assert!(all.values().any(|text| text.contains("the-engine")), "{all:?}");
    assert!(!registry.asked().iter().any(|path| path.starts_with("native")), "{:?}", registry.asked());
    let code = proxy.bundle("import { x } from 'styled'; globalThis.x = x;", None).await.expect("bundles");
    assert!(code.contains("the-engine"), "{code}");
}

/// C7: names assigned in a chain are exports.
#[tokio::test]
async fn chained_exports_have_their_names() {
    let code = "exports = module.exports = function f() {}; exports.code = exports.codes = { a: 1 };";
    let registry =
        Registry::start(with_react(vec![package("keycode", "2.2.1", json!({}), &[("index.js", code)])])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("keycode@2.2.1", "codes,default")]), None, &quiet).await;
    assert!(resolution.diagnostics.is_empty(), "{:?}", resolution.diagnostics);
    assert!(resolution.imports["keycode@2.2.1"].names.contains(&"codes".to_owned()));
}

/// C18: an icon that does not exist is a warning with the nearest names, at its place; the rest is ready.
#[tokio::test]
async fn an_unknown_export_is_a_warning_with_near_names() {
    let icons = package(
        "icons",
        "1.0.0",
        json!({"type": "module"}),
        &[("index.js", "export const Home = 1, Rain = 2, Running = 3;")],
    );
    let registry = Registry::start(with_react(vec![icons])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("icons", "Run,Home")]), None, &quiet).await;
    assert_eq!(resolution.imports["icons"].state, ImportStatus::Ready);
    let [finding] = &resolution.diagnostics[..] else { panic!("{:?}", resolution.diagnostics) };
    assert_eq!(
        (finding.code.as_str(), finding.severity, finding.line, finding.column),
        ("unknown-export", Severity::Warning, 1, 20)
    );
    assert!(finding.help.as_deref().unwrap_or("").contains("`Running`"), "{finding:?}");
}

#[tokio::test]
async fn an_unknown_package_is_a_stub_and_others_are_ready() {
    let registry = Registry::start(with_react(vec![])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let seen = Mutex::new(Vec::new());
    let changed = |specifier: &str, state: &ui4a_types::ImportState| {
        seen.lock().expect("seen").push((specifier.to_owned(), state.state));
    };
    let resolution =
        proxy.resolve(&uses(&[("recharst", "LineChart"), ("./api", "x"), ("node:fs", "x")]), None, &changed).await;
    assert_eq!(resolution.imports["recharst"].state, ImportStatus::Stub);
    assert_eq!(resolution.imports["./api"].state, ImportStatus::Stub);
    assert_eq!(resolution.imports["react"].state, ImportStatus::Ready);
    let codes: BTreeSet<&str> = resolution.diagnostics.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, BTreeSet::from(["unknown-package", "unknown-module", "node-builtin"]));
    let unknown = resolution.diagnostics.iter().find(|finding| finding.code == "unknown-package").expect("a finding");
    assert_eq!(unknown.help.as_deref(), Some("Did you mean `recharts`?"));
    assert!(!registry.asked().iter().any(|path| path == "recharts"), "nothing is installed by guess");
    let seen = seen.into_inner().expect("seen");
    for specifier in ["recharst", "react", "react-dom/client"] {
        let states: Vec<_> = seen.iter().filter(|(name, _)| name == specifier).map(|(_, state)| *state).collect();
        assert_eq!(states.len(), 2, "{specifier}: {states:?}");
        assert_eq!(states[0], ImportStatus::Resolving);
    }
}

/// A package of ours shares React and its dependencies with what the artifact imports itself.
#[tokio::test]
async fn own_packages_take_part_in_the_graph() {
    let charts = package(
        "charts",
        "3.0.0",
        json!({"type": "module", "peerDependencies": {"react": "*"}}),
        &[(
            "index.js",
            "import { useState } from 'react'; export const store = { id: 'charts-store' }; export const Line = () => useState(store);",
        )],
    );
    let registry = Registry::start(with_react(vec![charts])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let entry = "import { jsx } from 'react/jsx-runtime'; export const Button = () => jsx('button', {}); export { note } from './shared.js';";
    let charts_entry = "import { Line } from 'charts'; import { Button } from '$ui4a/ui'; export const ChartContainer = () => [Line, Button];";
    proxy.add_package(OwnPackage {
        name: "$ui4a/ui".into(),
        files: [("ui.js", entry), ("charts.js", charts_entry), ("shared.js", "export const note = 'kit-shared';")]
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .into(),
        entries: [("", "ui.js"), ("charts", "charts.js")].map(|(a, b)| (a.to_owned(), b.to_owned())).into(),
        dependencies: [("react", "19.0.0"), ("react-dom", "19.0.0"), ("charts", "3.0.0")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .into(),
        inlined: BTreeSet::new(),
        aliases: [("@/components/ui/*", ""), ("$macaron/ui", "")].map(|(a, b)| (a.to_owned(), b.to_owned())).into(),
    });
    let used = uses(&[
        ("$ui4a/ui", "Button"),
        ("$macaron/ui", "Button"),
        ("@/components/ui/button", "Button"),
        ("$ui4a/ui/charts", "ChartContainer"),
        ("charts", "Line"),
    ]);
    let resolution = proxy.resolve(&used, None, &quiet).await;
    assert!(resolution.diagnostics.is_empty(), "{:?}", resolution.diagnostics);
    let url = |specifier: &str| resolution.imports[specifier].url.clone().expect("an address");
    assert_eq!(url("$ui4a/ui"), url("$macaron/ui"));
    assert_eq!(url("$ui4a/ui"), url("@/components/ui/button"));
    let all = modules(&proxy, &url("$ui4a/ui/charts"));
    assert!(all.contains_key(&url("charts").replace("/m/", "")), "the charts are the artifact's own");
    assert!(all.contains_key(&url("$ui4a/ui").replace("/m/", "")), "the kit is not copied");
    assert!(all.contains_key(&url("react").replace("/m/", "")));
    let unknown = proxy.resolve(&uses(&[("$ui4a/ui/icons", "X")]), None, &quiet).await;
    assert_eq!(unknown.imports["$ui4a/ui/icons"].state, ImportStatus::Stub);
}

/// Entries that share a file are one instance of it.
#[tokio::test]
async fn entries_of_one_package_share_their_files() {
    let lib = package(
        "lib",
        "1.0.0",
        json!({"type": "module", "exports": {"./a": "./a.js", "./b": "./b.js"}}),
        &[
            ("a.js", "export { count } from './shared.js'; export const a = 1;"),
            ("b.js", "import { count } from './shared.js'; export default () => count;"),
            ("shared.js", "export const count = { marker: 'only-once' };"),
        ],
    );
    let registry = Registry::start(with_react(vec![lib])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("lib/a", "a,count"), ("lib/b", "default")]), None, &quiet).await;
    assert!(resolution.diagnostics.is_empty(), "{:?}", resolution.diagnostics);
    let mut all = modules(&proxy, resolution.imports["lib/a"].url.as_deref().expect("an address"));
    all.extend(modules(&proxy, resolution.imports["lib/b"].url.as_deref().expect("an address")));
    assert_eq!(all.values().filter(|text| text.contains("only-once")).count(), 1, "{all:#?}");
}

/// Styles of a package come with it, its fonts beside them.
#[tokio::test]
async fn styles_and_their_assets_are_served() {
    let lib = package(
        "styled",
        "1.0.0",
        json!({"type": "module"}),
        &[
            ("index.js", "import './style.css'; export const x = 1;"),
            ("style.css", "@import './base.css'; .a { background: url(./dot.svg) }"),
            ("base.css", ".base { color: red }"),
            ("dot.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ],
    );
    let registry = Registry::start(with_react(vec![lib])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("styled", "x"), ("styled/style.css", "")]), None, &quiet).await;
    assert!(resolution.diagnostics.is_empty(), "{:?}", resolution.diagnostics);
    for specifier in ["styled", "styled/style.css"] {
        let [style] = &resolution.imports[specifier].styles[..] else { panic!("{:?}", resolution.imports[specifier]) };
        let css = String::from_utf8(proxy.module(style.trim_start_matches("/m/")).expect("a style sheet").bytes)
            .expect("text");
        assert!(css.contains(".base") && css.contains(".svg"), "{css}");
        let asset = css.split("./").nth(1).and_then(|rest| rest.split(['"', ')']).next()).expect("an address");
        assert_eq!(proxy.module(asset).expect("the image").content_type, "image/svg+xml");
    }
}

/// A file that a module names beside itself is served beside the module.
#[tokio::test]
async fn files_beside_a_module_are_served() {
    let lib = package(
        "physics",
        "1.0.0",
        json!({"type": "module"}),
        &[
            (
                "index.js",
                "export const wasm = new URL('./engine.wasm', import.meta.url).href; export { default as dot } from './dot.png';",
            ),
            ("engine.wasm", "not really"),
            ("dot.png", "not really either"),
        ],
    );
    let registry = Registry::start(with_react(vec![lib])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("physics", "wasm,dot")]), None, &quiet).await;
    assert!(resolution.diagnostics.is_empty(), "{:?}", resolution.diagnostics);
    let url = resolution.imports["physics"].url.clone().expect("an address");
    let code = modules(&proxy, &url).remove(url.trim_start_matches("/m/")).expect("the module");
    for (end, kind) in [(".wasm", "application/wasm"), (".png", "image/png")] {
        let at = code.find(end).unwrap_or_else(|| panic!("{end} in {code}"));
        assert_eq!(proxy.module(&code[at - 64..at + end.len()]).expect("the file").content_type, kind);
    }
}

/// One script for a page with no network.
#[tokio::test]
async fn a_bundle_imports_nothing() {
    let lib = package(
        "lib",
        "1.0.0",
        json!({"peerDependencies": {"react": "*"}}),
        &[("index.js", "exports.hi = require('react').version + ' </script>';")],
    );
    let registry = Registry::start(with_react(vec![lib])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let source = "import { createRoot } from 'react-dom/client'; import { hi } from 'lib'; globalThis.out = [createRoot, hi, (await import('react')).version];";
    let code = proxy.bundle(source, None).await.expect("bundles");
    assert!(!code.contains("from\"") && !code.contains("import(") && !code.contains("</script"), "{code}");
    assert_eq!(code.matches("19.0.0").count(), 1, "{code}");
}

/// `?alias=` puts another package in the place of what a package and its own import; the artifact's React stays.
#[tokio::test]
async fn an_address_can_put_another_package_in_the_place_of_one() {
    let compat = package(
        "tiny",
        "10.0.0",
        json!({"type": "module", "exports": {".": "./index.js", "./compat": "./compat.js", "./compat/jsx-runtime": "./jsx.js"}}),
        &[
            ("index.js", "export const h = 1;"),
            ("compat.js", "export const version = 'tiny-compat';"),
            ("jsx.js", "export const jsx = 'tiny-jsx';"),
        ],
    );
    let inner = package(
        "inner",
        "1.0.0",
        json!({"type": "module", "peerDependencies": {"react": "*"}}),
        &[(
            "index.js",
            "import { version } from 'react'; import { jsx } from 'react/jsx-runtime'; export const inner = version + jsx;",
        )],
    );
    let widget = package(
        "widget",
        "1.0.0",
        json!({"type": "module", "dependencies": {"inner": "*"}, "peerDependencies": {"react": "*"}}),
        &[("index.js", "import { inner } from 'inner'; export const widget = inner;")],
    );
    let registry = Registry::start(with_react(vec![compat, inner, widget])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let aliased = "https://esm.sh/widget@1?alias=react:tiny@10/compat";
    let resolution = proxy.resolve(&uses(&[(aliased, "widget"), ("react", "version")]), None, &quiet).await;
    let text = |specifier: &str| {
        let url = resolution.imports[specifier].url.as_deref().expect("an address");
        modules(&proxy, url).into_values().collect::<Vec<_>>().join("\n")
    };
    let code = text(aliased);
    assert!(code.contains("tiny-compat") && code.contains("tiny-jsx") && !code.contains("19.0.0"), "{code}");
    assert!(text("react").contains("19.0.0"));
    let plain = proxy.resolve(&uses(&[("widget", "widget")]), None, &quiet).await;
    let url = plain.imports["widget"].url.as_deref().expect("an address");
    assert!(modules(&proxy, url).values().any(|text| text.contains("19.0.0")), "without it, React");
}
