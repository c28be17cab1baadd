//! What a person does while an interface is being written, and after it: nothing of it is lost. Named for the field cases.

mod revisions;

use anyhow::{Context as _, Result};
use serde_json::Value;
use tempfile::TempDir;
use ui4a_tests::conformance::{Harness, Module};
use ui4a_tests::{Browser, PATIENCE, Script, ScriptedModel, Setup, Ui4a, eventually};

/// A harness, and a folder for the sources that a test writes.
async fn started() -> Result<(Harness, TempDir)> {
    Ok((Harness::start().await?, TempDir::new()?))
}

/// Streams a source in pieces of `chunk` bytes and answers how many steps there are.
async fn begin(
    harness: &Harness,
    folder: &TempDir,
    kind: &str,
    source: &str,
    chunk: usize,
) -> Result<(ui4a_tests::Frame, usize)> {
    harness.start_stream(&Module::new(folder.path(), kind, "case", source)?, chunk).await
}

async fn number(frame: &ui4a_tests::Frame, expression: &str) -> Result<u64> {
    frame.eval(expression).await?.as_u64().with_context(|| format!("{expression} is no number"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a1_half_an_element_is_shown_and_no_error() -> Result<()> {
    let (harness, folder) = started().await?;
    let source = "export default function App() { return <div><p>Hello, <b>world</b></p></div>; }\n";
    let (frame, count) = begin(&harness, &folder, "tsx", source, 1).await?;
    let half = source.find("lo,").context("the middle")?;
    harness.feed(half).await?;
    assert_eq!(frame.text().await?, "Hel");
    harness.feed(count).await?;
    let told = harness.finish().await?;
    assert_eq!(frame.text().await?, "Hello, world");
    assert_eq!(number(&frame, "__probe.errorsShown").await?, 0);
    assert!(told["errors"].as_array().is_some_and(Vec::is_empty), "{told}");
    harness.end(&frame).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a3_text_that_looks_like_code_erases_nothing_and_an_empty_render_is_blank() -> Result<()> {
    let (harness, folder) = started().await?;
    let source = "export default function App() { return <p>Grade A(B) if [x] & y; a > b ? c : d {1 + 1}</p>; }\n";
    let (frame, count) = begin(&harness, &folder, "tsx", source, 1).await?;
    let mut longest = 0;
    for end in (1..=count).step_by(3) {
        harness.feed(end).await?;
        let shown = frame.text().await?.trim().chars().count();
        assert!(shown >= longest, "{shown} characters are shown after {longest}, at {end}");
        longest = shown;
    }
    harness.finish().await?;
    assert_eq!(number(&frame, "__probe.cleared").await?, 0);
    harness.end(&frame).await?;

    // An empty first frame does not count as shown: whoever waits for something to see is told that there is nothing.
    let empty = Module::new(folder.path(), "tsx", "empty", "export default function App() { return <></>; }\n")?;
    let (frame, _) = begin(&harness, &folder, "tsx", &empty.source, 40).await?;
    harness.finish().await?;
    let blank = harness.page.eval("__conformance.told.rendered.at(-1).blank").await?;
    assert_eq!(blank, true);
    let full = Module::new(folder.path(), "tsx", "full", "export default function App() { return <p>Here</p>; }\n")?;
    harness.revise(&full, 2).await?;
    assert_eq!(harness.page.eval("__conformance.told.rendered.at(-1).blank").await?, false);
    assert_eq!(frame.text().await?, "Here");
    harness.end(&frame).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a4_half_a_script_never_runs_and_one_that_throws_stops_no_other() -> Result<()> {
    let (harness, folder) = started().await?;
    let source = "<p id=\"log\">start</p>\n<script>const say = (what) => { document.getElementById('log').append(' ' + what); };\
                  say('one');</script>\n<script>say('two'); null.x;</script>\n<p>between</p>\n\
                  <script>\n const last = 'three';\nsay(last);\nsay('four');</script>\n<p>after</p>\n";
    let (frame, count) = begin(&harness, &folder, "html", source, 1).await?;
    harness.feed(source.find("say('four')").context("the middle")?).await?;
    frame.wait_for("document.body.innerText.includes('between')").await?;
    let log = || frame.eval("document.getElementById('log').textContent");
    assert_eq!(log().await?, "start one two", "the third script is not whole, so none of it has run");
    harness.feed(count).await?;
    let told = harness.finish().await?;
    assert_eq!(log().await?, "start one two three four");
    let errors = told["errors"].as_array().context("errors")?;
    // It is told when it happens, and once more with the last frame, which is the one that is judged.
    let frames: std::collections::BTreeSet<u64> = errors.iter().filter_map(|error| error["frame"].as_u64()).collect();
    assert!(errors.len() <= 2 && frames.len() == errors.len(), "{errors:?}");
    assert!(
        errors.iter().all(|error| error["message"].as_str().is_some_and(|text| text.contains("null"))),
        "{errors:?}"
    );
    assert!(!errors.is_empty());
    harness.end(&frame).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a7_a_script_that_sets_up_runs_once_however_small_the_pieces() -> Result<()> {
    let (harness, _folder) = started().await?;
    let sketch = ui4a_tests::conformance::corpus()?.into_iter().find(|module| module.name == "html/p5-sketch.html");
    let sketch = sketch.context("the sketch")?;
    let (frame, count) = harness.start_stream(&sketch, 5).await?;
    harness.feed(count).await?;
    harness.finish().await?;
    assert_eq!(number(&frame, "document.querySelectorAll('canvas').length").await?, 1);
    assert_eq!(number(&frame, "drops.length").await?, 60, "set up once");
    harness.end(&frame).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a10_an_item_that_is_appended_mounts_no_other_again() -> Result<()> {
    let (harness, folder) = started().await?;
    let source = r#"
import { useEffect, useState } from "react";

function Item({ name }: { name: string }) {
  const [open, setOpen] = useState(false);
  useEffect(() => { const all = (globalThis.mounted ??= {}); all[name] = (all[name] ?? 0) + 1; }, []);
  return <li><button id={name} onClick={() => setOpen(true)}>{name} {open ? "open" : "closed"}</button></li>;
}

export default function App() {
  return (
    <ul>
      <Item name="one" />
      <Item name="two" />
      {["three", "four"].map((name) => <Item key={name} name={name} />)}
      <Item name="five" />
    </ul>
  );
}
"#;
    let (frame, count) = begin(&harness, &folder, "tsx", source, 3).await?;
    harness.feed(source.find("<Item name=\"two\"").context("the middle")? / 3 + 1).await?;
    frame.wait_for("document.querySelector('#one')").await?;
    harness.page.click_in(&frame, "document.querySelector('#one')").await?;
    frame.wait_for("document.querySelector('#one').innerText === 'one open'").await?;
    harness.feed(count).await?;
    harness.finish().await?;
    assert_eq!(frame.eval("document.querySelectorAll('li').length").await?, 5);
    assert_eq!(frame.eval("document.querySelector('#one').innerText").await?, "one open");
    let grown = source.replace("[\"three\", \"four\"]", "[\"three\", \"four\", \"more\"]");
    harness.revise(&Module::new(folder.path(), "tsx", "grown", &grown)?, 2).await?;
    assert_eq!(frame.eval("document.querySelector('#one').innerText").await?, "one open");
    let mounted = frame.eval("globalThis.mounted").await?;
    let expected = serde_json::json!({"one": 1, "two": 1, "three": 1, "four": 1, "five": 1, "more": 1});
    assert_eq!(mounted, expected);
    harness.end(&frame).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a11_of_two_updates_back_to_back_the_last_is_shown_and_told() -> Result<()> {
    let (harness, folder) = started().await?;
    for kind in ["tsx", "html"] {
        let text = |what: &str| match kind {
            "tsx" => format!("export default function App() {{ return <p>{what}</p>; }}\n"),
            _ => format!("<p>{what}</p>\n"),
        };
        let module = |what: &str| Module::new(folder.path(), kind, what, &text(what));
        let (frame, _) = begin(&harness, &folder, kind, &text("first"), 40).await?;
        harness.finish().await?;
        let (second, third) = (harness.render(&module("second")?).await?, harness.render(&module("third")?).await?);
        let load = |whole: &Value, rev: u32| {
            format!("__conformance.host().load({}, {{ rev: {rev}, frame: 1, complete: true }});", whole["compiled"])
        };
        harness.page.eval(&format!("{} {}", load(&second, 2), load(&third, 3))).await?;
        frame.wait_for("document.body.innerText.trim() === 'third'").await?;
        harness.page.wait_for("__conformance.told.rendered.some((one) => one.rev === 3)").await?;
        harness.end(&frame).await?;
    }
    Ok(())
}

const EDITOR: &str = r#"
import { useState } from "react";
import { usePersistedState } from "$ui4a/state";
import { Card, CardContent, CardHeader, CardTitle, Input, Stack } from "$ui4a/ui";
import { Bar, BarChart, XAxis } from "recharts";

const rows = Array.from({ length: 40 }, (_, at) => ({ name: "Row " + (at + 1), value: (at * 7) % 11 }));

export default function App() {
  const [text, setText] = useState("");
  const [saved, setSaved] = usePersistedState("saved", 0);
  return (
    <Stack gap={3} className="p-4">
      <Input id="text" aria-label="Text" value={text} onChange={(event) => setText(event.target.value)} />
      <button id="save" onClick={() => setSaved(saved + 1)}>Saved {saved}</button>
      <ul id="list" style={{ height: 120, overflow: "auto" }}>
        {rows.map((row) => <li key={row.name}>{row.name}</li>)}
      </ul>
      <Card>
        <CardHeader><CardTitle>What was counted</CardTitle></CardHeader>
        <CardContent>
          <BarChart width={300} height={120} data={rows}><XAxis dataKey="name" /><Bar dataKey="value" isAnimationActive={false} /></BarChart>
        </CardContent>
      </Card>
      <p id="end">The end of it.</p>
    </Stack>
  );
}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_focused_selected_and_scrolled_survives_the_rest_of_the_stream() -> Result<()> {
    let (harness, folder) = started().await?;
    let (frame, count) = begin(&harness, &folder, "tsx", EDITOR, 11).await?;
    harness.feed(EDITOR.find("<Card>").context("the middle")? / 11 + 1).await?;
    frame.wait_for("document.querySelectorAll('#list li').length === 40").await?;
    harness.page.click_in(&frame, "document.querySelector('#text')").await?;
    harness.page.type_text("Ada Lovelace").await?;
    frame.wait_for("document.querySelector('#text').value === 'Ada Lovelace'").await?;
    frame.eval("document.querySelector('#text').setSelectionRange(4, 8); document.querySelector('#list').scrollTop = 300; globalThis.node = document.querySelector('#text'); 0").await?;
    harness.feed(count).await?;
    harness.finish().await?;
    let kept = "(() => { const input = document.querySelector('#text'); return [input === node, document.activeElement === input, input.value, input.selectionStart, input.selectionEnd, document.querySelector('#list').scrollTop]; })()";
    let expected = serde_json::json!([true, true, "Ada Lovelace", 4, 8, 300]);
    assert_eq!(frame.eval(kept).await?, expected, "at the end of the stream");
    let edited = EDITOR.replace("The end of it.", "Another end.").replace("What was counted", "Counts");
    harness.revise(&Module::new(folder.path(), "tsx", "edited", &edited)?, 2).await?;
    frame.wait_for("document.querySelector('#end').innerText === 'Another end.'").await?;
    assert_eq!(frame.eval(kept).await?, expected, "after a revision");
    harness.end(&frame).await
}

/// What is shown in the newest frame, as text that is the same for the same tree.
async fn tree(page: &ui4a_tests::Page) -> Result<Value> {
    let frame =
        page.frame_where("document.querySelector('#end') && document.querySelector('.recharts-bar-rectangle')").await?;
    frame.eval(ui4a_tests::conformance::TREE).await?;
    frame.eval("__tree(document.querySelector('#root'))").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a6_g1_g6_stream_revision_reload_and_export_show_the_same_tree_in_one_frame() -> Result<()> {
    let second = EDITOR.replace("The end of it.", "Another end.");
    let scripts = [Script::module("editor", EDITOR), Script::module("editor", &second)];
    let model = ScriptedModel::start(scripts).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.say(&session, "An editor").await?;
    let frame = page.frame_where("document.querySelector('#save')").await?;
    page.eval("globalThis.element = document.querySelector('iframe'); 0").await?;
    frame.eval("globalThis.mark = document.querySelector('#save'); 0").await?;
    ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    let streamed = tree(&page).await?;
    page.click_in(&frame, "document.querySelector('#save')").await?;
    frame.wait_for("document.querySelector('#save').innerText === 'Saved 1'").await?;

    ui4a.say(&session, "Another end").await?;
    ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    frame.wait_for("document.querySelector('#end').innerText === 'Another end.'").await?;
    assert_eq!(
        page.eval("document.querySelector('iframe') === element").await?,
        true,
        "A6: the frame is the same element"
    );
    assert_eq!(frame.eval("document.querySelector('#save') === mark").await?, true, "A6: nothing was mounted again");
    let revised = tree(&page).await?;
    assert_eq!(
        revised.as_str().map(|text| text.replace("Another end.", "The end of it.")).as_deref(),
        streamed.as_str()
    );

    let saved = || async {
        let log = ui4a.log(&session).await?;
        Ok(log.iter().any(|event| event["type"] == "artifact.state").then_some(()))
    };
    eventually("the state to be kept", PATIENCE, saved).await?;
    page.reload().await?;
    let reloaded = tree(&page).await?;
    assert_eq!(reloaded, revised, "G1: a reload shows what live showed");
    let frame = page.frame_where("document.querySelector('#save')").await?;
    assert_eq!(frame.eval("document.querySelector('#save').innerText").await?, "Saved 1", "kept across the reload");

    let log = ui4a.log(&session).await?;
    let artifact = log.iter().find_map(|event| event["artifact"].as_str()).context("an artifact")?;
    let path = format!("/api/artifacts/{artifact}/export?format=html");
    let file = ui4a.request(reqwest::Method::GET, &path).send().await?.error_for_status()?.text().await?;
    let folder = TempDir::new()?;
    let exported = folder.path().join("editor.html");
    std::fs::write(&exported, file)?;
    let alone = browser.open(&format!("file://{}", exported.display())).await?;
    alone.wait_for("document.querySelector('#end') && document.querySelector('.recharts-bar-rectangle')").await?;
    alone.eval(ui4a_tests::conformance::TREE).await?;
    assert_eq!(alone.eval("__tree(document.querySelector('#root'))").await?, revised, "an export shows the same");
    let asked: Vec<_> = alone.requests().into_iter().filter(|url| url.starts_with("http")).collect();
    assert!(asked.is_empty(), "G6: an exported file asks for nothing: {asked:?}");
    Ok(())
}
