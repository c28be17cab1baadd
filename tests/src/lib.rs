//! What the end-to-end tests stand on: a running `ui4a`, a scripted model server, and a real Chromium.
//!
//! The program under test is the one that was built beside these tests; its packages come from the cache that `make test`
//! warmed, everything else is made anew for each test.

pub mod browser;
mod cdp;
pub mod conformance;
pub mod evil;
pub mod hostile;
pub mod model;
pub mod packages;
pub mod page;
pub mod server;
pub mod silent;
pub mod stage;
pub mod tarballs;
pub mod upstream;

pub use browser::Browser;
pub use evil::{Evil, Front};
pub use model::{Script, ScriptedModel};
pub use page::{Frame, Page};
pub use server::{Setup, Ui4a};
pub use silent::Silent;
pub use stage::Stage;
pub use upstream::Upstream;

use std::time::Duration;

/// How long a test waits for something that happens on a busy machine within a second.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Asks again until `probe` answers `Some`, or gives up and says what was waited for.
///
/// # Errors
/// `patience` is over, or `probe` fails.
pub async fn eventually<T, F>(what: &str, patience: Duration, mut probe: impl FnMut() -> F) -> anyhow::Result<T>
where
    F: Future<Output = anyhow::Result<Option<T>>>,
{
    let deadline = tokio::time::Instant::now() + patience;
    loop {
        if let Some(found) = probe().await? {
            return Ok(found);
        }
        anyhow::ensure!(tokio::time::Instant::now() < deadline, "waited {} s in vain: {what}", patience.as_secs());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
