//! JSX elements as lints and repairs ask about them.

use swc_ecma_ast::*;

/// The tag's name; of `Dialog.Trigger`, `Trigger`.
pub(crate) fn tag(element: &JSXOpeningElement) -> &str {
    match &element.name {
        JSXElementName::Ident(ident) => &ident.sym,
        JSXElementName::JSXMemberExpr(member) => &member.prop.sym,
        JSXElementName::JSXNamespacedName(name) => &name.name.sym,
    }
}

/// Whether it is an element of the document: not a component, nor a custom element, whose attributes are its own.
pub(crate) fn is_native(element: &JSXOpeningElement) -> bool {
    matches!(&element.name, JSXElementName::Ident(ident)
        if ident.sym.starts_with(|first: char| first.is_ascii_lowercase()) && !ident.sym.contains('-'))
}

/// Whether some of its attributes are spread, so that what it lacks may be among them.
pub(crate) fn spreads(element: &JSXOpeningElement) -> bool {
    element.attrs.iter().any(|attribute| matches!(attribute, JSXAttrOrSpread::SpreadElement(_)))
}

/// An attribute's name, without its namespace's.
pub(crate) fn attribute_name(attribute: &JSXAttr) -> &str {
    match &attribute.name {
        JSXAttrName::Ident(name) => &name.sym,
        JSXAttrName::JSXNamespacedName(name) => &name.name.sym,
    }
}

/// The attribute of that name.
pub(crate) fn attribute<'e>(element: &'e JSXOpeningElement, name: &str) -> Option<&'e JSXAttr> {
    element.attrs.iter().find_map(|attribute| match attribute {
        JSXAttrOrSpread::JSXAttr(attribute) => {
            matches!(&attribute.name, JSXAttrName::Ident(own) if own.sym == name).then_some(attribute)
        }
        JSXAttrOrSpread::SpreadElement(_) => None,
    })
}

/// Whether it has one of these attributes, or a spread that may hold it.
pub(crate) fn has(element: &JSXOpeningElement, names: &[&str]) -> bool {
    spreads(element) || names.iter().any(|name| attribute(element, name).is_some())
}

/// The text of an attribute that is nothing but text: `"a"`, `{"a"}`, or a template without expressions.
pub(crate) fn text(attribute: &JSXAttr) -> Option<String> {
    match attribute.value.as_ref()? {
        JSXAttrValue::Str(text) => Some(text.value.to_string_lossy().into_owned()),
        JSXAttrValue::JSXExprContainer(JSXExprContainer { expr: JSXExpr::Expr(expr), .. }) => match &**expr {
            Expr::Lit(Lit::Str(text)) => Some(text.value.to_string_lossy().into_owned()),
            Expr::Tpl(template) if template.exprs.is_empty() => {
                template.quasis.first().map(|quasi| quasi.raw.to_string())
            }
            _ => None,
        },
        _ => None,
    }
}

/// The expression of an attribute that is written in braces.
pub(crate) fn expression(attribute: &JSXAttr) -> Option<&Expr> {
    match attribute.value.as_ref()? {
        JSXAttrValue::JSXExprContainer(JSXExprContainer { expr: JSXExpr::Expr(expr), .. }) => Some(expr),
        _ => None,
    }
}

/// Whether an attribute takes a function that is called when something happens: `onClick`.
pub(crate) fn is_handler(name: &str) -> bool {
    name.strip_prefix("on").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// An expression without its parentheses and type assertions.
pub(crate) fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => bare(&inner.expr),
        Expr::TsAs(inner) => bare(&inner.expr),
        Expr::TsNonNull(inner) => bare(&inner.expr),
        Expr::TsSatisfies(inner) => bare(&inner.expr),
        other => other,
    }
}

/// Whether an expression is an element or a fragment.
pub(crate) fn is_jsx(expr: &Expr) -> bool {
    matches!(bare(expr), Expr::JSXElement(_) | Expr::JSXFragment(_))
}

/// Whether an expression gives an element: itself, or on one side of a condition.
pub(crate) fn gives_jsx(expr: &Expr) -> bool {
    match bare(expr) {
        Expr::JSXElement(_) | Expr::JSXFragment(_) => true,
        Expr::Cond(condition) => gives_jsx(&condition.cons) || gives_jsx(&condition.alt),
        Expr::Bin(BinExpr {
            op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::NullishCoalescing,
            left,
            right,
            ..
        }) => gives_jsx(right) || gives_jsx(left),
        _ => false,
    }
}
