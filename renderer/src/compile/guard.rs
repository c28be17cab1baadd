//! Loop guards: a call at the start of every loop's body, so that the runtime can end a loop that never ends.
//!
//! The guard is an expression statement inside the body: `break`, `continue`, labels, `yield` and `await` keep their
//! meaning, and the runtime decides by the clock, never by a count.

use super::rewrite::{IMPORTS, member, own_ident};
use swc_common::DUMMY_SP;
use swc_ecma_ast::*;
use swc_ecma_visit::{VisitMut, VisitMutWith};

/// Adds guards to every loop of a statement.
pub(crate) fn loops(statement: &mut Stmt) {
    statement.visit_mut_with(&mut Guard);
}

struct Guard;

impl Guard {
    fn guard(body: &mut Box<Stmt>) {
        let callee = Callee::Expr(Box::new(member(Expr::Ident(own_ident(IMPORTS)), "$loop", DUMMY_SP)));
        let call = Expr::Call(CallExpr { span: DUMMY_SP, callee, ..Default::default() });
        let call = Stmt::Expr(ExprStmt { span: DUMMY_SP, expr: Box::new(call) });
        match &mut **body {
            Stmt::Block(block) => block.stmts.insert(0, call),
            _ => {
                let old = std::mem::replace(body, Box::new(Stmt::Empty(EmptyStmt { span: DUMMY_SP })));
                **body = Stmt::Block(BlockStmt { stmts: vec![call, *old], ..Default::default() });
            }
        }
    }
}

impl VisitMut for Guard {
    fn visit_mut_while_stmt(&mut self, node: &mut WhileStmt) {
        node.visit_mut_children_with(self);
        Self::guard(&mut node.body);
    }

    fn visit_mut_do_while_stmt(&mut self, node: &mut DoWhileStmt) {
        node.visit_mut_children_with(self);
        Self::guard(&mut node.body);
    }

    fn visit_mut_for_stmt(&mut self, node: &mut ForStmt) {
        node.visit_mut_children_with(self);
        Self::guard(&mut node.body);
    }

    fn visit_mut_for_in_stmt(&mut self, node: &mut ForInStmt) {
        node.visit_mut_children_with(self);
        Self::guard(&mut node.body);
    }

    fn visit_mut_for_of_stmt(&mut self, node: &mut ForOfStmt) {
        node.visit_mut_children_with(self);
        Self::guard(&mut node.body);
    }
}
