//! The scanner: reads a module once, as it grows, and remembers the last place where it can be cut.
//!
//! Owns the stack of open constructs, the anchors and the edits. A token is read only when it is surely over, so that what
//! was read never has to be read again; the few places that guess (a stray `{` in text) pay from a fixed budget.
//! Which text closes an anchor's stack is `close`'s to say.

use super::cursor::{Anchor, Cursor, Decl, Exports};
use super::edit::Edit;
use super::frame::{Arena, Frame, Kind, Prev, Stage, Stmt};
use super::token::{self, Class, Memo, Mode, Token, Trivia};

/// Bytes that may be read twice in the life of a scanner, because a guess was wrong.
const REREAD_BUDGET: usize = 1 << 20;

/// Reads source text and knows how to cut it. The text itself is the caller's: the same text, longer each time.
#[derive(Debug)]
pub(super) struct Machine {
    pub arena: Arena,
    pub edits: Vec<Edit>,
    pub cur: Cursor,
    pub(super) memo: Memo,
    pub(super) budget: usize,
}

impl Machine {
    pub fn new() -> Self {
        Self {
            arena: Arena::new(),
            edits: Vec::new(),
            cur: Cursor::default(),
            memo: Memo::default(),
            budget: REREAD_BUDGET,
        }
    }

    /// Reads all tokens that are surely over.
    pub fn run(&mut self, src: &str, last: bool) {
        while !self.cur.ended && self.step(src, last) {}
    }

    /// Ends what a line's end would end, if the text ends in one, or in a word or a comment that has only begun on the next
    /// line: what was whole at the line's end stays so. Meant for a copy of the cursor: more text may come.
    pub fn end_of_line(&mut self, src: &str) {
        let in_code = !matches!(self.top().kind, Kind::JsxElement | Kind::JsxTag | Kind::Template);
        let rest = &src.as_bytes()[self.cur.pos..];
        let begun = rest == b"/" || rest.iter().all(|&byte| token::is_word(byte));
        if in_code && self.cur.newline && (begun || self.is_trivia_from(src, self.cur.pos)) {
            let at = src.len();
            self.dispatch(src, Token { class: Class::End, text: "", start: at, end: at, newline: true });
        }
    }

    /// Nothing but white space and comments from here on, the last comment perhaps a line not yet ended.
    pub fn is_trivia_from(&mut self, src: &str, at: usize) -> bool {
        let mut newline = false;
        match token::skip_trivia(src, at, &mut newline, &mut self.memo, true) {
            Trivia::Token(at) => at == src.len(),
            Trivia::Open(at) => src[at..].starts_with("//"),
        }
    }

    /// Nothing but white space and comments after the anchor.
    pub fn is_trivia_after_anchor(&mut self, src: &str) -> bool {
        let (cut, read) = (self.cur.anchor.cut, self.cur.pos);
        // What lies between the anchor and the place that was read to was skipped as such, if no token was taken there.
        let at = if self.cur.prev_end <= cut && self.cur.run <= cut { cut.max(read) } else { cut };
        self.is_trivia_from(src, at)
    }

    fn step(&mut self, src: &str, last: bool) -> bool {
        match self.top().kind {
            Kind::JsxElement => self.jsx_children(src, last),
            Kind::JsxTag => self.jsx_tag(src, last),
            Kind::Template => self.template(src),
            _ => self.code(src, last),
        }
    }

    fn code(&mut self, src: &str, last: bool) -> bool {
        let at = match token::skip_trivia(src, self.cur.pos, &mut self.cur.newline, &mut self.memo, last) {
            Trivia::Token(at) => at,
            Trivia::Open(at) => {
                self.cur.pos = at;
                return false;
            }
        };
        self.cur.pos = at;
        let frame = *self.top();
        match src.as_bytes().get(at) {
            Some(b'`') if self.cur.newline || at == 0 || frame.kind == Kind::Module => {
                let ticks = src.as_bytes()[at..].iter().take(3).take_while(|&&byte| byte == b'`').count();
                if ticks < 3 && at + ticks == src.len() && !last {
                    return false;
                }
                if ticks == 3 && frame.kind == Kind::Module {
                    return self.fence(src, at, last);
                }
            }
            Some(b'<') => {
                if let Some(answer) = self.angle(src, at, last) {
                    return answer;
                }
            }
            _ => {}
        }
        let frame = *self.top();
        let mode = Mode {
            operand: frame.need || frame.kind.is_list(),
            types: matches!(frame.kind, Kind::Type { .. } | Kind::TypeGroup { .. }),
            last,
        };
        let Some(token) = token::read(src, at, self.cur.newline, mode, &mut self.memo) else { return false };
        if token.class == Class::End {
            self.dispatch(src, token);
            return false;
        }
        if !last && waits(token) && peek(src, token.end).is_none() {
            return false;
        }
        self.cur.pos = token.end;
        self.cur.newline = false;
        self.dispatch(src, token);
        self.cur.prev_end = token.end;
        self.cur.started = true;
        true
    }

