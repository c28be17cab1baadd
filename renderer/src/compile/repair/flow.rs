//! Functions that forget a word: `return` before an element, `async` around an `await`, parentheses around `??`.

use super::Log;
use crate::compile::element::{gives_jsx, is_jsx};
use crate::compile::signature::is_hook;
use swc_common::{Span, Spanned};
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitMut, VisitMutWith, VisitWith};
use ui4a_types::{Phase, Severity};

pub(super) fn mend(item: &mut ModuleItem, log: &mut Log) {
    item.visit_mut_with(&mut Flow { log, next: None });
}

/// What a function is, when its place says so.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Component,
    Hook,
}

struct Flow<'a> {
    log: &'a mut Log,
    next: Option<Role>,
}

fn role(name: &str) -> Option<Role> {
    if name.starts_with(char::is_uppercase) { Some(Role::Component) } else { is_hook(name).then_some(Role::Hook) }
}

/// Finds the first `await` that belongs to the function itself.
struct Awaits(Option<Span>);

impl Visit for Awaits {
    fn visit_await_expr(&mut self, node: &AwaitExpr) {
        self.0.get_or_insert(node.span);
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        if node.is_await {
            self.0.get_or_insert(node.span);
        }
        node.visit_children_with(self);
    }

    fn visit_function(&mut self, _: &Function) {}

    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}

    fn visit_class(&mut self, _: &Class) {}
}

struct Shows(bool);

impl Visit for Shows {
    fn visit_return_stmt(&mut self, node: &ReturnStmt) {
        self.0 |= node.arg.as_deref().is_some_and(gives_jsx);
    }

    fn visit_function(&mut self, _: &Function) {}

    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}

    fn visit_class(&mut self, _: &Class) {}
}

impl Flow<'_> {
    /// Whether the function should be async, given what it is and whether it is.
    fn waits(&mut self, is_async: bool, role: Option<Role>, shows: bool, awaits: Option<Span>, span: Span) -> bool {
        let is_component = role == Some(Role::Component) && shows;
        match (is_async, awaits) {
            (false, Some(at)) if is_component || role == Some(Role::Hook) => {
                let offsets = crate::compile::lint::offsets(at, self.log.start);
                let message = "await stands in a component's own body, which cannot wait";
                self.log.findings.push(
                    crate::compile::lint::Finding::new(
                        "await-in-component",
                        Severity::Error,
                        Phase::Syntax,
                        message,
                        offsets,
                    )
                    .help("Load in useEffect with an async function inside, and keep what was loaded in state"),
                );
                false
            }
            (false, Some(at)) => {
                let message = "await needs an async function; the function around it is made one".to_owned();
                self.log.repaired("async", Severity::Warning, message, "Write async before the function", at);
                true
            }
            (true, None) if is_component => {
                let message =
                    "A component cannot be async; this one waits for nothing, so async is left out".to_owned();
                self.log.repaired("async", Severity::Warning, message, "Remove async", span);
                false
            }
            (is_async, _) => is_async,
        }
    }

    /// `return` on a line of its own, and elements that are written but not returned.
    fn returns(&mut self, statements: &mut Vec<Stmt>, is_body: bool) {
        let lonely =
            statements.iter().position(|statement| matches!(statement, Stmt::Return(ReturnStmt { arg: None, .. })));
        if let Some(at) = lonely
            && let Some(Stmt::Expr(next)) = statements.get(at + 1)
            && is_jsx(&next.expr)
        {
            let value = next.expr.clone();
            let place = statements[at].span();
            statements[at] = Stmt::Return(ReturnStmt { span: place, arg: Some(value) });
            statements.remove(at + 1);
            let message = "return ends with its line, so what follows was never returned; it is".to_owned();
            self.log.repaired("return", Severity::Warning, message, "Write return ( on the same line", place);
            return;
        }
        if !is_body || statements.iter().any(|statement| matches!(statement, Stmt::Return(_))) {
            return;
        }
        if let Some(Stmt::Expr(last)) = statements.last()
            && is_jsx(&last.expr)
        {
            let (span, value) = (last.span, last.expr.clone());
            let message = "This element is not returned, so nothing would be shown; it is returned".to_owned();
            self.log.repaired("return", Severity::Warning, message, "Write return before it", span);
            let end = statements.len() - 1;
            statements[end] = Stmt::Return(ReturnStmt { span, arg: Some(value) });
        }
    }
}

