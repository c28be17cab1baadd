//! Loops are ended by the clock: what never ends is told with its line, what only takes long is left alone.

use anyhow::{Context as _, Result};
use ui4a_tests::Stage;

const MARK: &str = "/*!*/";

/// Name, and what a click runs; the marked line is where the loop is.
const ENDLESS: &[(&str, &str)] = &[
    ("while", "while (true) {} /*!*/"),
    ("for-without-body", "for (;;); /*!*/"),
    ("do", "do /*!*/\n n += 1; while (true);"),
    ("labelled", "outer: for (;;) { /*!*/\n for (const x of [1, 2]) { if (x) continue outer; }\n }"),
    ("caught-inside", "while (true) { /*!*/\n try { while (true) {} } catch {} }"),
    ("caught-around", "const again = () => { /*!*/\n try { while (true) {} } catch { return again(); } };\n again();"),
    ("growing-list", "const list = [1]; for (const x of list) list.push(x); /*!*/"),
    ("generator-eaten-by-a-library", "function* all() {\n while (true) yield 1; /*!*/\n }\n Array.from(all());"),
    ("microtasks", "(async () => {\n while (true) await null; /*!*/\n })();"),
    (
        "endless-iterator",
        "const it = { [Symbol.iterator]() { return this; }, next: () => ({ value: 1 }) };\n for (const x of it) n = x; /*!*/",
    ),
    ("array-method", "Array.from({ length: 4e9 }, (_, at) => at * 2); /*!*/"),
    ("recursion-that-branches", "const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); /*!*/\n fib(60);"),
    ("slow-body", "while (true) { const end = performance.now() + 20; while (performance.now() < end) n += 1; } /*!*/"),
];

/// What takes long, or never ends and gives the frame back all the same.
const LONG: &[(&str, &str)] = &[
    (
        "f4-busy-wait-of-a-second",
        "const end = performance.now() + 1000; while (performance.now() < end) n += 1; told('done');",
    ),
    ("many-short-rounds", "for (let at = 0; at < 3e6; at += 1) n += at; told('done');"),
    (
        "ids-from-a-generator",
        "function* ids() { let at = 0; while (true) yield at++; }\n const next = ids(); for (let at = 0; at < 100; at += 1) next.next(); told('done');",
    ),
    (
        "polling",
        "(async () => { for (let at = 0; at < 30; at += 1) await new Promise((go) => setTimeout(go, 100)); told('done'); })();",
    ),
    (
        "for-await",
        "async function* ticks() { for (let at = 0; at < 30; at += 1) { await new Promise((go) => setTimeout(go, 100)); yield at; } }\n (async () => { for await (const tick of ticks()) n += tick; told('done'); })();",
    ),
];

fn module(body: &str) -> String {
    format!(
        "let n = 0;\nfunction told(text) {{ document.querySelector('#told').textContent = text; }}\nfunction go() {{\n {body}\n}}\nexport default function App() {{\n  return <div><button onClick={{go}}>ready</button><p id=\"told\">waiting</p></div>;\n}}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_loops_end_and_are_told_with_their_line() -> Result<()> {
    let stage = Stage::open().await?;
    let mut wrong = Vec::new();
    for (name, body) in ENDLESS {
        if let Err(error) = ends(&stage, name, body).await {
            wrong.push(format!("{name}: {error:#}"));
        }
    }
    anyhow::ensure!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), ENDLESS.len(), wrong.join("\n\n"));
    Ok(())
}

async fn ends(stage: &Stage, name: &str, body: &str) -> Result<()> {
    let source = module(body);
    let artifact = stage.show(name, "tsx", &source).await?;
    stage.looked_at(&artifact).await?;
    let frame = stage.frame_with("waiting").await?;
    frame.eval("setTimeout(() => document.querySelector('button').click())").await?;
    let error = stage.error_with(&artifact, "loop ran").await?;
    let line = source.lines().position(|line| line.contains(MARK)).context("a marked line")? as u64 + 1;
    anyhow::ensure!(error["code"] == "endless-loop" && error["line"] == line, "not line {line}: {error:#}");
    // The frame lives on: it was the guard that ended the loop.
    frame.wait_for("document.querySelector('#told').textContent === 'waiting'").await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_takes_long_is_left_alone() -> Result<()> {
    let stage = Stage::open().await?;
    for (name, body) in LONG {
        let artifact = stage.show(name, "tsx", &module(body)).await?;
        stage.looked_at(&artifact).await?;
        let frame = stage.frame_with("waiting").await?;
        frame.eval("setTimeout(() => document.querySelector('button').click())").await?;
        frame.wait_for("document.querySelector('#told').textContent === 'done'").await.context(*name)?;
        let reports = stage.reports(&artifact).await?;
        let failed = reports.iter().find(|report| report["errors"].as_array().is_some_and(|all| !all.is_empty()));
        assert!(failed.is_none(), "{name}: {failed:?}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn loops_that_run_while_the_module_is_read_end_too() -> Result<()> {
    let stage = Stage::open().await?;
    let source = "class Store {\n  static {\n    while (true) {}\n  }\n}\nexport default function App() {\n  return <p>the rest</p>;\n}";
    let artifact = stage.show("static-block", "tsx", source).await?;
    let error = stage.error_with(&artifact, "loop ran").await?;
    assert_eq!((error["phase"].as_str(), error["line"].as_u64()), (Some("module"), Some(3)), "{error:#}");
    stage.frame_with("the rest").await?;

    // F6: an error inside an endless loop is that error, once.
    let source = "import { useEffect } from 'react';\nexport default function App() {\n  useEffect(() => {\n    while (true) {\n      let a = b + 1;\n    }\n  }, []);\n  return <p>other rest</p>;\n}\nconst { b } = JSON.parse('{}') ?? {};";
    let source = source.replace("let a = b + 1;", "let a = b.size + 1;");
    let artifact = stage.show("f6", "tsx", &source).await?;
    let error = stage.error_with(&artifact, "size").await?;
    assert_eq!((error["phase"].as_str(), error["line"].as_u64()), (Some("effect"), Some(5)), "{error:#}");
    stage.frame_with("other rest").await.map(drop)
}
