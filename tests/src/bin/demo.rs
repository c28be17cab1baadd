//! `make demo`: three requests, typed into the page in a real Chromium and answered by the default model.
//!
//! What it asks for holds for any good answer: it finds figures, inputs, sliders and buttons by what they are, never by how
//! one answer wrote them. The pictures, and the source of each answer, are kept in `.artifacts/demo`.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use ui4a_tests::{Browser, Frame, PATIENCE, Page, Setup, Ui4a, eventually};

const DASHBOARD: &str = "A sales dashboard for a coffee shop: revenue, orders and average ticket this week, a line chart \
                         of daily revenue, and a table of the top 5 drinks";
const TIP: &str = "A tip calculator with a slider for tip percent and number of people";
const PLANS: &str = "Ask me which of three plans I want, with a button for each";

/// A busy machine of two cores writes several tokens a second.
const MODEL_PATIENCE: Duration = Duration::from_secs(900);
const KEPT: &str = ".artifacts/demo";

/// Functions for the frame: what a person sees in it.
const EYES: &str = r#"
const seen = (element) => { const box = element.getBoundingClientRect(); return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility !== "hidden"; };
const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
const entries = () => all("input:not([type]), input[type=text], input[type=number], input[type=tel], textarea, [role=spinbutton], [role=textbox]").filter((input) => !input.disabled && !input.readOnly);
const sliders = () => all("[role=slider], input[type=range]");
const buttons = () => all("button, [role=button]").filter((button) => button.innerText.trim() !== "" && !button.disabled);
"#;

#[tokio::main]
async fn main() -> ExitCode {
    match demo().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all three hold; what is missing is printed.
async fn demo() -> Result<bool> {
    let ui4a = Ui4a::start(Setup::default()).await?;
    let browser = Browser::launch().await?;
    let mut holds = true;
    for (name, text) in [("dashboard", DASHBOARD), ("tip", TIP), ("plans", PLANS)] {
        println!("{name}: {text}");
        let page = browser.open(&ui4a.link_to("/").await?).await?;
        let mut asked = Asked { ui4a: &ui4a, page: &page, name, session: String::new() };
        let shown = async {
            let frame = asked.show(text).await?;
            match name {
                "dashboard" => dashboard(&asked, &frame).await,
                "tip" => tip(&asked, &frame).await,
                _ => plans(&asked, &frame).await,
            }
        };
        if let Err(error) = shown.await {
            asked.picture("failed").await?;
            asked.keep_source().await?;
            eprintln!("  missing: {error:#}");
            holds = false;
        }
        page.close().await?;
    }
    Ok(holds)
}

/// A request in a session of its own.
struct Asked<'a> {
    ui4a: &'a Ui4a,
    page: &'a Page,
    name: &'static str,
    session: String,
}

impl Asked<'_> {
    /// Types the request, watches the answer appear, waits for its end, and answers the frame that shows it.
    async fn show(&mut self, text: &str) -> Result<Frame> {
        let page = self.page;
        page.wait_for("document.querySelector('#message')").await?;
        page.click("#message").await?;
        page.type_text(text).await?;
        page.press("Enter").await?;
        let started = Instant::now();
        page.wait_for("location.pathname.startsWith('/sessions/')").await?;
        let session = page.eval("location.pathname.split('/').pop()").await?;
        session.as_str().context("a session")?.clone_into(&mut self.session);

        let content = "document.body.innerText.trim() !== '' || document.querySelector('svg path')";
        page.frame_within(content, MODEL_PATIENCE).await.context("nothing was ever visible")?;
        let first = started.elapsed();
        let early = self.log().await?;
        self.picture("first").await?;
        ensure!(!early.iter().any(|event| event["type"] == "turn.finished"), "content was visible only at the end");

        let log = self.settle(1).await?;
        let total = started.elapsed();
        let repairs = repairs(&log);
        let tokens: u64 = log.iter().filter_map(|event| event["usage"]["answer"].as_u64()).sum();
        println!(
            "  first visible content {:.1} s, end {:.1} s, {tokens} tokens, {repairs} repairs",
            first.as_secs_f64(),
            total.as_secs_f64()
        );
        self.keep_source().await?;
        ensure!(repairs <= 1, "{repairs} repairs");
        let frame = page.frame_where(content).await?;
        self.picture("shown").await?;
        let text = frame.text().await?;
        for nonsense in ["NaN", "undefined", "Infinity", "[object "] {
            ensure!(!text.contains(nonsense), "{nonsense} is visible:\n{text}");
        }
        Ok(frame)
    }

    /// Waits until `turns` turns and what they started, a repair, are over, and the last revision was reported on.
    async fn settle(&self, turns: usize) -> Result<Vec<Value>> {
        let log = eventually("the answer to be whole and reported on", MODEL_PATIENCE, || async {
            let log = self.log().await?;
            let failed = log.iter().find(|event| event["type"] == "turn.failed");
            ensure!(failed.is_none(), "a turn failed: {}", failed.unwrap_or(&Value::Null)["problem"]);
            Ok(settled(&log, turns).then_some(log))
        })
        .await?;
        if let Some(revision) = Revision::last(&log) {
            ensure!(revision.works(), "the final revision does not work: {:?} {:?}", revision.errors, revision.report);
        }
        Ok(log)
    }

    async fn log(&self) -> Result<Vec<Value>> {
        self.ui4a.log(&self.session).await
    }

    async fn picture(&self, what: &str) -> Result<()> {
        self.page.screenshot(&Path::new(KEPT).join(format!("{}-{what}.png", self.name))).await
    }

    /// Writes down the revisions as the model wrote them.
    async fn keep_source(&self) -> Result<()> {
        if self.session.is_empty() {
            return Ok(());
        }
        let mut kept = String::new();
        for event in self.log().await? {
            match event["type"].as_str() {
                Some("artifact.opened") => {
                    kept.push_str(&format!("\n// {}, revision {}\n", event["title"], event["rev"]));
                }
                Some("artifact.source" | "text.delta") => kept.push_str(event["delta"].as_str().unwrap_or_default()),
                Some("turn.started") => kept.push_str(&format!("\n// Turn: {}\n", event["input"])),
                _ => {}
            }
        }
        std::fs::create_dir_all(KEPT)?;
        Ok(std::fs::write(Path::new(KEPT).join(format!("{}.tsx", self.name)), kept)?)
    }
}

