//! Hidden dependencies: a hook that takes a callback and a dependency array gains the hash of the callback, so that an
//! edited effect runs again and an unedited one does not.
//!
//! The hash covers values from elsewhere in the module, so the text gets a placeholder that linking fills in. Placeholders
//! are as long as hashes, in UTF-16 units too: filling them moves no column.

use super::lower::{slice, squeeze};
use super::refs::{Refs, Scope};
use super::signature::callee_name;
use super::unit::Shape;
use swc_atoms::Atom;
use swc_common::{DUMMY_SP, Spanned};
use swc_ecma_ast::*;
use swc_ecma_visit::{VisitMut, VisitMutWith};

/// What a placeholder stands for.
#[derive(Debug)]
pub(crate) enum Slot {
    /// The hook signature of the unit's function. Always the first slot.
    Signature,
    /// The hash of what wraps the function (`memo(…)`), with the wrapper's text. Always the second slot.
    Skeleton(String),
    /// The hash of a callback: its text and the outer names in it.
    Callback { text: String, refs: Vec<Atom> },
}

/// The placeholder of a slot: ten characters.
pub(crate) fn placeholder(slot: usize) -> String {
    format!("{PREFIX}{slot:04}")
}

/// What every placeholder starts with.
pub(crate) const PREFIX: &str = "@ui4a:";

/// More callbacks than this in one statement gain no hidden dependency.
const MOST: usize = 9_999;

/// Adds hidden dependencies to the hooks in a unit.
pub(crate) fn mark(shape: &mut Shape, text: &str, start: u32, scope: &Scope<'_>, slots: &mut Vec<Slot>) {
    let mut marker = Marker { text, start, scope, slots };
    match shape {
        Shape::Function { expr, .. } | Shape::Class { expr } => expr.visit_mut_with(&mut marker),
        Shape::Value { init, .. } => init.visit_mut_with(&mut marker),
        Shape::Wrapped { wrapper, inner, .. } => {
            wrapper.visit_mut_with(&mut marker);
            inner.visit_mut_with(&mut marker);
        }
        Shape::Block { .. } | Shape::Effect { .. } => {}
    }
}

struct Marker<'a> {
    text: &'a str,
    start: u32,
    scope: &'a Scope<'a>,
    slots: &'a mut Vec<Slot>,
}

impl VisitMut for Marker<'_> {
    fn visit_mut_call_expr(&mut self, node: &mut CallExpr) {
        node.visit_mut_children_with(self);
        let Some(name) = callee_name(&node.callee) else { return };
        let callback = match name.as_str() {
            "useEffect" | "useLayoutEffect" | "useInsertionEffect" | "useMemo" | "useCallback" => 0,
            "useImperativeHandle" => 1,
            _ => return,
        };
        let [function, dependencies] = match node.args.get_mut(callback..callback + 2) {
            Some([function, dependencies]) => [function, dependencies],
            _ => return,
        };
        if !matches!(*function.expr, Expr::Fn(_) | Expr::Arrow(_)) || self.slots.len() >= MOST {
            return;
        }
        let spread = match &*dependencies.expr {
            Expr::Array(_) => false,
            Expr::Ident(ident) if ident.sym != "undefined" => true,
            _ => return,
        };
        let hash = ExprOrSpread { spread: None, expr: Box::new(text_literal(&placeholder(self.slots.len()))) };
        let text = squeeze(slice(self.text, self.start, function.expr.span()));
        self.slots.push(Slot::Callback { text, refs: Refs::in_expr(&function.expr, self.scope) });
        match &mut *dependencies.expr {
            Expr::Array(array) => array.elems.push(Some(hash)),
            other if spread => {
                let list = std::mem::replace(other, Expr::Invalid(Invalid::default()));
                let list = ExprOrSpread { spread: Some(DUMMY_SP), expr: Box::new(list) };
                *other = Expr::Array(ArrayLit { span: DUMMY_SP, elems: vec![Some(list), Some(hash)] });
            }
            _ => {}
        }
    }
}

/// A string literal that is printed as it is.
pub(crate) fn text_literal(text: &str) -> Expr {
    Expr::Lit(Lit::Str(Str { span: DUMMY_SP, value: text.into(), raw: None }))
}
