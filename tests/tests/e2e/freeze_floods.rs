//! What no loop guard sees: endless renders, effects and tasks, floods of messages, elements and lines. The frame that
//! does it is stopped or lives on in bounds; the page never notices.

use anyhow::{Context as _, Result};
use serde_json::Value;
use ui4a_tests::{PATIENCE, Stage, eventually};

fn has_code(report: &Value, code: &str) -> bool {
    report["errors"].as_array().is_some_and(|errors| errors.iter().any(|error| error["code"] == code))
}

#[tokio::test(flavor = "multi_thread")]
async fn f1_endless_renders_and_effects_end_in_the_frame() -> Result<()> {
    let stage = Stage::open().await?;
    let cases = [
        ("f1-renders-itself", "const T = () => <T />;\nexport default T;", "endless-render"),
        (
            "each-other",
            "const A = () => <B />;\nconst B = () => <i><A /></i>;\nexport default function App() { return <div>ready<A /></div>; }",
            "endless-render",
        ),
        (
            "state-in-render",
            "import { useState } from 'react';\nexport default function App() {\n  const [n, set] = useState(0);\n  set(n + 1);\n  return <p>{n}</p>;\n}",
            "endless-render",
        ),
        (
            "layout-effect",
            "import { useLayoutEffect, useState } from 'react';\nexport default function App() {\n  const [n, set] = useState(0);\n  useLayoutEffect(() => set(n + 1));\n  return <p>{n}</p>;\n}",
            "endless-",
        ),
        (
            "effect-without-list",
            "import { useEffect, useState } from 'react';\nexport default function App() {\n  const [n, set] = useState(0);\n  useEffect(() => { set(n + 1); });\n  return <p>{n}</p>;\n}",
            "endless-effect",
        ),
    ];
    for (name, source, code) in cases {
        let artifact = stage.show(name, "tsx", source).await?;
        let fits = |report: &Value| {
            let errors = report["errors"].as_array();
            errors.is_some_and(|errors| {
                errors.iter().any(|error| error["code"].as_str().is_some_and(|c| c.starts_with(code)))
            })
        };
        stage.report_where(&artifact, name, fits).await?;
        anyhow::ensure!(stage.page.eval("1 + 1").await? == 2, "{name}: the page answers");
    }
    let stopped = stage.page.eval("document.querySelectorAll('.safe:not([hidden])').length").await?;
    assert_eq!(stopped, 0, "all of them were ended inside their frames");
    Ok(())
}

