//! One page that needs no network: the runtime, the artifact's cells and every module it imports, in one file.

use crate::runtime::Runtime;
use anyhow::Result;
use std::sync::Arc;
use ui4a_registry_proxy::Proxy;
use ui4a_renderer::{Options, compile};
use ui4a_types::{Diagnostic, ImportStatus, Kind, Lock, Severity};
use ui4a_web::frame::{self, Standalone};

/// The source has errors that leave nothing to show.
#[derive(Debug, thiserror::Error)]
#[error("the source cannot be rendered; mend the errors above")]
pub struct Unrenderable {
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// Makes the page.
///
/// # Errors
/// [`Unrenderable`] when the source does not compile; another error when its modules cannot be bundled.
pub async fn page(
    proxy: &Proxy,
    runtime: &Runtime,
    kind: Kind,
    title: &str,
    source: &str,
    lock: Option<&Lock>,
) -> Result<String> {
    let options = Options { kind, kit: Arc::clone(&runtime.kit_names) };
    let compiled = tokio::task::block_in_place(|| compile(source, &options));
    if !compiled.ok {
        let diagnostics = compiled.diagnostics.into_iter().filter(|found| found.severity == Severity::Error).collect();
        return Err(Unrenderable { diagnostics }.into());
    }
    let outside = crate::agent::outside(&compiled.imports);
    let resolution = proxy.resolve(&outside, lock, &|_, _| {}).await;
    // What is not there shows itself as a stub in the page, as it does in a frame.
    let ready = resolution.imports.iter().filter(|(_, import)| import.state == ImportStatus::Ready);
    let entry = frame::standalone_entry(ready.map(|(specifier, _)| specifier.as_str()));
    let modules = proxy.bundle(&entry, Some(&resolution.lock)).await?;
    let page = Standalone {
        title,
        runtime: &runtime.script,
        base_css: &runtime.css,
        modules: &modules,
        kind,
        state: &compiled.state,
    };
    Ok(frame::standalone_document(&page)?)
}
