//! One script with everything in it, for a page that must open with no network.

use super::Proxy;
use super::progress::{ALWAYS, Request, request};
use crate::build::bundler::{Job, joined_styles};
use crate::build::locate::Locator;
use crate::build::scene::Scene;
use crate::build::virtuals::{GIVEN, quote};
use crate::graph::{Graph, PackageId};
use crate::{OwnPackage, RegistryError};
use rolldown::OutputFormat;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use ui4a_types::Lock;

/// One try at a bundle.
struct Whole {
    text: String,
    /// Optional peers that turned out to be needed.
    missing_peers: BTreeSet<String>,
}

impl Proxy {
    /// Bundles an ES module (JavaScript, compiled) and all that it imports into one minified ES module that imports
    /// nothing. Styles of packages are added to the document when it runs; an import that cannot be had is an empty
    /// module.
    ///
    /// # Errors
    /// The source does not parse, a package cannot be fetched, or the bundler refuses.
    ///
    /// # Cancel safety
    /// Dropping the future stops it; what was fetched until then is kept.
    pub async fn bundle(&self, entry_source: &str, lock: Option<&Lock>) -> Result<String, RegistryError> {
        let _lease = crate::cache::lease::take(&self.cache).await;
        let mut own = self.own_packages();
        let mut requests: BTreeMap<String, Request> = BTreeMap::new();
        let imports = self.imports_of(entry_source).await?;
        let remote = self.remote_modules(imports.iter().map(String::as_str)).await;
        for specifier in imports.iter().map(String::as_str).chain(ALWAYS.iter().copied()) {
            requests.insert(specifier.to_owned(), request(specifier, &own, &remote));
        }
        own.extend(remote.packages());
        let mut code = self.whole(entry_source, &requests, lock, &BTreeSet::new(), &own).await?;
        if !code.missing_peers.is_empty() {
            let needed = std::mem::take(&mut code.missing_peers);
            code = self.whole(entry_source, &requests, lock, &needed, &own).await?;
        }
        Ok(code.text)
    }

    async fn whole(
        &self,
        entry_source: &str,
        requests: &BTreeMap<String, Request>,
        lock: Option<&Lock>,
        needed_peers: &BTreeSet<String>,
        own: &BTreeMap<PackageId, Arc<OwnPackage>>,
    ) -> Result<Whole, RegistryError> {
        let (graph, fetches) = self.solve(requests, lock, needed_peers, own).await;
        let mut specifiers = BTreeMap::new();
        for (specifier, request) in requests {
            match request.entry(&graph) {
                Ok(entry) => {
                    specifiers.insert(specifier.clone(), entry);
                }
                // The stand-in is the sandbox's business; what could be had another time is an error here.
                Err(error) if super::progress::is_absent(&error) => {}
                Err(error) => return Err(error),
            }
        }
        let direct = specifiers.values().cloned().collect();
        let (scene, failed) = self.scene(graph, fetches, &direct).await;
        if let Some(error) = failed.into_values().next() {
            return Err(error);
        }
        let bundle = self.builder.run(self.whole_job(scene, entry_source, specifiers)).await?;
        let styles = joined_styles(&bundle.chunk, &bundle.found);
        let mut code = String::new();
        if !styles.is_empty() {
            code.push_str(&format!(
                "{{const s=document.createElement(\"style\");s.textContent={};document.head.append(s)}}\n",
                quote(&styles)
            ));
        }
        code.push_str(&bundle.chunk.code);
        // Within a page the text ends the element that holds it.
        Ok(Whole { text: code.replace("</script", "<\\/script"), missing_peers: bundle.found.needed })
    }

    /// The specifiers of a module's text, as the bundler reads it.
    async fn imports_of(&self, source: &str) -> Result<BTreeSet<String>, RegistryError> {
        let scene = Scene::new(
            Graph::default(),
            BTreeSet::new(),
            BTreeMap::new(),
            Arc::new(Locator::new()),
            Arc::clone(&self.store),
        );
        let job = self.whole_job(Arc::new(scene), source, BTreeMap::new());
        let bundle = self.builder.run(job).await?;
        Ok(bundle.found.asked)
    }

    fn whole_job(&self, scene: Arc<Scene>, source: &str, specifiers: BTreeMap<String, crate::graph::EntryId>) -> Job {
        Job {
            scene,
            inside: BTreeSet::new(),
            given: BTreeMap::from([("artifact".to_owned(), source.to_owned())]),
            specifiers,
            input: format!("{GIVEN}artifact"),
            whole: true,
            format: OutputFormat::Esm,
            minify: true,
            map: false,
            name: "the artifact".to_owned(),
        }
    }
}
