//! Expressions: operands and operators in turn, which settles what `/`, `<`, `{` and a line's end mean.
//!
//! Patterns, parameters and object literals are read as expressions too: they only differ in what they mean.

use super::frame::{Frame, Kind, Prev, Stage, Stmt};
use super::machine::{Machine, peek};
use super::token::{self, Angles, Class, Token, is_word, is_word_start};

/// Longest prose between a stray `{` and the place that betrays it, in bytes.
const STRAY_LIMIT: usize = 400;

impl Machine {
    pub(super) fn expression(&mut self, src: &str, token: Token<'_>) -> bool {
        let frame = *self.top();
        let at_statement = matches!(frame.kind, Kind::Stmt(_) | Kind::Member);
        if token.class == Class::End {
            // A binding may still get its value.
            let half = frame.need || frame.ternary > 0 || (frame.kind == Kind::Stmt(Stmt::Var) && frame.phase == 0);
            return half || !at_statement || self.is_bare_word(src, frame) || self.end_statement(self.cur.prev_end);
        }
        if matches!(token.text, ")" | "]" | "}") && token.class == Class::Punct {
            return self.close(token);
        }
        if frame.need {
            if at_statement && frame.kind == Kind::Stmt(Stmt::Return) && frame.prev == Prev::None && token.newline {
                return self.end_statement(self.cur.prev_end);
            }
            self.operand(src, token, frame)
        } else {
            self.operator(src, token, frame, at_statement)
        }
    }

    /// A statement of a word alone, at the end of the text: more likely half of a keyword.
    fn is_bare_word(&self, src: &str, frame: Frame) -> bool {
        let (start, end) = (frame.start as usize, self.cur.word.1 as usize);
        let word_like = |byte: u8| is_word(byte) || byte == b' ';
        frame.kind == Kind::Stmt(Stmt::Expr)
            && frame.prev == Prev::Word
            && end == src.len()
            && end - start <= STRAY_LIMIT
            && src.as_bytes()[start..end].iter().all(|&byte| word_like(byte))
    }

    /// An arrow's body begins without a brace: what it shows counts from here.
    fn enter_concise(&mut self) {
        let frame = *self.top();
        if frame.stage == Stage::Decl && frame.prev == Prev::Arrow {
            self.edit().stage = Stage::Inner;
            self.cur.decl.function = true;
        }
    }

    fn operand(&mut self, src: &str, token: Token<'_>, frame: Frame) -> bool {
        if token.text != "{" {
            self.enter_concise();
        }
        let frame = Frame { stage: self.top().stage, ..frame };
        match token.class {
            Class::Word => return self.word_operand(src, token, frame),
            Class::Number | Class::Regex => return self.have(Prev::Other),
            Class::Str => return self.have(Prev::Str),
            Class::Backtick => {
                self.push(Kind::Template, Stage::Out, token.start);
                return true;
            }
            _ => {}
        }
        // A list inside a declaration is data, not a component.
        let nested = if frame.stage == Stage::Inner { Stage::Inner } else { Stage::Out };
        match token.text {
            "(" => self.push(Kind::Paren { group: true, header: false }, frame.stage, token.start),
            "[" => self.push(Kind::Bracket, nested, token.start),
            "{" if frame.prev == Prev::Arrow => {
                let component = frame.stage == Stage::Decl;
                self.cur.decl.function |= component;
                let stage = if component { Stage::Body } else { frame.stage };
                self.push(Kind::FnBody { component }, stage, token.start);
            }
            "{" => self.push(Kind::Object, nested, token.start),
            ";" => return self.semicolon(token, frame),
            "," => {
                self.want(Prev::Other);
                self.edit().phase = 0;
            }
            "=>" => return self.arrow(frame),
            "." | "?." => return self.want(Prev::Dot),
            "..." if frame.kind == Kind::Object => {
                self.edit().phase = 1;
                return self.want(Prev::Other);
            }
            ":" if frame.ternary > 0 => {
                self.edit().ternary -= 1;
                return self.want(Prev::Other);
            }
            _ => return self.want(Prev::Other),
        }
        true
    }