fn repairs(log: &[Value]) -> usize {
    log.iter().filter(|event| event["type"] == "turn.started" && event["input"]["repair"].is_object()).count()
}

/// The last revision that was written, and what is known of it.
struct Revision<'a> {
    /// What the last frame came out as.
    report: Option<&'a Value>,
    errors: Vec<&'a Value>,
}

impl<'a> Revision<'a> {
    fn last(log: &'a [Value]) -> Option<Self> {
        let closed = log.iter().rev().find(|event| event["type"] == "artifact.closed")?;
        let last = |kind: &str, fits: &dyn Fn(&Value) -> bool| {
            log.iter().rev().find(|event| {
                event["type"] == kind
                    && event["artifact"] == closed["artifact"]
                    && event["rev"] == closed["rev"]
                    && fits(event)
            })
        };
        let frame = last("artifact.frame", &|_| true).map_or(&Value::Null, |event| &event["frame"]);
        let found = last("artifact.diagnostics", &|_| true).and_then(|event| event["diagnostics"].as_array());
        let errors = found.into_iter().flatten().filter(|found| found["severity"] == "error").collect();
        Some(Self { report: last("artifact.report", &|event| event["frame"] == *frame), errors })
    }

    fn works(&self) -> bool {
        let rendered = self.report.is_some_and(|report| {
            report["status"] == "rendered" && report["errors"].as_array().is_none_or(Vec::is_empty)
        });
        rendered && self.errors.is_empty()
    }
}

/// Whether nothing more is to come: what was started has ended, and what does not work was mended once already.
fn settled(log: &[Value], turns: usize) -> bool {
    let count = |kind: &str| log.iter().filter(|event| event["type"] == kind).count();
    let (started, finished) = (count("turn.started"), count("turn.finished"));
    let over = started == finished && started >= turns;
    over && match Revision::last(log) {
        Some(revision) => revision.works() || (repairs(log) > 0 && revision.report.is_some()),
        None => true,
    }
}

async fn eyes(frame: &Frame, expression: &str) -> Result<Value> {
    frame.eval(&format!("(() => {{ {EYES} return {expression}; }})()")).await
}

/// How an element is named to [`Page::click_in`].
fn element(list: &str, at: u64) -> String {
    format!("(() => {{ {EYES} return {list}()[{at}]; }})()")
}

async fn count(frame: &Frame, list: &str) -> Result<u64> {
    eyes(frame, &format!("{list}().length")).await?.as_u64().context("a count")
}

