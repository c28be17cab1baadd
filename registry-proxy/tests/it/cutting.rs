//! Modules cut down to the names that are wanted of them, code that is loaded later, and what lies beside a module.

use crate::registry::{Published, Registry, modules, package, proxy, uses, with_react};
use serde_json::json;
use std::collections::BTreeSet;
use ui4a_registry_proxy::{OwnPackage, Proxy, Resolution};
use ui4a_types::ImportStatus;

fn quiet(_: &str, _: &ui4a_types::ImportState) {}

fn icons() -> Published {
    let files = [
        (
            "index.js",
            "export * from './more.js'; export { default as Home } from './home.js'; export { default as Sun } from './sun.js';",
        ),
        ("more.js", "export { default as Moon } from './moon.js';"),
        ("home.js", "import make from './make.js'; export default make('the-home');"),
        ("sun.js", "import make from './make.js'; export default make('the-sun');"),
        ("moon.js", "import make from './make.js'; export default make('the-moon');"),
        ("make.js", "export default (name) => ({ name });"),
    ];
    package("icons", "1.0.0", json!({"type": "module", "sideEffects": false}), &files)
}

fn text(proxy: &Proxy, resolution: &Resolution, specifier: &str) -> String {
    let url = resolution.imports[specifier].url.as_deref().expect("an address");
    modules(proxy, url).into_values().collect::<Vec<_>>().join("\n")
}

/// A module holds what is imported and tells of all that there is; more names make another module, fewer none.
#[tokio::test]
async fn a_module_is_cut_down_to_what_is_imported_and_only_grows() {
    let registry = Registry::start(with_react(vec![icons()])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let first = proxy.resolve(&uses(&[("icons", "Home,Nothing")]), None, &quiet).await;
    let code = text(&proxy, &first, "icons");
    assert!(code.contains("the-home") && !code.contains("the-sun") && !code.contains("the-moon"), "{code}");
    assert_eq!(first.imports["icons"].names, ["Home", "Moon", "Sun"], "all that it could have");
    assert_eq!(first.lock.entries["icons"].names, ["Home"]);
    let codes: Vec<_> = first.diagnostics.iter().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["unknown-export"], "a name that was left out is no unknown one");

    let second = proxy.resolve(&uses(&[("icons", "Moon")]), Some(&first.lock), &quiet).await;
    let code = text(&proxy, &second, "icons");
    assert!(code.contains("the-home") && code.contains("the-moon") && !code.contains("the-sun"), "{code}");
    let third = proxy.resolve(&uses(&[("icons", "Home")]), Some(&second.lock), &quiet).await;
    assert_eq!(third.imports["icons"].url, second.imports["icons"].url);

    // The same lock is the same bytes, from an empty cache too.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let again = crate::registry::proxy(&registry.address, elsewhere.path(), "");
    let again = again.resolve(&uses(&[("icons", "Home")]), Some(&second.lock), &quiet).await;
    assert_eq!(again.lock, second.lock);

    let whole = proxy.resolve(&uses(&[("icons", "*")]), None, &quiet).await;
    assert!(text(&proxy, &whole, "icons").contains("the-sun"));
    assert!(whole.lock.entries["icons"].names.is_empty());
}

