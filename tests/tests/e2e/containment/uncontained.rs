//! The attacks of [`super`] where nothing contains them: so that watching is known to notice.

use super::World;
use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use ui4a_tests::{Evil, PATIENCE, Page, eventually};

/// Attacks that reach for a server, and a part of the address that must be asked for when nothing stops them.
const REACHING: &[(&str, &[&str])] = &[
    (
        "containment-fetch.tsx",
        &["/fetch", "/image", "/css", "/link-stylesheet", "/iframe", "/script", "/worker-fetch", "/events"],
    ),
    ("containment-beacon.tsx", &["/beacon", "/keepalive"]),
    ("containment-websocket.tsx", &["/socket", "UDP"]),
    ("containment-form-post.tsx", &["/form"]),
    ("containment-self-navigation.tsx", &["/self"]),
    ("containment-meta-refresh.tsx", &["/refresh"]),
    ("containment-top-location.tsx", &["/link-top"]),
    ("containment-window-open.tsx", &["/open"]),
    ("containment-gesture.tsx", &["/gesture-"]),
    ("b5-blob-page.tsx", &["/blob-image"]),
];

/// Attacks that read, and a part of what they say when nothing stops them.
const READING: &[(&str, &[&str])] = &[
    (
        "b1-parent-storage.tsx",
        &["document", "cookie", "localStorage", "sessionStorage", "indexedDB", "token", "address", "top"],
    ),
    ("b2-same-origin-token.tsx", &["about:blank", "about:blank storage", "host", "token", "cookie", "storage"]),
    ("b3-cookies.tsx", &["jar", "cookie", "localStorage", "sessionStorage", "childStorage", "hostItem", "indexedDB"]),
    ("b5-blob-page.tsx", &["host", "token", "storage"]),
    ("b6-token-in-address.tsx", &["token"]),
];

#[tokio::test(flavor = "multi_thread")]
async fn watching_notices_what_is_reached_when_nothing_contains_the_page() -> Result<()> {
    let world = World::start().await?;
    let page = world.browser.open("about:blank#").await?;
    for (file, expected) in REACHING {
        let evil = Evil::start().await?;
        bare(&world, &page, file, &evil.origins()[0]).await?;
        for part in *expected {
            eventually(&format!("{file} to reach {part}"), PATIENCE, || async {
                Ok(evil.hits().iter().any(|hit| hit.contains(part)).then_some(()))
            })
            .await
            .with_context(|| format!("{:#?}", evil.hits()))?;
        }
    }
    for part in ["GET /healthz", "POST /api/sessions", "GET /socket"] {
        ensure!(world.front.foreign().iter().any(|asked| asked.line == part), "{part}: {:#?}", world.front.foreign());
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn watching_notices_what_is_read_when_nothing_contains_the_page() -> Result<()> {
    let world = World::start().await?;
    let page = world.browser.open("about:blank#").await?;
    for (file, expected) in READING {
        bare(&world, &page, file, &world.evil.origins()[0]).await?;
        page.wait_for("frames[0].verdict").await.with_context(|| (*file).to_owned())?;
        let verdict = page.eval("frames[0].verdict").await?.as_str().unwrap_or_default().to_owned();
        let leaks: Vec<_> = verdict.strip_prefix("LEAKED: ").unwrap_or_default().split(", ").collect();
        for part in *expected {
            ensure!(leaks.iter().any(|leak| leak.contains(part)), "{file} must read {part}: {verdict}");
        }
    }
    Ok(())
}

/// Runs the attack as the product compiles it, by a click, in a frame of the page's own origin: with no policy, no sandbox
/// and no runtime.
async fn bare(world: &World, page: &Page, file: &str, evil: &str) -> Result<()> {
    let source = world.fixture(file, evil)?;
    let compiled = world.ui4a.post("/api/render", json!({"source": source, "kind": "tsx"})).await?["compiled"].take();
    let cells: Vec<_> = compiled["order"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|cell| compiled["cells"].get(cell.as_str()?))
        .collect();
    ensure!(!cells.is_empty(), "{file}: nothing was compiled");
    let cells = serde_json::to_string(&cells)?.replace('<', "\\u003c");
    let frame = format!(
        "<!doctype html><title>bare</title><script>
        const $ = {{}}, tables = {{ $loop() {{}} }};
        const $i = new Proxy(tables, {{ get: (known, name) => known[name] ?? {{}} }});
        for (const cell of {cells})
          new Function('$', '$i', '$c', '$k', cell)($, $i, (name, signature, make) => make, (name, hash, make, arg) => make(arg));
        window.run = () => $.attempt().then((leaks) => (window.verdict = leaks.length ? 'LEAKED: ' + leaks.join(', ') : 'held'));
        </script><body></body>"
    );
    let top = "<!doctype html><title>top</title><script>
        localStorage.clear();
        window.__TOKEN__ = 'secret'; localStorage.setItem('hostsecret', '1'); document.cookie = 'secret=1';
        </script><button id='run' onclick='frames[0].run()'>Run</button><iframe src='/frame?token=secret'></iframe>";
    let router = axum::Router::new()
        .route("/", axum::routing::get(move || async move { axum::response::Html(top) }))
        .route("/frame", axum::routing::get(move || async move { axum::response::Html(frame) }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, router).await });
    page.goto(&url).await?;
    page.wait_for("typeof frames[0]?.run === 'function'").await.with_context(|| file.to_owned())?;
    page.click("#run").await
}
