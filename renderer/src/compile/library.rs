//! Our own TypeScript as plain ES modules: the kit, the sandbox runtime and the page scripts.

use super::parse;
use super::syntax;
use swc_common::comments::NoopComments;
use swc_common::sync::Lrc;
use swc_common::{GLOBALS, Globals, Mark, SourceMap};
use swc_ecma_ast::Program;
use swc_ecma_codegen::{Config as Print, Emitter, Node, text_writer::JsWriter};
use swc_ecma_transforms_base::{fixer::fixer, hygiene::hygiene, resolver};
use swc_ecma_transforms_react::{Options as JsxOptions, Runtime, jsx};
use swc_ecma_transforms_typescript::{Config, typescript};
use ui4a_types::Diagnostic;

/// Strips types and turns JSX into calls of `react/jsx-runtime`; imports and exports stay. A filename that ends in
/// `.ts` has no JSX.
///
/// # Errors
/// The parser's errors, with their positions.
pub fn compile_library(source: &str, filename: &str) -> Result<String, Vec<Diagnostic>> {
    GLOBALS.set(&Globals::new(), || {
        let parsed = parse::parse(source, !filename.ends_with(".ts"));
        let module = match parsed.module {
            Some(module) if parsed.errors.is_empty() => module,
            _ => {
                let findings = syntax::findings(source, &parsed.errors, true);
                let lines = crate::lines::Lines::of(source);
                return Err(super::report(source, &lines, |offset| (offset as usize).min(source.len()), findings));
            }
        };
        let (free, top) = (Mark::new(), Mark::new());
        let sources: Lrc<SourceMap> = Lrc::default();
        let types = Config { no_empty_export: true, native_class_properties: true, ..Config::default() };
        let elements = JsxOptions { runtime: Some(Runtime::Automatic), ..JsxOptions::default() };
        let mut program = Program::Module(module);
        program.mutate(resolver(free, top, true));
        program.mutate(typescript(types, free, top));
        program.mutate(jsx(sources.clone(), None::<NoopComments>, elements, top, free));
        program.mutate(hygiene());
        program.mutate(fixer(None));
        let mut bytes = Vec::new();
        let mut emitter = Emitter {
            cfg: Print::default(),
            cm: sources.clone(),
            comments: None,
            wr: JsWriter::new(sources, "\n", &mut bytes, None),
        };
        // Writing to memory does not fail, and what the printer writes is UTF-8.
        let printed = program.emit_with(&mut emitter).is_ok();
        drop(emitter);
        match String::from_utf8(bytes) {
            Ok(text) if printed => Ok(text),
            _ => Err(vec![syntax::unprintable(filename)]),
        }
    })
}
