//! Functions and classes: their heads, members and bodies, and which of them are components.

use super::frame::{Kind, Prev, Stage, Stmt};
use super::machine::{Machine, peek};
use super::token::{Class, Token, is_word_start};

impl Machine {
    /// A function's body was closed: ends what it was the body of.
    pub(super) fn body_done(&mut self, src: &str, end: usize) {
        if self.top().kind == Kind::FnHead {
            self.pop();
        }
        match self.top().kind {
            Kind::Stmt(Stmt::Function) => {
                self.end_statement(end);
            }
            Kind::Member if self.top().phase < 2 => {
                let name = self.top().name;
                self.pop();
                let render = &src[name.0 as usize..name.1 as usize] == "render";
                if render && let Kind::ClassBody { renders, .. } = &mut self.edit().kind {
                    *renders = true;
                }
                self.boundary(end);
            }
            kind if kind.is_list() => self.statement_done(end),
            _ => {
                self.have(Prev::Body);
            }
        }
    }

    /// `function` up to its body.
    pub(super) fn fn_head(&mut self, _src: &str, token: Token<'_>) -> bool {
        let frame = *self.top();
        match token.text {
            "(" if frame.phase == 0 => self.push(Kind::Paren { group: false, header: false }, Stage::Out, token.start),
            ":" if frame.phase == 1 => self.push(Kind::Type { arrow: false }, Stage::Out, token.start),
            "{" => {
                let component = frame.stage == Stage::Decl;
                if component {
                    self.cur.decl.function = true;
                    self.cur.decl.bare = frame.empty;
                }
                let stage = match frame.stage {
                    Stage::Decl => Stage::Body,
                    stage => stage,
                };
                self.push(Kind::FnBody { component }, stage, token.start);
            }
            ";" => {
                self.pop();
                let is_statement = self.top().kind == Kind::Stmt(Stmt::Function);
                return is_statement && {
                    self.end_statement(token.end);
                    true
                };
            }
            "}" | ")" | "]" => {
                self.pop();
                return false;
            }
            // A signature without a body ends with its line.
            _ if frame.phase == 1 && token.newline && token.class != Class::End => {
                self.pop();
                return false;
            }
            _ if token.class == Class::Word && frame.phase == 0 => self.name_decl(token),
            _ => {}
        }
        true
    }

    /// The name of a top-level function, class or variable: only a capital makes a component.
    pub(super) fn name_decl(&mut self, token: Token<'_>) {
        let named_by = self.top().kind;
        if self.top().stage != Stage::Decl || self.cur.decl.name.is_some() {
            return;
        }
        let capital = token.text.starts_with(|first: char| first.is_uppercase());
        if capital {
            self.cur.decl.name = Some((token.start as u32, token.end as u32));
            self.cur.decl.app = token.text == "App";
        } else if !(self.cur.decl.default && matches!(named_by, Kind::FnHead | Kind::ClassHead)) {
            self.edit().stage = Stage::Out;
        }
    }

    /// `class` up to its body.
    pub(super) fn class_head(&mut self, _src: &str, token: Token<'_>) -> bool {
        let frame = *self.top();
        match token.text {
            "{" => {
                let component = frame.stage == Stage::Decl && frame.phase == 2;
                if component {
                    self.cur.decl.function = true;
                    self.cur.decl.bare = true;
                    self.cur.decl.class = true;
                }
                let stage = if component { Stage::Body } else { Stage::Out };
                self.push(Kind::ClassBody { component, renders: false }, stage, token.start);
            }
            "extends" => self.edit().phase = 1,
            "(" => self.push(Kind::Paren { group: false, header: false }, Stage::Out, token.start),
            "}" | ")" | "]" => {
                self.pop();
                return false;
            }
            "implements" => {}
            "Component" | "PureComponent" if frame.phase == 1 => self.edit().phase = 2,
            _ if token.class == Class::Word && frame.phase == 0 => self.name_decl(token),
            _ => {}
        }
        true
    }

    pub(super) fn class_body(&mut self, token: Token<'_>) -> bool {
        match token.text {
            _ if token.class == Class::End => true,
            ";" => true,
            ")" | "]" => self.mismatch(token),
            "}" => {
                self.pop();
                if self.top().kind == Kind::ClassHead {
                    self.pop();
                }
                if self.top().kind == Kind::Stmt(Stmt::Class) {
                    self.end_statement(token.end);
                } else {
                    self.have(Prev::Body);
                }
                true
            }
            _ => {
                let stage = self.top().stage;
                self.push(Kind::Member, stage, token.start);
                false
            }
        }
    }

    pub(super) fn member(&mut self, src: &str, token: Token<'_>) -> bool {
        let frame = *self.top();
        if frame.phase == 2 {
            return self.expression(src, token);
        }
        let ends_line = token.newline && !frame.need && frame.prev != Prev::Other;
        match token.class {
            Class::End => return frame.need || self.end_statement(self.cur.prev_end),
            Class::Word if ends_line && frame.prev != Prev::Str => return self.end_statement(self.cur.prev_end),
            Class::Word => {
                let next = peek(src, token.end);
                let modifier = matches!(
                    token.text,
                    "static"
                        | "async"
                        | "get"
                        | "set"
                        | "public"
                        | "private"
                        | "protected"
                        | "readonly"
                        | "override"
                        | "declare"
                        | "abstract"
                        | "accessor"
                ) && next.is_none_or(|(byte, _)| {
                    is_word_start(byte)
                        || matches!(byte, b'[' | b'*' | b'"' | b'\'')
                        || (token.text == "static" && byte == b'{')
                });
                if !modifier {
                    self.edit().name = (token.start as u32, token.end as u32);
                }
                return self.have(if modifier { Prev::Str } else { Prev::Word });
            }
            Class::Str | Class::Number => return self.have(Prev::Word),
            _ => {}
        }
        match token.text {
            "(" => self.push(Kind::Paren { group: false, header: false }, Stage::Out, token.start),
            "[" if ends_line => return self.end_statement(self.cur.prev_end),
            "[" => self.push(Kind::Bracket, Stage::Out, token.start),
            ":" => self.push(Kind::Type { arrow: false }, Stage::Out, token.start),
            "=" => {
                let member = self.edit();
                member.phase = 2;
                member.stage = Stage::Out;
                self.want(Prev::Other);
            }
            "{" => {
                let renders = &src[frame.name.0 as usize..frame.name.1 as usize] == "render";
                let component = frame.stage == Stage::Body && renders;
                let stage = if component { Stage::Body } else { Stage::Out };
                self.push(Kind::FnBody { component }, stage, token.start);
            }
            ";" => {
                self.end_statement(token.end);
            }
            "}" => return self.end_statement(self.cur.prev_end),
            ")" | "]" => return self.mismatch(token),
            "*" | "@" if ends_line => return self.end_statement(self.cur.prev_end),
            _ => {}
        }
        true
    }
}
