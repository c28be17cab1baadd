//! Scripts of a document: what they import, what is wrong with them, and what becomes of those that browsers do not read.

use crate::address::is_asset;
use crate::compile::lint::Finding;
use crate::compile::parse::{BASE, range};
use crate::compile::syntax;
use std::collections::BTreeMap;
use swc_common::comments::NoopComments;
use swc_common::sync::Lrc;
use swc_common::{BytePos, GLOBALS, Globals, LineCol, Mark, SourceMap, Span, Spanned};
use swc_ecma_ast::*;
use swc_ecma_codegen::{Config as Print, Emitter, Node, text_writer::JsWriter};
use swc_ecma_parser::{EsSyntax, Parser, StringInput, Syntax, TsSyntax, lexer::Lexer};
use swc_ecma_transforms_base::{fixer::fixer, hygiene::hygiene, resolver};
use swc_ecma_transforms_react::{Options as JsxOptions, Runtime, jsx};
use swc_ecma_transforms_typescript::{Config, typescript};
use swc_ecma_visit::{Visit, VisitMut, VisitMutWith, VisitWith};
use ui4a_types::AddressRole;
use ui4a_types::address::token;

/// What a script is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Language {
    /// JavaScript, as browsers run it.
    Classic,
    /// JavaScript with imports.
    Module,
    /// JSX or TypeScript, which no browser runs.
    Jsx,
}

/// A script, ready to be written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// Compiled text, when the written one cannot be run.
    pub text: Option<String>,
    /// (line, column, offset) of the compiled text, from 0.
    pub segments: Vec<(u32, u32, u32)>,
    /// Places of string literals (quotes included) in the written text, and the text that takes their place.
    pub literals: Vec<((usize, usize), String)>,
    /// Specifiers and keys of addresses, with the names taken and the offset of the literal.
    pub uses: BTreeMap<String, (Vec<String>, usize)>,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
    /// Whether it has imports or exports.
    pub is_module: bool,
}

/// Reads a script. `map` says what a specifier means by the document's import map.
pub(crate) fn read(source: &str, language: Language, map: &dyn Fn(&str) -> Option<String>) -> Script {
    GLOBALS.set(&Globals::new(), || {
        let (program, errors) = parse(source, language);
        let mut script = Script::default();
        let Some(program) = program else {
            script.findings = syntax::findings(source, &errors, true);
            return script;
        };
        script.findings = syntax::findings(source, &errors, false);
        let mut imports = Imports { map, found: Vec::new(), assets: Vec::new(), declares: false };
        program.visit_with(&mut imports);
        script.is_module = imports.declares;
        for found in &imports.found {
            let (start, end) = range(found.span);
            let entry = script.uses.entry(found.target.clone()).or_insert_with(|| (Vec::new(), start as usize));
            entry.0.extend(found.names.iter().filter(|name| !entry.0.contains(name)).cloned().collect::<Vec<_>>());
            script.literals.push(((start as usize, end as usize), quoted(&token(&found.target))));
        }
        for (span, address) in &imports.assets {
            let (start, end) = range(*span);
            let key = AddressRole::Asset.key(address);
            script.literals.push(((start as usize, end as usize), quoted(&token(&key))));
            script.uses.entry(key).or_insert_with(|| (Vec::new(), start as usize));
        }
        script.literals.sort();
        if language == Language::Jsx {
            (script.text, script.segments) = compile(program, &script, imports.declares);
        }
        script
    })
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn parse(source: &str, language: Language) -> (Option<Program>, Vec<swc_ecma_parser::error::Error>) {
    let input = StringInput::new(source, BytePos(BASE), BytePos(BASE + source.len() as u32));
    let syntax = match language {
        Language::Jsx => Syntax::Typescript(TsSyntax { tsx: true, decorators: true, ..TsSyntax::default() }),
        _ => Syntax::Es(EsSyntax { import_attributes: true, ..EsSyntax::default() }),
    };
    let mut parser = Parser::new_from(Lexer::new(syntax, EsVersion::latest(), input, None));
    let parsed = match language {
        Language::Classic => parser.parse_script().map(Program::Script),
        _ => parser.parse_module().map(Program::Module),
    };
    let mut errors = parser.take_errors();
    match parsed {
        Ok(program) => (Some(program), errors),
        Err(error) => {
            errors.push(error);
            (None, errors)
        }
    }
}

/// A specifier, what it means, and what is taken from it.
struct Import {
    span: Span,
    target: String,
    names: Vec<String>,
}

struct Imports<'a> {
    map: &'a dyn Fn(&str) -> Option<String>,
    found: Vec<Import>,
    assets: Vec<(Span, String)>,
    declares: bool,
}

impl Imports<'_> {
    fn add(&mut self, literal: &Str, names: Vec<String>) {
        let written = literal.value.to_string_lossy();
        let target = (self.map)(&written).unwrap_or_else(|| written.into_owned());
        self.found.push(Import { span: literal.span, target, names });
    }
}

