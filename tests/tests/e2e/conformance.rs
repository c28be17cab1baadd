//! The corpus in a real frame, byte by byte. `make conformance` streams all of it in larger pieces.

use anyhow::Result;
use ui4a_tests::conformance::{Harness, Report, SHORT, corpus};

#[tokio::test(flavor = "multi_thread")]
async fn ten_short_modules_arrive_byte_by_byte_and_nothing_is_lost() -> Result<()> {
    let harness = Harness::start().await?;
    let mut report = Report::default();
    for module in corpus()?.into_iter().filter(|module| SHORT.contains(&module.name.as_str())) {
        report.0.extend(harness.check(&module, &[1]).await?);
    }
    assert_eq!(report.0.len(), SHORT.len());
    assert!(report.0.iter().all(|outcome| outcome.faults.is_empty()), "{}", report.text());
    Ok(())
}
