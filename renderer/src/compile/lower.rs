//! Lowers one top-level statement to plain JavaScript units: types stripped, JSX made calls, loops guarded.
//!
//! A statement is lowered alone. What it takes from the rest of the module stays a free name, so a lowered statement is
//! good for every module in which the same text stands, and a stream lowers each finished statement once.

use super::deps::{self, Slot};
use super::guard;
use super::lint::{self, Finding};
use super::own_root;
use super::parse::{self, BASE};
use super::refs::{Refs, Scope};
use super::repair;
use super::signature::{self, HookCall};
use super::surface::{self, Surface};
use super::unit::{Shape, Unit};
use crate::tailwind::sheet;
use std::collections::HashMap;
use std::sync::OnceLock;
use swc_atoms::Atom;
use swc_common::comments::NoopComments;
use swc_common::sync::Lrc;
use swc_common::{DUMMY_SP, Mark, SourceMap, Spanned, SyntaxContext};
use swc_ecma_ast::*;
use swc_ecma_transforms_base::resolver;
use swc_ecma_transforms_react::{Options as JsxOptions, Runtime, jsx};
use swc_ecma_transforms_typescript::{Config, typescript};

/// The two marks that name resolution leaves on identifiers.
#[derive(Clone, Copy)]
pub(crate) struct Marks {
    pub free: Mark,
    pub top: Mark,
}

impl Marks {
    /// New marks of the current `GLOBALS`.
    pub fn new() -> Self {
        Self { free: Mark::new(), top: Mark::new() }
    }

    /// Whether an identifier's context says that it is not declared inside a function or block.
    pub fn is_outer(self, ctxt: SyntaxContext) -> bool {
        ctxt == SyntaxContext::empty().apply_mark(self.free) || ctxt == SyntaxContext::empty().apply_mark(self.top)
    }

    /// Whether an identifier belongs to the statement's own top level.
    pub fn is_top(self, ctxt: SyntaxContext) -> bool {
        ctxt == SyntaxContext::empty().apply_mark(self.top)
    }
}

/// Names that the JSX transform imports for itself: identifier → (specifier, exported name).
pub(crate) type Synthetic = HashMap<Id, (Atom, Atom)>;

/// A lowered top-level statement. All positions are byte offsets from the statement's start.
pub(crate) struct Item {
    /// Imports and exports.
    pub surface: Surface,
    /// What it evaluates, in order.
    pub units: Vec<Unit>,
    /// What is wrong with it in itself, once somebody asks.
    findings: OnceLock<Vec<Finding>>,
    /// Its source text, as completed.
    pub text: String,
    /// Words in it that may be classes.
    pub words: Vec<String>,
}

/// Lowers one statement whose text is `text` and whose first byte has the position `start`.
pub(crate) fn lower(mut item: ModuleItem, text: &str, marks: Marks) -> Item {
    let start = item.span().lo.0;
    repair::statement(&mut item, start);
    let (surface, statement) = surface::split(item, start);
    let words = sheet::words(text);
    let Some(mut statement) = statement else {
        return Item { surface, units: Vec::new(), findings: OnceLock::new(), text: text.to_owned(), words };
    };
    if let Stmt::Decl(Decl::TsEnum(declared)) = &mut statement {
        // Other statements use it by name, so it must be there when they run.
        declared.is_const = false;
    }
    own_root::remove(&mut statement, start);
    let lowers_to_block = matches!(&statement, Stmt::Decl(Decl::TsEnum(_) | Decl::TsModule(_)));
    let is_default = surface.default_is_here;
    let (body, synthetic) = transform(statement, marks);
    let mut maker = Maker { text, start, marks, synthetic, units: Vec::new() };
    if lowers_to_block {
        maker.block(body);
    } else {
        for statement in body {
            maker.statement(statement, is_default);
        }
    }
    Item { surface, units: maker.units, findings: OnceLock::new(), text: text.to_owned(), words }
}

