//! Modules that are fetched: one, and all that it imports by address, become a package of their own in the artifact's graph.
//!
//! So they are built, linked and named like all others, and share React with them: a bare import inside them, or an
//! address that stands for a package, is a dependency of that package.

use super::content::Wanted;
use super::shown;
use crate::graph::PackageId;
use crate::proxy::Proxy;
use crate::specifier::{NpmSpecifier, Specifier, parse};
use crate::{OwnPackage, RegistryError};
use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use url::Url;

/// The fetched modules of an artifact: specifier → its package, or why there is none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remote {
    found: BTreeMap<String, Result<Module, RegistryError>>,
}

#[derive(Clone, Debug)]
struct Module {
    id: PackageId,
    package: Arc<OwnPackage>,
    integrity: String,
}

impl Remote {
    /// The package that a specifier became, if it is an address that was fetched; or why it was not.
    pub(crate) fn package(&self, specifier: &str) -> Option<Result<PackageId, RegistryError>> {
        Some(self.found.get(specifier)?.as_ref().map(|module| module.id.clone()).map_err(Clone::clone))
    }

    /// The integrity of what an address answered.
    pub(crate) fn integrity(&self, specifier: &str) -> Option<&str> {
        self.found.get(specifier)?.as_ref().ok().map(|module| module.integrity.as_str())
    }

    /// All packages, to be added to our own.
    pub(crate) fn packages(&self) -> impl Iterator<Item = (PackageId, Arc<OwnPackage>)> {
        self.found.values().flatten().map(|module| (module.id.clone(), Arc::clone(&module.package)))
    }
}

impl Proxy {
    /// Fetches the modules among `specifiers` that are addresses and stand for no package.
    pub(crate) async fn remote_modules(&self, specifiers: impl IntoIterator<Item = &str>) -> Remote {
        let addresses = specifiers.into_iter().filter_map(|specifier| match parse(specifier) {
            Ok(Specifier::Address(address)) => Some((specifier.to_owned(), address)),
            _ => None,
        });
        let fetching = addresses.map(|(specifier, address)| async move {
            let module = self.remote_module(&address).await;
            (specifier, module)
        });
        Remote { found: futures::future::join_all(fetching).await.into_iter().collect() }
    }

    async fn remote_module(&self, address: &str) -> Result<Module, RegistryError> {
        let refuse = |reason: String| RegistryError::Forbidden { address: shown(address), reason };
        let root = Url::parse(address).map_err(|error| refuse(error.to_string()))?;
        let mut work = Work::default();
        work.file(&root);
        let (mut size, mut integrity) = (0_u64, String::new());
        while let Some((url, file)) = work.todo.pop_front() {
            let fetched = self.web.get(&url, Wanted::Script).await?;
            size += fetched.bytes.len() as u64;
            if size > self.limits.address_bytes || work.files.len() > self.limits.address_files {
                let limit = self.limits.address_files as u64;
                return Err(RegistryError::Limit { name: shown(address), what: "modules", limit });
            }
            if integrity.is_empty() {
                integrity.clone_from(&fetched.integrity);
            }
            let text = String::from_utf8_lossy(&fetched.bytes).into_owned();
            let text = work
                .rewritten(&text, &fetched.url)
                .map_err(|reason| RegistryError::Address { address: shown(url.as_str()), reason })?;
            work.texts.insert(file, text);
        }
        let hash = hex::encode(Sha256::digest(address));
        let package = OwnPackage {
            name: format!("$web/{}", &hash[..24]),
            files: work.texts,
            entries: BTreeMap::from([(String::new(), file_name(0))]),
            dependencies: work.dependencies,
            ..OwnPackage::default()
        };
        let id = PackageId::new(&package.name, package.version());
        Ok(Module { id, package: Arc::new(package), integrity })
    }
}

fn file_name(number: usize) -> String {
    format!("m{number}.js")
}

