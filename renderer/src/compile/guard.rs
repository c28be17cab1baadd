//! Loop guards: a call wherever code may go round without end, so that the runtime can end what never ends.
//!
//! Guarded are the body of every loop, the callback of an array method, and a function that calls itself by its name. The
//! guard is an expression: `break`, `continue`, labels, `yield` and `await` keep their meaning, and the runtime decides by
//! the clock, never by a count. It stands outside of any `try` of the body, so what it throws ends the loop.

use super::rewrite::{IMPORTS, member, own_ident};
use swc_common::{DUMMY_SP, Span};
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitMut, VisitMutWith, VisitWith};

/// Methods that call a function for each of many: arrays', and `Array.from`.
const ITERATING: &[&str] = &[
    "map",
    "forEach",
    "filter",
    "reduce",
    "reduceRight",
    "some",
    "every",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flatMap",
    "sort",
    "toSorted",
    "from",
];

/// Adds guards to a statement.
pub(crate) fn loops(statement: &mut Stmt) {
    statement.visit_mut_with(&mut Guard);
}

struct Guard;

/// `$i.$loop()`, at the place of what it guards: an error thrown by it is said to be there.
fn guard(span: Span) -> Box<Expr> {
    let callee = Callee::Expr(Box::new(member(Expr::Ident(own_ident(IMPORTS)), "$loop", DUMMY_SP)));
    Box::new(Expr::Call(CallExpr { span, callee, ..Default::default() }))
}

fn statement(span: Span) -> Stmt {
    Stmt::Expr(ExprStmt { span: DUMMY_SP, expr: guard(span) })
}

fn guard_loop(body: &mut Box<Stmt>, span: Span) {
    match &mut **body {
        Stmt::Block(block) => block.stmts.insert(0, statement(span)),
        _ => {
            let old = std::mem::replace(body, Box::new(Stmt::Empty(EmptyStmt { span: DUMMY_SP })));
            **body = Stmt::Block(BlockStmt { stmts: vec![statement(span), *old], ..Default::default() });
        }
    }
}

/// After the directives, which must stay first.
fn guard_statements(statements: &mut Vec<Stmt>, span: Span) {
    let is_directive =
        |statement: &Stmt| matches!(statement, Stmt::Expr(it) if matches!(&*it.expr, Expr::Lit(Lit::Str(_))));
    let first = statements.iter().position(|statement| !is_directive(statement)).unwrap_or(statements.len());
    statements.insert(first, statement(span));
}

fn guard_function(function: &mut Function, span: Span) {
    if let Some(body) = &mut function.body {
        guard_statements(&mut body.stmts, span);
    }
}

fn guard_arrow(arrow: &mut ArrowExpr) {
    let span = arrow.span;
    match &mut *arrow.body {
        ArrowFunctionBody::FunctionBody(body) => guard_statements(&mut body.stmts, span),
        ArrowFunctionBody::Expr(expr) => {
            let old = std::mem::replace(expr, guard(span));
            let first = std::mem::replace(&mut **expr, Expr::Seq(SeqExpr::default()));
            **expr = Expr::Seq(SeqExpr { span: DUMMY_SP, exprs: vec![Box::new(first), old] });
        }
    }
}

/// Guards a function that is written as an expression.
fn guard_value(value: &mut Expr) {
    match value {
        Expr::Arrow(arrow) => guard_arrow(arrow),
        Expr::Fn(function) => {
            let span = function.function.span;
            guard_function(&mut function.function, span);
        }
        Expr::Paren(inner) => guard_value(&mut inner.expr),
        _ => {}
    }
}

/// Whether `name` is called anywhere in what is visited.
struct Calls<'a> {
    name: &'a Id,
    found: bool,
}

impl Calls<'_> {
    fn of<'n, N: VisitWith<Calls<'n>>>(name: &'n Id, node: &N) -> bool {
        let mut calls = Calls { name, found: false };
        node.visit_with(&mut calls);
        calls.found
    }
}

impl Visit for Calls<'_> {
    fn visit_call_expr(&mut self, node: &CallExpr) {
        if let Callee::Expr(callee) = &node.callee
            && let Expr::Ident(ident) = &**callee
            && ident.sym == self.name.0
            && ident.ctxt == self.name.1
        {
            self.found = true;
        }
        node.visit_children_with(self);
    }
}

impl VisitMut for Guard {
    fn visit_mut_while_stmt(&mut self, node: &mut WhileStmt) {
        node.visit_mut_children_with(self);
        guard_loop(&mut node.body, node.span);
    }

    fn visit_mut_do_while_stmt(&mut self, node: &mut DoWhileStmt) {
        node.visit_mut_children_with(self);
        guard_loop(&mut node.body, node.span);
    }

    fn visit_mut_for_stmt(&mut self, node: &mut ForStmt) {
        node.visit_mut_children_with(self);
        guard_loop(&mut node.body, node.span);
    }

    fn visit_mut_for_in_stmt(&mut self, node: &mut ForInStmt) {
        node.visit_mut_children_with(self);
        guard_loop(&mut node.body, node.span);
    }

    fn visit_mut_for_of_stmt(&mut self, node: &mut ForOfStmt) {
        node.visit_mut_children_with(self);
        guard_loop(&mut node.body, node.span);
    }

    fn visit_mut_call_expr(&mut self, node: &mut CallExpr) {
        node.visit_mut_children_with(self);
        let Callee::Expr(callee) = &node.callee else { return };
        if let Expr::Member(MemberExpr { prop: MemberProp::Ident(method), .. }) = &**callee
            && ITERATING.contains(&method.sym.as_str())
        {
            for argument in &mut node.args {
                guard_value(&mut argument.expr);
            }
        }
    }

    fn visit_mut_fn_decl(&mut self, node: &mut FnDecl) {
        node.visit_mut_children_with(self);
        if Calls::of(&node.ident.to_id(), &node.function.body) {
            let span = node.function.span;
            guard_function(&mut node.function, span);
        }
    }

    fn visit_mut_fn_expr(&mut self, node: &mut FnExpr) {
        node.visit_mut_children_with(self);
        if let Some(name) = &node.ident
            && Calls::of(&name.to_id(), &node.function.body)
        {
            let span = node.function.span;
            guard_function(&mut node.function, span);
        }
    }

    fn visit_mut_var_declarator(&mut self, node: &mut VarDeclarator) {
        node.visit_mut_children_with(self);
        if let Pat::Ident(name) = &node.name
            && let Some(init) = &mut node.init
            && Calls::of(&name.id.to_id(), init)
        {
            guard_value(init);
        }
    }
}
