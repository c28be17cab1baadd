//! The bundler's eyes: what an import means is decided here, by the artifact's graph, and nowhere else.

use super::css::{self, Assets};
use super::locate::{Located, Manner, PLACEHOLDER, governing, placeholder, split_bare};
use super::raw::Question;
use super::scene::{Meaning, Scene};
use super::virtuals::{self, BUILTIN, EMPTY, GIVEN, REQUIRE, THROWS, quote};
use crate::graph::{EntryId, PackageId};
use crate::limits::BUILD_BYTES;
use rolldown::plugin::{
    HookLoadArgs, HookLoadOutput, HookLoadReturn, HookResolveIdArgs, HookResolveIdOutput, HookResolveIdReturn,
    HookTransformArgs, HookTransformOutput, HookTransformOutputMap, HookTransformReturn, HookUsage, Plugin,
    PluginContext, SharedLoadPluginContext, SharedTransformPluginContext,
};
use rolldown_common::side_effects::HookSideEffects;
use rolldown_common::{ImportKind, ModuleType};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a build found on its way.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Bytes of the files that were read.
    pub read: u64,
    /// Placeholder or view → entry that stays outside.
    pub externals: BTreeMap<String, EntryId>,
    /// Style sheet's file → its text.
    pub styles: BTreeMap<String, String>,
    /// Optional peers, and packages that stand for Node's modules, that are imported and not there.
    pub needed: BTreeSet<String>,
    /// What was asked of the graph, with its answers.
    pub answers: BTreeMap<Question, String>,
    /// Whether a file is imported only when code asks for it.
    pub has_dynamic: bool,
    /// Specifiers of given modules.
    pub asked: BTreeSet<String>,
    /// What a person should know.
    pub warnings: BTreeSet<String>,
}

/// Resolves and loads for one build.
#[derive(Debug)]
pub(crate) struct ScenePlugin {
    pub scene: Arc<Scene>,
    /// Entries that this build holds, though their packages are single.
    pub inside: BTreeSet<EntryId>,
    /// Text of given modules by name.
    pub given: BTreeMap<String, String>,
    /// What the specifiers of given modules mean, where they are not files.
    pub specifiers: BTreeMap<String, EntryId>,
    /// Whether everything is taken in, and assets are embedded.
    pub whole: bool,
    /// The folder of all packages.
    pub packages: PathBuf,
    pub found: Mutex<Found>,
}

impl ScenePlugin {
    pub(crate) fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn assets(&self) -> Assets {
        if self.whole { Assets::Embedded } else { Assets::Stored }
    }

    fn resolve(&self, args: &HookResolveIdArgs<'_>) -> Result<Option<HookResolveIdOutput>, String> {
        let specifier = args.specifier;
        if [GIVEN, BUILTIN, THROWS, EMPTY, REQUIRE].iter().any(|prefix| specifier.starts_with(prefix)) {
            return Ok(Some(HookResolveIdOutput::from_id(specifier)));
        }
        if specifier.starts_with(PLACEHOLDER) {
            return Ok(Some(outside(specifier)));
        }
        if specifier.starts_with("data:") || specifier.starts_with('\0') {
            return Ok(None);
        }
        if args.kind == ImportKind::DynamicImport {
            self.found().has_dynamic = true;
        }
        let manner = if args.kind == ImportKind::Require { Manner::Require } else { Manner::Import };
        let importer = args.importer.filter(|importer| !importer.starts_with("ui4a-"));
        let Some(importer) = importer else { return self.given_target(specifier, manner).map(Some) };
        let Some(owner) = self.scene.owner(Path::new(importer)) else {
            return Ok(None);
        };
        if specifier.starts_with('.') || specifier.starts_with('#') {
            return self.inner(owner, importer, specifier, manner).map(Some);
        }
        if specifier.starts_with('/') || specifier.contains("://") {
            return Err(format!("{owner} imports `{specifier}`, an address, which is not fetched"));
        }
        Ok(Some(self.bare(owner, specifier, args.kind, manner)))
    }

    /// Imports of the build's own text: files by path, or specifiers of the artifact.
    fn given_target(&self, specifier: &str, manner: Manner) -> Result<HookResolveIdOutput, String> {
        if Path::new(specifier).is_absolute()
            && let Some(owner) = self.scene.owner(Path::new(specifier))
        {
            let folder = self.scene.folder(owner).unwrap_or(Path::new("/"));
            return Ok(file(PathBuf::from(specifier), governing(Path::new(specifier), folder)));
        }
        self.found().asked.insert(specifier.to_owned());
        match self.specifiers.get(specifier) {
            Some(entry) => match self.scene.locate(entry, manner) {
                Ok(located) => Ok(located_output(located)),
                Err(error) => Err(error.to_string()),
            },
            None => Ok(HookResolveIdOutput::from_id(format!("{EMPTY}{specifier}"))),
        }
    }