    fn word_operand(&mut self, src: &str, token: Token<'_>, frame: Frame) -> bool {
        let key = frame.kind == Kind::Object && frame.phase == 0;
        self.cur.word = (token.start as u32, token.end as u32);
        if frame.prev == Prev::Dot || key {
            return self.have(Prev::Word);
        }
        let next = peek(src, token.end).map(|(byte, _)| byte);
        let before_word = next.is_some_and(is_word_start);
        match token.text {
            "new" | "typeof" | "void" | "delete" | "await" | "yield" => self.want(Prev::Other),
            "async" if before_word || matches!(next, Some(b'(' | b'<')) => self.want(Prev::Async),
            "function" => {
                self.push(Kind::FnHead, frame.stage, token.start);
                true
            }
            "class" => {
                self.push(Kind::ClassHead, Stage::Out, token.start);
                true
            }
            "const" | "let" | "var" if matches!(frame.kind, Kind::Paren { header: true, .. }) => self.want(Prev::Other),
            "public" | "private" | "protected" | "readonly" | "override" if before_word => self.want(Prev::Other),
            "enum" if frame.kind == Kind::Stmt(Stmt::Var) && frame.phase == 0 => {
                let statement = self.edit();
                statement.kind = Kind::Stmt(Stmt::Enum);
                statement.stage = Stage::Out;
                true
            }
            _ => {
                if frame.kind == Kind::Stmt(Stmt::Var) && frame.phase == 0 {
                    self.name_decl(token);
                }
                self.have(Prev::Word)
            }
        }
    }

    fn operator(&mut self, src: &str, token: Token<'_>, frame: Frame, at_statement: bool) -> bool {
        let key = frame.kind == Kind::Object && frame.phase == 0;
        let new_line = at_statement && token.newline;
        match token.class {
            Class::Word => match token.text {
                "in" | "instanceof" => return self.want(Prev::Other),
                "of" if matches!(frame.kind, Kind::Paren { header: true, .. }) => return self.want(Prev::Other),
                "as" | "satisfies" if !key && !new_line => {
                    self.push(Kind::Type { arrow: false }, Stage::Out, token.start);
                    return true;
                }
                _ if key => {
                    let exported = self.arena.get(frame.parent).kind == Kind::Stmt(Stmt::ExportNames);
                    self.cur.decl.default |= exported && token.text == "default";
                    return self.have(Prev::Word);
                }
                _ => return self.adjacent(token, at_statement),
            },
            Class::Backtick => {
                if new_line && src[token.start..].starts_with("```") {
                    return self.end_statement(self.cur.prev_end);
                }
                self.push(Kind::Template, Stage::Out, token.start);
                return true;
            }
            Class::Str | Class::Number | Class::Regex => return self.adjacent(token, at_statement),
            _ => {}
        }
        match token.text {
            "(" if key => self.push(Kind::Paren { group: false, header: false }, Stage::Out, token.start),
            "(" => {
                let hook = frame.prev == Prev::Word && is_hook(&src[self.cur.word.0 as usize..self.cur.word.1 as usize]);
                self.cur.hold |= hook && frame.stage == Stage::Inner;
                let stage = if hook { Stage::Out } else { frame.stage };
                self.push(Kind::Paren { group: false, header: false }, stage, token.start);
            }
            "[" => self.push(Kind::Bracket, if frame.stage == Stage::Inner { Stage::Inner } else { Stage::Out }, token.start),
            "{" if key && frame.prev == Prev::Call => {
                self.push(Kind::FnBody { component: false }, Stage::Out, token.start);
            }
            "{" | "@" | "..." | "~" => return self.adjacent(token, at_statement),
            "!" | "++" | "--" if new_line => return self.end_statement(self.cur.prev_end),
            "!" | "++" | "--" => {}
            ";" => return self.semicolon(token, frame),
            "," => {
                self.want(Prev::Other);
                self.edit().phase = 0;
            }
            "=>" => return self.arrow(frame),
            "." | "?." => return self.want(Prev::Dot),
            "?" => {
                let optional = matches!(peek(src, token.end), Some((b':' | b',' | b')' | b'=', _)));
                if !optional {
                    self.edit().ternary = frame.ternary.saturating_add(1);
                    return self.want(Prev::Other);
                }
            }
            ":" => return self.colon(token, frame, key),
            "=" if frame.kind == Kind::Object || frame.kind == Kind::Stmt(Stmt::Var) => {
                self.edit().phase = 1;
                return self.want(Prev::Other);
            }
            _ => return self.want(Prev::Other),
        }
        true
    }

