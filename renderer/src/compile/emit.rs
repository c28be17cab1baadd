//! The text of a unit, with placeholders for what linking decides, and where each piece of it came from.

use super::deps::{PREFIX, Slot, placeholder, text_literal};
use super::hash::hash;
use super::lower::{Marks, bound_names};
use super::rewrite::{Rewrite, SCOPE, member, own_ident};
use super::signature::PARAMETER;
use super::unit::{Shape, TemplateKey, Unit};
use swc_atoms::Atom;
use swc_common::sync::Lrc;
use swc_common::{BytePos, DUMMY_SP, SourceMap};
use swc_ecma_ast::*;
use swc_ecma_codegen::{Config, Emitter, Node, text_writer::JsWriter};
use swc_ecma_transforms_base::fixer::fixer;
use swc_ecma_visit::VisitMutWith;

/// Compiled text before linking. Lines and columns count from 0, columns in UTF-16 units; offsets are from the start of
/// the statement.
pub(crate) struct Template {
    pub text: String,
    /// The hash of the text.
    pub digest: String,
    /// (line, column, source offset), in order.
    pub segments: Vec<(u32, u32, u32)>,
}

impl Template {
    /// The text with every placeholder replaced by what `fill` says.
    pub fn filled(&self, slots: &[Slot], mut fill: impl FnMut(&Slot) -> String) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut rest = self.text.as_str();
        while let Some(at) = rest.find(PREFIX) {
            let end = at + PREFIX.len() + 4;
            let slot = rest.get(at + PREFIX.len()..end).and_then(|digits| digits.parse::<usize>().ok());
            match slot.and_then(|slot| slots.get(slot)) {
                Some(slot) => {
                    out.push_str(&rest[..at]);
                    out.push_str(&fill(slot));
                    rest = &rest[end..];
                }
                // The model's own text, by chance.
                None => {
                    out.push_str(&rest[..at + PREFIX.len()]);
                    rest = &rest[at + PREFIX.len()..];
                }
            }
        }
        out.push_str(rest);
        out
    }
}

/// Prints a unit whose outer names mean `key.targets`. `start` is the position of the statement's first byte.
pub(crate) fn template(unit: &Unit, key: &TemplateKey, marks: Marks, start: u32) -> Template {
    let mut rewrite =
        Rewrite { marks, synthetic: &unit.synthetic, targets: unit.refs.names.keys().zip(&key.targets).collect() };
    // A pattern's own names are not among the names it uses, unless it mentions them.
    // Inside of a class its own name is bound before the class is whole: a static block may use it.
    let named =
        matches!(&unit.shape, Shape::Class { expr } if matches!(&**expr, Expr::Class(class) if class.ident.is_some()));
    let own = if named { super::names::Target::Global } else { super::names::Target::Own };
    for name in &unit.names {
        rewrite.targets.insert(name, &own);
    }
    let mut body = statements(unit, key.component, &mut rewrite);
    for statement in &mut body {
        statement.visit_mut_with(&mut fixer(None));
    }
    print(&body, start, unit.length)
}

fn statements(unit: &Unit, component: bool, rewrite: &mut Rewrite<'_>) -> Vec<Stmt> {
    let assign = |name: &Atom, value: Expr| {
        let Expr::Member(target) = member(Expr::Ident(own_ident(SCOPE)), name, DUMMY_SP) else { return Vec::new() };
        vec![assignment(AssignTarget::Simple(SimpleAssignTarget::Member(target)), value)]
    };
    let name = unit.names.first().cloned().unwrap_or_default();
    match &unit.shape {
        Shape::Function { expr, .. } => {
            let mut function = (**expr).clone();
            function.visit_mut_with(rewrite);
            assign(&name, if component { proxied(&name, function) } else { function })
        }
        Shape::Class { expr } => {
            let mut class = (**expr).clone();
            class.visit_mut_with(rewrite);
            assign(&name, class)
        }
        Shape::Wrapped { wrapper, inner, label } => {
            let (mut wrapper, mut inner) = ((**wrapper).clone(), (**inner).clone());
            wrapper.visit_mut_with(rewrite);
            inner.visit_mut_with(rewrite);
            let make = Expr::Arrow(ArrowExpr {
                params: vec![Pat::Ident(own_ident(PARAMETER).into())],
                body: Box::new(ArrowFunctionBody::Expr(Box::new(wrapper))),
                ..Default::default()
            });
            let arguments = [text_literal(&name), text_literal(&placeholder(1)), make, proxied(label, inner)];
            assign(&name, call("$k", arguments))
        }
        Shape::Value { target, init } => {
            let value = init.as_ref().map_or_else(undefined, |init| {
                let mut init = (**init).clone();
                init.visit_mut_with(rewrite);
                init
            });
            let mut target = target.clone();
            target.visit_mut_with(rewrite);
            match target {
                Pat::Expr(expr) => match *expr {
                    Expr::Member(target) => {
                        vec![assignment(AssignTarget::Simple(SimpleAssignTarget::Member(target)), value)]
                    }
                    _ => Vec::new(),
                },
                Pat::Array(array) => vec![assignment(AssignTarget::Pat(AssignTargetPat::Array(array)), value)],
                Pat::Object(object) => vec![assignment(AssignTarget::Pat(AssignTargetPat::Object(object)), value)],
                _ => Vec::new(),
            }
        }
        Shape::Block { body } => {
            // Lowered enums and namespaces add to what is there: an edited one starts anew.
            let clear = unit.names.iter().flat_map(|name| assign(name, undefined()));
            let fill = body.iter().flat_map(|statement| block_statement(statement, rewrite));
            clear.collect::<Vec<_>>().into_iter().chain(fill).collect()
        }
        Shape::Effect { body } => {
            let mut body = body.clone();
            body.visit_mut_with(rewrite);
            body
        }
    }
}

