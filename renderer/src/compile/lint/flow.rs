//! Statements in the wrong place: code that is never reached, `await` where nothing can wait.

use super::{Finding, offsets};
use swc_common::Spanned;
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};
use ui4a_types::{Phase, Severity};

pub(super) fn check(item: &ModuleItem, start: u32, findings: &mut Vec<Finding>) {
    item.visit_with(&mut Flow { start, findings });
    let mut waits = TopLevelAwait(None);
    item.visit_with(&mut waits);
    if let Some(span) = waits.0 {
        findings.push(
            Finding::new(
                "top-level-await",
                Severity::Error,
                Phase::Syntax,
                "await stands outside every function: an interface is shown at once and waits for nothing",
                offsets(span, start),
            )
            .help(
                "Keep the value in state and load it in an effect: useEffect(() => { (async () => setData(await …))() }, [])",
            ),
        );
    }
}

struct Flow<'a> {
    start: u32,
    findings: &'a mut Vec<Finding>,
}

impl Flow<'_> {
    fn list(&mut self, statements: &[Stmt]) {
        let mut ended = None;
        for statement in statements {
            let inert = match statement {
                Stmt::Empty(_) | Stmt::Decl(Decl::Fn(_) | Decl::TsInterface(_) | Decl::TsTypeAlias(_)) => true,
                // `var x;` and cases' own `break`s after a `return`.
                Stmt::Break(_) => true,
                Stmt::Decl(Decl::Var(declared)) => {
                    declared.kind == VarDeclKind::Var && declared.decls.iter().all(|one| one.init.is_none())
                }
                _ => false,
            };
            if let (Some(word), false) = (ended, inert) {
                let message = format!("This is never reached: {word} comes before it");
                self.findings.push(
                    Finding::new(
                        "unreachable-code",
                        Severity::Warning,
                        Phase::Type,
                        message,
                        offsets(statement.span(), self.start),
                    )
                    .help(format!("Move it above the {word}, or remove it")),
                );
                return;
            }
            ended = ended.or(match statement {
                Stmt::Return(_) => Some("return"),
                Stmt::Throw(_) => Some("throw"),
                Stmt::Continue(_) => Some("continue"),
                Stmt::Break(_) => Some("break"),
                _ => None,
            });
        }
    }
}

impl Visit for Flow<'_> {
    fn visit_block_stmt(&mut self, node: &BlockStmt) {
        self.list(&node.stmts);
        node.visit_children_with(self);
    }

    fn visit_function_body(&mut self, node: &FunctionBody) {
        self.list(&node.stmts);
        node.visit_children_with(self);
    }

    fn visit_switch_case(&mut self, node: &SwitchCase) {
        self.list(&node.cons);
        node.visit_children_with(self);
    }
}

struct TopLevelAwait(Option<swc_common::Span>);

impl Visit for TopLevelAwait {
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
