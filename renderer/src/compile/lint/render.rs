//! What a component may not do while it renders: set its own state, wait, make components.

use super::{Finding, offsets};
use crate::compile::element::gives_jsx;
use crate::compile::locals::Locals;
use crate::compile::signature::{callee_name, is_hook};
use swc_common::Span;
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};
use ui4a_types::{Phase, Severity};

pub(super) fn check(item: &ModuleItem, start: u32, locals: &Locals, findings: &mut Vec<Finding>) {
    let mut render = Render { start, locals, findings, inside: 0 };
    match item {
        ModuleItem::ModuleDecl(ModuleDecl::ExportDefaultDecl(ExportDefaultDecl {
            decl: DefaultDecl::Fn(function),
            ..
        })) => render.component("The component", &function.function.span, &Code::of(&function.function)),
        ModuleItem::ModuleDecl(ModuleDecl::ExportDefaultExpr(export)) => {
            if let Some(code) = Code::of_expr(&export.expr) {
                render.component("The component", &export.span, &code);
            }
        }
        _ => {}
    }
    item.visit_with(&mut render);
}

/// A function, whichever way it is written.
struct Code<'a> {
    is_async: bool,
    body: Option<&'a FunctionBody>,
    expr: Option<&'a Expr>,
}

impl<'a> Code<'a> {
    fn of(function: &'a Function) -> Self {
        Self { is_async: function.is_async, body: function.body.as_ref(), expr: None }
    }

    fn of_expr(expr: &'a Expr) -> Option<Self> {
        match expr {
            Expr::Fn(function) => Some(Self::of(&function.function)),
            Expr::Arrow(arrow) => Some(match &*arrow.body {
                ArrowFunctionBody::FunctionBody(body) => {
                    Self { is_async: arrow.is_async, body: Some(body), expr: None }
                }
                ArrowFunctionBody::Expr(expr) => Self { is_async: arrow.is_async, body: None, expr: Some(expr) },
            }),
            _ => None,
        }
    }

    /// Whether it returns elements itself.
    fn shows(&self) -> bool {
        let mut returns = Returns(false);
        if let Some(body) = self.body {
            body.visit_with(&mut returns);
        }
        returns.0 || self.expr.is_some_and(gives_jsx)
    }
}

struct Returns(bool);

impl Visit for Returns {
    fn visit_return_stmt(&mut self, node: &ReturnStmt) {
        self.0 |= node.arg.as_deref().is_some_and(gives_jsx);
    }

    fn visit_function(&mut self, _: &Function) {}

    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}

    fn visit_class(&mut self, _: &Class) {}
}

struct Render<'a> {
    start: u32,
    locals: &'a Locals,
    findings: &'a mut Vec<Finding>,
    /// Components around this place.
    inside: u32,
}

impl Render<'_> {
    fn found(&mut self, code: &str, severity: Severity, message: String, help: &str, span: Span) {
        let at = offsets(span, self.start);
        self.findings.push(Finding::new(code, severity, Phase::Runtime, message, at).help(help));
    }

    /// Judges a component. `name` begins the sentence.
    fn component(&mut self, name: &str, span: &Span, code: &Code<'_>) {
        if code.is_async {
            self.found(
                "async-component",
                Severity::Error,
                format!("{name} is async: React cannot show a component that has to be waited for"),
                "Remove async; load in useEffect, and keep what was loaded in state",
                *span,
            );
        }
        for statement in code.body.iter().flat_map(|body| &body.stmts) {
            let Stmt::Expr(bare) = statement else { continue };
            let Expr::Call(call) = &*bare.expr else { continue };
            let Some(setter) = callee_name(&call.callee).filter(|name| self.locals.setter(name).is_some()) else {
                continue;
            };
            self.found(
                "state-set-in-render",
                Severity::Error,
                format!("{setter} is called while rendering, which renders again without end"),
                "Call it in an event handler or in useEffect, or give the value to useState at once",
                bare.span,
            );
        }
    }

    fn named(&mut self, name: &str, span: &Span, code: Code<'_>) -> bool {
        let is_component = name.starts_with(char::is_uppercase) && code.shows();
        if is_component {
            self.component(name, span, &code);
            if self.inside > 0 {
                self.found(
                    "component-in-component",
                    Severity::Warning,
                    format!(
                        "{name} is made anew each time the component around it renders, so its state and focus are lost"
                    ),
                    "Move it out of the component, and hand it what it needs as props",
                    *span,
                );
            }
        } else if is_hook(name) {
            self.component(name, span, &Code { is_async: false, ..code });
        }
        is_component
    }

    fn effect(&mut self, name: &str, node: &CallExpr) {
        let Some(callback) = node.args.first() else { return };
        let Some(code) = Code::of_expr(&callback.expr) else { return };
        if code.is_async {
            self.found(
                "async-effect",
                Severity::Warning,
                format!("{name} is given an async function, so it cannot clean up after itself"),
                "Define an async function inside the effect and call it there",
                node.span,
            );
        }
        if node.args.len() > 1 {
            return;
        }
        let calls = code.body.iter().flat_map(|body| &body.stmts).filter_map(|statement| match statement {
            Stmt::Expr(bare) => Some(&*bare.expr),
            _ => None,
        });
        let sets = calls.chain(code.expr).find_map(|expr| match expr {
            Expr::Call(call) => callee_name(&call.callee).filter(|name| self.locals.setter(name).is_some()),
            _ => None,
        });
        if let Some(setter) = sets.cloned() {
            self.found(
                "endless-effect",
                Severity::Warning,
                format!("This effect runs after every render and calls {setter}, which renders again"),
                "Give it a list of dependencies as its second argument; [] runs it once",
                node.span,
            );
        }
    }
}

impl Visit for Render<'_> {
    fn visit_fn_decl(&mut self, node: &FnDecl) {
        let is_component = self.named(&node.ident.sym, &node.function.span, Code::of(&node.function));
        self.inside += u32::from(is_component);
        node.visit_children_with(self);
        self.inside -= u32::from(is_component);
    }

    fn visit_export_default_decl(&mut self, node: &ExportDefaultDecl) {
        self.inside += 1;
        node.visit_children_with(self);
        self.inside -= 1;
    }

    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        let mut is_component = false;
        if let (Pat::Ident(name), Some(init)) = (&node.name, node.init.as_deref())
            && let Some(code) = Code::of_expr(init)
        {
            is_component = self.named(&name.id.sym, &node.span, code);
        }
        self.inside += u32::from(is_component);
        node.visit_children_with(self);
        self.inside -= u32::from(is_component);
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        if let Some(name) = callee_name(&node.callee)
            && matches!(name.as_str(), "useEffect" | "useLayoutEffect" | "useInsertionEffect")
        {
            let name = name.clone();
            self.effect(&name, node);
        }
        node.visit_children_with(self);
    }
}
