//! The imports and exports of a top-level statement, and the statement that is left without them.

use super::link::Placed;
use super::lint::Finding;
use swc_atoms::Atom;
use swc_common::{Span, Spanned};
use swc_ecma_ast::*;
use ui4a_types::{Phase, Severity};

/// Imports and exports of one statement. Positions are offsets from its start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surface {
    /// `import … from "…"`, or `export … from "…"`.
    pub import: Option<Import>,
    /// A name of this module (or of the import) that is the default export.
    pub default_name: Option<Atom>,
    /// Whether the statement's own expression is the default export.
    pub default_is_here: bool,
    /// Whether it exports anything.
    pub exports: bool,
}

/// One import statement.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub specifier: Atom,
    pub at: (u32, u32),
    pub bindings: Vec<Binding>,
    /// `import type`, or every binding is one.
    pub type_only: bool,
}

/// One imported name.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    /// The local name; empty for a re-export, which binds none.
    pub local: Atom,
    /// The exported name; `default`, or `*` for the namespace.
    pub imported: Atom,
    pub at: (u32, u32),
}

/// Takes imports and exports off a statement.
pub(crate) fn split(item: ModuleItem, start: u32) -> (Surface, Option<Stmt>) {
    let at = |span: Span| (span.lo.0.saturating_sub(start), span.hi.0.saturating_sub(start));
    let mut surface = Surface::default();
    let declaration = match item {
        ModuleItem::Stmt(statement) => return (surface, Some(statement)),
        ModuleItem::ModuleDecl(declaration) => declaration,
    };
    surface.exports = !matches!(declaration, ModuleDecl::Import(_));
    let statement = match declaration {
        ModuleDecl::Import(import) => {
            surface.import = Some(clause(&import, at));
            None
        }
        ModuleDecl::ExportDecl(export) => Some(Stmt::Decl(export.decl)),
        ModuleDecl::ExportDefaultExpr(export) => match *export.expr {
            Expr::Ident(name) => {
                surface.default_name = Some(name.sym);
                None
            }
            other => Some(default_expression(&mut surface, other)),
        },
        ModuleDecl::ExportDefaultDecl(export) => match export.decl {
            DefaultDecl::Fn(FnExpr { ident: Some(ident), function }) => {
                surface.default_name = Some(ident.sym.clone());
                Some(Stmt::Decl(Decl::Fn(FnDecl { ident, declare: false, function })))
            }
            DefaultDecl::Fn(anonymous) => Some(default_expression(&mut surface, Expr::Fn(anonymous))),
            DefaultDecl::Class(ClassExpr { ident: Some(ident), class }) => {
                surface.default_name = Some(ident.sym.clone());
                Some(Stmt::Decl(Decl::Class(ClassDecl { ident, declare: false, class })))
            }
            DefaultDecl::Class(anonymous) => Some(default_expression(&mut surface, Expr::Class(anonymous))),
            DefaultDecl::TsInterfaceDecl(_) => None,
        },
        ModuleDecl::ExportNamed(export) => {
            named(&mut surface, export, at);
            None
        }
        ModuleDecl::ExportAll(export) if !export.type_only => {
            surface.import = Some(Import {
                specifier: text_of(&export.src),
                at: at(export.src.span),
                bindings: Vec::new(),
                type_only: false,
            });
            None
        }
        _ => None,
    };
    (surface, statement)
}

fn default_expression(surface: &mut Surface, expr: Expr) -> Stmt {
    surface.default_is_here = true;
    let span = expr.span();
    Stmt::Expr(ExprStmt { span, expr: Box::new(expr) })
}

fn clause(import: &ImportDecl, at: impl Fn(Span) -> (u32, u32)) -> Import {
    let bindings: Vec<Binding> = import
        .specifiers
        .iter()
        .filter(|specifier| !specifier.is_type_only())
        .map(|specifier| {
            let local = specifier.local().sym.clone();
            let imported = match specifier {
                ImportSpecifier::Named(named) => named.imported.as_ref().map_or_else(|| local.clone(), export_name),
                ImportSpecifier::Default(_) => "default".into(),
                ImportSpecifier::Namespace(_) => "*".into(),
            };
            Binding { local, imported, at: at(specifier.span()) }
        })
        .collect();
    let type_only = import.type_only || (bindings.is_empty() && !import.specifiers.is_empty());
    Import { specifier: text_of(&import.src), at: at(import.src.span), bindings, type_only }
}

fn named(surface: &mut Surface, export: NamedExport, at: impl Fn(Span) -> (u32, u32)) {
    let mut bindings = Vec::new();
    for specifier in &export.specifiers {
        let ExportSpecifier::Named(named) = specifier else { continue };
        let original = export_name(&named.orig);
        let exported = named.exported.as_ref().map_or_else(|| original.clone(), export_name);
        let is_default = exported == "default";
        if export.src.is_some() {
            // A re-export binds no local name; the default one gets a name that no source can spell.
            let local: Atom = if is_default { "default export".into() } else { Atom::default() };
            bindings.push(Binding { local: local.clone(), imported: original, at: at(named.span) });
            if is_default {
                surface.default_name = Some(local);
            }
        } else if is_default {
            surface.default_name = Some(original);
        }
    }
    if let Some(src) = &export.src {
        surface.import =
            Some(Import { specifier: text_of(src), at: at(src.span), bindings, type_only: export.type_only });
    }
}

/// The value of a string literal; lone surrogates become U+FFFD.
pub(crate) fn text_of(literal: &Str) -> Atom {
    literal.value.to_string_lossy().into()
}

/// The name in `import { name }`, which may be a string.
pub(crate) fn export_name(name: &ModuleExportName) -> Atom {
    match name {
        ModuleExportName::Ident(ident) => ident.sym.clone(),
        ModuleExportName::Str(literal) => text_of(literal),
    }
}

/// What is said of a module's default exports besides the one that is shown: that of `App`, else one without a name, else the
/// last.
pub(crate) fn other_defaults(items: &[Placed]) -> Vec<Finding> {
    let defaults: Vec<(&Placed, Option<&Atom>)> = items
        .iter()
        .filter_map(|placed| {
            let surface = &placed.item.surface;
            let name = surface.default_name.as_ref();
            (name.is_some() || surface.default_is_here).then_some((placed, name))
        })
        .collect();
    let app = defaults.iter().find(|(_, name)| name.is_some_and(|name| name == "App"));
    let unnamed = defaults.iter().rev().find(|(_, name)| name.is_none());
    let Some((chosen, name)) = app.or(unnamed).or(defaults.last()) else { return Vec::new() };
    let shown = |name: Option<&Atom>| name.map_or_else(|| "an expression without a name".to_owned(), Atom::to_string);
    defaults
        .iter()
        .filter(|(other, unused)| other.start != chosen.start && (unused.is_none() || unused != name))
        .map(|(other, unused)| {
            let message =
                format!("There are several default exports; {} is shown, {} is not", shown(*name), shown(*unused));
            let at = (other.start, other.end);
            Finding::new("repaired-default-export", Severity::Warning, Phase::Syntax, message, at)
                .help("Keep one export default, on the component that holds the others")
        })
        .collect()
}
