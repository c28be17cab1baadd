//! How a whole revision looks is measured in its frame and told as diagnostics, with the line that it is about.

use crate::sources::DASHBOARD;
use anyhow::Result;
use ui4a_tests::Stage;

const MARK: &str = "/*!*/";

/// Name, source, the expected code, and words of the message.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        "pale",
        "export default function App() {\n  return (\n    <div className=\"bg-white p-4\">\n      <h1 className=\"text-black\">Fine</h1>\n      <p className=\"text-gray-300\">Hard to read</p> {/*!*/}\n    </div>\n  );\n}",
        "layout-low-contrast",
        "“Hard to read” has a contrast of",
    ),
    (
        "pale-on-see-through",
        "function Note() {\n  return <p className=\"bg-white/80 text-white\">White on nearly white</p>; /*!*/\n}\nexport default function App() {\n  return <div style={{ background: \"#ffffff\" }}><Note /></div>;\n}",
        "layout-low-contrast",
        "text of this size needs 4.5",
    ),
    (
        "wide",
        "export default function App() {\n  return (\n    <div>\n      <p>Before</p>\n      <div style={{ width: 3000 }} className=\"far-too-wide\">Stretches</div> {/*!*/}\n    </div>\n  );\n}",
        "layout-overflow",
        "px wider than the frame",
    ),
    (
        "cut-off",
        "export default function App() {\n  return (\n    <div style={{ width: 120 }}>\n      <p style={{ overflow: \"hidden\", whiteSpace: \"nowrap\" }}>A sentence that does not fit at all</p> {/*!*/}\n    </div>\n  );\n}",
        "layout-overflow",
        "is cut off by its own box",
    ),
    (
        "out-of-reach",
        "export default function App() {\n  return (\n    <div>\n      <p>Here</p>\n      <button style={{ position: \"absolute\", left: -300, width: 100 }}>Unreachable</button> {/*!*/}\n    </div>\n  );\n}",
        "layout-off-screen",
        "“Unreachable” lies outside",
    ),
    (
        "no-height",
        "export default function App() {\n  return (\n    <div>\n      <p>A chart</p>\n      <div className=\"chart-box\"><svg width=\"100%\" height=\"100%\" style={{ height: \"0px\" }}><rect width=\"10\" height=\"10\" /></svg></div>\n    </div>\n  );\n}",
        "layout-zero-height",
        "has no height",
    ),
    (
        "blank",
        "export default function App() {\n  const rows = [];\n  return <div className=\"p-4\">{rows.map((row) => <p key={row}>{row}</p>)}</div>;\n}",
        "layout-blank",
        "Nothing is visible",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_looks_wrong_is_told_with_its_line() -> Result<()> {
    let stage = Stage::open().await?;
    let mut wrong = Vec::new();
    for (name, source, code, words) in CASES {
        let artifact = stage.show(name, "tsx", source).await?;
        let report = stage.looked_at(&artifact).await?;
        let findings = report["findings"].as_array().cloned().unwrap_or_default();
        let found = findings.iter().find(|found| found["code"] == *code);
        let line = source.lines().position(|line| line.contains(MARK)).map(|at| at as u64 + 1);
        let fits = found.is_some_and(|found| {
            found["phase"] == "layout"
                && found["message"].as_str().is_some_and(|message| message.contains(words))
                && line.is_none_or(|line| found["line"] == line)
        });
        let severity = if matches!(*code, "layout-blank" | "layout-zero-height") { "error" } else { "warning" };
        if !fits || found.is_some_and(|found| found["severity"] != severity) {
            wrong.push(format!("{name}: expected {code} on line {line:?}, found {findings:#?}"));
        }
    }
    anyhow::ensure!(wrong.is_empty(), "{}", wrong.join("\n"));

    // They are on the page too, and lead to the line.
    stage.page.wait_for("document.querySelector('.card .findings-badge:not([hidden])')").await?;
    stage.page.eval("document.querySelector('.card .findings-badge').click()").await?;
    stage.page.eval("document.querySelector('.card-findings button.finding-at').click()").await?;
    stage.page.wait_for("document.querySelector('.card .source-view:not([hidden]) .source-mark:not([hidden])')").await
}

/// What must not be said: a picture behind text, a closed panel, text for screen readers, a scrolling table, large type.
const FINE: &str = r##"
export default function App() {
  return (
    <div className="p-4 bg-white text-black dark:bg-black dark:text-white">
      <div style={{ backgroundImage: "linear-gradient(#000, #444)" }}><p style={{ color: "#777" }}>On a gradient</p></div>
      <details><summary>More</summary><svg width="10" height="10"><rect width="10" height="10" /></svg></details>
      <span className="sr-only">For screen readers</span>
      <div className="overflow-x-auto"><div style={{ width: 3000 }}>Scrolls</div></div>
      <p style={{ fontSize: 30, color: "#8a8a8a", background: "#fff" }}>Large and grey</p>
      <p className="truncate" style={{ width: 60 }}>Says that there is more</p>
      <button disabled style={{ color: "#ccc", background: "#fff" }}>Not now</button>
      <p style={{ opacity: 0 }}>Not there yet</p>
      <a href="#main" style={{ position: "absolute", left: -200 }}>Skip</a>
    </div>
  );
}
"##;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_fine_is_left_alone_in_both_themes() -> Result<()> {
    let stage = Stage::open().await?;
    for dark in [false, true] {
        stage.page.dark(dark).await?;
        for (name, source) in [("fine", FINE), ("dashboard", DASHBOARD)] {
            let name = format!("{name}-{dark}");
            let artifact = stage.show(&name, "tsx", source).await?;
            let report = stage.looked_at(&artifact).await?;
            assert_eq!(report["findings"].as_array().map_or(0, Vec::len), 0, "{name}: {report:#}");
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_html_is_looked_at_too() -> Result<()> {
    let stage = Stage::open().await?;
    let source = "<!doctype html>\n<style>.faint { color: #ddd }</style>\n<h1>Title</h1>\n<p class=\"faint\">Faint words</p>\n<pre style=\"width: 2400px\">wide</pre>\n";
    let artifact = stage.show("page", "html", source).await?;
    let report = stage.looked_at(&artifact).await?;
    let at = |code: &str| {
        let findings = report["findings"].as_array().into_iter().flatten();
        findings
            .filter(|found| found["code"] == code)
            .map(|found| found["line"].as_u64().unwrap_or(0))
            .collect::<Vec<_>>()
    };
    assert_eq!((at("layout-low-contrast"), at("layout-overflow")), (vec![4], vec![5]), "{report:#}");
    Ok(())
}