/// Three figures, each beside its name; a line that is drawn; five rows that say something.
async fn dashboard(asked: &Asked<'_>, frame: &Frame) -> Result<()> {
    // From a name outwards to what it shares with a number, but never so far that another name or the chart is in it.
    let figures = r#"(() => {
        const names = [/revenue|sales/i, /orders/i, /average|avg|ticket/i];
        const drawn = "table, svg, .recharts-wrapper";
        const labels = all("body *").filter((element) => element.children.length === 0 && !element.closest(drawn));
        return names.map((name) => {
            const others = labels.filter(({ textContent: text }) => !name.test(text) && names.some((other) => other.test(text)));
            for (let element of labels.filter((label) => name.test(label.textContent))) {
                for (; element && element !== document.body; element = element.parentElement) {
                    if (element.querySelector(drawn) || others.some((other) => element.contains(other))) break;
                    const figure = element.innerText.match(/\d[\d.,]*/);
                    if (figure) return figure[0];
                }
            }
            return null;
        });
    })()"#;
    let figures = eyes(frame, figures).await?;
    for (name, figure) in ["revenue", "orders", "average ticket"].iter().zip(figures.as_array().into_iter().flatten()) {
        ensure!(figure.is_string(), "no figure for {name}; shown:\n{}", frame.text().await?);
    }
    let line = r#"[...document.querySelectorAll("path.recharts-line-curve, .recharts-line path")].some((path) => {
        const d = path.getAttribute("d") ?? "";
        // While recharts draws it, it is one dash that grows.
        const dash = getComputedStyle(path).strokeDasharray.split(",").map(parseFloat);
        const drawn = Number.isNaN(dash[0]) || !(dash[1] > 0);
        return drawn && /[LC]/.test(d) && !d.includes("NaN") && path.getBoundingClientRect().width > 50;
    })"#;
    frame.wait_for(line).await.context("no line of a recharts line chart is drawn")?;
    let rows = eyes(frame, r#"all("tbody tr").map((row) => row.innerText.trim())"#).await?;
    let rows: Vec<_> = rows.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    ensure!(rows.len() == 5, "{} body rows instead of five: {rows:?}", rows.len());
    let bare = rows.iter().find(|row| row.split_whitespace().count() < 2);
    ensure!(bare.is_none(), "a row says too little: {rows:?}");
    asked.picture("checked").await
}

/// Typing an amount, and moving each slider by its keys, change what is shown.
async fn tip(asked: &Asked<'_>, frame: &Frame) -> Result<()> {
    let (entries, sliders) = (count(frame, "entries").await?, count(frame, "sliders").await?);
    ensure!(entries > 0, "nothing to type an amount into; shown:\n{}", frame.text().await?);
    ensure!(sliders > 0, "no slider; shown:\n{}", frame.text().await?);
    let before = frame.text().await?;
    asked.page.click_in(frame, &element("entries", 0)).await?;
    frame.eval("document.activeElement.select?.()").await?;
    asked.page.type_text("186").await?;
    changed(frame, &before).await.context("typing an amount changes nothing that is shown")?;
    asked.picture("typed").await?;
    for at in 0..sliders {
        let before = frame.text().await?;
        frame.eval(&format!("{}.focus()", element("sliders", at))).await?;
        // Towards the end that is further away.
        let now = r#"(({ min, max, value, ariaValueMin, ariaValueMax, ariaValueNow }) => [ariaValueMin ?? min, ariaValueMax ?? max, ariaValueNow ?? value].map(Number))"#;
        let rising = frame
            .eval(&format!("(([min, max, now]) => now < (min + max) / 2)({now}({}))", element("sliders", at)))
            .await?;
        for _ in 0..3 {
            asked.page.press(if rising == true { "ArrowRight" } else { "ArrowLeft" }).await?;
        }
        changed(frame, &before).await.with_context(|| format!("moving slider {} changes nothing shown", at + 1))?;
    }
    asked.picture("moved").await
}

async fn changed(frame: &Frame, before: &str) -> Result<()> {
    eventually("the shown text to change", PATIENCE / 3, || async { Ok((frame.text().await? != before).then_some(())) })
        .await
        .with_context(|| format!("shown:\n{before}"))
}

/// A click on one of the buttons starts a turn whose input it is, and that turn answers.
async fn plans(asked: &Asked<'_>, frame: &Frame) -> Result<()> {
    let buttons = count(frame, "buttons").await?;
    ensure!(buttons == 3, "{buttons} buttons instead of three; shown:\n{}", frame.text().await?);
    let before = asked.log().await?;
    asked.page.click_in(frame, &element("buttons", 1)).await?;
    let by_action = |event: &Value| event["type"] == "turn.started" && event["input"]["action"].is_object();
    let log = asked.ui4a.wait_for_event(&asked.session, "a turn that the click started", PATIENCE, by_action).await?;
    let started = log.iter().find(|event| by_action(event)).context("the turn")?;
    let action = &started["input"]["action"];
    ensure!(action["gesture"] == true, "the page did not see the click: {action}");
    ensure!(action["text"] != "" || action["name"] != "", "the action says nothing: {action}");
    let log = asked.settle(before.iter().filter(|event| event["type"] == "turn.started").count() + 1).await?;
    let answered = log.iter().skip(before.len()).any(|event| {
        event["type"] == "artifact.closed"
            || event["type"] == "text.delta" && event["delta"].as_str().is_some_and(|text| !text.trim().is_empty())
    });
    ensure!(answered, "the turn of the click has no answer");
    asked.keep_source().await?;
    println!("  the click said {}; the conversation went on", action["text"]);
    asked.picture("answered").await
}
