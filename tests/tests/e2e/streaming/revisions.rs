//! What a later revision keeps and what it starts anew: cells, stand-ins for components, effects, errors.

use super::{begin, number, started};
use anyhow::Result;
use tempfile::TempDir;
use ui4a_tests::Frame;
use ui4a_tests::conformance::{Harness, Module};

async fn revise(harness: &Harness, folder: &TempDir, rev: u32, source: &str) -> Result<serde_json::Value> {
    harness.revise(&Module::new(folder.path(), "tsx", &format!("rev{rev}"), source)?, rev).await
}

async fn first(harness: &Harness, folder: &TempDir, source: &str) -> Result<Frame> {
    let (frame, count) = begin(harness, folder, "tsx", source, 40).await?;
    harness.feed(count).await?;
    harness.finish().await?;
    Ok(frame)
}

const SHOP: &str = r#"
import { createContext, memo, useContext, useEffect, useState } from "react";
import { create } from "zustand";

const Theme = createContext("light");
let visits = 0;
const unit = "kg";
const store = create((set) => ({ count: 0, more: () => set((old) => ({ count: old.count + 1 })) }));
globalThis.loads = (globalThis.loads ?? 0) + 1;

const Row = memo(function Row({ name }) {
  const theme = useContext(Theme);
  return <li id="row" data-theme={theme}>{name} in {unit}</li>;
});

function Counter() {
  const [count, setCount] = useState(0);
  const shared = store();
  useEffect(() => { globalThis.runs = (globalThis.runs ?? 0) + 1; return () => { globalThis.cleanups = (globalThis.cleanups ?? 0) + 1; }; }, []);
  return <button id="count" onClick={() => { visits += 1; setCount(count + 1); shared.more(); }}>{count} {shared.count} {visits}</button>;
}

export default function App() {
  return <Theme.Provider value="dark"><ul><Row name="Flour" /></ul><Counter /><p id="end">first</p></Theme.Provider>;
}
"#;

const COUNT: &str = "document.querySelector('#count').innerText";