/// What another package of the artifact takes of a module is in it as well, and it is one module.
#[tokio::test]
async fn a_shared_module_has_the_names_of_all_who_import_it() {
    let user = package(
        "user",
        "1.0.0",
        json!({"type": "module", "dependencies": {"icons": "*"}}),
        &[("index.js", "import { Sun } from 'icons'; export const used = Sun;")],
    );
    let greedy = package(
        "greedy",
        "1.0.0",
        json!({"type": "module", "dependencies": {"icons": "*"}}),
        &[("index.js", "import * as all from 'icons'; export const pick = (name) => all[name];")],
    );
    let registry = Registry::start(with_react(vec![icons(), user, greedy])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let shared = proxy.resolve(&uses(&[("icons", "Home"), ("user", "used")]), None, &quiet).await;
    assert!(shared.diagnostics.is_empty(), "{:?}", shared.diagnostics);
    let code = text(&proxy, &shared, "user");
    assert!(code.contains("the-home") && code.contains("the-sun") && !code.contains("the-moon"), "{code}");
    let name = shared.imports["icons"].url.clone().expect("an address").replace("/m/", "");
    assert!(code.contains(&name), "one module: {code}");
    assert_eq!(shared.imports["user"].preload, [format!("/m/{name}")], "asked for at once");
    let all = proxy.resolve(&uses(&[("icons", "Home"), ("greedy", "pick")]), None, &quiet).await;
    assert!(text(&proxy, &all, "icons").contains("the-moon"), "a namespace is wanted whole");
}

/// What our own package holds copies of is no module of its own, and does not change with the artifact.
#[tokio::test]
async fn what_a_package_of_ours_inlines_stays_in_it() {
    let registry = Registry::start(with_react(vec![icons()])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let map = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    proxy.add_package(OwnPackage {
        name: "$ui4a/ui".into(),
        files: map(&[("ui.js", "import { Sun } from 'icons'; export const Button = Sun;")]),
        entries: map(&[("", "ui.js")]),
        dependencies: map(&[("icons", "1.0.0")]),
        inlined: BTreeSet::from(["icons".to_owned()]),
        ..OwnPackage::default()
    });
    let alone = proxy.resolve(&uses(&[("$ui4a/ui", "Button")]), None, &quiet).await;
    let both = proxy.resolve(&uses(&[("$ui4a/ui", "Button"), ("icons", "Home")]), None, &quiet).await;
    assert_eq!(alone.imports["$ui4a/ui"].url, both.imports["$ui4a/ui"].url);
    assert!(!text(&proxy, &both, "icons").contains("the-sun"));
}

/// Entries of one package that share files are one module, and others import that one and not its façades.
#[tokio::test]
async fn a_part_of_a_larger_module_costs_no_request_of_its_own() {
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
    let user = package(
        "user",
        "1.0.0",
        json!({"type": "module", "dependencies": {"lib": "*"}}),
        &[(
            "index.js",
            "import { count, a } from 'lib/a'; import b from 'lib/b'; export const used = [count, a, b()];",
        )],
    );
    let other = package(
        "other",
        "1.0.0",
        json!({"type": "module", "dependencies": {"lib": "*"}}),
        &[("index.js", "export { count } from 'lib/a';")],
    );
    let registry = Registry::start(with_react(vec![lib, user, other])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("user", "used"), ("other", "count")]), None, &quiet).await;
    assert!(resolution.diagnostics.is_empty(), "{:?}", resolution.diagnostics);
    let mut all = modules(&proxy, resolution.imports["user"].url.as_deref().expect("an address"));
    assert_eq!(all.len(), 2, "{all:#?}");
    all.extend(modules(&proxy, resolution.imports["other"].url.as_deref().expect("an address")));
    assert_eq!(all.len(), 3, "{all:#?}");
    assert_eq!(all.values().filter(|text| text.contains("only-once")).count(), 1, "{all:#?}");
}

fn later(shared: &str) -> Published {
    let large = format!("import {{ mark }} from './shared.js'; export const large = mark + '{}';", "x".repeat(150_000));
    package(
        "later",
        "1.0.0",
        json!({"type": "module"}),
        &[
            (
                "index.js",
                "import { mark } from './shared.js'; export const load = () => import('./large.js'); export { mark };",
            ),
            ("shared.js", shared),
            ("large.js", &large),
        ],
    )
}

/// Code that is imported when it is asked for is not in the module that the page starts with, and shares what both need.
#[tokio::test]
async fn what_is_loaded_later_is_a_module_of_its_own() {
    let registry = Registry::start(with_react(vec![later("export const mark = { one: 'the-mark' };")])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("later", "load,mark")]), None, &quiet).await;
    assert!(resolution.diagnostics.is_empty(), "{:?}", resolution.diagnostics);
    let import = &resolution.imports["later"];
    let all = modules(&proxy, import.url.as_deref().expect("an address"));
    assert_eq!(all.values().filter(|text| text.contains("the-mark")).count(), 1, "{:?}", all.keys());
    let start: Vec<_> = import.url.iter().chain(&import.preload).map(|url| url.replace("/m/", "")).collect();
    let start_bytes: usize = start.iter().map(|name| all[name].len()).sum();
    assert!(start_bytes < 2_000, "{start_bytes} bytes to start with: {start:?}");
    assert!(all.values().any(|text| text.len() > 150_000), "and the rest is there");
    let bundle = proxy.bundle("import { load } from 'later'; globalThis.load = load;", None).await.expect("bundles");
    assert!(bundle.len() > 150_000, "a page of its own has all of it");
}

/// Code that makes a circle with what loads it finds that in a table: neither names the other.
#[tokio::test]
async fn a_circle_with_later_code_goes_through_a_table() {
    let circle = "export const mark = { one: 'the-mark', load: () => import('./large.js') };";
    let registry = Registry::start(with_react(vec![later(circle)])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("later", "load,mark")]), None, &quiet).await;
    assert!(resolution.diagnostics.is_empty(), "{:?}", resolution.diagnostics);
    let import = &resolution.imports["later"];
    let all = modules(&proxy, import.url.as_deref().expect("an address"));
    let start: Vec<_> = import.url.iter().chain(&import.preload).map(|url| url.replace("/m/", "")).collect();
    let bytes: usize = start.iter().map(|name| all[name].len()).sum();
    assert!(bytes < 3_000, "{bytes} bytes to start with: {start:?}");
    let large = all.iter().find(|(_, text)| text.len() > 150_000).map(|(name, _)| name.clone()).expect("the rest");
    let holders: Vec<_> = all.iter().filter(|(_, text)| text.contains(&large)).collect();
    assert_eq!(holders.len(), 1, "only the table names it: {holders:#?}");
    assert!(all.values().any(|text| text.contains("import(globalThis.__ui4a_later[")), "{all:#?}");
}