impl Item {
    /// What is wrong with it in itself. Judged when somebody asks: a statement that is being written is lowered with every
    /// frame, and nobody asks then.
    pub fn findings(&self) -> &[Finding] {
        self.findings.get_or_init(|| judge(&self.text))
    }
}

/// What is wrong with a statement in itself, and what was put right.
fn judge(text: &str) -> Vec<Finding> {
    let Some(module) = parse::parse(text, true).module else { return Vec::new() };
    let mut findings = Vec::new();
    for mut item in module.body {
        let start = item.span().lo.0;
        let shift = start.saturating_sub(BASE);
        let mut found = repair::statement(&mut item, start);
        found.extend(lint::statement(&item, start));
        if let (_, Some(mut statement)) = surface::split(item, start) {
            found.extend(own_root::remove(&mut statement, start));
        }
        found.iter_mut().for_each(|finding| finding.at = (finding.at.0 + shift, finding.at.1 + shift));
        findings.append(&mut found);
    }
    findings
}

/// Runs swc's passes over one statement.
fn transform(statement: Stmt, marks: Marks) -> (Vec<Stmt>, Synthetic) {
    let module = Module { span: DUMMY_SP, body: vec![ModuleItem::Stmt(statement)], shebang: None };
    let mut program = Program::Module(module);
    let config = Config { no_empty_export: true, native_class_properties: true, ..Default::default() };
    let options =
        JsxOptions { runtime: Some(Runtime::Automatic), throw_if_namespace: Some(false), ..Default::default() };
    program.mutate(resolver(marks.free, marks.top, true));
    program.mutate(typescript(config, marks.free, marks.top));
    let sources: Lrc<SourceMap> = Default::default();
    program.mutate(jsx(sources, None::<NoopComments>, options, marks.top, marks.free));
    let Program::Module(module) = program else { return (Vec::new(), Synthetic::new()) };
    let mut synthetic = Synthetic::new();
    let mut body = Vec::new();
    for item in module.body {
        match item {
            ModuleItem::Stmt(Stmt::Empty(_)) => {}
            ModuleItem::Stmt(mut statement) => {
                guard::loops(&mut statement);
                body.push(statement);
            }
            ModuleItem::ModuleDecl(ModuleDecl::Import(import)) => {
                let specifier: Atom = surface::text_of(&import.src);
                for clause in &import.specifiers {
                    if let ImportSpecifier::Named(named) = clause {
                        let name =
                            named.imported.as_ref().map_or_else(|| named.local.sym.clone(), surface::export_name);
                        synthetic.insert(named.local.to_id(), (specifier.clone(), name));
                    }
                }
            }
            ModuleItem::ModuleDecl(_) => {}
        }
    }
    (body, synthetic)
}

/// The name of the default export's cell and of its name on the scope object.
pub(crate) const DEFAULT: &str = "$default";

struct Maker<'a> {
    text: &'a str,
    start: u32,
    marks: Marks,
    synthetic: Synthetic,
    units: Vec<Unit>,
}

