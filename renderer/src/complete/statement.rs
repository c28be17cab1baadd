//! Statements, functions and classes: where each begins and ends, and which of them lead to a component's JSX.

use super::frame::{Kind, Prev, Stage, Stmt};
use super::machine::{Machine, peek};
use super::token::{Class, Token, is_word_start};

impl Machine {
    fn begin(&mut self, stmt: Stmt, stage: Stage, token: Token<'_>) {
        let start = self.cur.lead.take().unwrap_or(token.start);
        self.push(Kind::Stmt(stmt), stage, start);
    }

    /// A token where a statement may begin.
    pub(super) fn statement(&mut self, src: &str, token: Token<'_>) -> bool {
        let frame = *self.top();
        // What may lead to visible JSX from here; a top-level declaration may turn out to be a component.
        let declares = if frame.stage == Stage::Module { Stage::Decl } else { Stage::Out };
        let shows = if matches!(frame.stage, Stage::Body | Stage::Inner) { Stage::Inner } else { Stage::Out };
        let after_do = std::mem::take(&mut self.cur.after_do);
        match token.class {
            Class::End => return true,
            Class::Word => {}
            Class::Punct => match token.text {
                "}" => return self.close_list(src, token, frame.kind),
                ")" | "]" => return self.mismatch(token),
                ";" => {
                    self.statement_done(token.end);
                    return true;
                }
                "{" => {
                    self.push(Kind::Block, shows, token.start);
                    return true;
                }
                _ => {
                    self.begin(Stmt::Expr, Stage::Out, token);
                    return false;
                }
            },
            _ => {
                self.begin(Stmt::Expr, Stage::Out, token);
                return false;
            }
        }
        let next = peek(src, token.end);
        let next_word = next.is_some_and(|(byte, same_line)| same_line && is_word_start(byte));
        match token.text {
            "function" => {
                self.begin(Stmt::Function, declares, token);
                self.push(Kind::FnHead, declares, token.start);
            }
            "class" => {
                self.begin(Stmt::Class, declares, token);
                self.push(Kind::ClassHead, declares, token.start);
            }
            "async" | "abstract" | "declare" if next_word => {
                self.cur.lead.get_or_insert(token.start);
            }
            "const" | "let" | "var" => self.begin(Stmt::Var, declares, token),
            "if" => self.begin(Stmt::Header { switch: false, boundary: true }, shows, token),
            "switch" => self.begin(Stmt::Header { switch: true, boundary: true }, shows, token),
            "while" if after_do => self.begin(Stmt::Expr, Stage::Out, token),
            "for" | "while" | "with" | "catch" => {
                self.begin(Stmt::Header { switch: false, boundary: true }, Stage::Out, token);
            }
            "else" => self.begin(Stmt::Prefix { boundary: true }, shows, token),
            "finally" => self.begin(Stmt::Prefix { boundary: true }, Stage::Out, token),
            "try" => self.begin(Stmt::Prefix { boundary: false }, Stage::Out, token),
            "do" => {
                self.begin(Stmt::Prefix { boundary: false }, Stage::Out, token);
                self.edit().phase = 2;
            }
            "return" => self.begin(Stmt::Return, shows, token),
            "throw" => self.begin(Stmt::Expr, Stage::Out, token),
            "break" | "continue" | "debugger" => self.begin(Stmt::Jump, Stage::Out, token),
            "case" if frame.kind == Kind::Switch => self.begin(Stmt::Case, Stage::Out, token),
            "default" if frame.kind == Kind::Switch => {
                self.begin(Stmt::Case, Stage::Out, token);
                self.have(Prev::Other);
            }
            "import" if !matches!(next, Some((b'(' | b'.', _))) => self.begin(Stmt::Import, Stage::Out, token),
            "export" if frame.kind == Kind::Module => {
                self.cur.lead.get_or_insert(token.start);
                self.push(Kind::Stmt(Stmt::Export), Stage::Module, token.start);
            }
            "export" if frame.kind == Kind::Block && next_word => {
                self.cur.lead.get_or_insert(token.start);
            }
            "interface" if next_word => self.begin(Stmt::Interface, Stage::Out, token),
            "enum" if next_word => self.begin(Stmt::Enum, Stage::Out, token),
            "type" if next_word => self.begin(Stmt::TypeAlias, Stage::Out, token),
            "namespace" | "module" if next_word || matches!(next, Some((b'"' | b'\'', true))) => {
                self.begin(Stmt::Namespace, Stage::Out, token);
            }
            "global" if self.cur.lead.is_some() && matches!(next, Some((b'{', _))) => {
                self.begin(Stmt::Namespace, Stage::Out, token);
            }
            _ => {
                self.begin(Stmt::Expr, Stage::Out, token);
                return false;
            }
        }
        true
    }

    fn close_list(&mut self, src: &str, token: Token<'_>, kind: Kind) -> bool {
        match kind {
            // One brace too many: left out.
            Kind::Module => {
                self.replace(token.start, token.end, "");
                self.boundary(token.end);
            }
            Kind::Block => {
                self.pop();
                if self.top().kind == Kind::Stmt(Stmt::Namespace) {
                    self.end_statement(token.end);
                } else {
                    self.statement_done(token.end);
                }
            }
            Kind::Switch => {
                self.pop();
                self.end_statement(token.end);
            }
            Kind::FnBody { .. } => {
                self.pop();
                self.body_done(src, token.end);
            }
            // An `if` or a loop without its body.
            _ => return self.end_statement(token.start),
        }
        true
    }

