//! Style sheets that are fetched: their `@import`s joined, and the fonts and images they name stored beside them.

use super::content::Wanted;
use super::{Stored, Target, blocking, shown, target};
use crate::RegistryError;
use crate::build::store::Facts;
use crate::proxy::Proxy;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use lightningcss::dependencies::{Dependency, DependencyOptions};
use lightningcss::printer::PrinterOptions;
use lightningcss::stylesheet::{ParserOptions, StyleSheet};
use std::collections::BTreeSet;
use std::sync::Arc;
use ui4a_types::AddressRole;
use url::Url;

/// Deepest chain of `@import`s.
const DEPTH: usize = 4;
/// Files of one style sheet that are fetched at a time.
const AT_ONCE: usize = 6;

/// A style sheet taken apart.
struct Parsed {
    css: String,
    /// Address, media query, `supports` condition.
    imports: Vec<(String, Option<String>, Option<String>)>,
    /// Placeholder and address.
    urls: Vec<(String, String)>,
}

/// What is done for one sheet, with all that it imports.
#[derive(Default)]
struct Work {
    seen: BTreeSet<String>,
    files: Vec<String>,
    integrity: Option<String>,
}

impl Proxy {
    pub(super) async fn remote_sheet(&self, url: &Url) -> Result<Stored, RegistryError> {
        let mut work = Work::default();
        let css = self.sheet_text(url.clone(), DEPTH, &mut work).await?;
        let (store, files) = (Arc::clone(&self.store), work.files);
        let name = blocking(move || {
            let name = store.put(css.as_bytes(), "css")?;
            store.put_facts(&name, Facts { styles: files, ..Facts::default() })?;
            Ok(name)
        })
        .await?;
        let integrity = work.integrity.unwrap_or_default();
        Ok(Stored { name, package: url.to_string(), version: String::new(), integrity })
    }

    /// The text of a sheet and what it imports. Of what it names, that which cannot be had is left out: the rest shows.
    fn sheet_text<'a>(
        &'a self,
        url: Url,
        depth: usize,
        work: &'a mut Work,
    ) -> BoxFuture<'a, Result<String, RegistryError>> {
        Box::pin(async move {
            if !work.seen.insert(url.to_string()) {
                return Ok(String::new());
            }
            let fetched = self.web.get(&url, Wanted::Style).await?;
            work.integrity.get_or_insert(fetched.integrity);
            let text = String::from_utf8_lossy(&fetched.bytes).into_owned();
            let address = shown(url.as_str());
            let parsed = blocking(move || parse(&text, &address)).await?;
            let mut css = String::new();
            for (import, media, supports) in parsed.imports {
                let Ok(import) = fetched.url.join(&import) else { continue };
                if depth == 0 || work.seen.len() >= self.limits.address_files {
                    continue;
                }
                let mut inner = match self.sheet_text(import, depth - 1, work).await {
                    Ok(inner) => inner,
                    Err(error) => {
                        tracing::debug!(%error, "a style sheet's import is left out");
                        continue;
                    }
                };
                if let Some(supports) = supports {
                    inner = format!("@supports {supports}{{{inner}}}");
                }
                if let Some(media) = media {
                    inner = format!("@media {media}{{{inner}}}");
                }
                css.push_str(&inner);
            }
            let room = self.limits.address_files.saturating_sub(work.files.len());
            let base = &fetched.url;
            let named = parsed.urls.into_iter().map(|(placeholder, address)| async move {
                let stored = self.sheet_asset(base, &address).await;
                (placeholder, address, stored)
            });
            let mut body = parsed.css;
            let mut stored: Vec<_> = futures::stream::iter(named.take(room)).buffered(AT_ONCE).collect().await;
            for (placeholder, address, stored) in stored.drain(..) {
                let address = match stored {
                    Some(Ok(name)) => {
                        let address = format!("./{name}");
                        work.files.push(name);
                        address
                    }
                    Some(Err(error)) => {
                        tracing::debug!(%error, "what a style sheet names is left out");
                        "about:invalid".to_owned()
                    }
                    None => address,
                };
                body = body.replace(&placeholder, &address);
            }
            css.push_str(&body);
            Ok(css)
        })
    }

    /// The stored name of what a sheet names; `None` for what is no address to fetch.
    async fn sheet_asset(&self, base: &Url, address: &str) -> Option<Result<String, RegistryError>> {
        if address.starts_with('#') || address.starts_with("data:") {
            return None;
        }
        let url = base.join(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        Some(match target(url.as_str()) {
            Ok(Target::Package(npm)) => {
                self.package_file(&npm, AddressRole::Asset, None).await.map(|stored| stored.name)
            }
            Ok(Target::Web(url)) => match self.web.get(&url, Wanted::Asset).await {
                Ok(fetched) => self.store_bytes(fetched.bytes, fetched.extension).await,
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        })
    }
}

fn parse(text: &str, address: &str) -> Result<Parsed, RegistryError> {
    let fail = |reason: String| RegistryError::Address { address: address.to_owned(), reason };
    let options = ParserOptions { error_recovery: true, filename: address.to_owned(), ..ParserOptions::default() };
    let sheet = StyleSheet::parse(text, options).map_err(|error| fail(format!("it is no style sheet: {error}")))?;
    let print = PrinterOptions {
        minify: true,
        analyze_dependencies: Some(DependencyOptions { remove_imports: true }),
        ..PrinterOptions::default()
    };
    let printed = sheet.to_css(print).map_err(|error| fail(format!("it cannot be written: {error}")))?;
    let mut parsed = Parsed { css: printed.code, imports: Vec::new(), urls: Vec::new() };
    for dependency in printed.dependencies.into_iter().flatten() {
        match dependency {
            Dependency::Import(import) => parsed.imports.push((import.url, import.media, import.supports)),
            Dependency::Url(url) => parsed.urls.push((url.placeholder, url.url)),
        }
    }
    Ok(parsed)
}
