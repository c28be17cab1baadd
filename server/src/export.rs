//! One page that needs no network: the runtime, the artifact's cells and every module it imports, in one file.

use crate::runtime::Runtime;
use anyhow::Result;
use base64::Engine as _;
use std::sync::Arc;
use ui4a_registry_proxy::Proxy;
use ui4a_renderer::{Options, compile};
use ui4a_types::{AddressRole, Diagnostic, ImportStatus, Kind, Lock, Severity};
use ui4a_web::frame::{self, PageFile, Standalone};

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
    let outside = crate::agent::outside(&compiled.imports, kind);
    let resolution = proxy.resolve(&outside, lock, &|_, _| {}).await;
    // What is not there shows itself as a stub in the page, as it does in a frame.
    let ready = resolution.imports.iter().filter(|(_, import)| import.state == ImportStatus::Ready);
    let wanted = |specifier: &str| compiled.imports.contains_key(specifier) || kind != Kind::Html;
    let specifiers = ready.clone().map(|(specifier, _)| specifier.as_str());
    let specifiers = specifiers.filter(|specifier| AddressRole::of_key(specifier).is_none() && wanted(specifier));
    let names = |specifier: &str| resolution.lock.entries.get(specifier).map_or(&[][..], |entry| &entry.names);
    let entry = frame::standalone_entry(kind, specifiers.map(|specifier| (specifier, names(specifier))));
    let modules = proxy.bundle(&entry, Some(&resolution.lock)).await?;
    let keys = ready.filter(|(key, _)| AddressRole::of_key(key).is_some());
    let assets = keys.filter_map(|(key, import)| Some((key.clone(), file(proxy, import.url.as_deref()?)?))).collect();
    let lock = serde_json::to_string(&resolution.lock)?;
    let page = Standalone {
        lock: &lock,
        title,
        runtime: &runtime.script,
        base_css: &runtime.css,
        modules: &modules,
        kind,
        state: &compiled.state,
        assets: &assets,
    };
    Ok(frame::standalone_document(&page)?)
}

/// A stored file as a page holds it. A style sheet takes its fonts and images with it: from within a page it could name
/// none.
fn file(proxy: &Proxy, url: &str) -> Option<PageFile> {
    let module = proxy.module(url.strip_prefix("/m/")?)?;
    let bytes = if module.content_type.starts_with("text/css") {
        with_its_files(proxy, &String::from_utf8_lossy(&module.bytes)).into_bytes()
    } else {
        module.bytes
    };
    Some(PageFile { media_type: module.content_type.to_owned(), data: encoded(&bytes) })
}

/// Length of the name of a stored file, up to its extension.
const NAME: usize = 64;

fn with_its_files(proxy: &Proxy, css: &str) -> String {
    let (mut out, mut rest) = (String::new(), css);
    while let Some(at) = rest.find("./") {
        let tail = &rest[at + 2..];
        let end = tail.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(tail.len());
        let stored = tail[..end].get(..NAME).and_then(|_| proxy.module(&tail[..end]));
        out.push_str(&rest[..at]);
        match stored {
            Some(file) => {
                let media_type = file.content_type.replace(' ', "");
                out.push_str(&format!("data:{media_type};base64,{}", encoded(&file.bytes)));
                rest = &tail[end..];
            }
            None => {
                out.push_str("./");
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    out
}

fn encoded(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
