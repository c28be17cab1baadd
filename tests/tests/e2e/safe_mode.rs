//! What froze is not run again by a reload; it can be opened without being run, read, mended, and run all the same.

use anyhow::Result;
use serde_json::Value;
use ui4a_tests::{PATIENCE, Stage};

/// Freezes while it is read, where no guard sees it.
const FREEZES: &str =
    "const spin = new Function('for (;;);');\nspin();\nexport default function App() {\n  return <p>never</p>;\n}";
const MENDED: &str = "export default function App() {\n  return <p>mended at last</p>;\n}";
const FINE: &str = "export default function App() {\n  return <p>all is fine</p>;\n}";

fn is_frozen(report: &Value) -> bool {
    report["errors"].as_array().is_some_and(|errors| errors.iter().any(|error| error["code"] == "frozen"))
}

#[tokio::test(flavor = "multi_thread")]
async fn f1_a_reload_does_not_run_again_what_froze() -> Result<()> {
    let stage = Stage::open().await?;
    let artifact = stage.show("freezes", "tsx", FREEZES).await?;
    stage.report_where(&artifact, "the freeze", is_frozen).await?;
    stage.page.wait_for("document.querySelector('.safe')?.innerText.includes('stopped answering')").await?;

    stage.page.reload().await?;
    stage.page.wait_for("document.querySelector('.safe')?.innerText.includes('It froze when it ran before')").await?;
    stage.page.wait_for("document.querySelector('.safe code').textContent.includes('new Function')").await?;
    assert!(stage.page.frames().is_empty(), "nothing runs");
    assert_eq!(stage.reports(&artifact).await?.iter().filter(|report| is_frozen(report)).count(), 1);

    // Where it is embedded, neither.
    let share = stage.ui4a.post(&format!("/api/artifacts/{artifact}/shares"), serde_json::json!({})).await?;
    let embedded = stage.browser.open(share["url"].as_str().unwrap_or_default()).await?;
    embedded.wait_for("document.body.innerText.includes('was not run again')").await?;
    assert!(embedded.frames().is_empty());
    embedded.close().await?;

    // By keyboard: run it, and be told again.
    stage.page.eval("document.querySelector('.safe button[data-kind=primary]').focus()").await?;
    stage.page.press("Enter").await?;
    let twice = || async {
        let frozen = stage.reports(&artifact).await?.iter().filter(|report| is_frozen(report)).count();
        Ok((frozen == 2).then_some(()))
    };
    ui4a_tests::eventually("the second freeze", PATIENCE, twice).await?;

    // The next revision is another: it runs, also after a reload.
    stage.show("freezes", "tsx", MENDED).await?;
    stage.frame_with("mended at last").await?;
    stage.page.reload().await?;
    stage.page.wait_for("document.querySelector('.card')").await?;
    stage.page.click(".card-title").await?;
    stage.frame_with("mended at last").await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interface_is_opened_without_being_run_from_its_menu() -> Result<()> {
    let stage = Stage::open().await?;
    let artifact = stage.show("fine", "tsx", FINE).await?;
    stage.looked_at(&artifact).await?;
    stage.frame_with("all is fine").await?;
    // All by keyboard: open the menu, go to its last item, choose it.
    stage.page.eval("document.querySelector('.card .menu summary').focus()").await?;
    stage.page.press("Enter").await?;
    stage.page.wait_for("document.querySelector('.card .menu').open").await?;
    for _ in 0..8 {
        stage.page.press("Tab").await?;
        if stage.page.eval("document.activeElement.textContent").await? == "Open without running" {
            break;
        }
    }
    stage.page.press("Enter").await?;
    stage.page.wait_for("document.querySelector('.safe')?.innerText.includes('without being run')").await?;
    ui4a_tests::eventually("the frame to be gone", PATIENCE, || async {
        Ok(stage.page.frames().is_empty().then_some(()))
    })
    .await?;
    stage.page.wait_for("document.querySelector('.safe code').textContent.includes('all is fine')").await?;
    stage.page.click(".safe button[data-kind=primary]").await?;
    stage.frame_with("all is fine").await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_is_asked_for_with_the_evidence() -> Result<()> {
    let stage = Stage::open().await?;
    let artifact = stage.show("freezes", "tsx", FREEZES).await?;
    stage.report_where(&artifact, "the freeze", is_frozen).await?;
    stage.page.wait_for("!document.querySelector('.safe').hidden").await?;
    stage.page.click(".safe-actions button:nth-of-type(2)").await?;
    stage.page.wait_for("document.querySelector('.safe-note').textContent.startsWith('Asked.')").await?;
    // What a coding assistant rendered is mended there: it reads the request as an action.
    let actions = stage.ui4a.get(&format!("/api/artifacts/{artifact}/actions?after=0")).await?;
    let asked = actions["actions"][0]["text"].as_str().unwrap_or_default().to_owned();
    assert!(asked.contains("Please mend “freezes”") && asked.contains("stopped answering"), "{actions}");

    stage.show("freezes", "tsx", MENDED).await?;
    stage.frame_with("mended at last").await.map(drop)
}
