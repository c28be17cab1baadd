//! Turns outer names into lookups: `$.name` for the module's own, `$i["specifier"].name` for imports.
//!
//! Which identifier is an outer one is decided by the context that name resolution gave it, never by its spelling.

use super::lower::{Marks, Synthetic};
use super::names::Target;
use std::collections::BTreeMap;
use swc_atoms::Atom;
use swc_common::{DUMMY_SP, Span, SyntaxContext};
use swc_ecma_ast::*;
use swc_ecma_visit::{VisitMut, VisitMutWith};

/// The scope object.
pub(crate) const SCOPE: &str = "$";
/// The import table.
pub(crate) const IMPORTS: &str = "$i";
/// Names that compiled text uses for itself; locals of that name are renamed.
const RESERVED: &[&str] = &["$", "$i", "$c", "$k", "$p"];

/// An identifier of the compiler's own, which no pass renames: its context is empty.
pub(crate) fn own_ident(name: &str) -> Ident {
    Ident::new(name.into(), DUMMY_SP, SyntaxContext::empty())
}

/// `object.name`, or `object["name"]` where the name is no identifier.
pub(crate) fn member(object: Expr, name: &str, span: Span) -> Expr {
    let prop = if Ident::verify_symbol(name).is_ok() || is_reserved_word(name) {
        MemberProp::Ident(IdentName::new(name.into(), span))
    } else {
        let key = Expr::Lit(Lit::Str(Str { span: DUMMY_SP, value: name.into(), raw: None }));
        MemberProp::Computed(ComputedPropName { span: DUMMY_SP, expr: Box::new(key) })
    };
    Expr::Member(MemberExpr { span, obj: Box::new(object), prop })
}

fn is_reserved_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// `$i["specifier"].name`.
pub(crate) fn import_lookup(specifier: &str, name: &str, span: Span) -> Expr {
    let key = Expr::Lit(Lit::Str(Str { span: DUMMY_SP, value: specifier.into(), raw: None }));
    let module = Expr::Member(MemberExpr {
        span,
        obj: Box::new(Expr::Ident(own_ident(IMPORTS))),
        prop: MemberProp::Computed(ComputedPropName { span: DUMMY_SP, expr: Box::new(key) }),
    });
    if name == "*" { module } else { member(module, name, span) }
}

/// The rewriting of one unit.
pub(crate) struct Rewrite<'a> {
    pub marks: Marks,
    pub synthetic: &'a Synthetic,
    pub targets: BTreeMap<&'a Atom, &'a Target>,
}

impl Rewrite<'_> {
    /// The lookup that an identifier stands for, if it does.
    fn lookup(&self, ident: &Ident) -> Option<Expr> {
        if let Some((specifier, name)) = self.synthetic.get(&ident.to_id()) {
            return Some(import_lookup(specifier, name, ident.span));
        }
        if !self.marks.is_outer(ident.ctxt) {
            return None;
        }
        match self.targets.get(&ident.sym)? {
            Target::Own => Some(member(Expr::Ident(own_ident(SCOPE)), &ident.sym, ident.span)),
            Target::Import { specifier, name } => Some(import_lookup(specifier, name, ident.span)),
            Target::Global if RESERVED.contains(&ident.sym.as_str()) => {
                Some(member(Expr::Ident(own_ident("globalThis")), &ident.sym, ident.span))
            }
            Target::Global => None,
        }
    }

    fn is_renamed(&self, ident: &Ident) -> bool {
        ident.ctxt != SyntaxContext::empty()
            && !self.marks.is_outer(ident.ctxt)
            && RESERVED.contains(&ident.sym.as_str())
    }

    /// `(0, lookup)`: calls through it get no `this`.
    fn unbound(&self, expr: &mut Expr) -> bool {
        let Expr::Ident(ident) = expr else { return false };
        let Some(lookup) = self.lookup(ident) else { return false };
        if self.synthetic.contains_key(&ident.to_id()) {
            // The JSX runtime does not look at `this`.
            *expr = lookup;
            return true;
        }
        let zero = Expr::Lit(Lit::Num(Number { span: DUMMY_SP, value: 0.0, raw: None }));
        *expr = Expr::Seq(SeqExpr { span: ident.span, exprs: vec![Box::new(zero), Box::new(lookup)] });
        true
    }
}

