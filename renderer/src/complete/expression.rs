//! Expressions: operands and operators in turn, which settles what `/`, `<`, `{` and a line's end mean.
//!
//! Patterns, parameters and object literals are read as expressions too: they only differ in what they mean.

use super::frame::{Frame, Kind, Prev, Stage, Stmt};
use super::machine::{Machine, peek};
use super::token::{Class, Token, is_word, is_word_start};

/// Longest prose between a stray `{` and the place that betrays it, in bytes.
pub(super) const STRAY_LIMIT: usize = 400;

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
    pub(super) fn enter_concise(&mut self) {
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
            Class::Number => {
                if let Some(point) = integer_point(token.text) {
                    self.insert(token.start + point, ".");
                }
                return self.have(Prev::Other);
            }
            Class::Regex => return self.have(Prev::Other),
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
                let callee = &src[self.cur.word.0 as usize..self.cur.word.1 as usize];
                let hook = frame.prev == Prev::Word && is_hook(callee);
                self.cur.hold |= hook && frame.stage == Stage::Inner;
                // What `lazy` or a factory is given is another component than the one being declared.
                let other = frame.stage == Stage::Decl && !wraps(callee);
                let stage = if hook || other { Stage::Out } else { frame.stage };
                self.push(Kind::Paren { group: false, header: false }, stage, token.start);
            }
            "[" => self.push(
                Kind::Bracket,
                if frame.stage == Stage::Inner { Stage::Inner } else { Stage::Out },
                token.start,
            ),
            "{" if key && frame.prev == Prev::Call => {
                self.push(Kind::FnBody { component: false }, Stage::Out, token.start);
            }
            "/" if src[token.start..].starts_with("/>") && self.unclosed_attribute(token) => {}
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
            _ if self.unclosed_statement(token) => false,
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
}

/// Where the name begins in `50.toFixed`: the point is the number's own, so the name needs another one.
fn integer_point(number: &str) -> Option<usize> {
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let name = number[digits..].strip_prefix('.')?.as_bytes();
    let exponent = matches!(name, [b'e' | b'E', rest @ ..] if rest.iter().all(|&byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'n')));
    let starts = name.first().is_some_and(|&first| is_word_start(first));
    (digits > 0 && starts && !exponent).then_some(digits + 1)
}

/// Whether a call with this name makes a component of the one that it is given.
fn wraps(callee: &str) -> bool {
    matches!(callee, "memo" | "forwardRef" | "observer") || callee.starts_with("with")
}

/// `use`, `useState`: by React's own rule.
fn is_hook(word: &str) -> bool {
    word.strip_prefix("use").is_some_and(|rest| rest.is_empty() || rest.starts_with(|first: char| first.is_uppercase()))
}
