//! What decides whether a component's state survives an edit: its hooks in order, the patterns they fill, and the text of
//! their initial values.

use super::lower::{slice, squeeze};
use super::refs::{Refs, Scope};
use super::rewrite::own_ident;
use super::unit::Shape;
use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};

/// One hook call in a component's own body.
#[derive(Debug)]
pub(crate) struct HookCall {
    /// The hook's name; of `React.useState`, the property.
    pub name: Atom,
    /// The pattern it fills, without whitespace.
    pub pattern: String,
    /// The text of its initial value, where it has one.
    pub initial: String,
    /// Outer names in the initial value.
    pub initial_refs: Vec<Atom>,
}

/// Whether a name is a hook's: `use`, or `use` and a capital or a digit.
pub(crate) fn is_hook(name: &str) -> bool {
    name.strip_prefix("use")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()))
}

/// The last name of a callee: of `f` and of `x.f`, `f`.
pub(crate) fn callee_name(callee: &Callee) -> Option<&Atom> {
    match callee {
        Callee::Expr(expr) => expr_name(expr),
        _ => None,
    }
}

fn expr_name(expr: &Expr) -> Option<&Atom> {
    match expr {
        Expr::Ident(ident) => Some(&ident.sym),
        Expr::Member(MemberExpr { prop: MemberProp::Ident(property), .. }) => Some(&property.sym),
        _ => None,
    }
}

/// The hooks that a function calls in its own body, in order.
pub(crate) fn hooks(function: &Expr, text: &str, start: u32, scope: &Scope<'_>) -> Vec<HookCall> {
    let mut finder = Finder { text, start, scope, pattern: String::new(), hooks: Vec::new() };
    match function {
        Expr::Fn(function) => function.function.body.visit_with(&mut finder),
        Expr::Arrow(arrow) => arrow.body.visit_with(&mut finder),
        _ => {}
    }
    finder.hooks
}

struct Finder<'a> {
    text: &'a str,
    start: u32,
    scope: &'a Scope<'a>,
    pattern: String,
    hooks: Vec<HookCall>,
}

impl Visit for Finder<'_> {
    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        if let Some(Expr::Call(_)) = node.init.as_deref() {
            self.pattern = squeeze(slice(self.text, self.start, node.name.span()));
        }
        node.visit_children_with(self);
        self.pattern.clear();
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        let pattern = std::mem::take(&mut self.pattern);
        if let Some(name) = callee_name(&node.callee).filter(|name| is_hook(name)) {
            let initial = match name.as_str() {
                "useState" | "useRef" => node.args.first(),
                "useReducer" | "usePersistedState" => node.args.get(1),
                _ => None,
            };
            let (initial, initial_refs) = initial.map_or_else(Default::default, |argument| {
                let text = squeeze(slice(self.text, self.start, argument.expr.span()));
                (text, Refs::in_expr(&argument.expr, self.scope))
            });
            self.hooks.push(HookCall { name: name.clone(), pattern, initial, initial_refs });
        }
        node.visit_children_with(self);
    }

    fn visit_function(&mut self, _: &Function) {}

    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}

    fn visit_class(&mut self, _: &Class) {}
}

/// The parameter that stands where the wrapped function stood.
pub(crate) const PARAMETER: &str = "$p";

/// Takes the function out of `memo(f)`, `forwardRef(f)` or `memo(forwardRef(f))`: the shape to use instead, and the text
/// of the wrapper without the function.
pub(crate) fn unwrap(shape: &mut Shape, name: &str, text: &str, start: u32) -> Option<(Shape, String)> {
    let Shape::Value { target: Pat::Ident(_), init: Some(init) } = shape else { return None };
    let mut label = name.to_owned();
    let whole = slice(text, start, init.span()).to_owned();
    let inner = find_inner(init, &mut label)?;
    let function = Box::new(std::mem::replace(inner, Expr::Ident(own_ident(PARAMETER))));
    let body = slice(text, start, function.span());
    let skeleton = squeeze(&whole.replacen(body, "", 1));
    let wrapper = std::mem::replace(init, Box::new(Expr::Invalid(Invalid::default())));
    Some((Shape::Wrapped { wrapper, inner: function, label: label.into() }, skeleton))
}

fn find_inner<'a>(expr: &'a mut Expr, label: &mut String) -> Option<&'a mut Expr> {
    let Expr::Call(call) = expr else { return None };
    let name = callee_name(&call.callee).filter(|name| matches!(name.as_str(), "memo" | "forwardRef"))?;
    label.push('$');
    label.push_str(name);
    let argument = call.args.first_mut().filter(|argument| argument.spread.is_none())?;
    match &*argument.expr {
        Expr::Fn(_) | Expr::Arrow(_) => Some(&mut *argument.expr),
        Expr::Call(_) => find_inner(&mut argument.expr, label),
        _ => None,
    }
}