/// Name, kind, source, what starts it once the text `ready` is there, and what the card says then.
const STOPPED: &[(&str, &str, &str, &str, &str)] = &[
    (
        "spins-unseen",
        "tsx",
        "export default function App() { return <button onClick={() => new Function('for (;;);')()}>ready</button>; }",
        "document.querySelector('button').click()",
        "stopped answering",
    ),
    (
        "microtask-flood",
        "tsx",
        "const again = () => Promise.resolve().then(again);\nexport default function App() { return <button onClick={again}>ready</button>; }",
        "document.querySelector('button').click()",
        "stopped answering",
    ),
    (
        "animation-storm",
        "tsx",
        "const storm = () => { requestAnimationFrame(storm); requestAnimationFrame(storm); };\nexport default function App() { return <button onClick={storm}>ready</button>; }",
        "document.querySelector('button').click()",
        "stopped answering",
    ),
    (
        "script-of-a-page",
        "html",
        "<p>ready</p><button>go</button><script>document.querySelector('button').onclick = () => { while (true); };</script>",
        "document.querySelector('button').click()",
        "stopped answering",
    ),
    (
        "elements-without-end",
        "tsx",
        "const grow = () => setInterval(() => { for (let at = 0; at < 4000; at += 1) document.body.append(document.createElement('i')); }, 0);\nexport default function App() { return <button onClick={grow}>ready</button>; }",
        "document.querySelector('button').click()",
        "added elements without end",
    ),
    (
        "messages-to-the-page",
        "tsx",
        "const flood = () => setInterval(() => { for (let at = 0; at < 100; at += 1) top.postMessage(at, '*'); }, 0);\nexport default function App() { return <button onClick={flood}>ready</button>; }",
        "document.querySelector('button').click()",
        "sent messages without end",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_gives_nothing_back_is_stopped_by_the_page() -> Result<()> {
    let stage = Stage::open().await?;
    for (name, kind, source, start, says) in STOPPED {
        let artifact = stage.show(name, kind, source).await?;
        stage.looked_at(&artifact).await?;
        let frame = stage.frame_with("ready").await?;
        frame.eval(&format!("setTimeout(() => {start})")).await?;
        let report = stage.report_where(&artifact, name, |report| has_code(report, "frozen")).await?;
        assert_eq!(report["status"], "error");
        let card =
            format!("document.querySelector('[data-artifact={artifact:?}] .safe')?.innerText.includes({says:?})");
        stage.page.wait_for(&card).await.context(*name)?;
        let gone = frame.session.clone();
        eventually("its frame to be removed", PATIENCE, || async {
            Ok((!stage.page.frames().iter().any(|frame| frame.session == gone)).then_some(()))
        })
        .await
        .context(*name)?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_elements_are_told_before_it_is_stopped() -> Result<()> {
    let stage = Stage::open().await?;
    let source = "export default function App() {\n  return <div>ready{Array.from({ length: 25000 }, (_, at) => <i key={at} />)}</div>;\n}";
    let artifact = stage.show("many", "tsx", source).await?;
    stage.report_where(&artifact, "a word on its elements", |report| has_code(report, "too-many-elements")).await?;
    stage.frame_with("ready").await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn f3_a_flood_of_lines_is_counted_and_harms_nobody() -> Result<()> {
    let stage = Stage::open().await?;
    let source = "const talk = (part) => { if (part === 10) return void (document.querySelector('#told').textContent = 'done'); for (let at = 0; at < 1e5; at += 1) console.log('line', at); setTimeout(talk, 0, part + 1); };\nexport default function App() { return <div><button onClick={() => talk(0)}>ready</button><p id=\"told\" /></div>; }";
    let artifact = stage.show("f3", "tsx", source).await?;
    stage.looked_at(&artifact).await?;
    let frame = stage.frame_with("ready").await?;
    frame.eval("setTimeout(() => document.querySelector('button').click())").await?;
    let told = |report: &Value| report["dropped"].as_u64().is_some_and(|dropped| dropped > 900_000);
    let report = stage.report_where(&artifact, "the lines that were dropped", told).await?;
    assert!(report["console"].as_array().is_some_and(|lines| lines.len() <= 50), "{report:#}");
    frame.wait_for("document.querySelector('#told').textContent === 'done'").await?;
    let printed = stage.page.console().iter().filter(|line| line.contains("line")).count();
    assert!(printed < 5_000, "the browser's console got {printed} lines");
    stage.page.wait_for("document.querySelector('.card-details').innerText.includes('lines')").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_spins_costs_neither_the_page_nor_its_frame() -> Result<()> {
    let stage = Stage::open().await?;
    let source = "export default function App() {\n  const spin = () => { globalThis.w = new Worker(URL.createObjectURL(new Blob(['for (;;);']))); };\n  return <button onClick={spin}>ready</button>;\n}";
    let artifact = stage.show("worker", "tsx", source).await?;
    stage.looked_at(&artifact).await?;
    let frame = stage.frame_with("ready").await?;
    frame.eval("document.querySelector('button').click()").await?;
    frame.wait_for("globalThis.w instanceof Worker").await?;
    // Longer than the page's patience.
    let asked = stage.page.eval("new Promise((done) => setTimeout(() => done(1), 4000))").await?;
    assert_eq!(asked, 1);
    assert_eq!(frame.eval("1 + 1").await?, 2);
    assert!(!stage.reports(&artifact).await?.iter().any(|report| has_code(report, "frozen")));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_machine_is_not_taken_for_a_spinning_frame() -> Result<()> {
    let stage = Stage::open().await?;
    // Work that takes as many rounds as it is given, and that no guard sees.
    let source = "const work = new Function('rounds', 'let x = 1; for (let at = 0; at < rounds; at += 1) x = (x * 31 + at) % 65521; return x;');\nglobalThis.work = work;\nexport default function App() { return <p id=\"told\">ready</p>; }";
    let artifact = stage.show("works", "tsx", source).await?;
    stage.looked_at(&artifact).await?;
    let frame = stage.frame_with("ready").await?;
    let measured =
        frame.eval("(() => { const from = performance.now(); work(2e7); return performance.now() - from; })()").await?;
    // Little work, alone on this machine; more than the page's patience in the company of the threads that follow.
    let rounds = 2e7 * 700.0 / measured.as_f64().context("milliseconds")?.max(1.0);
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let threads = 5 * std::thread::available_parallelism()?.get();
    let hogs: Vec<_> = (0..threads)
        .map(|_| {
            let stop = std::sync::Arc::clone(&stop);
            std::thread::spawn(move || while !stop.load(std::sync::atomic::Ordering::Relaxed) {})
        })
        .collect();
    let begun = std::time::Instant::now();
    let started = frame
        .eval(&format!("setTimeout(() => {{ work({rounds}); document.querySelector('#told').textContent = 'done'; }})"))
        .await;
    let done = frame.wait_for("document.querySelector('#told').textContent === 'done'").await;
    let took = begun.elapsed();
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    for hog in hogs {
        hog.join().map_err(|_| anyhow::anyhow!("a thread panicked"))?;
    }
    started?;
    done.with_context(|| format!("after {took:?}"))?;
    let frozen = stage.reports(&artifact).await?.into_iter().find(|report| has_code(report, "frozen"));
    assert!(frozen.is_none(), "{frozen:?}");
    Ok(())
}
