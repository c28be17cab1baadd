//! What stands at a place of the source: a prop, a tag, an argument, a member. The checker says where; this says of what.

use crate::compile::syntax_tree;
use std::collections::{HashMap, HashSet};
use swc_common::{Span, Spanned as _};
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith as _};

/// What stands at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// The name of an attribute.
    Prop {
        /// The element's name.
        of: String,
        /// The attribute's.
        name: String,
        /// Whether its value is written as text.
        literal: bool,
    },
    /// The name of an element.
    Tag(String),
    /// The first character of an argument.
    Argument {
        /// Whether it is written as text.
        literal: bool,
    },
    /// A member's name, behind a dot.
    Member,
}

/// The sites of a module.
#[derive(Debug, Default)]
pub(super) struct Sites {
    by_offset: HashMap<u32, Site>,
    /// Functions of the module that leave a parameter without a type: whoever calls them may leave it out.
    pub untyped: HashSet<String>,
}

impl Sites {
    /// Reads a module. One that does not parse has none.
    pub fn of(source: &str) -> Self {
        let mut sites = Self::default();
        if let Some(module) = syntax_tree(source) {
            module.visit_with(&mut sites);
        }
        sites
    }

    /// What stands at a byte offset.
    pub fn at(&self, offset: usize) -> Option<&Site> {
        self.by_offset.get(&u32::try_from(offset).ok()?)
    }

    fn add(&mut self, span: Span, site: Site) {
        let (start, _) = crate::compile::byte_range(span);
        self.by_offset.entry(start).or_insert(site);
    }

    fn function(&mut self, name: &str, mut parameters: impl Iterator<Item = bool>) {
        if parameters.any(|typed| !typed) {
            self.untyped.insert(name.to_owned());
        }
    }
}

/// Whether a parameter has a type or a default.
fn typed(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(ident) => ident.type_ann.is_some(),
        Pat::Object(object) => object.type_ann.is_some(),
        Pat::Array(array) => array.type_ann.is_some(),
        _ => true,
    }
}

fn is_text(expression: &Expr) -> bool {
    matches!(expression, Expr::Lit(_) | Expr::Tpl(_))
}

fn tag_name(name: &JSXElementName) -> String {
    match name {
        JSXElementName::Ident(ident) => ident.sym.to_string(),
        JSXElementName::JSXMemberExpr(member) => format!("{}.{}", object_name(&member.obj), member.prop.sym),
        JSXElementName::JSXNamespacedName(name) => format!("{}:{}", name.ns.sym, name.name.sym),
    }
}

fn object_name(object: &JSXObject) -> String {
    match object {
        JSXObject::Ident(ident) => ident.sym.to_string(),
        JSXObject::JSXMemberExpr(member) => format!("{}.{}", object_name(&member.obj), member.prop.sym),
    }
}

impl Visit for Sites {
    fn visit_jsx_opening_element(&mut self, node: &JSXOpeningElement) {
        let of = tag_name(&node.name);
        for attribute in &node.attrs {
            let JSXAttrOrSpread::JSXAttr(attribute) = attribute else { continue };
            let name = match &attribute.name {
                JSXAttrName::Ident(name) => name.sym.to_string(),
                JSXAttrName::JSXNamespacedName(name) => format!("{}:{}", name.ns.sym, name.name.sym),
            };
            let literal = match &attribute.value {
                Some(JSXAttrValue::JSXExprContainer(container)) => match &container.expr {
                    JSXExpr::Expr(expression) => is_text(expression),
                    JSXExpr::JSXEmptyExpr(_) => false,
                },
                _ => true,
            };
            self.add(attribute.name.span(), Site::Prop { of: of.clone(), name, literal });
        }
        self.add(node.name.span(), Site::Tag(of));
        node.visit_children_with(self);
    }

    fn visit_expr_or_spread(&mut self, node: &ExprOrSpread) {
        self.add(node.expr.span(), Site::Argument { literal: is_text(&node.expr) });
        node.visit_children_with(self);
    }

    fn visit_member_expr(&mut self, node: &MemberExpr) {
        self.add(node.prop.span(), Site::Member);
        node.visit_children_with(self);
    }

    fn visit_fn_decl(&mut self, node: &FnDecl) {
        self.function(&node.ident.sym, node.function.params.iter().map(|parameter| typed(&parameter.pat)));
        node.visit_children_with(self);
    }

    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        if let (Pat::Ident(name), Some(value)) = (&node.name, &node.init) {
            let name = name.sym.to_string();
            match &**value {
                Expr::Arrow(arrow) => self.function(&name, arrow.params.iter().map(typed)),
                Expr::Fn(function) => {
                    self.function(&name, function.function.params.iter().map(|parameter| typed(&parameter.pat)));
                }
                // `useCallback((a, b) => …)` and the like.
                Expr::Call(call) => {
                    if let Some(Expr::Arrow(arrow)) = call.args.first().map(|first| &*first.expr) {
                        self.function(&name, arrow.params.iter().map(typed));
                    }
                }
                _ => {}
            }
        }
        node.visit_children_with(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_known_by_what_stands_there() {
        let source = "const é = (a, b: number) => a;\nconst x = <Button size={3} label=\"t\" />; é(x.y, 'z');";
        let sites = Sites::of(source);
        let at = |text: &str| sites.at(source.find(text).expect("is there"));
        let prop = |name: &str, literal| Site::Prop { of: "Button".into(), name: name.into(), literal };
        assert_eq!(at("size"), Some(&prop("size", true)));
        assert_eq!(at("label"), Some(&prop("label", true)));
        assert_eq!(at("Button"), Some(&Site::Tag("Button".into())));
        assert_eq!(at("x.y"), Some(&Site::Argument { literal: false }));
        assert_eq!(at("y,"), Some(&Site::Member));
        assert!(sites.untyped.contains("é"));
        assert!(Sites::of("const = ;").at(0).is_none());
    }
}