/// A statement of a lowered enum or namespace, its declarations made assignments.
fn block_statement(statement: &Stmt, rewrite: &mut Rewrite<'_>) -> Vec<Stmt> {
    let Stmt::Decl(Decl::Var(declared)) = statement else {
        let mut statement = statement.clone();
        statement.visit_mut_with(rewrite);
        return vec![statement];
    };
    let mut out = Vec::new();
    for declarator in &declared.decls {
        for name in bound_names(&declarator.name) {
            let Some(mut value) = declarator.init.as_deref().cloned() else { continue };
            value.visit_mut_with(rewrite);
            if let Expr::Member(target) = member(Expr::Ident(own_ident(SCOPE)), &name, declarator.span) {
                out.push(assignment(AssignTarget::Simple(SimpleAssignTarget::Member(target)), value));
            }
        }
    }
    out
}

/// `$c("name", "signature", function)`.
fn proxied(name: &str, function: Expr) -> Expr {
    call("$c", [text_literal(name), text_literal(&placeholder(0)), function])
}

fn call<const N: usize>(callee: &str, arguments: [Expr; N]) -> Expr {
    Expr::Call(CallExpr {
        callee: Callee::Expr(Box::new(Expr::Ident(own_ident(callee)))),
        args: arguments.into_iter().map(|expr| ExprOrSpread { spread: None, expr: Box::new(expr) }).collect(),
        ..Default::default()
    })
}

fn undefined() -> Expr {
    let zero = Expr::Lit(Lit::Num(Number { span: DUMMY_SP, value: 0.0, raw: None }));
    Expr::Unary(UnaryExpr { span: DUMMY_SP, op: UnaryOp::Void, arg: Box::new(zero) })
}

fn assignment(left: AssignTarget, right: Expr) -> Stmt {
    let expr = Expr::Assign(AssignExpr { span: DUMMY_SP, op: AssignOp::Assign, left, right: Box::new(right) });
    Stmt::Expr(ExprStmt { span: DUMMY_SP, expr: Box::new(expr) })
}

/// Prints statements. The source map that swc asks for stays empty: it is only used to keep trailing commas.
fn print(body: &[Stmt], start: u32, length: u32) -> Template {
    let sources: Lrc<SourceMap> = Default::default();
    let mut bytes = Vec::new();
    let mut map: Vec<(BytePos, swc_common::LineCol)> = Vec::new();
    let mut writer = JsWriter::new(sources.clone(), "\n", &mut bytes, Some(&mut map));
    // An element that gets a sibling moves a level deeper: without indentation its text stays the same.
    writer.set_indent_str("");
    let mut emitter = Emitter { cfg: Config::default(), cm: sources, comments: None, wr: writer };
    for statement in body {
        // Writing to memory does not fail.
        if statement.emit_with(&mut emitter).is_err() {
            break;
        }
    }
    let text = String::from_utf8(bytes).unwrap_or_default();
    let mut segments: Vec<(u32, u32, u32)> = map
        .into_iter()
        // Nodes of swc's own making have places elsewhere.
        .filter(|(position, _)| (start..=start + length).contains(&position.0))
        .map(|(position, at)| (at.line, at.col, position.0 - start))
        .collect();
    segments.sort_unstable();
    segments.dedup();
    let digest = hash([text.as_str()]);
    Template { text, digest, segments }
}
