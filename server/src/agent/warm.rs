//! Reading the constant part of the prompts before it is needed, so that nobody has to wait for it.

use crate::app::App;
use futures::StreamExt as _;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use ui4a_engine::mol::{self, Ask};
use ui4a_types::{Specialist, TurnInput};

/// Called when a person opens the page. Once, and only where the model is on this machine: a server is not asked for what
/// nobody wants yet. A request that comes meanwhile waits no longer than it would have, since it needs the same.
pub fn on_open(app: &Arc<App>) {
    if !app.model.wants_warming() {
        return;
    }
    let app = Arc::clone(app);
    tokio::spawn(async move {
        if let Err(error) = warm(&app).await {
            // The first turn meets it again and tells the person.
            tracing::warn!(%error, "the model could not be warmed");
        }
    });
}

async fn warm(app: &App) -> anyhow::Result<()> {
    let backend = app.model.backend().await?;
    app.model.router().route(&*backend, &[], "").await;
    let input = TurnInput::Text(String::new());
    let ask = Ask { specialist: Specialist::L3, history: &[], input: &input, cancel: CancellationToken::new() };
    let mut request = mol::prompt(app.model.profile(), &*backend, ask)?;
    request.max_tokens = 1;
    let mut chunks = backend.generate(request).await?;
    while let Some(chunk) = chunks.next().await {
        chunk?;
    }
    Ok(())
}
