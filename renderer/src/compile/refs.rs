//! The outer names that a unit uses, and how: eagerly, as a JSX tag, called, under `typeof`.

use super::lower::{Marks, Synthetic, bound_names};
use super::surface::text_of;
use super::unit::Shape;
use std::collections::{BTreeMap, BTreeSet};
use swc_atoms::Atom;
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};

/// How identifiers of a lowered statement are told apart.
pub(crate) struct Scope<'a> {
    pub marks: Marks,
    pub synthetic: &'a Synthetic,
}

impl Scope<'_> {
    /// The JSX runtime's function that an expression names, if it does.
    pub fn is_synthetic(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Ident(ident) if self.synthetic.contains_key(&ident.to_id()))
    }
}

/// How an outer name is used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Use {
    /// Offset and end of its first mention from the statement's start.
    pub at: (u32, u32),
    /// Used while the unit is evaluated, not only later inside a function.
    pub eager: bool,
    /// Used as a JSX tag.
    pub tag: bool,
    /// Called without `new`.
    pub called: bool,
    /// Called with `new`, or extended.
    pub constructed: bool,
    /// Every mention is under `typeof`.
    pub guarded: bool,
}

/// The outer names of a unit.
#[derive(Debug, Default)]
pub(crate) struct Refs {
    pub names: BTreeMap<Atom, Use>,
    /// Whether evaluating it calls anything, so that even what it names inside functions may be used at once.
    pub calls: bool,
    /// Whether it makes elements.
    pub jsx: bool,
    /// Specifiers of dynamic imports, and their offsets from the statement's start.
    pub dynamic: Vec<(Atom, u32)>,
    /// Names that the unit declares with `var` inside blocks of its top level, which are its own.
    inner: BTreeSet<Atom>,
}

impl Refs {
    /// The outer names of a shape. `start` is the position of the statement's first byte.
    pub fn of(shape: &Shape, scope: &Scope<'_>, start: u32) -> Self {
        let mut inner = Inner { scope, names: BTreeSet::new() };
        if let Shape::Effect { body } = shape {
            body.visit_with(&mut inner);
        }
        let mut walk = Walk { scope, start, depth: 0, refs: Refs { inner: inner.names, ..Refs::default() } };
        match shape {
            Shape::Function { expr, .. } | Shape::Class { expr } => expr.visit_with(&mut walk),
            Shape::Wrapped { wrapper, inner, .. } => {
                wrapper.visit_with(&mut walk);
                inner.visit_with(&mut walk);
            }
            Shape::Value { target, init } => {
                init.visit_with(&mut walk);
                target.visit_with(&mut walk);
            }
            Shape::Block { body } | Shape::Effect { body } => body.visit_with(&mut walk),
        }
        walk.refs
    }

    /// The outer names inside one expression.
    pub fn in_expr(expr: &Expr, scope: &Scope<'_>) -> Vec<Atom> {
        let mut walk = Walk { scope, start: 0, depth: 0, refs: Refs::default() };
        expr.visit_with(&mut walk);
        walk.refs.names.into_keys().collect()
    }

    /// Whether `name`, an outer identifier, is a block's own `var`.
    pub fn is_inner(&self, name: &Atom) -> bool {
        !self.inner.is_empty() && self.inner.contains(name)
    }
}

/// Finds `var`s in blocks of the top level.
struct Inner<'a> {
    scope: &'a Scope<'a>,
    names: BTreeSet<Atom>,
}

impl Visit for Inner<'_> {
    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        if first_ident(&node.name).is_some_and(|first| self.scope.marks.is_top(first.ctxt)) {
            self.names.extend(bound_names(&node.name));
        }
    }

    fn visit_function(&mut self, _: &Function) {}

    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}
}

fn first_ident(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(ident) => Some(&ident.id),
        Pat::Array(array) => array.elems.iter().flatten().find_map(first_ident),
        Pat::Rest(rest) => first_ident(&rest.arg),
        Pat::Assign(assign) => first_ident(&assign.left),
        Pat::Object(object) => object.props.iter().find_map(|property| match property {
            ObjectPatProp::KeyValue(pair) => first_ident(&pair.value),
            ObjectPatProp::Assign(assign) => Some(&assign.key.id),
            ObjectPatProp::Rest(rest) => first_ident(&rest.arg),
        }),
        Pat::Invalid(_) | Pat::Expr(_) => None,
    }
}

