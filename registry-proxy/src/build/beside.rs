//! Files that a module names beside itself, `new URL("./x.wasm", import.meta.url)`: data is stored as it is, a script is
//! bundled into one that stands alone, as a worker wants it.

use super::bundler::{Job, bundle_boxed};
use super::css::{self, Assets};
use super::locate::{Located, Manner};
use super::plugin::ScenePlugin;
use super::virtuals::quote;
use base64::Engine as _;
use regex::Regex;
use rolldown::OutputFormat;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    // Comments stand before the address where bundlers are told of it.
    let pattern =
        r#"new\s+URL\(\s*(?:/\*[^*]*\*/\s*)?["'`](\.{1,2}/[^"'`$\s]+|[\w./-]+\.\w+)["'`]\s*,\s*import\.meta\.url"#;
    Regex::new(pattern).ok()
});

impl ScenePlugin {
    /// The text of a module with the addresses of files beside it replaced by where those files are served. None when it has
    /// no such address.
    pub(super) async fn with_addresses(&self, id: &str, code: &str) -> Option<String> {
        if !code.contains("import.meta.url") {
            return None;
        }
        let directory = Path::new(id).parent()?;
        let folder = self.scene.folder(self.scene.owner(Path::new(id))?)?;
        let (mut out, mut at) = (String::new(), 0);
        for found in ADDRESS.as_ref()?.captures_iter(code) {
            let (Some(all), Some(name)) = (found.get(0), found.get(1)) else { continue };
            let relative =
                if name.as_str().starts_with('.') { name.as_str().to_owned() } else { format!("./{}", name.as_str()) };
            let Ok(Located::File { path, .. }) = self.scene.locator.inner(folder, directory, &relative, Manner::Import)
            else {
                continue;
            };
            let is_script = matches!(path.extension().and_then(|e| e.to_str()), Some("js" | "mjs"));
            let address = match is_script {
                // A module that names itself means where it lies.
                true if path == Path::new(id) => None,
                true => self.script(path).await,
                false => css::asset(&self.scene, &path, self.assets()),
            };
            let Some(address) = address else { continue };
            out.push_str(&code[at..all.start()]);
            out.push_str(&format!("new URL({}, import.meta.url", quote(&address)));
            at = all.end();
        }
        (at > 0).then(|| out + &code[at..])
    }

    /// The address of a script that holds all that it imports.
    async fn script(&self, path: PathBuf) -> Option<String> {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let job = Job {
            scene: Arc::clone(&self.scene),
            inside: BTreeSet::new(),
            given: BTreeMap::new(),
            specifiers: BTreeMap::new(),
            input: path.to_string_lossy().into_owned(),
            whole: true,
            format: OutputFormat::Iife,
            minify: true,
            map: false,
            name: name.clone(),
        };
        let bundle = match bundle_boxed(job, self.packages.clone(), false).await {
            Ok(bundle) => bundle,
            Err(error) => {
                self.found().warnings.insert(format!("the worker `{name}` could not be built: {error}"));
                return None;
            }
        };
        self.found().warnings.extend(bundle.found.warnings);
        self.found().needed.extend(bundle.found.needed);
        self.found().answers.extend(bundle.found.answers);
        let code = &bundle.chunk.code;
        match self.assets() {
            Assets::Stored => Some(format!("./{}", self.scene.store.put(code.as_bytes(), "js").ok()?)),
            Assets::Embedded => {
                let encoded = base64::engine::general_purpose::STANDARD.encode(code);
                Some(format!("data:text/javascript;base64,{encoded}"))
            }
        }
    }
}