    fn arrow(&mut self, frame: Frame) -> bool {
        if frame.stage == Stage::Decl {
            self.cur.decl.bare = frame.prev == Prev::Group && frame.empty;
        }
        self.want(Prev::Arrow)
    }

    fn semicolon(&mut self, token: Token<'_>, frame: Frame) -> bool {
        match frame.kind {
            Kind::Stmt(_) | Kind::Member => {
                self.end_statement(token.end);
                true
            }
            Kind::JsxChild => self.stray_brace(token),
            _ => self.want(Prev::Other),
        }
    }

    fn colon(&mut self, token: Token<'_>, frame: Frame, key: bool) -> bool {
        if frame.ternary > 0 {
            self.edit().ternary -= 1;
            return self.want(Prev::Other);
        }
        match frame.kind {
            Kind::Object if key && frame.prev != Prev::Call => {
                self.edit().phase = 1;
                return self.want(Prev::Other);
            }
            Kind::Stmt(Stmt::Case) => {
                self.end_statement(token.end);
            }
            // A label.
            Kind::Stmt(Stmt::Expr) if frame.prev == Prev::Word => self.pop(),
            Kind::JsxChild if frame.prev != Prev::Group => return self.stray_brace(token),
            _ => self.push(Kind::Type { arrow: frame.prev == Prev::Group && !key }, Stage::Out, token.start),
        }
        true
    }

    /// Two operands side by side: a new statement, or something that was not code.
    fn adjacent(&mut self, token: Token<'_>, at_statement: bool) -> bool {
        if at_statement {
            return self.end_statement(self.cur.prev_end);
        }
        if self.top().kind == Kind::JsxChild {
            return self.stray_brace(token);
        }
        self.have(Prev::Other)
    }

    /// The `{` of the container on top was text: escapes it and reads on as text.
    fn stray_brace(&mut self, token: Token<'_>) -> bool {
        let start = self.top().start as usize;
        let untouched = self.cur.anchor.cut <= start && token.end - start <= STRAY_LIMIT;
        if !untouched || !self.spend(token.end - start) {
            return self.want(Prev::Other);
        }
        self.pop();
        self.forget_edits(start);
        self.replace(start, start + 1, "{\"{\"}");
        // `code` moves on from here; the token is taken by being read again as text.
        self.cur.pos = start + 1;
        true
    }

    // ── Closing ────────────────────────────────────────────────────────────────────────────────────────────────────

