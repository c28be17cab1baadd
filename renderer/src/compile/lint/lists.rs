//! Lists and objects: elements without a key, keys and attributes that stand twice, rows and text without end.

use super::{Finding, offsets};
use crate::compile::element::{attribute, attribute_name, bare, spreads};
use std::collections::HashSet;
use swc_common::{Span, Spanned};
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};
use ui4a_types::{Phase, Severity};

/// More rows than this in one literal are data that nobody reads in an interface.
pub(crate) const MOST_ROWS: usize = 500;
/// Longer text in one literal, in bytes, is a picture or a file rather than text.
pub(crate) const LONGEST_TEXT: usize = 32 * 1024;

pub(super) fn check(item: &ModuleItem, start: u32, findings: &mut Vec<Finding>) {
    item.visit_with(&mut Lists { start, findings });
}

struct Lists<'a> {
    start: u32,
    findings: &'a mut Vec<Finding>,
}

impl Lists<'_> {
    fn found(&mut self, code: &str, severity: Severity, message: String, help: &str, span: Span) {
        let at = offsets(span, self.start);
        self.findings.push(Finding::new(code, severity, Phase::Type, message, at).help(help));
    }

    /// Judges what a callback of `map` gives.
    fn row(&mut self, expr: &Expr) {
        match bare(expr) {
            Expr::JSXElement(element) => {
                let opening = &element.opening;
                if attribute(opening, "key").is_none() && !spreads(opening) {
                    self.found(
                        "missing-key",
                        Severity::Hint,
                        "Elements of a list have no key, so React cannot tell them apart when the list changes"
                            .to_owned(),
                        "Give each a key from its data, as in key={item.id}",
                        opening.span,
                    );
                }
            }
            Expr::JSXFragment(fragment) => self.found(
                "missing-key",
                Severity::Hint,
                "Fragments of a list have no key, so React cannot tell them apart when the list changes".to_owned(),
                "Write <Fragment key={item.id}> instead of <>",
                fragment.opening.span,
            ),
            Expr::Cond(condition) => {
                self.row(&condition.cons);
                self.row(&condition.alt);
            }
            Expr::Bin(BinExpr { op: BinaryOp::LogicalAnd, right, .. }) => self.row(right),
            _ => {}
        }
    }

    fn oversized(&mut self, what: &str, limit: &str, span: Span) {
        self.found(
            "oversized-data",
            Severity::Warning,
            format!("{what} is longer than an interface can use (at most {limit})"),
            "Keep a few typical rows, or compute them in a loop",
            span,
        );
    }
}

impl Visit for Lists<'_> {
    fn visit_call_expr(&mut self, node: &CallExpr) {
        let method = match &node.callee {
            Callee::Expr(callee) => match &**callee {
                Expr::Member(MemberExpr { prop: MemberProp::Ident(method), obj, .. }) => {
                    let from = method.sym == "from" && matches!(&**obj, Expr::Ident(object) if object.sym == "Array");
                    Some(if from {
                        1
                    } else if matches!(method.sym.as_str(), "map" | "flatMap") {
                        0
                    } else {
                        9
                    })
                }
                _ => None,
            },
            _ => None,
        };
        match method.and_then(|at| node.args.get(at)).map(|argument| &*argument.expr) {
            Some(Expr::Arrow(arrow)) => match &*arrow.body {
                ArrowFunctionBody::Expr(expr) => self.row(expr),
                ArrowFunctionBody::FunctionBody(body) => self.rows(body),
            },
            Some(Expr::Fn(function)) => {
                if let Some(body) = &function.function.body {
                    self.rows(body);
                }
            }
            _ => {}
        }
        node.visit_children_with(self);
    }

    fn visit_jsx_opening_element(&mut self, node: &JSXOpeningElement) {
        let mut names = HashSet::new();
        for attribute in &node.attrs {
            match attribute {
                // What is spread may be overridden on purpose.
                JSXAttrOrSpread::SpreadElement(_) => names.clear(),
                JSXAttrOrSpread::JSXAttr(attribute) => {
                    let name = attribute_name(attribute);
                    if !names.insert(name) {
                        let message = format!("{name} stands twice on this element; the last one counts");
                        let help = format!("Keep one {name}");
                        self.found("duplicate-attribute", Severity::Warning, message, &help, attribute.span);
                    }
                    if name == "dangerouslySetInnerHTML" {
                        self.html(attribute);
                    }
                }
            }
        }
        node.visit_children_with(self);
    }

    fn visit_object_lit(&mut self, node: &ObjectLit) {
        let mut names = HashSet::new();
        for property in &node.props {
            let PropOrSpread::Prop(property) = property else {
                names.clear();
                continue;
            };
            let (name, span) = match &**property {
                Prop::Shorthand(ident) => (ident.sym.to_string(), ident.span),
                Prop::KeyValue(pair) => match &pair.key {
                    PropName::Ident(key) => (key.sym.to_string(), key.span),
                    PropName::Str(key) => (key.value.to_string_lossy().into_owned(), key.span),
                    _ => continue,
                },
                _ => continue,
            };
            if !names.insert(name.clone()) {
                let message = format!("{name} stands twice in this object; the last one counts");
                let help = format!("Keep one {name}");
                self.found("duplicate-key", Severity::Warning, message, &help, span);
            }
        }
        node.visit_children_with(self);
    }

    fn visit_array_lit(&mut self, node: &ArrayLit) {
        if node.elems.len() > MOST_ROWS {
            self.oversized(&format!("A list of {} rows", node.elems.len()), &format!("{MOST_ROWS} rows"), node.span);
        }
        node.visit_children_with(self);
    }

    fn visit_str(&mut self, node: &Str) {
        self.text(node.span);
    }

    fn visit_tpl(&mut self, node: &Tpl) {
        self.text(node.span);
        node.visit_children_with(self);
    }
}

impl Lists<'_> {
    fn rows(&mut self, body: &FunctionBody) {
        for statement in &body.stmts {
            if let Stmt::Return(ReturnStmt { arg: Some(value), .. }) = statement {
                self.row(value);
            }
        }
    }

    fn text(&mut self, span: Span) {
        let length = (span.hi().0.saturating_sub(span.lo().0)) as usize;
        if length > LONGEST_TEXT {
            let what = format!("A text of {} KiB", length >> 10);
            self.oversized(&what, &format!("{} KiB", LONGEST_TEXT >> 10), span);
        }
    }

    /// `dangerouslySetInnerHTML` of something that is put together while running.
    fn html(&mut self, attribute: &JSXAttr) {
        struct Built(bool);
        impl Visit for Built {
            fn visit_prop(&mut self, node: &Prop) {
                if let Prop::KeyValue(pair) = node
                    && matches!(&pair.key, PropName::Ident(key) if key.sym == "__html")
                {
                    self.0 |= match bare(&pair.value) {
                        Expr::Lit(_) => false,
                        Expr::Tpl(template) => !template.exprs.is_empty(),
                        _ => true,
                    };
                }
            }
        }
        let mut built = Built(false);
        attribute.visit_with(&mut built);
        if built.0 {
            self.found(
                "unsafe-html",
                Severity::Hint,
                "HTML that is put together from values runs whatever is in them".to_owned(),
                "Write elements instead; the kit has Markdown and Code for text that is given",
                attribute.span(),
            );
        }
    }
}
