//! Attacks from inside an artifact. Each fixture begins with what must not happen and shows its verdict; the test looks
//! from outside: at a foreign server, at the main origin as the browser sees it, at the host page, and at the log.

mod uncontained;

use anyhow::{Context as _, Result, ensure};
use reqwest::header::{ACCESS_CONTROL_ALLOW_ORIGIN, HOST, ORIGIN, SET_COOKIE};
use serde_json::{Value, json};
use std::path::Path;
use ui4a_tests::{Browser, Evil, Front, PATIENCE, Page, Setup, Ui4a, eventually};

/// Every attack, by the name of what it tries. An attack that throws before it tries anything says `held: …`, so only
/// the exact word counts. The fixtures that end their own document say it in the fresh frame that replaces them.
macro_rules! attacks {
    ($($name:ident: [$($file:literal),+];)*) => {
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() -> Result<()> {
                held(&[$($file),+]).await
            }
        )*

        #[test]
        fn no_attack_is_left_out() -> Result<()> {
            let mut listed = vec![$($($file),+),*];
            // These are about something working, and have tests of their own.
            listed.extend(["b11-storage-works.tsx", "b12-download.tsx"]);
            listed.sort_unstable();
            listed.dedup();
            let mut there = Vec::new();
            for entry in std::fs::read_dir(folder())? {
                there.push(entry?.file_name().into_string().unwrap_or_default());
            }
            there.sort();
            assert_eq!(there, listed);
            Ok(())
        }
    };
}

attacks! {
    b1_reading_the_parent_s_document_and_storage: ["b1-parent-storage.tsx"];
    b2_reading_the_host_from_documents_of_its_own: ["b2-same-origin-token.tsx"];
    b3_reading_storage_and_cookies_of_our_origins: ["b3-cookies.tsx"];
    b5_a_page_from_a_blob: ["b5-blob-page.tsx"];
    b6_a_token_in_an_address: ["b6-token-in-address.tsx"];
    b9_the_rights_of_a_program: ["b9-rights-of-the-server.tsx"];
    navigating_the_top: ["containment-top-location.tsx"];
    fetching_anything_but_modules: ["containment-fetch.tsx"];
    navigating_itself: ["containment-self-navigation.tsx"];
    a_meta_refresh: ["containment-meta-refresh.tsx", "meta-refresh.html"];
    a_websocket_or_a_peer_connection: ["containment-websocket.tsx"];
    a_beacon: ["containment-beacon.tsx"];
    a_form_post: ["containment-form-post.tsx"];
    opening_a_window: ["containment-window-open.tsx"];
    a_click_lends_no_rights: ["containment-gesture.tsx"];
    speaking_to_a_neighbour_for_the_host: ["sibling-init.tsx", "b6-token-in-address.tsx"];
    taking_the_port_by_its_messages: [
        "port-current-event.tsx", "port-event-data.tsx", "port-event-target.tsx", "port-microtask.tsx", "port-post-message.tsx"
    ];
    taking_the_port_by_what_is_shared: [
        "port-array-index.tsx", "port-array-iterator.tsx", "port-function-call.tsx", "port-object-prototype.tsx",
        "port-react-internals.tsx", "port-stack-trace.tsx"
    ];
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/attacks")
}

/// A server, a browser, and who watches them.
struct World {
    ui4a: Ui4a,
    browser: Browser,
    evil: Evil,
    front: Front,
}

/// A tab on a session.
struct Tab {
    session: String,
    page: Page,
    address: Value,
    title: Value,
}

