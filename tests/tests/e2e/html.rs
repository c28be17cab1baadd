//! Interfaces in HTML: scripts, libraries, styles and fonts by address, revisions, what a page of its own would have.

use anyhow::Result;
use serde_json::{Value, json};
use ui4a_tests::{Browser, Frame, PATIENCE, Page, Script, ScriptedModel, Setup, Ui4a};

/// A server with a page on one of its sessions.
pub struct Stage {
    pub ui4a: Ui4a,
    pub page: Page,
    pub session: String,
    _browser: Browser,
}

impl Stage {
    pub async fn open(setup: Setup) -> Result<Self> {
        let model_server = setup.model_server.or_else(|| Some("http://127.0.0.1:9/v1".into()));
        let ui4a = Ui4a::start(Setup { model_server, ..setup }).await?;
        let browser = Browser::launch().await?;
        let session = ui4a.session().await?;
        let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
        Ok(Self { ui4a, page, session, _browser: browser })
    }

    /// Shows a source, as a program does it.
    pub async fn show(&self, kind: &str, code: &str) -> Result<Value> {
        let path = format!("/api/sessions/{}/artifacts", self.session);
        self.ui4a.post(&path, json!({"code": code, "kind": kind, "id": "shown"})).await
    }

    /// The first error of a report that says this.
    pub async fn error(&self, says: &str) -> Result<Value> {
        let of = |event: &Value| {
            let errors = event["errors"].as_array().cloned().unwrap_or_default();
            errors.into_iter().find(|error| error["message"].as_str().is_some_and(|message| message.contains(says)))
        };
        let log = self
            .ui4a
            .wait_for_event(&self.session, says, PATIENCE, |event| {
                event["type"] == "artifact.report" && of(event).is_some()
            })
            .await?;
        Ok(log.iter().rev().filter(|event| event["type"] == "artifact.report").find_map(of).unwrap_or_default())
    }

    /// Addresses that were asked for and are not the server's.
    pub fn foreign(&self) -> Vec<String> {
        let all = self.page.requests().into_iter();
        all.filter(|url| {
            !self.ui4a.owns(url) && !url.starts_with("data:") && !url.starts_with("blob:") && !url.starts_with("about:")
        })
        .collect()
    }
}