    /// `if (…)`, `for (…)`, `else`: what comes before their statement, then the statement.
    pub(super) fn header(&mut self, src: &str, token: Token<'_>) -> bool {
        let frame = *self.top();
        let Kind::Stmt(Stmt::Header { switch, .. }) = frame.kind else { return self.statement(src, token) };
        if token.class == Class::End {
            return true;
        }
        match (frame.phase, token.text) {
            (0, "(") => {
                self.push(Kind::Paren { group: false, header: true }, Stage::Out, token.start);
                true
            }
            (0, "await") => true,
            (_, "{") if switch => {
                let stage = frame.stage;
                self.push(Kind::Switch, stage, token.start);
                true
            }
            (0, ")" | "]") => self.mismatch(token),
            (0, _) => {
                self.edit().phase = 1;
                false
            }
            _ => self.statement(src, token),
        }
    }

    /// `import …` and `export {…}`, `export * from`: names up to a string or a closing brace.
    pub(super) fn module_item(&mut self, token: Token<'_>) -> bool {
        let frame = *self.top();
        // `import {…}` is not over before its string; `export {…}` may be.
        let named = frame.phase == 1 || frame.kind == Kind::Stmt(Stmt::ExportNames);
        let over = frame.prev == Prev::Str || (frame.prev == Prev::Body && named);
        match token.class {
            Class::End if over => return self.end_statement(self.cur.prev_end),
            Class::End => return true,
            Class::Str => {
                self.edit().phase = 1;
                return self.have(Prev::Str);
            }
            _ if over && token.newline && !matches!(token.text, "from" | "with" | "as" | ";") => {
                return self.end_statement(self.cur.prev_end);
            }
            _ => {}
        }
        match token.text {
            "{" => self.push(Kind::Object, Stage::Out, token.start),
            "(" => self.push(Kind::Paren { group: false, header: false }, Stage::Out, token.start),
            ";" => {
                self.end_statement(token.end);
            }
            "}" => return self.end_statement(self.cur.prev_end),
            ")" | "]" => return self.mismatch(token),
            _ => {
                self.have(Prev::Word);
            }
        }
        true
    }

    pub(super) fn export(&mut self, src: &str, token: Token<'_>) -> bool {
        if token.class == Class::End {
            return true;
        }
        self.pop();
        match token.text {
            "default" => {
                self.begin(Stmt::ExportDefault, Stage::Decl, token);
                true
            }
            "{" | "*" => {
                self.begin(Stmt::ExportNames, Stage::Out, token);
                false
            }
            "type" if matches!(peek(src, token.end), Some((b'{' | b'*', _))) => {
                self.begin(Stmt::ExportNames, Stage::Out, token);
                true
            }
            _ => false,
        }
    }

    pub(super) fn export_default(&mut self, src: &str, token: Token<'_>) -> bool {
        let frame = *self.top();
        self.cur.decl.default |= token.class != Class::End;
        if frame.prev == Prev::None || frame.prev == Prev::Async {
            match token.text {
                "function" => {
                    self.edit().kind = Kind::Stmt(Stmt::Function);
                    self.push(Kind::FnHead, Stage::Decl, token.start);
                    return true;
                }
                "class" => {
                    self.edit().kind = Kind::Stmt(Stmt::Class);
                    self.push(Kind::ClassHead, Stage::Decl, token.start);
                    return true;
                }
                "abstract" => return true,
                _ => {}
            }
        }
        self.expression(src, token)
    }

    /// `interface`, `enum`, `namespace`: a head, then braces.
    pub(super) fn braced(&mut self, token: Token<'_>) -> bool {
        let kind = self.top().kind;
        match token.text {
            "{" => match kind {
                Kind::Stmt(Stmt::Enum) => self.push(Kind::Object, Stage::Out, token.start),
                Kind::Stmt(Stmt::Namespace) => self.push(Kind::Block, Stage::Out, token.start),
                _ => self.push(Kind::TypeGroup { close: b'}' }, Stage::Out, token.start),
            },
            "}" | ";" => return self.end_statement(self.cur.prev_end),
            _ => {}
        }
        true
    }

    pub(super) fn alias(&mut self, token: Token<'_>) -> bool {
        let phase = self.top().phase;
        match token.text {
            "=" => {
                self.edit().phase = 1;
                self.push(Kind::Type { arrow: false }, Stage::Out, token.start);
                true
            }
            ";" => {
                self.end_statement(token.end);
                true
            }
            "}" => self.end_statement(self.cur.prev_end),
            _ if token.class == Class::End => phase == 0 || self.end_statement(self.cur.prev_end),
            _ if phase == 1 => self.end_statement(self.cur.prev_end),
            _ => true,
        }
    }

    pub(super) fn jump(&mut self, token: Token<'_>) -> bool {
        match token.text {
            ";" => {
                self.end_statement(token.end);
                true
            }
            _ if token.class == Class::Word && !token.newline => true,
            _ => self.end_statement(self.cur.prev_end),
        }
    }
}