    /// A fence line: at the start it is left out, later it ends the module.
    fn fence(&mut self, src: &str, at: usize, last: bool) -> bool {
        if self.cur.started {
            self.cur.ended = true;
            return false;
        }
        let end = match memchr::memchr(b'\n', &src.as_bytes()[at..]) {
            Some(offset) => at + offset + 1,
            None if last => src.len(),
            None => return false,
        };
        self.edits.push(Edit { at: 0, remove: end, insert: String::new() });
        self.cur.pos = end;
        self.cur.started = true;
        self.boundary(end);
        true
    }

    fn dispatch(&mut self, src: &str, token: Token<'_>) {
        while !self.accept(src, token) {}
    }

    /// Takes the token into the top frame, or answers `false` after ending that frame.
    fn accept(&mut self, src: &str, token: Token<'_>) -> bool {
        match self.top().kind {
            Kind::Module | Kind::Block | Kind::FnBody { .. } | Kind::Switch => self.statement(src, token),
            Kind::Stmt(stmt) => match stmt {
                Stmt::Header { .. } | Stmt::Prefix { .. } => self.header(src, token),
                Stmt::Import | Stmt::ExportNames => self.module_item(token),
                Stmt::Export => self.export(src, token),
                Stmt::Function | Stmt::Class => self.end_statement(self.cur.prev_end),
                Stmt::Interface | Stmt::Enum | Stmt::Namespace => self.braced(token),
                Stmt::TypeAlias => self.alias(token),
                Stmt::Jump => self.jump(token),
                Stmt::ExportDefault => self.export_default(src, token),
                Stmt::Expr | Stmt::Return | Stmt::Var | Stmt::Case => self.expression(src, token),
            },
            Kind::Paren { .. } | Kind::Bracket | Kind::Object | Kind::TemplateExpr | Kind::JsxAttr | Kind::JsxChild => {
                self.expression(src, token)
            }
            Kind::FnHead => self.fn_head(src, token),
            Kind::ClassHead => self.class_head(src, token),
            Kind::ClassBody { .. } => self.class_body(token),
            Kind::Member => self.member(src, token),
            Kind::Type { .. } => self.in_type(token),
            Kind::TypeGroup { close } => self.in_type_group(token, close),
            // These read text, not tokens; a token for them can only be the end.
            Kind::JsxTag | Kind::JsxElement | Kind::Template => true,
        }
    }

    // ── The stack ──────────────────────────────────────────────────────────────────────────────────────────────────

    pub(super) fn top(&self) -> &Frame {
        self.arena.get(self.cur.top)
    }

    pub(super) fn edit(&mut self) -> &mut Frame {
        self.arena.edit(&mut self.cur.top)
    }

    pub(super) fn push(&mut self, kind: Kind, stage: Stage, start: usize) {
        self.cur.top = self.arena.push(self.cur.top, Frame::new(kind, stage, start));
    }

    pub(super) fn pop(&mut self) {
        self.cur.top = self.arena.pop(self.cur.top);
    }

    /// The top frame has its operand.
    pub(super) fn have(&mut self, prev: Prev) -> bool {
        let frame = self.edit();
        frame.need = false;
        frame.prev = prev;
        true
    }

    /// The top frame wants an operand next.
    pub(super) fn want(&mut self, prev: Prev) -> bool {
        let frame = self.edit();
        frame.need = true;
        frame.prev = prev;
        true
    }

    pub(super) fn insert(&mut self, at: usize, insert: &str) {
        self.edits.push(Edit { at, remove: 0, insert: insert.to_owned() });
    }

    pub(super) fn replace(&mut self, at: usize, end: usize, insert: &str) {
        self.edits.push(Edit { at, remove: end - at, insert: insert.to_owned() });
    }

    /// Takes back the changes made since `start`, which is about to be read again.
    pub(super) fn forget_edits(&mut self, start: usize) {
        while self.edits.last().is_some_and(|edit| edit.at >= start) {
            self.edits.pop();
        }
    }

