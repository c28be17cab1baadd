//! The real default model: what must hold for any answer. A binary of its own, so that it has the machine to itself.

use anyhow::Result;
use std::time::Duration;
use ui4a_tests::{Browser, Setup, Ui4a};

/// A busy machine of two cores writes several tokens a second.
const PATIENCE: Duration = Duration::from_secs(900);

#[tokio::test(flavor = "multi_thread")]
async fn the_default_model_makes_an_interface_that_works() -> Result<()> {
    let env = vec![("UI4A_MAX_TOKENS".to_owned(), "900".to_owned())];
    let ui4a = Ui4a::start(Setup { env, ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let session = ui4a.session().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.say(&session, "A tip calculator with a slider for tip percent and number of people").await?;
    page.frame_within("document.body.innerText.trim().length > 0", PATIENCE).await?;
    let early = ui4a.log(&session).await?;
    assert!(!early.iter().any(|event| event["type"] == "turn.finished"), "content came before the end");

    let settled = |log: &[serde_json::Value]| -> Option<u64> {
        let closed = log.iter().rev().find(|event| event["type"] == "artifact.closed")?["rev"].as_u64()?;
        let last = log.iter().rev().find(|event| event["type"] == "artifact.report" && event["rev"] == closed)?;
        let running = log.iter().filter(|event| event["type"] == "turn.started").count()
            > log
                .iter()
                .filter(|event| matches!(event["type"].as_str(), Some("turn.finished" | "turn.failed")))
                .count();
        (!running && last["status"] == "rendered").then_some(closed)
    };
    let log = ui4a_tests::eventually("a final revision that renders", PATIENCE, || async {
        let log = ui4a.log(&session).await?;
        Ok(settled(&log).map(|_| log))
    })
    .await?;
    let turns = log.iter().filter(|event| event["type"] == "turn.started").count();
    assert!(turns <= 3, "at most two rounds of mending: {turns} turns");
    let rev = settled(&log).expect("a revision");
    let report =
        log.iter().rev().find(|event| event["type"] == "artifact.report" && event["rev"] == rev).expect("a report");
    assert_eq!(report["errors"].as_array().map_or(0, Vec::len), 0, "{report}");
    assert!(report["height"].as_u64() > Some(20), "it is not blank: {report}");
    let foreign: Vec<_> = page.requests().into_iter().filter(|url| !ui4a.owns(url)).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    Ok(())
}
