//! Imports whose order matters: parts of a package that add to what the package set up.

use anyhow::{Context as _, Result};
use tempfile::TempDir;
use ui4a_tests::Stage;
use ui4a_tests::conformance::{Harness, Module};

const PRISM: &str = r#"import Prism from "prismjs";
import "prismjs/components/prism-python";
import "prismjs/components/prism-rust";

const html = Prism.languages.python && Prism.highlight("def f(): pass", Prism.languages.python, "python");

export default function App() {
  return <code className="language-python" dangerouslySetInnerHTML={{ __html: html ?? "no language" }} />;
}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_package_runs_before_its_parts() -> Result<()> {
    let stage = Stage::open().await?;
    let artifact = stage.show("prism", "tsx", PRISM).await?;
    let frame = stage.frame_with("def f(): pass").await?;
    frame.wait_for("document.querySelector('.token.keyword')?.innerText === 'def'").await?;
    stage.looked_at(&artifact).await?;
    let reports = stage.reports(&artifact).await?;
    assert!(reports.iter().all(|report| report["errors"] == serde_json::json!([])), "{reports:#?}");
    Ok(())
}

const DATES: &str = r#"import { useEffect, useRef, useState } from "react";
import { Chart } from "chart.js/auto";
import "chartjs-adapter-date-fns";

export default function App() {
  const canvas = useRef(null);
  const [ticks, setTicks] = useState([]);
  useEffect(() => {
    const data = { datasets: [{ data: [{ x: "2026-01-01", y: 1 }, { x: "2026-03-01", y: 2 }] }] };
    const chart = new Chart(canvas.current, { type: "line", data, options: { animation: false, scales: { x: { type: "time" } } } });
    setTicks(chart.scales.x.ticks.map((tick) => tick.label));
    return () => chart.destroy();
  }, []);
  return <main><canvas ref={canvas} /><p>{ticks.join(" ")}</p></main>;
}"#;

/// An adapter is named by nobody: effects wait for it, as they would in a page.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_imported_for_its_deeds_is_there_when_effects_run() -> Result<()> {
    let stage = Stage::open().await?;
    let artifact = stage.show("dates", "tsx", DATES).await?;
    stage.frame_with("Jan 3").await?;
    stage.looked_at(&artifact).await?;
    let reports = stage.reports(&artifact).await?;
    assert!(reports.iter().all(|report| report["errors"] == serde_json::json!([])), "{reports:#?}");
    Ok(())
}

const LATE: &str = r#"import { useEffect } from "react";

export default function App() {
  useEffect(() => { window.turns = (window.turns ?? 0) + 1; }, []);
  return <p>Written first</p>;
}

import "chartjs-adapter-date-fns";
export const last = 1;
"#;

/// An effect that ran does not wait for what is written after it, which would run it twice.
#[tokio::test(flavor = "multi_thread")]
async fn an_effect_that_ran_is_not_run_again_for_a_later_import() -> Result<()> {
    let (harness, folder) = (Harness::start().await?, TempDir::new()?);
    let module = Module::new(folder.path(), "tsx", "late", LATE)?;
    let (frame, count) = harness.start_stream(&module, 1).await?;
    harness.feed(LATE.find("import \"chartjs").context("the late import")?).await?;
    frame.wait_for("window.turns === 1").await?;
    harness.feed(count).await?;
    harness.finish().await?;
    assert_eq!(frame.eval("window.turns").await?, 1);
    harness.end(&frame).await
}

const FORMULAS: &str = r#"import { useEffect, useRef } from "react";
import katex from "katex";

export default function App() {
  const [now, later] = [useRef(null), useRef(null)];
  useEffect(() => { katex.render("x^2", now.current, { output: "html" }); }, []);
  useEffect(() => { (async () => { later.current.innerHTML = katex.renderToString("y^3", { output: "html" }); })(); }, []);
  return <main><h1>Formulas</h1><p id="now" ref={now} /><p id="later" ref={later} /></main>;
}"#;

/// An effect runs long before a package has come; whatever of it that calls, and be it in a promise, it runs again then.
#[tokio::test(flavor = "multi_thread")]
async fn an_effect_that_calls_what_is_on_its_way_runs_again_when_it_is_there() -> Result<()> {
    let stage = Stage::open().await?;
    let artifact = stage.show("formulas", "tsx", FORMULAS).await?;
    let frame = stage.frame_with("Formulas").await?;
    frame.wait_for("document.querySelectorAll('#now .katex, #later .katex').length === 2").await?;
    stage.looked_at(&artifact).await?;
    let reports = stage.reports(&artifact).await?;
    assert!(reports.iter().all(|report| report["errors"] == serde_json::json!([])), "{reports:#?}");
    Ok(())
}
