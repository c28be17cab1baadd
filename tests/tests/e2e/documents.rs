//! SVG and Markdown: shown while they are written, with maths and diagrams, in both themes.

use crate::html::Stage;
use anyhow::Result;
use serde_json::Value;
use std::time::Duration;
use ui4a_tests::{PATIENCE, Script, ScriptedModel, Setup};

const MARKDOWN: &str = include_str!("../../fixtures/html/report.md");
const SVG: &str = include_str!("../../fixtures/html/chart.svg");

#[tokio::test(flavor = "multi_thread")]
async fn markdown_shows_tables_tasks_maths_and_diagrams() -> Result<()> {
    let stage = Stage::open(Setup::default()).await?;
    let made = stage.show("markdown", MARKDOWN).await?;
    assert_eq!(made["diagnostics"].as_array().map(Vec::len), Some(0), "{}", made["diagnostics"]);
    let frame = stage.page.frame_within("document.querySelector('.ui4a-diagram svg')", 3 * PATIENCE).await?;
    for sign in [
        "h1",
        "table td",
        "input[type=checkbox]:checked",
        "pre code.language-js",
        "math",
        "math[display=block]",
        "blockquote",
        "del",
    ] {
        assert_eq!(frame.eval(&format!("!!document.querySelector('{sign}')")).await?, true, "{sign}");
    }
    assert_eq!(
        frame.eval("document.querySelector('.ui4a-diagram svg').getBoundingClientRect().height > 50").await?,
        true
    );
    // The theme of the page is the document's, and its diagrams' too.
    let color = |theme: &str| {
        format!(
            "(() => {{ const dark = document.documentElement.classList.contains('dark'); return dark === {} && !!document.querySelector('.ui4a-diagram svg'); }})()",
            theme == "dark"
        )
    };
    frame.wait_for(&color("light")).await?;
    Ok(())
}

/// A diagram that cannot be drawn shows its text, and its line is told; the rest stays.
#[tokio::test(flavor = "multi_thread")]
async fn a_broken_diagram_shows_its_text_and_tells_its_line() -> Result<()> {
    let stage = Stage::open(Setup::default()).await?;
    stage.show("markdown", "# Plan\n\n```mermaid\ngraph TD\n  A --> --> B[[\n```\n\nAfter.\n").await?;
    let frame =
        stage.page.frame_within("document.querySelector('[data-slot=diagram-failed] code')", 3 * PATIENCE).await?;
    assert!(frame.text().await?.contains("After."));
    let error = stage.error("diagram cannot be drawn").await?;
    assert_eq!(error["line"], 3, "{error}");
    Ok(())
}

/// Half a document is half a document: what is closed is drawn, a fence that is still open is text.
#[tokio::test(flavor = "multi_thread")]
async fn markdown_and_svg_show_what_is_closed_while_they_are_written() -> Result<()> {
    let source = "<antArtifact identifier=\"doc\" type=\"text/markdown\" title=\"Doc\">\n# Title\n\nText.\n\n```mermaid\ngraph TD\n  A --> B\n  B --> C\n  C --> D\n```\n\nEnd.\n</antArtifact>\n\n<antArtifact identifier=\"pic\" type=\"image/svg+xml\" title=\"Pic\">\n<svg viewBox=\"0 0 100 50\"><rect id=\"one\" width=\"40\" height=\"20\" fill=\"teal\"/>{DOTS}<text x=\"10\" y=\"45\">Ende</text></svg>\n</antArtifact>\n";
    // Long enough to be looked at on a busy machine while it is written.
    let dots = "<circle cx=\"70\" cy=\"25\" r=\"2\"/>".repeat(40);
    let source = source.replace("{DOTS}", &dots);
    let model = ScriptedModel::start([Script::new(source).pause(Duration::from_millis(50))]).await?;
    let stage = Stage::open(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    stage.ui4a.say(&stage.session, "A document and a picture").await?;
    let document = stage.page.frame_within("document.querySelector('h1')?.innerText === 'Title'", 2 * PATIENCE).await?;
    document.wait_for("document.querySelector('pre code')?.innerText.includes('graph')").await?;
    let half = "document.querySelector('svg #one') && !document.querySelector('svg text')";
    let picture = stage.page.frame_within(half, 2 * PATIENCE).await?;
    picture.wait_for("document.querySelector('svg text')?.textContent === 'Ende' && document.querySelector('svg').getBoundingClientRect().width > 90").await?;
    document.wait_for("document.querySelector('.ui4a-diagram svg')").await?;
    let log = stage.ui4a.wait_for_turns(&stage.session, 1, PATIENCE).await?;
    let errors: Vec<&Value> = log
        .iter()
        .filter(|event| event["type"] == "artifact.report")
        .flat_map(|event| event["errors"].as_array().into_iter().flatten())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn svg_is_sized_and_its_scripts_do_not_run() -> Result<()> {
    let stage = Stage::open(Setup::default()).await?;
    stage.show("svg", SVG).await?;
    let frame = stage.page.frame_where("document.querySelector('svg rect')").await?;
    frame.wait_for("document.querySelector('svg').getBoundingClientRect().height > 100").await?;
    assert_eq!(frame.eval("typeof window.fromSvg").await?, "undefined");
    stage.page.wait_for("document.querySelector('iframe.frame').clientHeight < 700").await
}
