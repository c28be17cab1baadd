//! Syntax made from text: an expression with holes that other expressions fill.

use crate::compile::parse::parse;
use swc_common::Span;
use swc_ecma_ast::*;
use swc_ecma_visit::{VisitMut, VisitMutWith};

/// The expression that `source` is, at the place `span`, with each identifier of `holes` replaced. `None` when it does not
/// parse.
pub(super) fn expression(source: &str, span: Span, holes: &mut [(&str, Option<Expr>)]) -> Option<Box<Expr>> {
    let parsed = parse(&format!("({source}\n)"), true);
    let mut body = parsed.module.filter(|_| parsed.errors.is_empty())?.body;
    let (Some(ModuleItem::Stmt(Stmt::Expr(ExprStmt { expr, .. }))), true) = (body.pop(), body.is_empty()) else {
        return None;
    };
    let mut expr = match *expr {
        Expr::Paren(inner) => inner.expr,
        other => Box::new(other),
    };
    expr.visit_mut_with(&mut Respan(span));
    expr.visit_mut_with(&mut Fill(holes));
    Some(expr)
}

/// An attribute's value in braces.
pub(super) fn container(expr: Box<Expr>, span: Span) -> JSXAttrValue {
    JSXAttrValue::JSXExprContainer(JSXExprContainer { span, expr: JSXExpr::Expr(expr) })
}

/// Gives everything the same place.
struct Respan(Span);

impl VisitMut for Respan {
    fn visit_mut_span(&mut self, span: &mut Span) {
        *span = self.0;
    }
}

struct Fill<'a, 'n>(&'a mut [(&'n str, Option<Expr>)]);

impl VisitMut for Fill<'_, '_> {
    fn visit_mut_expr(&mut self, node: &mut Expr) {
        if let Expr::Ident(name) = node
            && let Some((_, filling)) = self.0.iter_mut().find(|(hole, filling)| name.sym == *hole && filling.is_some())
            && let Some(filling) = filling.take()
        {
            let span = name.span;
            *node = match filling {
                // A name or a lookup binds as tightly as the hole did.
                tight @ (Expr::Ident(_) | Expr::Member(_) | Expr::Call(_)) => tight,
                other => Expr::Paren(ParenExpr { span, expr: Box::new(other) }),
            };
            return;
        }
        node.visit_mut_children_with(self);
    }
}