    /// Takes `bytes` off what may be read twice.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        let enough = self.budget > bytes;
        self.budget = self.budget.saturating_sub(bytes + 1);
        enough
    }

    // ── Anchors ────────────────────────────────────────────────────────────────────────────────────────────────────

    fn set_anchor(&mut self, cut: usize, exports: Exports) {
        self.arena.freeze();
        self.cur.anchor = Anchor { cut, top: self.cur.top, edits: self.edits.len(), exports };
        if !self.cur.decl.class {
            self.cur.calm = self.cur.anchor;
        }
    }

    /// The source may be cut here because something visible is whole up to here.
    pub(super) fn jsx_anchor(&mut self, cut: usize) {
        if self.top().stage != Stage::Inner || self.cur.hold {
            return;
        }
        // What is shown stays until what takes its place has something to show, too.
        let before = self.cur.exports;
        self.cur.decl.jsx |= self.cur.decl.seen || before.explicit || before.guess.is_none();
        if !self.cur.decl.jsx {
            return;
        }
        let exports = self.exports_with_decl();
        self.set_anchor(cut, exports);
    }

    /// The JSX being read has something to see, whatever the state: what an `if` returns may never be.
    pub(super) fn see(&mut self) {
        if self.cur.decl.seen || self.top().stage != Stage::Inner {
            return;
        }
        let mut id = self.cur.top;
        loop {
            let frame = self.arena.get(id);
            match frame.kind {
                Kind::Module => break,
                Kind::Stmt(Stmt::Header { .. } | Stmt::Prefix { .. }) => return,
                _ => id = frame.parent,
            }
        }
        self.cur.decl.seen = true;
    }

    /// What the exports are if the open declaration counts.
    fn exports_with_decl(&self) -> Exports {
        let (mut exports, decl) = (self.cur.exports, self.cur.decl);
        exports.explicit |= decl.default;
        if let Some(name) = decl.name.filter(|_| decl.function) {
            exports.last = Some(name);
            if decl.jsx && (decl.app || (decl.bare && !exports.guess_is_app)) {
                exports.guess = Some(name);
                exports.guess_is_app = decl.app;
            }
        }
        exports
    }

    /// A statement or class member has just ended at `end`, in the list on top.
    pub(super) fn boundary(&mut self, end: usize) {
        let decl = self.cur.decl;
        match self.top().kind {
            Kind::Module => {
                self.cur.exports = self.exports_with_decl();
                self.cur.decl = Decl::default();
                self.cur.settled = end;
                self.cur.settled_edits = self.edits.len();
                self.cur.hold = false;
                self.set_anchor(end, self.cur.exports);
            }
            Kind::FnBody { component: true } | Kind::ClassBody { component: true, .. } => {
                self.cur.hold = false;
                // A root that shows nothing yet must not push out a component that is shown.
                let before = self.cur.exports;
                if !decl.default || decl.jsx || before.explicit || before.guess.is_none() {
                    let exports = self.exports_with_decl();
                    self.set_anchor(end, exports);
                }
            }
            _ => {}
        }
    }

    /// Ends the statement on top at `end`; the token that ended it is still to be taken.
    pub(super) fn end_statement(&mut self, end: usize) -> bool {
        let kind = self.top().kind;
        self.pop();
        match kind {
            Kind::Stmt(Stmt::Case) => {}
            Kind::Member => self.boundary(end),
            _ => self.statement_done(end),
        }
        false
    }

    /// A statement was taken off; ends the `if`s and loops that it was the body of.
    pub(super) fn statement_done(&mut self, end: usize) {
        let mut whole = true;
        while let Kind::Stmt(Stmt::Header { boundary, .. } | Stmt::Prefix { boundary }) = self.top().kind {
            whole &= boundary;
            self.cur.after_do = self.top().phase == 2;
            self.pop();
        }
        if self.top().kind == Kind::Module {
            self.cur.lead = None;
        }
        if whole {
            self.boundary(end);
        }
    }
}

/// Words and signs whose meaning depends on what comes next.
fn waits(token: Token<'_>) -> bool {
    matches!(
        token.text,
        "async"
            | "type"
            | "interface"
            | "enum"
            | "namespace"
            | "module"
            | "global"
            | "abstract"
            | "declare"
            | "import"
            | "?"
            | "public"
            | "private"
            | "protected"
            | "readonly"
            | "override"
            | "static"
            | "get"
            | "set"
    )
}

/// Longest white space that is looked across, in bytes.
const PEEK_LIMIT: usize = 256;

/// The first byte after white space, and whether it is on the same line.
pub(super) fn peek(src: &str, at: usize) -> Option<(u8, bool)> {
    let mut same_line = true;
    for &byte in src.as_bytes()[at..].iter().take(PEEK_LIMIT) {
        match byte {
            b' ' | b'\t' | b'\r' => {}
            b'\n' => same_line = false,
            _ => return Some((byte, same_line)),
        }
    }
    (src.len() - at > PEEK_LIMIT).then_some((b' ', false))
}
