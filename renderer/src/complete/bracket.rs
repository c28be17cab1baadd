//! Closing brackets: what they end, what has to be supplied before them, and those that fit nothing.

use super::frame::{Frame, Id, Kind, Prev, Stage, Stmt};
use super::machine::Machine;
use super::token::Token;

impl Machine {
    /// A closing bracket where an expression is read.
    pub(super) fn close(&mut self, token: Token<'_>) -> bool {
        let frame = *self.top();
        let close = token.text.as_bytes()[0];
        if closes(frame.kind, close) {
            self.finish_halves(token, frame);
            self.closed(token);
            return true;
        }
        if close == b'}' && matches!(frame.kind, Kind::Stmt(_) | Kind::Member) {
            return self.end_statement(self.cur.prev_end);
        }
        self.mismatch(token)
    }

    /// Supplies what an expression lacks at its closing bracket, on the way to something visible.
    fn finish_halves(&mut self, token: Token<'_>, frame: Frame) {
        if frame.stage != Stage::Inner || !matches!(frame.kind, Kind::JsxChild | Kind::Paren { .. }) {
            return;
        }
        if frame.need && frame.kind == Kind::JsxChild && frame.prev != Prev::None {
            self.insert(token.start, " null");
        }
        if frame.ternary > 0 && !(frame.need && frame.kind != Kind::JsxChild) {
            self.insert(token.start, &" : null".repeat(frame.ternary as usize));
        }
    }

    /// Takes the closed bracket off and tells what it stood in.
    fn closed(&mut self, token: Token<'_>) {
        let frame = *self.top();
        self.pop();
        let parent = *self.top();
        match frame.kind {
            Kind::Paren { group, header } => {
                let empty = frame.prev == Prev::None && frame.need;
                match parent.kind {
                    Kind::Stmt(Stmt::Header { .. }) if header => self.edit().phase = 1,
                    Kind::FnHead => {
                        let head = self.edit();
                        head.phase = 1;
                        head.empty = empty;
                    }
                    Kind::Member if parent.phase == 0 => {
                        self.edit().phase = 1;
                        self.have(Prev::Call);
                    }
                    _ => {
                        self.edit().empty = empty;
                        self.have(if group { Prev::Group } else { Prev::Call });
                    }
                }
            }
            Kind::Object if parent.kind == Kind::Stmt(Stmt::Enum) => {
                self.end_statement(token.end);
            }
            Kind::Object if matches!(parent.kind, Kind::Stmt(Stmt::Import | Stmt::ExportNames)) => {
                self.have(Prev::Body);
            }
            Kind::TemplateExpr => {}
            Kind::JsxAttr => self.edit().phase = 1,
            Kind::JsxChild => {
                self.cur.run = token.end;
                self.see();
                self.jsx_anchor(token.end);
            }
            _ => {
                self.have(Prev::Other);
            }
        }
    }

    /// A closing bracket that the top frame does not fit: closes what was forgotten, or is left out.
    pub(super) fn mismatch(&mut self, token: Token<'_>) -> bool {
        let close = token.text.as_bytes()[0];
        let mut missing = String::new();
        let mut id = self.cur.top;
        let found = loop {
            let frame = *self.arena.get(id);
            if closes(frame.kind, close) {
                break true;
            }
            match frame.kind {
                Kind::Paren { .. } => missing.push(')'),
                Kind::Bracket => missing.push(']'),
                Kind::Object if close != b'}' => missing.push('}'),
                Kind::Stmt(_) | Kind::Member if close == b'}' => break true,
                _ => break false,
            }
            id = frame.parent;
        };
        if !found {
            self.replace(token.start, token.end, "");
            return true;
        }
        self.insert(token.start, &missing);
        while self.cur.top != id {
            self.pop();
        }
        self.have(Prev::Other);
        false
    }
}

impl Machine {
    /// A `;` inside parentheses or brackets of a statement: they were never closed. Closes them, and the `;` is still to be
    /// taken.
    pub(super) fn unclosed_statement(&mut self, token: Token<'_>) -> bool {
        let Some((id, missing)) = self.unclosed_in(|kind| matches!(kind, Kind::Stmt(_) | Kind::Member)) else {
            return false;
        };
        self.insert(token.start, &missing);
        while self.cur.top != id {
            self.pop();
        }
        self.have(Prev::Other)
    }

    /// A `/>` inside an attribute's braces: they were never closed. Closes them and goes back to the tag.
    pub(super) fn unclosed_attribute(&mut self, token: Token<'_>) -> bool {
        let Some((id, mut missing)) = self.unclosed_in(|kind| kind == Kind::JsxAttr) else { return false };
        missing.push('}');
        self.insert(token.start, &missing);
        while self.cur.top != id {
            self.pop();
        }
        self.pop();
        self.edit().phase = 1;
        self.cur.pos = token.start;
        true
    }

    /// The nearest frame of a kind that only open parentheses and brackets are in, and what closes those.
    fn unclosed_in(&self, is_wanted: impl Fn(Kind) -> bool) -> Option<(Id, String)> {
        let mut missing = String::new();
        let mut id = self.cur.top;
        loop {
            let frame = self.arena.get(id);
            match frame.kind {
                Kind::Paren { header: false, .. } => missing.push(')'),
                Kind::Bracket => missing.push(']'),
                kind if is_wanted(kind) => return Some((id, missing)),
                _ => return None,
            }
            id = frame.parent;
        }
    }
}

fn closes(kind: Kind, close: u8) -> bool {
    match kind {
        Kind::Paren { .. } => close == b')',
        Kind::Bracket => close == b']',
        Kind::Object | Kind::TemplateExpr | Kind::JsxAttr | Kind::JsxChild => close == b'}',
        _ => false,
    }
}
