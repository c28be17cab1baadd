//! What to write after an anchor so that the module is whole there.

use super::frame::{Arena, Id, Kind, Stmt};

/// Closes everything that is open at `top`, innermost first.
pub(super) fn closers(source: &str, arena: &Arena, top: Id) -> String {
    let mut text = String::new();
    let mut id = top;
    // The component's own `return` is on the way: nothing has to stand in for it.
    let mut returned = false;
    loop {
        let frame = arena.get(id);
        for _ in 0..frame.ternary {
            text.push_str(" : null");
        }
        match frame.kind {
            Kind::Module => return text,
            Kind::JsxElement => {
                text.push_str("</");
                text.push_str(&source[frame.name.0 as usize..frame.name.1 as usize]);
                text.push('>');
            }
            Kind::JsxChild | Kind::JsxAttr | Kind::Object | Kind::TemplateExpr | Kind::Block | Kind::Switch => {
                text.push('}');
            }
            Kind::Paren { .. } => text.push(')'),
            Kind::Bracket => text.push(']'),
            Kind::Template => text.push('`'),
            Kind::TypeGroup { close } => text.push(char::from(close)),
            Kind::FnBody { component } => {
                text.push_str(if component && !returned { "; return null; }" } else { " }" });
                returned = false;
            }
            Kind::ClassBody { component, renders } => {
                // The frame of an open `render` is below its body, so `renders` does not know of it yet.
                let open = id != top;
                text.push_str(if component && !renders && !open { "; render() { return null; } }" } else { " }" });
            }
            Kind::Stmt(Stmt::Return) => {
                text.push(';');
                // Only a direct `return` of the body ends every path.
                returned = arena.get(frame.parent).kind == Kind::FnBody { component: true };
            }
            Kind::Stmt(Stmt::Expr | Stmt::Var | Stmt::ExportDefault) => text.push(';'),
            Kind::Stmt(_) | Kind::Member | Kind::FnHead | Kind::ClassHead | Kind::Type { .. } | Kind::JsxTag => {}
        }
        id = frame.parent;
    }
}

/// Where the top-level statement that is open at `top` begins.
pub(super) fn open_statement(arena: &Arena, top: Id) -> Option<usize> {
    let (mut id, mut start) = (top, None);
    loop {
        let frame = arena.get(id);
        if frame.kind == Kind::Module {
            return start;
        }
        start = Some(frame.start as usize);
        id = frame.parent;
    }
}