fn severe(made: &Value) -> Vec<&Value> {
    made["diagnostics"].as_array().into_iter().flatten().filter(|found| found["severity"] == "error").collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_react_page_from_umd_addresses_with_jsx_works() -> Result<()> {
    let stage = Stage::open(Setup::default()).await?;
    let made = stage.show("html", include_str!("../../fixtures/html/react-umd.html")).await?;
    assert_eq!(severe(&made), Vec::<&Value>::new());
    let frame = stage.page.frame_within("document.querySelector('#count')", 2 * PATIENCE).await?;
    frame.wait_for("document.querySelector('#count').innerText === 'Count 0 with React 18'").await?;
    stage.page.click_in(&frame, "document.querySelector('#more')").await?;
    frame.wait_for("document.querySelector('#count').innerText.startsWith('Count 1')").await?;
    assert_eq!(
        frame.eval("getComputedStyle(document.querySelector('.p-4')).paddingTop").await?,
        "16px",
        "Tailwind is ours"
    );
    assert_eq!(frame.eval("typeof Babel").await?, "undefined", "and so is the compiler");
    stage.page.click_in(&frame, "document.querySelector('#fail')").await?;
    let error = stage.error("missing is not defined").await?;
    assert_eq!(error["line"], 15, "at the model's own line: {error}");
    assert_eq!(stage.foreign(), Vec::<String>::new());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_run_once_in_order_while_the_document_is_written() -> Result<()> {
    let source = include_str!("../../fixtures/html/order.html");
    let script = Script::new(format!("Here.\n\n```ui4a/html id=order title=\"Order\"\n{}\n```\n", source.trim()));
    let model = ScriptedModel::start([script]).await?;
    let stage = Stage::open(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    stage.ui4a.say(&stage.session, "Order").await?;
    let frame = stage.page.frame_where("window.events?.includes('load')").await?;
    stage.ui4a.wait_for_turns(&stage.session, 1, PATIENCE).await?;
    let events = frame.eval("events").await?;
    assert_eq!(events, json!(["one", "two", "three:1", "four", "module", "ready", "load"]));
    assert_eq!(frame.eval("document.querySelectorAll('canvas').length").await?, 1);
    let error = stage.error("nowhere is not defined").await?;
    assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(16), Some(3)), "{error}");
    stage.page.click_in(&frame, "document.querySelector('#send')").await?;
    frame.wait_for("events.includes('submit')").await
}

#[tokio::test(flavor = "multi_thread")]
async fn libraries_fonts_and_modules_by_address_come_from_their_packages() -> Result<()> {
    let stage = Stage::open(Setup::default()).await?;
    let made = stage.show("html", include_str!("../../fixtures/html/libraries.html")).await?;
    assert_eq!(severe(&made), Vec::<&Value>::new());
    let frame = stage.page.frame_within("document.querySelector('#sum')?.innerText", 2 * PATIENCE).await?;
    frame.wait_for("document.querySelector('#sum').innerText === 'Sum 6, max 9'").await?;
    frame.wait_for("window.drawn === 1 && document.querySelectorAll('canvas').length === 2").await?;
    let painted = "document.querySelector('#chart').getContext('2d').getImageData(0, 0, 300, 150).data.some((value) => value > 0)";
    frame.wait_for(painted).await?;
    frame
        .wait_for("[...document.fonts].some((font) => /Awesome/.test(font.family) && font.status === 'loaded')")
        .await?;
    assert_eq!(stage.foreign(), Vec::<String>::new());
    Ok(())
}

/// A revision with other scripts gets a realm of its own; what was there stays to be seen until the new one is.
#[tokio::test(flavor = "multi_thread")]
async fn a_revision_with_other_scripts_is_swapped_in_without_a_blank() -> Result<()> {
    let stage = Stage::open(Setup::default()).await?;
    let source = |version: &str| {
        format!(
            "<h1>Version {version}</h1><p id=seen></p><script>window.version = '{version}'; document.querySelector('#seen').textContent = 'seen ' + (sessionStorage.getItem('v') ?? 'none'); sessionStorage.setItem('v', version);</script>"
        )
    };
    stage.show("html", &source("1")).await?;
    let first = stage.page.frame_where("window.version === '1'").await?;
    stage.ui4a.wait_for_event(&stage.session, "a report", PATIENCE, |event| event["type"] == "artifact.report").await?;
    // Every animation frame: what of frames can be seen.
    stage.page.eval("(() => { window.seen = []; const look = () => { const frames = [...document.querySelectorAll('iframe.frame')]; window.seen.push(frames.filter((frame) => frame.style.visibility !== 'hidden' && frame.clientHeight > 0).length); requestAnimationFrame(look); }; look(); })()").await?;
    stage.show("html", &source("2")).await?;
    let second = stage.page.frame_where("window.version === '2'").await?;
    second.wait_for("document.querySelector('#seen').innerText === 'seen 1'").await?;
    stage.page.wait_for("document.querySelectorAll('iframe.frame').length === 1").await?;
    assert_ne!(first.url, second.url, "the second has a frame of its own");
    let least = stage.page.eval("Math.min(...window.seen)").await?;
    assert_eq!(least, 1, "one frame was to be seen at every moment");
    Ok(())
}

/// A revision with the same scripts keeps its realm: what scripts made of the page stays.
#[tokio::test(flavor = "multi_thread")]
async fn a_revision_with_the_same_scripts_keeps_the_realm() -> Result<()> {
    let stage = Stage::open(Setup::default()).await?;
    let source = |title: &str, color: &str| {
        format!(
            "<style>h1{{color:{color}}}</style><h1>{title}</h1><input id=name><script>window.runs = (window.runs ?? 0) + 1;</script>"
        )
    };
    stage.show("html", &source("One", "rgb(1, 2, 3)")).await?;
    let frame = stage.page.frame_where("window.runs === 1").await?;
    frame.eval("document.querySelector('#name').value = 'Ada'").await?;
    stage.show("html", &source("Two", "rgb(4, 5, 6)")).await?;
    frame.wait_for("document.querySelector('h1').innerText === 'Two'").await?;
    frame.wait_for("getComputedStyle(document.querySelector('h1')).color === 'rgb(4, 5, 6)'").await?;
    assert_eq!(frame.eval("[window.runs, document.querySelector('#name').value]").await?, json!([1, "Ada"]));
    Ok(())
}

const PAGE: &str = r##"<style>section{height:1500px}</style>
<nav><a id="to" href="#third">Third</a> <a id="push" href="#second">Second</a> <a id="away" href="https://example.org/x">Away</a></nav>
<section id="first">1</section><section id="second">2</section><section id="third">3</section>
<p id="log"></p>
<script>
const log = [];
addEventListener("hashchange", () => log.push("hash " + location.hash));
addEventListener("popstate", (event) => log.push("pop " + JSON.stringify(event.state)));
document.querySelector("#push").addEventListener("click", (event) => {
  event.preventDefault();
  history.pushState({ at: "second" }, "", "#second");
  document.querySelector("#second").scrollIntoView();
});
const visits = Number(localStorage.getItem("visits") ?? 0) + 1;
localStorage.setItem("visits", visits);
document.querySelector("#log").textContent = "visit " + visits;
document.cookie = "a=b";
</script>"##;

#[tokio::test(flavor = "multi_thread")]
async fn links_history_and_storage_work_and_outlive_a_reload() -> Result<()> {
    let stage = Stage::open(Setup::default()).await?;
    stage.show("html", PAGE).await?;
    let frame = stage.page.frame_where("document.querySelector('#log')?.innerText === 'visit 1'").await?;
    stage.ui4a.wait_for_event(&stage.session, "a report", PATIENCE, |event| event["type"] == "artifact.report").await?;
    stage.page.click_in(&frame, "document.querySelector('#to')").await?;
    frame.wait_for("location.hash === '#third' && log.includes('hash #third')").await?;
    let visible = |frame: Frame, id: &'static str| async move {
        frame.wait_for(&format!("document.querySelector('{id}').getBoundingClientRect().top < innerHeight && document.querySelector('{id}:target')")).await
    };
    visible(frame.clone(), "#third").await?;
    frame.eval("document.querySelector('#push').click()").await?;
    frame.wait_for("location.hash === '#second' && history.state?.at === 'second'").await?;
    frame.eval("history.back()").await?;
    frame.wait_for("location.hash === '#third' && log.includes('pop null')").await?;
    assert_eq!(frame.eval("document.cookie").await?, "a=b");
    let log = stage
        .ui4a
        .wait_for_event(&stage.session, "the storage", PATIENCE, |event| event["type"] == "artifact.state")
        .await?;
    assert!(log.iter().any(|event| event["key"] == "$localStorage"), "{log:?}");
    assert!(!log.iter().any(|event| event["key"] == "$sessionStorage"));
    stage.page.reload().await?;
    stage.page.frame_where("document.querySelector('#log')?.innerText === 'visit 2'").await?;
    Ok(())
}

