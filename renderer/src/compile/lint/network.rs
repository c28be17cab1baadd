//! Uses of the network, which an artifact does not have.

use super::{Finding, offsets};
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};
use ui4a_types::{Phase, Severity};

pub(super) fn check(item: &ModuleItem, start: u32, findings: &mut Vec<Finding>) {
    item.visit_with(&mut Network { start, findings });
}

struct Network<'a> {
    start: u32,
    findings: &'a mut Vec<Finding>,
}

impl Network<'_> {
    fn found(&mut self, what: &str, span: swc_common::Span) {
        self.findings.push(
            Finding::new(
                "network-use",
                Severity::Warning,
                Phase::Runtime,
                format!("{what} has no network to use: an artifact is sealed off"),
                offsets(span, self.start),
            )
            .help("Put sample data in the module, or ask the user with sendMessage"),
        );
    }
}

fn is_local(argument: Option<&ExprOrSpread>) -> bool {
    argument.is_some_and(|argument| match &*argument.expr {
        Expr::Lit(Lit::Str(text)) => {
            let text = text.value.to_string_lossy();
            text.starts_with("data:") || text.starts_with("blob:")
        }
        _ => false,
    })
}

impl Visit for Network<'_> {
    fn visit_call_expr(&mut self, node: &CallExpr) {
        if let Callee::Expr(callee) = &node.callee {
            match &**callee {
                Expr::Ident(ident)
                    if matches!(ident.sym.as_str(), "fetch" | "axios") && !is_local(node.args.first()) =>
                {
                    self.found(&ident.sym, node.span);
                }
                Expr::Member(MemberExpr { obj, prop: MemberProp::Ident(property), .. }) => {
                    if let Expr::Ident(object) = &**obj {
                        match (object.sym.as_str(), property.sym.as_str()) {
                            ("window" | "globalThis" | "self", "fetch") if !is_local(node.args.first()) => {
                                self.found("fetch", node.span);
                            }
                            ("axios", "get" | "post" | "put" | "delete" | "patch" | "request") => {
                                self.found("axios", node.span);
                            }
                            ("navigator", "sendBeacon") => self.found("sendBeacon", node.span),
                            ("$" | "jQuery", "ajax" | "get" | "post" | "getJSON") => self.found("jQuery", node.span),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        node.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, node: &NewExpr) {
        if let Expr::Ident(ident) = &*node.callee
            && matches!(ident.sym.as_str(), "WebSocket" | "EventSource" | "XMLHttpRequest" | "WebTransport")
        {
            self.found(&ident.sym, node.span);
        }
        node.visit_children_with(self);
    }
}
