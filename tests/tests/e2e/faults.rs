//! Seeded faults that need packages or types, through the server; and a module full of small faults, shown mended.

#[path = "../../../renderer/tests/fixtures/faults/table.rs"]
mod table;

use anyhow::{Result, ensure};
use serde_json::json;
use ui4a_tests::{Browser, PATIENCE, Script, ScriptedModel, Setup, Ui4a};

/// That a package does not exist, only a registry that answers can say.
const ASKS_THE_REGISTRY: &str = "unknown-package";

#[tokio::test(flavor = "multi_thread")]
async fn faults_that_need_packages_or_types_are_found_on_their_lines() -> Result<()> {
    find(|fault| !fault.by.is_empty() && fault.code != ASKS_THE_REGISTRY).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_package_that_there_is_not_is_found_on_its_line() -> Result<()> {
    find(|fault| fault.code == ASKS_THE_REGISTRY).await
}

async fn find(these: impl Fn(&table::Fault) -> bool) -> Result<()> {
    let ui4a = Ui4a::start(Setup::default()).await?;
    let mut missed = Vec::new();
    let rows: Vec<_> = table::faults().into_iter().filter(these).collect();
    ensure!(!rows.is_empty(), "the table has no such faults");
    for fault in &rows {
        let answer = ui4a.post("/api/check", json!({"source": fault.source, "kind": "tsx"})).await?;
        let found: Vec<String> = answer["diagnostics"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|found| format!("{}:{}", found["code"].as_str().unwrap_or_default(), found["line"]))
            .collect();
        let hit = found.contains(&format!("{}:{}", fault.code, fault.line));
        println!("{:7} {:24} line {:2}  {}", if hit { "found" } else { "missed" }, fault.code, fault.line, fault.name);
        if !hit {
            missed.push(format!("{} ({}:{}), but {found:?}", fault.name, fault.code, fault.line));
        }
    }
    assert!(missed.is_empty(), "{} of {} missed:\n{}", missed.len(), rows.len(), missed.join("\n"));
    Ok(())
}

/// What a small model writes on a bad day.
const BAD_DAY: &str = r#"import {
  Home,
  Run,
} from "lucide-react";

export default function App() {
  const [name, setName] = useState("");
  const [count, setCount] = useState(0);
  const [done, setDone] = useState(false);
  const more = () => setCount(count + 1);
  return (
    <h1 class="font-bold" style="color: rgb(255, 0, 0)">Bad day > good day</h1>
    <p id="icons"><Home /><Run /></p>
    <input id="name" value={name} onChange={setName} />
    <p id="said">Hello {name}</p>
    <button id="more" onclick="more()">More</button>
    <button id="ten" onClick={setCount(count + 10)}>Ten</button>
    <p id="count">{`Count ${count} of ${50.toFixed(1)}`}</p>
    <Checkbox label="Done" checked={done} onCheckedChange={(e) => setDone(e.target.checked)} />
    <p id="done">{done ? "all done" : "not done"}</p>
    <ul>{["north", "south"].map((row) => { <li key={row}>{row}</li> })}</ul>
  );
}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_module_full_of_small_faults_is_shown_mended_and_each_repair_is_in_the_log() -> Result<()> {
    let model = ScriptedModel::start([Script::module("day", BAD_DAY)]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.say(&session, "A day").await?;
    let frame = page.frame_where("document.querySelectorAll('li').length === 2").await?;
    frame.wait_for("document.querySelector('#icons').querySelectorAll('svg').length === 2").await?;
    assert!(frame.text().await?.contains("Bad day > good day"));
    assert_eq!(frame.eval("getComputedStyle(document.querySelector('h1')).color").await?, "rgb(255, 0, 0)");
    assert_eq!(frame.eval("document.querySelector('h1').className").await?, "font-bold");
    frame.wait_for("document.querySelector('#count').innerText === 'Count 0 of 50.0'").await?;

    page.click_in(&frame, "document.querySelector('#more')").await?;
    frame.wait_for("document.querySelector('#count').innerText.startsWith('Count 1 ')").await?;
    page.click_in(&frame, "document.querySelector('#ten')").await?;
    frame.wait_for("document.querySelector('#count').innerText.startsWith('Count 11 ')").await?;
    page.click_in(&frame, "document.querySelector('#name')").await?;
    page.type_text("Ada").await?;
    frame.wait_for("document.querySelector('#said').innerText === 'Hello Ada'").await?;
    // The kit may come later than what needs nothing but React.
    frame.wait_for("document.querySelector('[role=checkbox]')").await?;
    page.click_in(&frame, "document.querySelector('[role=checkbox]')").await?;
    frame.wait_for("document.querySelector('#done').innerText === 'all done'").await?;

    let log = ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    let told: Vec<(String, u64)> = log
        .iter()
        .filter(|event| event["type"] == "artifact.diagnostics")
        .flat_map(|event| event["diagnostics"].as_array().cloned().unwrap_or_default())
        .map(|found| {
            (found["code"].as_str().unwrap_or_default().to_owned(), found["line"].as_u64().unwrap_or_default())
        })
        .collect();
    for (code, line) in [
        ("repaired-icon", 3),
        ("import-added", 7),
        ("repaired-fragment", 12),
        ("repaired-attribute", 12),
        ("repaired-style", 12),
        ("repaired-text", 12),
        ("repaired-handler", 14),
        ("repaired-handler", 16),
        ("repaired-handler", 17),
        ("repaired-number", 18),
        ("repaired-handler", 19),
        ("repaired-return", 21),
    ] {
        assert!(told.contains(&(code.to_owned(), line)), "{code} on line {line} is not among {told:?}");
    }
    let report = log.iter().rev().find(|event| event["type"] == "artifact.report");
    assert!(report.is_none_or(|report| report["status"] == "rendered"), "{report:?}");
    assert_eq!(model.asked().len(), 1, "what was mended here is not sent back");
    let kept =
        log.iter().filter_map(|event| event["type"].eq("artifact.source").then(|| event["delta"].as_str()).flatten());
    assert_eq!(kept.collect::<String>().trim(), BAD_DAY.trim(), "the source that is kept is the model's");
    Ok(())
}