#[derive(Default)]
struct Work {
    /// Address → file.
    files: BTreeMap<String, String>,
    todo: VecDeque<(Url, String)>,
    /// File → text.
    texts: BTreeMap<String, String>,
    dependencies: BTreeMap<String, String>,
}

impl Work {
    fn file(&mut self, url: &Url) -> String {
        let next = file_name(self.files.len());
        if let Some(known) = self.files.get(url.as_str()) {
            return known.clone();
        }
        self.files.insert(url.to_string(), next.clone());
        self.todo.push_back((url.clone(), next.clone()));
        next
    }

    /// A module's text with its specifiers replaced by files of the package and by names of dependencies.
    fn rewritten(&mut self, text: &str, base: &Url) -> Result<String, String> {
        let mut out = String::with_capacity(text.len());
        let mut last = 0;
        for (start, end) in specifiers(text)? {
            let written = text.get(start..end).unwrap_or_default();
            let Some(specifier) = unquoted(written) else { continue };
            let Some(target) = self.target(specifier, base) else { continue };
            out.push_str(&text[last..start]);
            out.push_str(&format!("{:?}", target));
            last = end;
        }
        out.push_str(&text[last..]);
        Ok(out)
    }

    fn target(&mut self, specifier: &str, base: &Url) -> Option<String> {
        let relative = specifier.starts_with('.') || specifier.starts_with('/');
        let absolute = if relative { base.join(specifier).ok()?.to_string() } else { specifier.to_owned() };
        match parse(&absolute).ok()? {
            Specifier::Npm(npm) => Some(self.depend(npm)),
            Specifier::Address(address) => Some(format!("./{}", self.file(&Url::parse(&address).ok()?))),
            Specifier::Relative | Specifier::NodeBuiltin(_) => None,
        }
    }

    fn depend(&mut self, npm: NpmSpecifier) -> String {
        // Of two ranges the first counts: a graph has one version for each name here.
        self.dependencies.entry(npm.name.clone()).or_insert_with(|| npm.range.unwrap_or_else(|| "*".to_owned()));
        if npm.subpath.is_empty() { npm.name } else { format!("{}/{}", npm.name, npm.subpath) }
    }
}

/// The places of all specifiers of a module, quotes included, in order.
fn specifiers(text: &str) -> Result<BTreeSet<(usize, usize)>, String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::mjs()).parse();
    if parsed.panicked {
        return Err("it is no JavaScript module".to_owned());
    }
    let record = &parsed.module_record;
    let requested = record.requested_modules.values().flat_map(|uses| uses.iter().map(|used| used.span));
    let dynamic = record.dynamic_imports.iter().map(|import| import.module_request);
    Ok(requested.chain(dynamic).map(|span| (span.start as usize, span.end as usize)).collect())
}

/// The text of a plain string literal.
fn unquoted(literal: &str) -> Option<&str> {
    let quote = literal.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let inner = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains(['\\', quote])).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_become_files_and_dependencies() {
        let mut work = Work::default();
        let base = Url::parse("https://a.test/lib/main.js").expect("an address");
        work.file(&base);
        let text = "import x from './x.js';\nimport { y } from \"https://esm.sh/react@18/jsx-runtime\";\nexport * from '/z.js';\n\
                    const later = () => import('../w.js'), s = './x.js';\nimport 'left-pad';";
        let out = work.rewritten(text, &base).expect("parses");
        assert_eq!(
            out,
            "import x from \"./m1.js\";\nimport { y } from \"react/jsx-runtime\";\nexport * from \"./m2.js\";\n\
             const later = () => import(\"./m3.js\"), s = './x.js';\nimport \"left-pad\";"
        );
        assert_eq!(work.dependencies["react"], "18");
        assert_eq!(work.dependencies["left-pad"], "*");
        assert!(work.files.contains_key("https://a.test/w.js"), "{:?}", work.files);
    }
}