/// A worker beside a module is one script with all that it imports; data beside it is served as it is.
#[tokio::test]
async fn workers_and_data_beside_a_module_are_served() {
    let lib = package(
        "lib",
        "1.0.0",
        json!({"type": "module", "dependencies": {"icons": "*"}}),
        &[
            (
                "index.js",
                "export const start = () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });\n\
                 export const data = () => fetch(new URL('./code.wasm', import.meta.url));",
            ),
            ("worker.js", "import { Sun } from 'icons'; import './part.js'; postMessage(Sun.name);"),
            ("part.js", "self.part = 'the-part';"),
            ("code.wasm", "\0asm"),
        ],
    );
    let registry = Registry::start(with_react(vec![lib, icons()])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("lib", "start,data")]), None, &quiet).await;
    let code = text(&proxy, &resolution, "lib");
    let worker = modules(&proxy, resolution.imports["lib"].url.as_deref().expect("an address"))
        .into_values()
        .find(|text| text.contains("postMessage"))
        .expect("a worker");
    assert!(worker.contains("the-part") && worker.contains("the-sun"), "{worker}");
    assert!(!worker.contains("import ") && !worker.contains("export "), "a classic script: {worker}");
    assert!(code.contains(".wasm"), "{code}");
    let bundle = proxy.bundle("import { start } from 'lib'; globalThis.start = start;", None).await.expect("bundles");
    assert!(bundle.contains("data:text/javascript;base64,"), "a page of its own holds its worker");
}

/// Node's modules that browsers can have come as packages; the others say what is wrong where they are used.
#[tokio::test]
async fn nodes_modules_are_packages_where_there_are_some() {
    let uses_node = package(
        "uses-node",
        "1.0.0",
        json!({}),
        &[(
            "index.js",
            "var E = require('events'), fs = require('fs'); exports.make = function () { return new E(); }; exports.read = fs.readFileSync; exports.path = require('node:path').sep;",
        )],
    );
    let events = package(
        "events",
        "3.3.0",
        json!({}),
        &[("index.js", "module.exports = function Emitter() {}; module.exports.is = 'the-emitter';")],
    );
    let path = package("path-browserify", "1.0.1", json!({}), &[("index.js", "exports.sep = 'the-separator';")]);
    let registry = Registry::start(with_react(vec![uses_node, events, path])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let resolution = proxy.resolve(&uses(&[("uses-node", "make"), ("path", "sep")]), None, &quiet).await;
    assert!(resolution.imports.values().all(|import| import.state == ImportStatus::Ready), "{:?}", resolution.imports);
    let code = text(&proxy, &resolution, "uses-node");
    assert!(code.contains("the-emitter") && code.contains("the-separator"), "{code}");
    assert!(!code.contains("require("), "{code}");
    let notes: Vec<_> = resolution.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(notes, ["uses-node@1.0.0 uses Node's `fs`, which browsers do not have"]);
    // What was needed once is in the lock, and so in the first graph of the next time.
    let again = proxy
        .resolve(&uses(&[("uses-node", "make"), ("path", "sep"), ("react", "")]), Some(&resolution.lock), &quiet)
        .await;
    assert_eq!(again.lock.packages, resolution.lock.packages);
}

/// What the same imports lead to is one module, however many packages it is made of, and there is one of each.
#[tokio::test]
async fn what_is_only_loaded_together_is_one_module() {
    let part = |name: &str, needs: &[&str], code: &str| {
        let needs: serde_json::Map<_, _> = needs.iter().map(|need| ((*need).to_owned(), json!("*"))).collect();
        package(name, "1.0.0", json!({"type": "module", "dependencies": needs}), &[("index.js", code)])
    };
    let registry = Registry::start(with_react(vec![
        part("left", &["tree", "walk"], "import { Tree } from 'tree'; import { walk } from 'walk'; export const left = () => walk(new Tree());"),
        part("right", &["walk", "list"], "import { walk } from 'walk'; import { all } from 'list'; export const right = () => all(walk);"),
        part("walk", &["tree", "list"], "import { Tree } from 'tree'; import { all } from 'list'; export class Walk extends Tree {} export const walk = (x) => all(x instanceof Tree);"),
        part("tree", &[], "export class Tree { name() { return 'the-tree'; } }"),
        part("list", &[], "const seen = []; export const all = (x) => { seen.push('the-list', x); return seen; };"),
    ]))
    .await;
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = proxy(&registry.address, folder.path(), "");
    let both = proxy.resolve(&uses(&[("left", "left"), ("right", "right")]), None, &quiet).await;
    assert!(both.diagnostics.is_empty(), "{:?}", both.diagnostics);
    let mut all = std::collections::BTreeMap::new();
    for specifier in ["left", "right"] {
        all.extend(modules(&proxy, both.imports[specifier].url.as_deref().expect("an address")));
    }
    assert_eq!(all.len(), 3, "left, right, and what both lead to: {all:?}");
    for mark in ["the-tree", "the-list"] {
        assert_eq!(all.values().map(|text| text.matches(mark).count()).sum::<usize>(), 1, "{mark}");
    }
}