/// D3: a worker from a blob, a font and an image from `data:`.
#[tokio::test(flavor = "multi_thread")]
async fn blobs_and_data_addresses_work() -> Result<()> {
    let stage = Stage::open(Setup::default()).await?;
    let icon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='7' height='9'/%3E";
    let font = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, katex_font()?);
    let source = format!(
        "<style>@font-face{{font-family:Own;src:url(data:font/woff2;base64,{font})}} p{{font-family:Own}}</style><p>Text</p>\
         <img id=i src=\"{icon}\"><script>const worker = new Worker(URL.createObjectURL(new Blob([\"onmessage = (e) => postMessage(e.data * 2)\"])));\
         worker.onmessage = (event) => {{ window.answer = event.data; }}; worker.postMessage(21);</script>"
    );
    stage.show("html", &source).await?;
    let frame = stage.page.frame_where("window.answer === 42").await?;
    frame.wait_for("document.querySelector('#i').naturalWidth === 7").await?;
    frame.wait_for("[...document.fonts].some((font) => font.family === 'Own' && font.status === 'loaded')").await
}

/// A font that the package cache holds.
fn katex_font() -> Result<Vec<u8>> {
    fn find(folder: &std::path::Path) -> Option<std::path::PathBuf> {
        std::fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
            let path = entry.path();
            match path.is_dir() {
                true => find(&path),
                false => (path.file_name()? == "KaTeX_Main-Regular.woff2").then_some(path),
            }
        })
    }
    let packages = ui4a_tests::server::shared_cache()?.join("packages");
    let all = std::fs::read_dir(&packages)?.flatten();
    let katex = all
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("katex@"))
        .find_map(|entry| find(&entry.path()));
    Ok(std::fs::read(katex.ok_or_else(|| anyhow::anyhow!("katex is not in the cache; run `make setup-test`"))?)?)
}