impl World {
    async fn start() -> Result<Self> {
        let setup = Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() };
        let (ui4a, browser, evil) = tokio::try_join!(Ui4a::start(setup), Browser::launch(), Evil::start())?;
        let front = Front::start(&ui4a.main).await?;
        Ok(Self { ui4a, browser, evil, front })
    }

    /// A fixture that aims at this world.
    fn fixture(&self, file: &str, evil: &str) -> Result<String> {
        let source = std::fs::read_to_string(folder().join(file)).context(file.to_owned())?;
        Ok(source.replace("__EVIL__", evil).replace("__HOST__", &self.front.origin))
    }

    /// A new session in a tab, with things worth stealing in its page.
    async fn tab(&self) -> Result<Tab> {
        let session = self.ui4a.session().await?;
        let link = self.ui4a.link_to(&format!("/sessions/{session}")).await?;
        let page = self.browser.open(&link.replace(&self.ui4a.main, &self.front.origin)).await?;
        page.eval(
            "window.__TOKEN__ = 'secret'; localStorage.setItem('hostsecret', '1'); sessionStorage.setItem('hostsecret', '1'); \
             document.cookie = 'hostsecret=1; path=/'; window.stolen = []; \
             addEventListener('message', ({ data }) => data?.probe && stolen.push(...data.probe))",
        )
        .await?;
        let (address, title) = (page.eval("location.href").await?, page.eval("document.title").await?);
        Ok(Tab { session, page, address, title })
    }

    /// Shows a source, and answers its artifact's id.
    async fn show(&self, tab: &Tab, file: &str, source: &str) -> Result<String> {
        let kind = if file.ends_with(".html") { "html" } else { "tsx" };
        let body = json!({"code": source, "title": "An attack", "kind": kind});
        let answer = self.ui4a.post(&format!("/api/sessions/{}/artifacts", tab.session), body).await?;
        Ok(answer["artifact"].as_str().with_context(|| format!("no artifact: {answer}"))?.to_owned())
    }

    /// What an artifact sent in the person's name: in the log, or waiting on the page for a click.
    async fn forged(&self, tab: &Tab) -> Result<bool> {
        let log = self.ui4a.log(&tab.session).await?;
        let logged = log.iter().any(|event| event["type"] == "action.received" && event.to_string().contains("FORGED"));
        let asked =
            "[...document.querySelectorAll('.notices')].some((notice) => notice.textContent.includes('FORGED'))";
        Ok(logged || tab.page.eval(asked).await? == true)
    }

    /// Fails unless nothing at all got out and the page is what it was.
    async fn unharmed(&self, tab: &Tab) -> Result<()> {
        ensure!(self.evil.hits().is_empty(), "a foreign server was reached: {:#?}", self.evil.hits());
        ensure!(self.front.foreign().is_empty(), "a frame reached the main origin: {:#?}", self.front.foreign());
        let planted: Vec<_> = self
            .front
            .asked()
            .into_iter()
            .filter(|asked| asked.cookie.contains("planted"))
            .map(|asked| asked.line)
            .collect();
        ensure!(planted.is_empty(), "a frame's cookie was sent with {planted:?}");
        ensure!(!self.forged(tab).await?, "a frame spoke for the person");
        let actions =
            self.ui4a.log(&tab.session).await?.iter().filter(|event| event["type"] == "action.received").count();
        ensure!(actions == 0, "{actions} actions of nobody");
        let (address, title) = (tab.page.eval("location.href").await?, tab.page.eval("document.title").await?);
        ensure!(address == tab.address && title == tab.title, "the page is now {title} at {address}");
        let kept = "window.__TOKEN__ === 'secret' && localStorage.getItem('hostsecret') === '1' && \
                    sessionStorage.getItem('hostsecret') === '1' && !document.cookie.includes('planted')";
        ensure!(tab.page.eval(kept).await? == true, "the page was replaced or changed");
        let stolen = tab.page.eval("stolen").await?;
        ensure!(stolen == json!([]), "a document read {stolen}");
        let open = tab.page.requests().into_iter().filter(|url| self.opens_a_door(url)).collect::<Vec<_>>();
        ensure!(open.is_empty(), "addresses of the sandbox that hold a secret: {open:?}");
        Ok(())
    }

    fn opens_a_door(&self, url: &str) -> bool {
        let sandbox = self.ui4a.sandbox.split("{label}").nth(1).unwrap_or_default();
        url.split('/').nth(2).is_some_and(|host| host.ends_with(sandbox))
            && (url.contains(['?', '#']) || url.contains(&self.ui4a.token))
    }
}

/// Attacks that are aimed at a foreign server by a name like the sandbox's own, too.
const BY_NAME: &[&str] = &["containment-fetch.tsx", "containment-self-navigation.tsx"];

/// Attacks that end their own document. A fresh frame takes its place, or, when that takes too long on a busy machine or
/// happens too often, the page says that it was stopped.
const LEAVING: &[&str] =
    &["containment-self-navigation.tsx", "containment-meta-refresh.tsx", "meta-refresh.html", "b5-blob-page.tsx"];

/// What the page says of a frame that left and is gone.
const STOPPED: [&str; 2] = [
    "It left its page again and again, so it was stopped.",
    "It stopped answering, so it was stopped. The rest of the page is not affected.",
];

/// Shows attacks side by side and waits for the verdict of each; then nothing must have happened.
async fn held(files: &[&str]) -> Result<()> {
    let world = World::start().await?;
    let tab = world.tab().await?;
    let [evil, evil_by_name] = world.evil.origins();
    let mut shown = Vec::new();
    for file in files {
        let source = world.fixture(file, &evil)?;
        shown.push((*file, world.show(&tab, file, &source).await?));
        if BY_NAME.contains(file) {
            let source = world.fixture(file, &evil_by_name)?;
            shown.push((*file, world.show(&tab, file, &source).await?));
        }
    }
    for (file, artifact) in &shown {
        let verdict = verdict(&tab, artifact).await.with_context(|| (*file).to_owned())?;
        let expected = if file.starts_with("port-") { "held, unless FORGED arrived" } else { "held" };
        let stopped = LEAVING.contains(file) && STOPPED.contains(&verdict.as_str());
        ensure!(verdict == expected || stopped, "{file}: {verdict}");
    }
    world.unharmed(&tab).await
}

