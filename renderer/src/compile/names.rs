//! What an outer name means in its module, and the names that are known around a place.

use super::link::Placed;
use super::unit::Shape;
use std::collections::BTreeSet;
use swc_atoms::Atom;
use swc_common::Span;
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};

/// The meaning of a free name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A top-level name of the module: `$.name`.
    Own,
    /// An import: `$i["specifier"].name`; `*` is the whole namespace.
    Import { specifier: Atom, name: Atom },
    /// A global, or nothing at all: left as it is.
    Global,
}

/// The names that functions around an offset of the text declare: their parameters, props among them, and their locals.
pub(crate) fn around(items: &[Placed], at: u32) -> Vec<Atom> {
    let Some(placed) = items.iter().find(|placed| (placed.start..placed.end).contains(&at)) else { return Vec::new() };
    let mut names = BTreeSet::new();
    for unit in &placed.item.units {
        let mut around = Around { position: at - placed.start + unit.base, inside: 0, names: &mut names };
        match &unit.shape {
            Shape::Function { expr, .. } | Shape::Class { expr } => expr.visit_with(&mut around),
            Shape::Wrapped { wrapper, inner, .. } => {
                wrapper.visit_with(&mut around);
                inner.visit_with(&mut around);
            }
            Shape::Value { init, .. } => init.visit_with(&mut around),
            Shape::Block { body } | Shape::Effect { body } => body.visit_with(&mut around),
        }
    }
    names.into_iter().collect()
}

struct Around<'a> {
    position: u32,
    /// Functions around the position that were entered.
    inside: u32,
    names: &'a mut BTreeSet<Atom>,
}

impl Around<'_> {
    fn enter(&mut self, span: Span, visit: impl FnOnce(&mut Self)) {
        if (span.lo.0..span.hi.0).contains(&self.position) {
            self.inside += 1;
            visit(self);
            self.inside -= 1;
        }
    }
}

impl Visit for Around<'_> {
    fn visit_function(&mut self, node: &Function) {
        self.enter(node.span, |around| node.visit_children_with(around));
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        self.enter(node.span, |around| node.visit_children_with(around));
    }

    fn visit_fn_decl(&mut self, node: &FnDecl) {
        if self.inside > 0 {
            self.names.insert(node.ident.sym.clone());
        }
        node.function.visit_with(self);
    }

    fn visit_pat(&mut self, node: &Pat) {
        if self.inside > 0 {
            self.names.extend(super::lower::bound_names(node));
        }
        node.visit_children_with(self);
    }
}