impl VisitMut for Rewrite<'_> {
    fn visit_mut_ident(&mut self, node: &mut Ident) {
        if self.is_renamed(node) {
            node.sym = format!("{}_", node.sym).into();
        }
    }

    /// A lowered enum is a function whose parameter is the enum's own identifier: inside, the name is the parameter.
    fn visit_mut_function(&mut self, node: &mut Function) {
        let mut hidden = Vec::new();
        for param in &node.params {
            if let Pat::Ident(ident) = &param.pat
                && self.marks.is_outer(ident.id.ctxt)
            {
                hidden.extend(self.targets.remove_entry(&ident.id.sym));
            }
        }
        node.visit_mut_children_with(self);
        self.targets.extend(hidden);
    }

    fn visit_mut_expr(&mut self, node: &mut Expr) {
        match node {
            Expr::Ident(ident) => {
                if let Some(lookup) = self.lookup(ident) {
                    *node = lookup;
                    return;
                }
            }
            // A classic script has no `import.meta`: it gets what bundlers' users expect of it.
            Expr::MetaProp(MetaPropExpr { kind: MetaPropKind::ImportMeta, span }) => {
                let env = KeyValueProp {
                    key: PropName::Ident(IdentName::new("env".into(), DUMMY_SP)),
                    value: Box::new(Expr::Object(ObjectLit::default())),
                };
                let props = vec![PropOrSpread::Prop(Box::new(Prop::KeyValue(env)))];
                *node = Expr::Object(ObjectLit { span: *span, props });
                return;
            }
            _ => {}
        }
        node.visit_mut_children_with(self);
    }

    fn visit_mut_call_expr(&mut self, node: &mut CallExpr) {
        match &mut node.callee {
            Callee::Import(import) => {
                let callee = member(Expr::Ident(own_ident(IMPORTS)), "$import", import.span);
                node.callee = Callee::Expr(Box::new(callee));
            }
            Callee::Expr(callee) => {
                if !self.unbound(callee) {
                    callee.visit_mut_with(self);
                }
            }
            Callee::Super(_) => {}
        }
        node.args.visit_mut_with(self);
    }

    fn visit_mut_opt_call(&mut self, node: &mut OptCall) {
        if !self.unbound(&mut node.callee) {
            node.callee.visit_mut_with(self);
        }
        node.args.visit_mut_with(self);
    }

    fn visit_mut_tagged_tpl(&mut self, node: &mut TaggedTpl) {
        if !self.unbound(&mut node.tag) {
            node.tag.visit_mut_with(self);
        }
        node.tpl.visit_mut_with(self);
    }

    fn visit_mut_prop(&mut self, node: &mut Prop) {
        if let Prop::Shorthand(ident) = node {
            let key = PropName::Ident(IdentName::new(ident.sym.clone(), ident.span));
            if let Some(lookup) = self.lookup(ident) {
                *node = Prop::KeyValue(KeyValueProp { key, value: Box::new(lookup) });
                return;
            }
            if self.is_renamed(ident) {
                let mut renamed = ident.clone();
                self.visit_mut_ident(&mut renamed);
                *node = Prop::KeyValue(KeyValueProp { key, value: Box::new(Expr::Ident(renamed)) });
                return;
            }
        }
        node.visit_mut_children_with(self);
    }

    fn visit_mut_pat(&mut self, node: &mut Pat) {
        if let Pat::Ident(ident) = node
            && let Some(lookup) = self.lookup(&ident.id)
        {
            *node = Pat::Expr(Box::new(lookup));
            return;
        }
        node.visit_mut_children_with(self);
    }

    fn visit_mut_object_pat_prop(&mut self, node: &mut ObjectPatProp) {
        if let ObjectPatProp::Assign(assign) = node {
            let ident = assign.key.id.clone();
            let left = match self.lookup(&ident) {
                Some(lookup) => Some(Pat::Expr(Box::new(lookup))),
                None if self.is_renamed(&ident) => {
                    let mut renamed = ident.clone();
                    self.visit_mut_ident(&mut renamed);
                    Some(Pat::Ident(renamed.into()))
                }
                None => None,
            };
            if let Some(left) = left {
                let value = match assign.value.take() {
                    Some(mut right) => {
                        right.visit_mut_with(self);
                        Pat::Assign(AssignPat { span: assign.span, left: Box::new(left), right })
                    }
                    None => left,
                };
                let key = PropName::Ident(IdentName::new(ident.sym, ident.span));
                *node = ObjectPatProp::KeyValue(KeyValuePatProp { key, value: Box::new(value) });
                return;
            }
        }
        node.visit_mut_children_with(self);
    }

    fn visit_mut_simple_assign_target(&mut self, node: &mut SimpleAssignTarget) {
        if let SimpleAssignTarget::Ident(ident) = node
            && let Some(Expr::Member(lookup)) = self.lookup(&ident.id)
        {
            *node = SimpleAssignTarget::Member(lookup);
            return;
        }
        node.visit_mut_children_with(self);
    }
}