    fn inner(
        &self,
        owner: &PackageId,
        importer: &str,
        specifier: &str,
        manner: Manner,
    ) -> Result<HookResolveIdOutput, String> {
        let directory = Path::new(importer).parent().unwrap_or(Path::new("/"));
        let folder = self.scene.folder(owner).unwrap_or(directory);
        match self.scene.locator.inner(folder, directory, specifier, manner) {
            Ok(located) => Ok(located_output(located)),
            Err(reason) if manner == Manner::Require => {
                self.found()
                    .warnings
                    .insert(format!("{owner} requires `{specifier}`, which it does not hold ({reason})"));
                Ok(HookResolveIdOutput::from_id(format!("{THROWS}{specifier}")))
            }
            Err(reason) => Err(format!("{owner} imports `{specifier}`: {reason}")),
        }
    }

    fn bare(&self, owner: &PackageId, specifier: &str, kind: ImportKind, manner: Manner) -> HookResolveIdOutput {
        let require = manner == Manner::Require;
        let question = Question { owner: owner.clone(), specifier: specifier.to_owned(), require };
        let answer = self.scene.answer(&question);
        self.found().answers.insert(question, answer);
        match self.scene.bare(owner, specifier, manner) {
            Meaning::Own(located) => located_output(located),
            Meaning::Nothing => HookResolveIdOutput::from_id(format!("{EMPTY}{specifier}")),
            Meaning::Builtin(name) => {
                self.found().warnings.insert(format!("{owner} uses Node's `{name}`, which browsers do not have"));
                HookResolveIdOutput::from_id(format!("{BUILTIN}{name}:{}", owner.name))
            }
            Meaning::Entry(entry) => self.entry(owner, entry, specifier, manner),
            Meaning::Needs { package, builtin } => {
                self.found().needed.insert(package.to_owned());
                HookResolveIdOutput::from_id(format!("{BUILTIN}{builtin}:{}", owner.name))
            }
            Meaning::Missing(reason) => self.missing(owner, specifier, &reason, kind),
        }
    }

    fn entry(&self, owner: &PackageId, entry: EntryId, specifier: &str, manner: Manner) -> HookResolveIdOutput {
        let located = match self.scene.locate(&entry, manner) {
            Ok(located) => located,
            Err(error) => {
                let kind = if manner == Manner::Require { ImportKind::Require } else { ImportKind::Import };
                return self.missing(owner, specifier, &error.to_string(), kind);
            }
        };
        let code = match &located {
            Located::File { path, .. } => {
                path.extension().is_none_or(|extension| !matches!(extension.to_str(), Some("css" | "json")))
            }
            Located::Nothing => false,
        };
        let outside_of_here =
            code && !self.whole && self.scene.is_outside(owner, &entry.package) && !self.inside.contains(&entry);
        if !outside_of_here {
            return located_output(located);
        }
        let name = placeholder(&entry);
        self.found().externals.insert(name.clone(), entry.clone());
        match manner {
            Manner::Import => outside(&name),
            Manner::Require => {
                let view = format!("{REQUIRE}{entry}");
                self.found().externals.insert(view.clone(), entry);
                HookResolveIdOutput::from_id(view)
            }
        }
    }

    fn missing(&self, owner: &PackageId, specifier: &str, reason: &str, kind: ImportKind) -> HookResolveIdOutput {
        self.found().warnings.insert(format!("{owner} imports `{specifier}`, which is not there: {reason}"));
        let (name, _) = split_bare(specifier);
        let manifest = self.scene.graph.nodes.get(owner).map(|node| &node.manifest);
        if kind == ImportKind::Import && manifest.is_some_and(|manifest| manifest.optional_peers.contains(name)) {
            self.found().needed.insert(name.to_owned());
        }
        let prefix = if kind == ImportKind::Import { EMPTY } else { THROWS };
        HookResolveIdOutput::from_id(format!("{prefix}{specifier}"))
    }

    /// Counts a file that is read: the memory of a build grows with the text that it holds.
    fn weigh(&self, path: &Path) -> Result<(), String> {
        let bytes = path.metadata().map_or(0, |found| found.len());
        {
            let mut found = self.found();
            found.read = found.read.saturating_add(bytes);
        }
        self.exceeded().map_or(Ok(()), Err)
    }