    fn close(&mut self, token: Token<'_>) -> bool {
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

    // ── `<` ────────────────────────────────────────────────────────────────────────────────────────────────────────

    /// Settles a `<`: a tag, type parameters, type arguments. `None`: an operator, to be read as such.
    /// `Some(false)`: only more text can tell.
    pub(super) fn angle(&mut self, src: &str, at: usize, last: bool) -> Option<bool> {
        let mut frame = *self.top();
        match frame.kind {
            Kind::ClassHead => return self.type_list(src, at, last, true),
            Kind::FnHead | Kind::Member if frame.phase < 2 => return self.type_list(src, at, last, true),
            Kind::Stmt(Stmt::TypeAlias | Stmt::Interface) => return self.type_list(src, at, last, true),
            Kind::Object if frame.phase == 0 && !frame.need => return self.type_list(src, at, last, true),
            Kind::Type { .. } | Kind::TypeGroup { .. } => return None,
            Kind::Stmt(Stmt::Import | Stmt::ExportNames | Stmt::Export | Stmt::Enum | Stmt::Namespace | Stmt::Jump) => {
                return None;
            }
            Kind::ClassBody { .. } => return None,
            Kind::Stmt(Stmt::Header { .. }) if frame.phase == 0 => return None,
            _ => {}
        }
        let bytes = src.as_bytes();
        let next = bytes.get(at + 1).copied();
        if next.is_none() {
            return if last { None } else { Some(false) };
        }
        let tag_like = next.is_some_and(|byte| byte == b'>' || is_word_start(byte));
        if frame.kind.is_list() {
            if !tag_like {
                return None;
            }
            self.push(Kind::Stmt(Stmt::Expr), Stage::Out, at);
            frame = *self.top();
        }
        if frame.need {
            if !tag_like {
                return None;
            }
            return self.operand_angle(src, at, last, frame);
        }
        match next {
            Some(b'/') if matches!(frame.prev, Prev::Jsx | Prev::Group) => self.stray_close_tag(src, at, last),
            Some(b'<' | b'=') => None,
            _ if frame.prev == Prev::Jsx && tag_like => {
                self.start_tag(at, Stage::Out);
                Some(true)
            }
            _ if frame.prev == Prev::Word => self.type_list(src, at, last, false),
            _ => None,
        }
    }

    /// Type parameters or arguments are taken in one piece.
    fn type_list(&mut self, src: &str, at: usize, last: bool, head: bool) -> Option<bool> {
        match token::angles(src, at, head) {
            Angles::Types(end) => {
                self.cur.pos = end;
                self.cur.prev_end = end;
                self.cur.newline = false;
                Some(true)
            }
            // Where only type parameters can stand, half of them is nothing else.
            Angles::Unknown if !last || head => Some(false),
            _ => None,
        }
    }

    fn operand_angle(&mut self, src: &str, at: usize, last: bool, frame: Frame) -> Option<bool> {
        let bytes = src.as_bytes();
        let name_end = bytes[at + 1..].iter().position(|&byte| !is_word(byte)).map(|length| at + 1 + length);
        let Some(name_end) = name_end.or(last.then_some(src.len())) else { return Some(false) };
        let rest = src[name_end..].trim_start();
        let undecided = rest.is_empty() || (rest.len() < 8 && "extends ".starts_with(rest) && name_end < src.len());
        if undecided && !last && name_end > at + 1 {
            return Some(false);
        }
        let generic = name_end > at + 1 && (rest.starts_with(',') || rest.starts_with("extends "));
        if generic || (frame.prev == Prev::Async && rest.starts_with('>')) {
            self.push(Kind::TypeGroup { close: b'>' }, Stage::Out, at);
            self.cur.pos = at + 1;
            self.cur.newline = false;
            return Some(true);
        }
        self.enter_concise();
        let stage = if self.top().stage == Stage::Inner { Stage::Inner } else { Stage::Out };
        self.start_tag(at, stage);
        Some(true)
    }

    /// A closing tag after the whole element: one too many, left out.
    fn stray_close_tag(&mut self, src: &str, at: usize, last: bool) -> Option<bool> {
        let rest = &src.as_bytes()[at + 2..];
        match rest.iter().take(64).position(|&byte| !(is_word(byte) || matches!(byte, b'.' | b'-'))) {
            Some(length) if rest[length] == b'>' => {
                self.replace(at, at + 3 + length, "");
                self.cur.pos = at + 3 + length;
                Some(true)
            }
            None if !last && rest.len() < 64 => Some(false),
            _ => None,
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

/// `use`, `useState`: by React's own rule.
fn is_hook(word: &str) -> bool {
    word.strip_prefix("use").is_some_and(|rest| rest.is_empty() || rest.starts_with(|first: char| first.is_uppercase()))
}