impl Visit for Imports<'_> {
    fn visit_module_decl(&mut self, declaration: &ModuleDecl) {
        self.declares = true;
        declaration.visit_children_with(self);
    }

    fn visit_import_decl(&mut self, import: &ImportDecl) {
        let names = import.specifiers.iter().map(|specifier| match specifier {
            ImportSpecifier::Named(named) => match &named.imported {
                Some(name) => crate::compile::surface::export_name(name).to_string(),
                None => named.local.sym.to_string(),
            },
            ImportSpecifier::Default(_) => "default".to_owned(),
            ImportSpecifier::Namespace(_) => "*".to_owned(),
        });
        self.add(&import.src, names.collect());
    }

    fn visit_named_export(&mut self, export: &NamedExport) {
        if let Some(source) = &export.src {
            self.add(source, Vec::new());
        }
    }

    fn visit_export_all(&mut self, export: &ExportAll) {
        self.add(&export.src, Vec::new());
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        if let (Callee::Import(_), Some(first)) = (&call.callee, call.args.first())
            && let Expr::Lit(Lit::Str(literal)) = &*first.expr
        {
            return self.add(literal, vec!["*".to_owned()]);
        }
        call.visit_children_with(self);
    }

    fn visit_str(&mut self, literal: &Str) {
        let text = literal.value.to_string_lossy();
        if is_asset(&text) {
            self.assets.push((literal.span, crate::address::absolute(&text)));
        }
    }
}

/// Strips types and turns JSX into calls of the global `React.createElement`, which is what pages with such scripts have.
fn compile(mut program: Program, script: &Script, is_module: bool) -> (Option<String>, Vec<(u32, u32, u32)>) {
    let (free, top) = (Mark::new(), Mark::new());
    let sources: Lrc<SourceMap> = Lrc::default();
    let types = Config {
        no_empty_export: true,
        native_class_properties: true,
        verbatim_module_syntax: true,
        ..Config::default()
    };
    let elements = JsxOptions { runtime: Some(Runtime::Classic), ..JsxOptions::default() };
    program.visit_mut_with(&mut Fill { literals: &script.literals });
    if !is_module {
        program.visit_mut_with(&mut TopLevel);
    }
    program.mutate(resolver(free, top, true));
    program.mutate(typescript(types, free, top));
    program.mutate(jsx(sources.clone(), None::<NoopComments>, elements, top, free));
    program.mutate(hygiene());
    program.mutate(fixer(None));
    let mut bytes = Vec::new();
    let mut map: Vec<(BytePos, LineCol)> = Vec::new();
    let mut emitter = Emitter {
        cfg: Print::default(),
        cm: sources.clone(),
        comments: None,
        wr: JsWriter::new(sources, "\n", &mut bytes, Some(&mut map)),
    };
    // Writing to memory does not fail, and what the printer writes is UTF-8.
    let printed = program.emit_with(&mut emitter).is_ok();
    drop(emitter);
    let text = String::from_utf8(bytes).ok().filter(|_| printed);
    let mut segments: Vec<(u32, u32, u32)> = map
        .into_iter()
        .filter(|(position, _)| position.0 >= BASE)
        .map(|(position, at)| (at.line, at.col, position.0 - BASE))
        .collect();
    segments.sort_unstable();
    segments.dedup();
    // What ends the element must not be spelled in it.
    (text.map(|text| text.replace("</script", "<\\/script").replace("<!--", "<\\!--")), segments)
}

/// Puts tokens in the place of specifiers and addresses.
struct Fill<'a> {
    literals: &'a [((usize, usize), String)],
}

impl VisitMut for Fill<'_> {
    fn visit_mut_str(&mut self, literal: &mut Str) {
        let (start, end) = range(literal.span());
        let at = self.literals.binary_search_by_key(&(start as usize, end as usize), |(at, _)| *at);
        if let Ok(at) = at {
            literal.value = self.literals[at].1.trim_matches('"').into();
            literal.raw = None;
        }
    }
}

/// Scripts of one page share their top-level names, and each may say `const { useState } = React` again: what compiles
/// them in other pages makes these names `var`, and so does this.
struct TopLevel;

impl VisitMut for TopLevel {
    fn visit_mut_module(&mut self, module: &mut Module) {
        for item in &mut module.body {
            if let ModuleItem::Stmt(Stmt::Decl(Decl::Var(declared))) = item {
                declared.kind = VarDeclKind::Var;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jsx_becomes_calls_of_the_global_react() {
        let script = read(
            "const { useState } = React;\nconst App = (): any => <p title=\"</script>\">{1}</p>;",
            Language::Jsx,
            &|_| None,
        );
        let text = script.text.expect("compiles");
        assert!(text.contains("var { useState } = React") && text.contains("React.createElement(\"p\""), "{text}");
        assert!(!text.contains("</script") && !text.contains(": any"), "{text}");
        assert!(!script.is_module && script.findings.is_empty());
    }

    #[test]
    fn imports_and_pictures_of_a_module_are_found_where_they_stand() {
        let source = "import * as THREE from 'three';\nexport * from \"./x.js\";\nconst l = await import('three/addons/a.js');\nload('https://a.test/t.png'); fetch('https://a.test/x');";
        let map = |name: &str| (name == "three").then(|| "https://esm.sh/three@0.160".to_owned());
        let script = read(source, Language::Module, &map);
        let uses: Vec<&str> = script.uses.keys().map(String::as_str).collect();
        assert_eq!(uses, ["./x.js", "asset:https://a.test/t.png", "https://esm.sh/three@0.160", "three/addons/a.js"]);
        assert_eq!(script.uses["https://esm.sh/three@0.160"].0, ["*"]);
        let places: Vec<&str> = script.literals.iter().map(|((from, to), _)| &source[*from..*to]).collect();
        assert_eq!(places, ["'three'", "\"./x.js\"", "'three/addons/a.js'", "'https://a.test/t.png'"]);
    }

    #[test]
    fn a_classic_script_is_read_as_one() {
        assert!(read("var await = 010; with (x) y();", Language::Classic, &|_| None).findings.is_empty());
        assert_eq!(read("let a = ;", Language::Classic, &|_| None).findings.len(), 1);
    }
}