impl VisitMut for Flow<'_> {
    fn visit_mut_fn_decl(&mut self, node: &mut FnDecl) {
        self.next = role(&node.ident.sym);
        node.function.visit_mut_with(self);
    }

    fn visit_mut_export_default_decl(&mut self, node: &mut ExportDefaultDecl) {
        self.next = Some(Role::Component);
        node.visit_mut_children_with(self);
        self.next = None;
    }

    fn visit_mut_export_default_expr(&mut self, node: &mut ExportDefaultExpr) {
        self.next = Some(Role::Component);
        node.visit_mut_children_with(self);
        self.next = None;
    }

    fn visit_mut_var_declarator(&mut self, node: &mut VarDeclarator) {
        if let (Pat::Ident(name), Some(Expr::Fn(_) | Expr::Arrow(_))) = (&node.name, node.init.as_deref()) {
            self.next = role(&name.id.sym);
        }
        node.init.visit_mut_with(self);
        self.next = None;
    }

    fn visit_mut_call_expr(&mut self, node: &mut CallExpr) {
        self.next = None;
        node.visit_mut_children_with(self);
    }

    fn visit_mut_class(&mut self, node: &mut Class) {
        self.next = None;
        node.visit_mut_children_with(self);
    }

    fn visit_mut_function(&mut self, node: &mut Function) {
        let role = self.next.take();
        node.visit_mut_children_with(self);
        let (mut shows, mut awaits) = (Shows(false), Awaits(None));
        node.body.visit_with(&mut shows);
        node.body.visit_with(&mut awaits);
        node.is_async = self.waits(node.is_async, role, shows.0, awaits.0, node.span);
    }

    fn visit_mut_arrow_expr(&mut self, node: &mut ArrowExpr) {
        let role = self.next.take();
        node.visit_mut_children_with(self);
        let (mut shows, mut awaits) = (Shows(false), Awaits(None));
        match &*node.body {
            ArrowFunctionBody::Expr(expr) => shows.0 = gives_jsx(expr),
            ArrowFunctionBody::FunctionBody(body) => body.visit_with(&mut shows),
        }
        node.body.visit_with(&mut awaits);
        node.is_async = self.waits(node.is_async, role, shows.0, awaits.0, node.span);
    }

    fn visit_mut_function_body(&mut self, node: &mut FunctionBody) {
        node.visit_mut_children_with(self);
        self.returns(&mut node.stmts, true);
    }

    fn visit_mut_block_stmt(&mut self, node: &mut BlockStmt) {
        node.visit_mut_children_with(self);
        self.returns(&mut node.stmts, false);
    }

    /// `a ?? b || c` is an error of its own: the language wants to be told which comes first.
    fn visit_mut_bin_expr(&mut self, node: &mut BinExpr) {
        node.visit_mut_children_with(self);
        let mixes = |a: BinaryOp, b: BinaryOp| {
            let logical = |op| matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr);
            (a == BinaryOp::NullishCoalescing && logical(b)) || (logical(a) && b == BinaryOp::NullishCoalescing)
        };
        for side in [&mut node.left, &mut node.right] {
            let Expr::Bin(inner) = &**side else { continue };
            if !mixes(node.op, inner.op) {
                continue;
            }
            let span = inner.span;
            let inner = std::mem::replace(side, Box::new(Expr::Invalid(Invalid::default())));
            **side = Expr::Paren(ParenExpr { span, expr: inner });
            let message = "?? stands beside && or || without parentheses; the left one comes first".to_owned();
            self.log.repaired(
                "parentheses",
                Severity::Warning,
                message,
                "Put parentheses around one of them",
                node.span,
            );
        }
    }
}
