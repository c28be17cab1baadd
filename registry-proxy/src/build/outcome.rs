//! What a run of the bundler made, as it is stored: an entry, and the chunks that it was split into, each with its imports.

use super::bundler::{Builder, Bundle, joined_styles};
use super::chunks::{self, CHUNK, chunk_key};
use super::clauses::{self, Form};
use super::locate::placeholder;
use super::maps;
use super::plugin::Found;
use super::raw::Raw;
use super::scene::Scene;
use super::virtuals::quote;
use crate::RegistryError;
use crate::graph::EntryId;
use rolldown_common::OutputChunk;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// What a chunk may import of its own build.
struct Parts<'a> {
    /// File → chunk.
    chunks: &'a BTreeMap<&'a str, EntryId>,
    /// Chunks that are found in the table.
    later: &'a BTreeSet<&'a EntryId>,
    /// The table, for the entry.
    table: Option<&'a EntryId>,
}

impl Builder {
    /// Stores the chunks of a build, and returns its entry. `key` is the build's.
    pub(super) fn raws(&self, scene: &Scene, bundle: Bundle, entry: &EntryId, key: &str) -> Result<Raw, RegistryError> {
        let has_circle = !bundle.rest.is_empty() && chunks::shape(&bundle.all_chunks()).has_circle;
        let Bundle { chunk, rest, found } = bundle;
        let style = match joined_styles(&chunk, &found) {
            css if css.is_empty() => None,
            css => Some(scene.store.put(css.as_bytes(), "css")?),
        };
        let id = |file: &str| EntryId {
            package: entry.package.clone(),
            subpath: format!("{CHUNK}{}", chunk_key(key, file)),
        };
        let chunks: BTreeMap<&str, EntryId> =
            rest.iter().map(|chunk| (chunk.filename.as_str(), id(&chunk.filename))).collect();
        let mut later: BTreeSet<&EntryId> = BTreeSet::new();
        if has_circle {
            let dynamic = [&chunk].into_iter().chain(&rest).flat_map(|chunk| &chunk.dynamic_imports);
            later.extend(dynamic.filter_map(|file| chunks.get(file.as_str())));
        }
        for chunk in &rest {
            let raw = self.raw(scene, chunk, &found, &Parts { chunks: &chunks, later: &later, table: None }, None)?;
            scene.store.put_raw(&chunk_key(key, &chunk.filename), raw)?;
        }
        let table = match later.is_empty() {
            true => None,
            false => {
                let code = scene.store.put_blob(chunks::table(&later).as_bytes())?;
                let all: BTreeSet<EntryId> = later.iter().map(|id| (*id).clone()).collect();
                let files: Vec<&str> = later.iter().map(|id| id.subpath.as_str()).collect();
                let (id, key) = (id(&files.join(" ")), chunk_key(key, &files.join(" ")));
                scene.store.put_raw(&key, Raw { code, externals: all.clone(), lazy: all, ..Raw::default() })?;
                Some(id)
            }
        };
        let parts = Parts { chunks: &chunks, later: &later, table: table.as_ref() };
        let mut raw = self.raw(scene, &chunk, &found, &parts, style)?;
        raw.inputs = [&chunk].into_iter().chain(&rest).flat_map(|chunk| self.inputs(chunk)).collect();
        raw.missing_peers = found.needed;
        raw.answers = found.answers.into_iter().collect();
        raw.warnings = found.warnings;
        Ok(raw)
    }

    fn raw(
        &self,
        scene: &Scene,
        chunk: &Arc<OutputChunk>,
        found: &Found,
        parts: &Parts<'_>,
        style: Option<String>,
    ) -> Result<Raw, RegistryError> {
        let mut code = chunk.code.clone();
        let mut places: Vec<_> = std::iter::once(0..0).collect();
        for (file, id) in parts.chunks {
            places.extend(clauses::uses(&chunk.code, &format!("./{file}")).into_iter().map(|one| one.range));
            for quote in ['"', '\'', '`'] {
                code = code.replace(&format!("./{file}{quote}"), &format!("{}{quote}", placeholder(id)));
            }
        }
        for id in parts.later {
            code = chunks::through_table(&code, id);
        }
        if let Some(table) = parts.table {
            code = format!("import{};{code}", quote(&placeholder(table)));
        }
        let mut names: BTreeSet<String> = chunk.exports.iter().map(ToString::to_string).collect();
        names.remove("module.exports");
        let (mut externals, mut stars, mut lazy, mut taken) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
        for external in
            found.externals.values().chain(parts.chunks.values()).chain(parts.table).collect::<BTreeSet<_>>()
        {
            let uses = clauses::uses(&code, &placeholder(external));
            // What was shaken out is not loaded.
            if uses.is_empty() {
                continue;
            }
            taken.insert(external.to_string(), clauses::taken(&uses));
            if uses.iter().any(|one| one.form == Form::Star) {
                stars.insert(external.clone());
            }
            if clauses::all_dynamic(&uses) {
                lazy.insert(external.clone());
            }
            externals.insert(external.clone());
        }
        // What is known of a module is kept by the hash of its text, so the text tells modules with other styles apart.
        if let Some(style) = &style {
            code.push_str(&format!("/* {style} */\n"));
        }
        let map = chunk.map.as_ref().and_then(|map| maps::kept(map, (&chunk.code, &code), &places, &self.packages));
        Ok(Raw {
            map: map.map(|map| scene.store.put_blob(&map)).transpose()?,
            code: scene.store.put_blob(code.as_bytes())?,
            names,
            stars,
            externals,
            lazy,
            taken,
            style,
            ..Raw::default()
        })
    }

    /// The files of packages that hold code, relative to the folder of packages.
    fn inputs(&self, chunk: &OutputChunk) -> BTreeSet<String> {
        let files = chunk.module_ids.iter().filter_map(|id| Path::new(id.as_str()).strip_prefix(&self.packages).ok());
        let is_code = |path: &&Path| path.extension().is_none_or(|extension| extension != "json" && extension != "css");
        files.filter(is_code).map(|path| path.to_string_lossy().into_owned()).collect()
    }
}