impl Maker<'_> {
    fn statement(&mut self, statement: Stmt, is_default: bool) {
        match statement {
            Stmt::Decl(Decl::Fn(declared)) => {
                if declared.function.body.is_none() {
                    return;
                }
                let name = declared.ident.sym.clone();
                let expr = Box::new(Expr::Fn(FnExpr { ident: Some(declared.ident), function: declared.function }));
                self.push(vec![name], Shape::Function { expr, hoisted: true });
            }
            Stmt::Decl(Decl::Class(declared)) => {
                let name = declared.ident.sym.clone();
                let expr = Box::new(Expr::Class(ClassExpr { ident: Some(declared.ident), class: declared.class }));
                self.push(vec![name], Shape::Class { expr });
            }
            Stmt::Decl(Decl::Var(declared)) => {
                for declarator in declared.decls {
                    self.value(declarator.name, declarator.init);
                }
            }
            Stmt::Expr(bare) if is_default => {
                let target = Pat::Ident(Ident::new(DEFAULT.into(), DUMMY_SP, self.top()).into());
                self.value(target, Some(bare.expr));
            }
            // A directive evaluates nothing.
            Stmt::Expr(bare) if matches!(&*bare.expr, Expr::Lit(_)) => {}
            other => self.push(Vec::new(), Shape::Effect { body: vec![other] }),
        }
    }

    fn top(&self) -> SyntaxContext {
        SyntaxContext::empty().apply_mark(self.marks.top)
    }

    fn value(&mut self, target: Pat, init: Option<Box<Expr>>) {
        let names = bound_names(&target);
        let shape = match (&target, init) {
            (Pat::Ident(_), Some(init)) => match *init {
                Expr::Fn(_) | Expr::Arrow(_) => Shape::Function { expr: init, hoisted: false },
                Expr::Class(_) => Shape::Class { expr: init },
                other => Shape::Value { target, init: Some(Box::new(other)) },
            },
            (_, init) => Shape::Value { target, init },
        };
        self.push(names, shape);
    }

    /// An enum or a namespace: several statements that make one name.
    fn block(&mut self, body: Vec<Stmt>) {
        let mut names = Vec::new();
        for statement in &body {
            if let Stmt::Decl(Decl::Var(declared)) = statement {
                names.extend(declared.decls.iter().flat_map(|declarator| bound_names(&declarator.name)));
            }
        }
        names.dedup();
        if !body.is_empty() {
            self.push(names, Shape::Block { body });
        }
    }

    fn push(&mut self, names: Vec<Atom>, mut shape: Shape) {
        let scope = Scope { marks: self.marks, synthetic: &self.synthetic };
        let mut slots = vec![Slot::Signature, Slot::Skeleton(String::new())];
        deps::mark(&mut shape, self.text, self.start, &scope, &mut slots);
        let refs = Refs::of(&shape, &scope, self.start);
        let mut hooks: Vec<HookCall> = Vec::new();
        if let Shape::Function { expr, .. } = &shape {
            hooks = signature::hooks(expr, self.text, self.start, &scope);
        }
        if let Some(name) = names.first()
            && let Some((wrapped, skeleton)) = signature::unwrap(&mut shape, name, self.text, self.start)
        {
            if let Shape::Wrapped { inner, .. } = &wrapped {
                hooks = signature::hooks(inner, self.text, self.start, &scope);
            }
            slots[1] = Slot::Skeleton(skeleton);
            shape = wrapped;
        }
        let synthetic = self.synthetic.clone();
        let length = self.text.len() as u32;
        self.units.push(Unit { names, shape, base: self.start, length, synthetic, refs, hooks, slots });
    }
}

/// The names that a pattern binds, in order.
pub(crate) fn bound_names(pattern: &Pat) -> Vec<Atom> {
    let mut names = Vec::new();
    collect_names(pattern, &mut names);
    names
}

fn collect_names(pattern: &Pat, names: &mut Vec<Atom>) {
    match pattern {
        Pat::Ident(ident) => names.push(ident.id.sym.clone()),
        Pat::Array(array) => array.elems.iter().flatten().for_each(|element| collect_names(element, names)),
        Pat::Rest(rest) => collect_names(&rest.arg, names),
        Pat::Assign(assign) => collect_names(&assign.left, names),
        Pat::Object(object) => {
            for property in &object.props {
                match property {
                    ObjectPatProp::KeyValue(pair) => collect_names(&pair.value, names),
                    ObjectPatProp::Assign(assign) => names.push(assign.key.id.sym.clone()),
                    ObjectPatProp::Rest(rest) => collect_names(&rest.arg, names),
                }
            }
        }
        Pat::Invalid(_) | Pat::Expr(_) => {}
    }
}

/// The text of a span of a statement that starts at `start`; empty for a made-up span.
pub(crate) fn slice(text: &str, start: u32, span: swc_common::Span) -> &str {
    if span.lo.0 < BASE || span.lo.0 < start {
        return "";
    }
    text.get((span.lo.0 - start) as usize..(span.hi.0.saturating_sub(start)) as usize).unwrap_or("")
}

/// Source text without whitespace: what hashes are made of, so that reformatting changes nothing.
pub(crate) fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}