/// What an attack says in the end, or why the page stopped it.
async fn verdict(tab: &Tab, artifact: &str) -> Result<String> {
    let here = format!("location.pathname.endsWith({})", json!(format!("/{artifact}")));
    let card = format!("document.querySelector('[data-artifact={}]')?.innerText ?? ''", json!(artifact));
    let said = "document.querySelector('#verdict')?.textContent ?? ''";
    let clicked = std::sync::atomic::AtomicBool::new(false);
    eventually("a verdict", PATIENCE, || async {
        for frame in tab.page.frames().into_iter().rev() {
            // A frame that is being replaced cannot be asked.
            let Ok(said) = frame.eval(&format!("{here} ? {said} : ''")).await else { continue };
            let said = said.as_str().unwrap_or_default();
            if said.starts_with("held") || said.starts_with("LEAKED") {
                return Ok(Some(said.to_owned()));
            }
            if said.starts_with("waiting") && !clicked.swap(true, std::sync::atomic::Ordering::Relaxed) {
                tab.page.click_in(&frame, "document.querySelector('#go')").await?;
            }
        }
        let card = tab.page.eval(&card).await?;
        let card = card.as_str().unwrap_or_default();
        Ok(STOPPED.into_iter().find(|reason| card.contains(reason)).map(str::to_owned))
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn watching_notices_an_action_that_nobody_made() -> Result<()> {
    let world = World::start().await?;
    let tab = world.tab().await?;
    let source = "import { sendMessage } from \"$ui4a/chat\";\nimport { useEffect } from \"react\";\n\
                  export default function App() {\n  useEffect(() => void sendMessage(\"FORGED\"), []);\n  return <p>Sent</p>;\n}";
    world.show(&tab, "forged.tsx", source).await?;
    eventually("the action to be noticed", PATIENCE, || async { Ok(world.forged(&tab).await?.then_some(())) }).await?;
    let refused = world.unharmed(&tab).await;
    assert!(refused.is_err_and(|error| error.to_string().contains("spoke for the person")));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn b8_an_opaque_frame_imports_modules_without_cookies() -> Result<()> {
    let world = World::start().await?;
    let tab = world.tab().await?;
    let artifact = world.show(&tab, "dashboard.tsx", crate::sources::DASHBOARD).await?;
    let shown =
        format!("location.pathname.endsWith('/{artifact}') && document.querySelectorAll('tbody tr').length === 5");
    let frame = tab.page.frame_where(&shown).await?;
    frame.wait_for("document.querySelector('path.recharts-line-curve, .recharts-line path')").await?;
    assert_eq!(frame.eval("self.origin").await?, "null", "the frame has no origin");
    assert!(frame.eval("Document.prototype.__lookupGetter__('cookie').call(document)").await.is_err(), "nor cookies");

    let port = world.ui4a.sandbox.rsplit(':').next().unwrap_or_default().to_owned();
    let modules: Vec<_> =
        tab.page.requests().into_iter().filter(|url| url.contains("/m/") && url.ends_with(".js")).collect();
    assert!(modules.len() > 3, "the packages came as modules: {modules:?}");
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()?;
    for module in modules {
        let count = frame.eval(&format!("import({}).then((all) => Object.keys(all).length)", json!(module))).await?;
        assert!(count.is_u64(), "{module}: {count}");
        let url = url::Url::parse(&module)?;
        let direct = format!("http://127.0.0.1:{port}{}", url.path());
        let host = format!("{}:{port}", url.host_str().unwrap_or_default());
        let answer = client.get(direct).header(HOST, host).header(ORIGIN, "null").send().await?;
        assert_eq!(answer.status(), 200, "{module}");
        assert_eq!(answer.headers()[ACCESS_CONTROL_ALLOW_ORIGIN], "*", "{module}");
        assert!(answer.headers().get(SET_COOKIE).is_none(), "{module}");
    }
    world.unharmed(&tab).await
}

#[tokio::test(flavor = "multi_thread")]
async fn b11_storage_stands_in_and_is_kept_over_a_reload() -> Result<()> {
    let world = World::start().await?;
    let tab = world.tab().await?;
    let file = "b11-storage-works.tsx";
    world.show(&tab, file, &world.fixture(file, "")?).await?;
    let frame = tab.page.frame_where("document.querySelector('#verdict')?.textContent === 'held'").await?;
    tab.page.click_in(&frame, "document.querySelector('button')").await?;
    frame.wait_for("document.body.innerText.includes('2048')").await?;
    let kept = |event: &Value| event["type"] == "artifact.state" && event.to_string().contains("2048");
    world.ui4a.wait_for_event(&tab.session, "the kept score", PATIENCE, kept).await?;
    tab.page.reload().await?;
    tab.page.frame_where("document.body.innerText.includes('2048')").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn b12_a_download_is_handed_to_the_page() -> Result<()> {
    let world = World::start().await?;
    let tab = world.tab().await?;
    let file = "b12-download.tsx";
    // What the page saves goes through a link that it clicks itself.
    let watch = "const make = URL.createObjectURL;
        URL.createObjectURL = (file) => (file.text().then((text) => (window.content = text)), make.call(URL, file));
        HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }; 0";
    tab.page.eval(watch).await?;
    world.show(&tab, file, &world.fixture(file, "")?).await?;
    let frame = tab.page.frame_where("document.querySelector('#save')").await?;
    tab.page.click_in(&frame, "document.querySelector('#save')").await?;
    tab.page.wait_for("window.saved === 'numbers.csv' && window.content === 'a,b\\n1,2\\n3,4\\n'").await
}