#[tokio::test(flavor = "multi_thread")]
async fn only_what_changed_starts_anew() -> Result<()> {
    let (harness, folder) = started().await?;
    let frame = first(&harness, &folder, SHOP).await?;
    for _ in 0..2 {
        harness.page.click_in(&frame, "document.querySelector('#count')").await?;
    }
    frame.wait_for(&format!("{COUNT} === '2 2 2'")).await?;
    assert_eq!(number(&frame, "loads").await?, 1, "a statement that runs for what it does ran once");
    assert_eq!(number(&frame, "runs").await?, 1, "a mount effect ran once");

    // Other text in a component that uses all of it: state, store, `let` and the effect stay.
    let text = SHOP.replace("first</p>", "second</p>");
    revise(&harness, &folder, 2, &text).await?;
    frame.wait_for("document.querySelector('#end').innerText === 'second'").await?;
    assert_eq!(frame.eval(COUNT).await?, "2 2 2");
    assert_eq!(frame.eval("[loads, runs, globalThis.cleanups ?? 0]").await?, serde_json::json!([1, 1, 0]));

    // A constant that a memo's body names, and the body itself: the memo shows it, and nothing is mounted again.
    let memo = text.replace("\"kg\"", "\"pounds\"").replace("{name} in {unit}", "{name} by {unit}");
    revise(&harness, &folder, 3, &memo).await?;
    frame.wait_for("document.querySelector('#row').innerText === 'Flour by pounds'").await?;
    assert_eq!(frame.eval("document.querySelector('#row').dataset.theme").await?, "dark");
    assert_eq!(frame.eval(COUNT).await?, "2 2 2");

    // An edited effect is cleaned up and runs again; its component keeps its state.
    let effect =
        memo.replace("globalThis.runs = (globalThis.runs ?? 0) + 1", "globalThis.runs = (globalThis.runs ?? 0) + 10");
    revise(&harness, &folder, 4, &effect).await?;
    frame.wait_for("globalThis.runs === 11").await?;
    assert_eq!(frame.eval("[loads, cleanups]").await?, serde_json::json!([1, 1]));
    assert_eq!(frame.eval(COUNT).await?, "2 2 2");

    // An edited store is another store; an edited initial value starts its component afresh.
    let anew = effect.replace("count: 0, more", "count: 100, more").replace("useState(0)", "useState(7)");
    revise(&harness, &folder, 5, &anew).await?;
    frame.wait_for(&format!("{COUNT} === '7 100 2'")).await?;
    assert_eq!(frame.eval("__probe.remounts").await?, serde_json::json!([]));
    harness.end(&frame).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_that_throws_falls_back_to_what_was_shown_and_is_told_of() -> Result<()> {
    let (harness, folder) = started().await?;
    let frame = first(&harness, &folder, SHOP).await?;
    harness.page.click_in(&frame, "document.querySelector('#count')").await?;
    frame.wait_for(&format!("{COUNT} === '1 1 1'")).await?;
    let broken = SHOP.replace("return <Theme.Provider", "null.broken; return <Theme.Provider");
    let told = revise(&harness, &folder, 2, &broken).await?;
    assert_eq!(frame.eval(COUNT).await?, "1 1 1", "the last good one is still shown, with its state");
    let errors = told["errors"].as_array().cloned().unwrap_or_default();
    assert!(errors.iter().any(|one| one["phase"] == "render" && one["rev"] == 2), "{errors:?}");
    // An element that no component of the artifact is: what made it falls back.
    let refused = SHOP.replace("<p id=\"end\">first</p>", "<Theme.Consumer /><p id=\"end\">third</p>");
    let told = revise(&harness, &folder, 3, &refused).await?;
    assert_eq!(frame.eval(COUNT).await?, "1 1 1");
    let errors = told["errors"].as_array().cloned().unwrap_or_default();
    assert!(errors.iter().any(|one| one["phase"] == "render" && one["rev"] == 3), "{errors:?}");
    let mended = SHOP.replace("first</p>", "mended</p>");
    revise(&harness, &folder, 4, &mended).await?;
    frame.wait_for("document.querySelector('#end').innerText === 'mended'").await?;
    assert_eq!(frame.eval(COUNT).await?, "1 1 1");
    assert_eq!(number(&frame, "__probe.errorsShown").await?, 0);
    harness.end(&frame).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_effect_throws_is_told_and_removes_nothing() -> Result<()> {
    let (harness, folder) = started().await?;
    let source = r#"
import { useEffect, useLayoutEffect, useState } from "react";
export default function App() {
  const [gone, setGone] = useState(false);
  useEffect(() => { throw new Error("from an effect"); }, []);
  useLayoutEffect(() => { throw new Error("from a layout effect"); }, []);
  useEffect(() => () => { throw new Error("from a cleanup"); }, [gone]);
  return <button id="go" onClick={() => setGone(true)}>{gone ? "after" : "before"}</button>;
}
"#;
    let (frame, _) = begin(&harness, &folder, "tsx", source, 40).await?;
    harness.finish().await?;
    harness.page.click_in(&frame, "document.querySelector('#go')").await?;
    frame.wait_for("document.querySelector('#go').innerText === 'after'").await?;
    harness.page.wait_for("__conformance.told.errors.length >= 3").await?;
    let errors = harness.page.eval("__conformance.told.errors").await?;
    for expected in ["from an effect", "from a layout effect", "from a cleanup"] {
        let found = errors.as_array().into_iter().flatten().filter(|one| {
            one["phase"] == "effect" && one["message"].as_str().is_some_and(|text| text.contains(expected))
        });
        assert_eq!(found.count(), 1, "{expected}: {errors}");
    }
    harness.end(&frame).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_effect_runs_when_all_that_it_needs_is_written() -> Result<()> {
    let (harness, folder) = started().await?;
    let source = r##"
import { useEffect, useRef } from "react";
export default function App() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    globalThis.found = (globalThis.found ?? []).concat([canvas.current !== null, typeof label(), document.querySelector("#below") !== null]);
  }, []);
  return <main><h1>Drawn by hand</h1><p>Some words before it.</p><canvas ref={canvas} width={30} height={30} /><Below /></main>;
}
function label() { return "text"; }
function Below() { return <p id="below">below</p>; }
"##;
    let (frame, count) = begin(&harness, &folder, "tsx", source, 5).await?;
    harness.feed(count).await?;
    let told = harness.finish().await?;
    assert_eq!(frame.eval("globalThis.found").await?, serde_json::json!([true, "string", true]));
    assert!(told["errors"].as_array().is_some_and(Vec::is_empty), "{told}");
    harness.end(&frame).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_revision_is_swapped_in_once_when_it_is_whole() -> Result<()> {
    let (harness, folder) = started().await?;
    let frame = first(&harness, &folder, SHOP).await?;
    let next = SHOP.replace("first</p>", "next</p>");
    let module = Module::new(folder.path(), "tsx", "next", &next)?;
    let rendered = harness.render(&module).await?;
    // Two patches of one revision, the second of which completes it.
    let page = &harness.page;
    page.eval(
        "__conformance.told.rendered.length = 0; \
         __conformance.host().apply({ rev: 2, frame: 1, complete: false, cells: [{ cell: 'App', keep_start: 0, insert: '/*half*/', keep_end: 0 }] })",
    )
    .await?;
    assert_eq!(frame.eval("document.querySelector('#end').innerText").await?, "first", "half a revision is not shown");
    let whole = &rendered["compiled"]["cells"]["App"];
    let patch = serde_json::json!({"rev": 2, "frame": 2, "complete": true,
        "cells": [{"cell": "App", "keep_start": 0, "insert": whole, "keep_end": "/*half*/".len()}]});
    // What stood there is kept at the end of the text by this patch, as a comment.
    page.eval(&format!("__conformance.host().apply({patch})")).await?;
    frame.wait_for("document.querySelector('#end').innerText === 'next'").await?;
    page.wait_for("__conformance.told.rendered.length > 0").await?;
    let frames = page.eval("__conformance.told.rendered.map((one) => one.frame)").await?;
    assert_eq!(frames, serde_json::json!([2]), "one frame was shown");
    harness.end(&frame).await
}
