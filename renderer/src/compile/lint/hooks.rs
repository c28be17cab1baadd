//! The Rules of Hooks that break an artifact: hooks in callbacks, under conditions, after an early return, at top level.

use super::{Finding, offsets};
use crate::compile::signature::{callee_name, is_hook};
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};
use ui4a_types::{Phase, Severity};

pub(super) fn check(item: &ModuleItem, start: u32, findings: &mut Vec<Finding>) {
    let default =
        matches!(item, ModuleItem::ModuleDecl(ModuleDecl::ExportDefaultDecl(_) | ModuleDecl::ExportDefaultExpr(_)));
    let next = default.then_some(Body::Component);
    item.visit_with(&mut Rules { start, findings, stack: vec![Level::new(Body::Top)], next });
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    Top,
    /// A component, or a hook of the model's own.
    Component,
    /// A function inside a component that is neither.
    Callback,
    /// A function that may be a component under some wrapper.
    Unknown,
    /// A top-level function whose name is neither a component's nor a hook's.
    Plain,
    /// A method of a class.
    Method,
}

struct Level {
    body: Body,
    conditions: u32,
    returned: bool,
}

impl Level {
    fn new(body: Body) -> Self {
        Self { body, conditions: 0, returned: false }
    }
}

struct Rules<'a> {
    start: u32,
    findings: &'a mut Vec<Finding>,
    stack: Vec<Level>,
    /// What the next function is, when its place says so.
    next: Option<Body>,
}

fn by_name(name: &str, at_top: bool) -> Option<Body> {
    match name.starts_with(char::is_uppercase) || is_hook(name) {
        true => Some(Body::Component),
        false => at_top.then_some(Body::Plain),
    }
}

impl Rules<'_> {
    fn function(&mut self, visit: impl FnOnce(&mut Self)) {
        let inside = self.stack.iter().any(|level| level.body == Body::Component);
        let body = self.next.take().unwrap_or(if inside { Body::Callback } else { Body::Unknown });
        self.stack.push(Level::new(body));
        visit(self);
        self.stack.pop();
    }

    fn conditional(&mut self, visit: impl FnOnce(&mut Self)) {
        if let Some(level) = self.stack.last_mut() {
            level.conditions += 1;
        }
        visit(self);
        if let Some(level) = self.stack.last_mut() {
            level.conditions -= 1;
        }
    }

    fn hook(&mut self, name: &str, span: swc_common::Span) {
        let Some(level) = self.stack.last() else { return };
        let (code, severity, message, help) = match level.body {
            Body::Top => (
                "hook-outside-component",
                Severity::Error,
                format!("{name} is called outside a component"),
                "Call hooks inside a component's own body",
            ),
            Body::Callback => (
                "hook-in-callback",
                Severity::Error,
                format!("{name} is called inside a function that is not a component"),
                "Move the call to the top of the component and use its result here",
            ),
            Body::Method => (
                "hook-in-class",
                Severity::Error,
                format!("{name} is called in a class, where hooks do not work"),
                "Write the component as a function",
            ),
            Body::Plain => (
                "hook-in-function",
                Severity::Warning,
                format!("{name} is called in a function that is neither a component nor a hook"),
                "Begin the function's name with use, or with a capital if it is a component",
            ),
            _ if name == "use" => return,
            _ if level.conditions > 0 => (
                "conditional-hook",
                Severity::Warning,
                format!("{name} is called under a condition or in a loop"),
                "Call hooks at the top of the component, always and in the same order",
            ),
            _ if level.returned => (
                "conditional-hook",
                Severity::Warning,
                format!("{name} is called after a return that may come first"),
                "Call hooks before the first return",
            ),
            _ => return,
        };
        let at = offsets(span, self.start);
        self.findings.push(Finding::new(code, severity, Phase::Runtime, message, at).help(help));
    }
}

/// Finds a `return` of this function.
struct Returns(bool);

impl Visit for Returns {
    fn visit_return_stmt(&mut self, _: &ReturnStmt) {
        self.0 = true;
    }

    fn visit_function(&mut self, _: &Function) {}

    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}

    fn visit_class(&mut self, _: &Class) {}
}

impl Visit for Rules<'_> {
    fn visit_fn_decl(&mut self, node: &FnDecl) {
        self.next = by_name(&node.ident.sym, self.stack.len() == 1);
        node.function.visit_with(self);
        self.next = None;
    }

    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        if let (Pat::Ident(ident), Some(Expr::Fn(_) | Expr::Arrow(_))) = (&node.name, node.init.as_deref()) {
            self.next = by_name(&ident.id.sym, self.stack.len() == 1);
        }
        node.init.visit_with(self);
        self.next = None;
    }

    fn visit_function(&mut self, node: &Function) {
        self.function(|rules| node.visit_children_with(rules));
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        self.function(|rules| node.visit_children_with(rules));
    }

    fn visit_class(&mut self, node: &Class) {
        self.next = None;
        node.visit_children_with(self);
    }

    fn visit_class_method(&mut self, node: &ClassMethod) {
        self.next = Some(Body::Method);
        node.function.visit_with(self);
        self.next = None;
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        self.next = None;
        let direct = match &node.callee {
            Callee::Expr(callee) => match &**callee {
                Expr::Ident(_) => true,
                Expr::Member(member) => matches!(&*member.obj, Expr::Ident(object) if object.sym == "React"),
                _ => false,
            },
            _ => false,
        };
        if let Some(name) = callee_name(&node.callee).filter(|name| direct && is_hook(name)) {
            self.hook(name, node.span);
        }
        let wraps = callee_name(&node.callee).is_some_and(|name| matches!(name.as_str(), "memo" | "forwardRef"));
        node.callee.visit_with(self);
        for argument in &node.args {
            if wraps && matches!(*argument.expr, Expr::Fn(_) | Expr::Arrow(_)) {
                self.next = Some(Body::Component);
            }
            argument.visit_with(self);
            self.next = None;
        }
    }

    fn visit_if_stmt(&mut self, node: &IfStmt) {
        node.test.visit_with(self);
        self.conditional(|rules| {
            node.cons.visit_with(rules);
            node.alt.visit_with(rules);
        });
        let mut returns = Returns(false);
        node.cons.visit_with(&mut returns);
        node.alt.visit_with(&mut returns);
        if let Some(level) = self.stack.last_mut() {
            level.returned |= returns.0;
        }
    }

    fn visit_cond_expr(&mut self, node: &CondExpr) {
        node.test.visit_with(self);
        self.conditional(|rules| {
            node.cons.visit_with(rules);
            node.alt.visit_with(rules);
        });
    }

    fn visit_bin_expr(&mut self, node: &BinExpr) {
        node.left.visit_with(self);
        if matches!(node.op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::NullishCoalescing) {
            self.conditional(|rules| node.right.visit_with(rules));
        } else {
            node.right.visit_with(self);
        }
    }

    fn visit_switch_case(&mut self, node: &SwitchCase) {
        self.conditional(|rules| node.visit_children_with(rules));
    }

    fn visit_for_stmt(&mut self, node: &ForStmt) {
        self.conditional(|rules| node.visit_children_with(rules));
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        self.conditional(|rules| node.visit_children_with(rules));
    }

    fn visit_for_in_stmt(&mut self, node: &ForInStmt) {
        self.conditional(|rules| node.visit_children_with(rules));
    }

    fn visit_while_stmt(&mut self, node: &WhileStmt) {
        self.conditional(|rules| node.visit_children_with(rules));
    }
}
