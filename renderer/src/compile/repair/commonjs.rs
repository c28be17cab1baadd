//! `require` and `module.exports` at top level, as the imports and exports that they mean.

use super::Log;
use crate::compile::element::bare;
use swc_common::{Span, Spanned};
use swc_ecma_ast::*;
use ui4a_types::Severity;

pub(super) fn mend(item: &mut ModuleItem, log: &mut Log) {
    let ModuleItem::Stmt(statement) = &*item else { return };
    let span = statement.span();
    if let Some(exported) = exported(statement) {
        let message = "Modules export with export; what is given to module.exports is the default export".to_owned();
        log.repaired("export", Severity::Warning, message, "Write export default", span);
        *item = ModuleItem::ModuleDecl(ModuleDecl::ExportDefaultExpr(ExportDefaultExpr { span, expr: exported }));
    } else if let Some(import) = required(statement) {
        let message = "Modules import with import; require is read as one".to_owned();
        log.repaired("import", Severity::Warning, message, "Write import … from \"…\"", span);
        *item = ModuleItem::ModuleDecl(ModuleDecl::Import(import));
    }
}

/// The value in `module.exports = value` and `exports.default = value`.
fn exported(statement: &Stmt) -> Option<Box<Expr>> {
    let Stmt::Expr(ExprStmt { expr, .. }) = statement else { return None };
    let Expr::Assign(AssignExpr { op: AssignOp::Assign, left, right, .. }) = &**expr else { return None };
    let AssignTarget::Simple(SimpleAssignTarget::Member(member)) = left else { return None };
    let (Expr::Ident(object), MemberProp::Ident(property)) = (&*member.obj, &member.prop) else { return None };
    let names = (object.sym.as_str(), property.sym.as_str());
    matches!(names, ("module", "exports") | ("exports", "default")).then(|| right.clone())
}

/// The import that `const x = require("y")` means.
fn required(statement: &Stmt) -> Option<ImportDecl> {
    let Stmt::Decl(Decl::Var(declared)) = statement else { return None };
    let [declarator] = declared.decls.as_slice() else { return None };
    let Expr::Call(call) = bare(declarator.init.as_deref()?) else { return None };
    let Callee::Expr(callee) = &call.callee else { return None };
    if !matches!(&**callee, Expr::Ident(name) if name.sym == "require") {
        return None;
    }
    let [argument] = call.args.as_slice() else { return None };
    let Expr::Lit(Lit::Str(src)) = &*argument.expr else { return None };
    let specifiers = match &declarator.name {
        Pat::Ident(name) => {
            vec![ImportSpecifier::Namespace(ImportStarAsSpecifier { span: name.id.span, local: name.id.clone() })]
        }
        Pat::Object(pattern) => pattern.props.iter().map(named).collect::<Option<Vec<_>>>()?,
        _ => return None,
    };
    let src = Box::new(src.clone());
    Some(ImportDecl {
        span: declared.span,
        specifiers,
        src,
        type_only: false,
        with: None,
        phase: ImportPhase::Evaluation,
    })
}

fn named(property: &ObjectPatProp) -> Option<ImportSpecifier> {
    let make = |span: Span, local: Ident, imported: Option<ModuleExportName>| {
        ImportSpecifier::Named(ImportNamedSpecifier { span, local, imported, is_type_only: false })
    };
    match property {
        ObjectPatProp::Assign(assign) if assign.value.is_none() => Some(make(assign.span, assign.key.id.clone(), None)),
        ObjectPatProp::KeyValue(KeyValuePatProp { key: PropName::Ident(key), value }) => match &**value {
            Pat::Ident(local) => {
                let imported = ModuleExportName::Ident(key.clone().into());
                Some(make(key.span, local.id.clone(), Some(imported)))
            }
            _ => None,
        },
        _ => None,
    }
}
