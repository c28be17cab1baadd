//! Modules that mount themselves: `createRoot(document.getElementById("root")).render(<App />)`.
//!
//! The sandbox mounts the default export. A second root on its element would fight it, so the mounting is taken out.

use super::lint::Finding;
use super::signature::callee_name;
use swc_common::{DUMMY_SP, Span, Spanned};
use swc_ecma_ast::*;
use ui4a_types::{Phase, Severity};

/// Takes the mounting out of a top-level statement, and says so.
pub(crate) fn remove(statement: &mut Stmt, start: u32) -> Option<Finding> {
    let span = statement.span();
    let found = match statement {
        Stmt::Expr(bare) if mounts(&bare.expr) => {
            *statement = Stmt::Empty(EmptyStmt { span });
            true
        }
        Stmt::Decl(Decl::Var(declared)) => {
            let mut found = false;
            for declarator in &mut declared.decls {
                if let Some(init) = declarator.init.as_deref_mut().filter(|init| makes_root(init)) {
                    *init = inert_root(init.span());
                    found = true;
                }
            }
            found
        }
        _ => false,
    };
    found.then(|| {
        let at = (span.lo.0.saturating_sub(start), span.hi.0.saturating_sub(start));
        Finding::new(
            "own-root",
            Severity::Warning,
            Phase::Runtime,
            "The module mounts itself; that was left out, since the default export is mounted for it",
            at,
        )
        .help("Remove this statement and write export default function App() { … }")
    })
}

/// `createRoot(…).render(…)`, `ReactDOM.render(…)`, `hydrateRoot(…)`.
fn mounts(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    let Callee::Expr(callee) = &call.callee else { return false };
    match &**callee {
        Expr::Member(MemberExpr { obj, prop: MemberProp::Ident(property), .. }) if property.sym == "render" => {
            makes_root(obj) || matches!(&**obj, Expr::Ident(object) if object.sym == "ReactDOM")
        }
        _ => callee_name(&call.callee).is_some_and(|name| name == "hydrateRoot"),
    }
}

fn makes_root(expr: &Expr) -> bool {
    match expr {
        Expr::Call(call) => {
            callee_name(&call.callee).is_some_and(|name| matches!(name.as_str(), "createRoot" | "hydrateRoot"))
        }
        Expr::TsNonNull(inner) => makes_root(&inner.expr),
        Expr::Paren(inner) => makes_root(&inner.expr),
        _ => false,
    }
}

/// `{ render() {}, unmount() {} }`.
fn inert_root(span: Span) -> Expr {
    let method = |name: &str| {
        let function =
            Function { body: Some(FunctionBody { span: DUMMY_SP, stmts: Vec::new() }), ..Function::default() };
        let key = PropName::Ident(IdentName::new(name.into(), DUMMY_SP));
        PropOrSpread::Prop(Box::new(Prop::Method(MethodProp { key, function: Box::new(function) })))
    };
    Expr::Object(ObjectLit { span, props: vec![method("render"), method("unmount")] })
}