    /// The bound that the build met, in words.
    pub(crate) fn exceeded(&self) -> Option<String> {
        let too_much = self.found().read > BUILD_BYTES;
        too_much.then(|| format!("it exceeds the limit of {BUILD_BYTES} bytes of source in one build"))
    }

    /// The text of a module that the bundler cannot read from disk by itself.
    fn text(&self, id: &str) -> Result<Option<String>, String> {
        if let Some(name) = id.strip_prefix(GIVEN) {
            return self.given.get(name).cloned().map(Some).ok_or_else(|| format!("there is no given module `{name}`"));
        }
        if id.starts_with(REQUIRE) {
            let entry = self.found().externals.get(id).cloned();
            return entry
                .map(|entry| Some(virtuals::require_view(&entry)))
                .ok_or_else(|| format!("`{id}` was never resolved"));
        }
        if let Some(name) = id.strip_prefix(BUILTIN) {
            let (name, package) = name.split_once(':').unwrap_or((name, "a package"));
            return Ok(Some(virtuals::builtin(name, package)));
        }
        if let Some(name) = id.strip_prefix(THROWS) {
            return Ok(Some(virtuals::throws(name)));
        }
        if id.starts_with(EMPTY) {
            return Ok(Some("module.exports = {};\n".to_owned()));
        }
        let path = Path::new(id);
        let Some(owner) = self.scene.owner(path) else { return Ok(None) };
        self.weigh(path)?;
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        match extension {
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "tsx" | "json" | "" => Ok(None),
            "css" => {
                let style = css::style(&self.scene, owner, path, self.assets())?;
                self.found().styles.insert(id.to_owned(), style.css);
                let names = serde_json::to_string(&style.names).map_err(|error| error.to_string())?;
                Ok(Some(if style.names.is_empty() {
                    "export {};\n".to_owned()
                } else {
                    format!("export default {names};\n")
                }))
            }
            _ => match css::asset(&self.scene, path, self.assets()) {
                Some(address) if address.starts_with("data:") => {
                    Ok(Some(format!("export default {};\n", quote(&address))))
                }
                Some(address) => {
                    Ok(Some(format!("export default new URL({}, import.meta.url).href;\n", quote(&address))))
                }
                None => Ok(None),
            },
        }
    }
}

fn outside(id: &str) -> HookResolveIdOutput {
    HookResolveIdOutput { external: Some(true.into()), ..HookResolveIdOutput::from_id(id) }
}

fn file(path: PathBuf, manifest: Option<PathBuf>) -> HookResolveIdOutput {
    HookResolveIdOutput {
        package_json_path: manifest.map(|path| path.to_string_lossy().into_owned()),
        ..HookResolveIdOutput::from_id(path.to_string_lossy().into_owned())
    }
}

fn located_output(located: Located) -> HookResolveIdOutput {
    match located {
        Located::File { path, manifest } => file(path, manifest),
        Located::Nothing => HookResolveIdOutput::from_id(EMPTY),
    }
}

impl Plugin for ScenePlugin {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("ui4a")
    }

    fn register_hook_usage(&self) -> HookUsage {
        HookUsage::ResolveId | HookUsage::Load | HookUsage::Transform
    }

    async fn resolve_id(&self, _: &PluginContext, args: &HookResolveIdArgs<'_>) -> HookResolveIdReturn {
        self.resolve(args).map_err(|reason| anyhow::anyhow!(reason))
    }

    async fn load(&self, _: SharedLoadPluginContext, args: &HookLoadArgs<'_>) -> HookLoadReturn {
        let Some(code) = self.text(args.id).map_err(|reason| anyhow::anyhow!(reason))? else { return Ok(None) };
        let side_effects = args.id.ends_with(".css").then_some(HookSideEffects::NoTreeshake);
        Ok(Some(HookLoadOutput {
            code: code.into(),
            side_effects,
            module_type: Some(ModuleType::Js),
            ..HookLoadOutput::default()
        }))
    }

    async fn transform(&self, _: SharedTransformPluginContext, args: &HookTransformArgs<'_>) -> HookTransformReturn {
        // The helpers themselves stand in a module without a file.
        let renamed = if Path::new(args.id).is_absolute() { super::shadow::renamed(args.code) } else { None };
        let code = self.with_addresses(args.id, renamed.as_deref().unwrap_or(args.code)).await.or(renamed);
        Ok(code.map(|code| HookTransformOutput {
            code: Some(code),
            map: HookTransformOutputMap::Null,
            ..HookTransformOutput::default()
        }))
    }
}