struct Walk<'a> {
    scope: &'a Scope<'a>,
    start: u32,
    depth: u32,
    refs: Refs,
}

impl Walk<'_> {
    fn note(&mut self, ident: &Ident, how: impl FnOnce(&mut Use)) {
        if !self.scope.marks.is_outer(ident.ctxt) || self.refs.is_inner(&ident.sym) {
            return;
        }
        let (start, depth) = (self.start, self.depth);
        let entry = self.refs.names.entry(ident.sym.clone()).or_insert_with(|| Use {
            at: (ident.span.lo.0.saturating_sub(start), ident.span.hi.0.saturating_sub(start)),
            guarded: true,
            ..Use::default()
        });
        entry.eager |= depth == 0;
        how(entry);
    }

    fn deferred(&mut self, visit: impl FnOnce(&mut Self)) {
        self.depth += 1;
        visit(self);
        self.depth -= 1;
    }

    fn tag(&mut self, expr: &Expr) {
        match expr {
            Expr::Ident(ident) => self.note(ident, |used| used.tag = true),
            Expr::Member(member) => self.tag(&member.obj),
            _ => {}
        }
    }
}

impl Visit for Walk<'_> {
    fn visit_ident(&mut self, node: &Ident) {
        self.note(node, |used| used.guarded = false);
    }

    fn visit_unary_expr(&mut self, node: &UnaryExpr) {
        match (&node.op, &*node.arg) {
            (UnaryOp::TypeOf, Expr::Ident(ident)) => self.note(ident, |_| ()),
            _ => node.visit_children_with(self),
        }
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        if let (Callee::Import(_), Some(Expr::Lit(Lit::Str(text)))) =
            (&node.callee, node.args.first().map(|argument| &*argument.expr))
        {
            self.refs.dynamic.push((text_of(text), text.span.lo.0.saturating_sub(self.start)));
        }
        if let Callee::Expr(callee) = &node.callee {
            if self.scope.is_synthetic(callee) {
                self.refs.jsx = true;
                if let Some(tag) = node.args.first() {
                    self.tag(&tag.expr);
                }
            } else {
                self.refs.calls |= self.depth == 0;
                if let Expr::Ident(ident) = &**callee {
                    self.note(ident, |used| used.called = true);
                }
            }
        }
        node.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, node: &NewExpr) {
        self.refs.calls |= self.depth == 0;
        if let Expr::Ident(ident) = &*node.callee {
            self.note(ident, |used| used.constructed = true);
        }
        node.visit_children_with(self);
    }

    fn visit_class(&mut self, node: &Class) {
        if let Some(Expr::Ident(ident)) = node.super_class.as_deref() {
            self.note(ident, |used| used.constructed = true);
        }
        node.visit_children_with(self);
    }

    fn visit_tagged_tpl(&mut self, node: &TaggedTpl) {
        self.refs.calls |= self.depth == 0;
        node.visit_children_with(self);
    }

    fn visit_await_expr(&mut self, node: &AwaitExpr) {
        self.refs.calls |= self.depth == 0;
        node.visit_children_with(self);
    }

    fn visit_function(&mut self, node: &Function) {
        self.deferred(|walk| node.visit_children_with(walk));
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        self.deferred(|walk| node.visit_children_with(walk));
    }

    fn visit_constructor(&mut self, node: &Constructor) {
        self.deferred(|walk| node.visit_children_with(walk));
    }

    fn visit_getter_prop(&mut self, node: &GetterProp) {
        self.deferred(|walk| node.visit_children_with(walk));
    }

    fn visit_setter_prop(&mut self, node: &SetterProp) {
        self.deferred(|walk| node.visit_children_with(walk));
    }

    fn visit_class_prop(&mut self, node: &ClassProp) {
        node.key.visit_with(self);
        if node.is_static {
            node.value.visit_with(self);
        } else {
            self.deferred(|walk| node.value.visit_with(walk));
        }
    }
}
