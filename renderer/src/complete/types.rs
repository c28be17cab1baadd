//! TypeScript types: read only to know where they end. Nothing in a type is ever an anchor.

use super::frame::{Kind, Prev, Stage, Stmt};
use super::machine::Machine;
use super::token::{Class, Token};

impl Machine {
    /// A token in a type after `:`, `=`, `as` or `satisfies`.
    pub(super) fn in_type(&mut self, token: Token<'_>) -> bool {
        let frame = *self.top();
        if frame.need { self.type_operand(token) } else { self.type_operator(token) }
    }

    fn end_type(&mut self) -> bool {
        self.pop();
        false
    }

    fn type_operand(&mut self, token: Token<'_>) -> bool {
        match token.class {
            Class::End => return true,
            Class::Word => {
                let prefix = matches!(
                    token.text,
                    "keyof" | "typeof" | "readonly" | "infer" | "unique" | "asserts" | "new" | "abstract" | "import"
                );
                return if prefix { self.want(Prev::Word) } else { self.have(Prev::Word) };
            }
            Class::Str | Class::Number | Class::Regex => return self.have(Prev::Other),
            Class::Backtick => {
                self.push(Kind::Template, Stage::Out, token.start);
                return true;
            }
            Class::Punct => {}
        }
        match token.text {
            "(" => self.push(Kind::TypeGroup { close: b')' }, Stage::Out, token.start),
            "[" => self.push(Kind::TypeGroup { close: b']' }, Stage::Out, token.start),
            "{" => self.push(Kind::TypeGroup { close: b'}' }, Stage::Out, token.start),
            "<" => self.push(Kind::TypeGroup { close: b'>' }, Stage::Out, token.start),
            "|" | "&" | "-" | "..." => return self.want(Prev::Other),
            _ => return self.end_type(),
        }
        true
    }

    fn type_operator(&mut self, token: Token<'_>) -> bool {
        let frame = *self.top();
        let arrow = matches!(frame.kind, Kind::Type { arrow: true });
        match token.text {
            // Half of a conditional type.
            _ if token.class == Class::End && (frame.phase == 1 || frame.ternary > 0) => true,
            "|" | "&" => self.want(Prev::Other),
            "." => self.want(Prev::Dot),
            "is" if token.class == Class::Word && !token.newline => self.want(Prev::Other),
            "extends" if !token.newline || frame.phase > 0 || frame.prev != Prev::None => {
                self.edit().phase = 1;
                self.want(Prev::Other)
            }
            "[" if !token.newline => {
                self.push(Kind::TypeGroup { close: b']' }, Stage::Out, token.start);
                true
            }
            "<" => {
                self.push(Kind::TypeGroup { close: b'>' }, Stage::Out, token.start);
                true
            }
            "=>" if !arrow => self.want(Prev::Arrow),
            "?" if frame.phase == 1 => {
                let frame = self.edit();
                frame.phase = 0;
                frame.ternary += 1;
                self.want(Prev::Other)
            }
            ":" if frame.ternary > 0 => {
                self.edit().ternary -= 1;
                self.want(Prev::Other)
            }
            _ => self.end_type(),
        }
    }

    /// A token between brackets of a type.
    pub(super) fn in_type_group(&mut self, token: Token<'_>, close: u8) -> bool {
        let open = match token.text {
            "(" => b')',
            "[" => b']',
            "{" => b'}',
            "<" => b'>',
            _ if token.class == Class::Backtick => {
                self.push(Kind::Template, Stage::Out, token.start);
                return true;
            }
            ")" | "]" | "}" | ">" => {
                let closes = token.text.as_bytes()[0] == close;
                if !closes && token.text == ">" {
                    return true;
                }
                self.pop();
                if closes {
                    self.type_group_done(close, token.end);
                }
                // A bracket of another kind: this group was never closed.
                return closes;
            }
            _ => return true,
        };
        self.push(Kind::TypeGroup { close: open }, Stage::Out, token.start);
        true
    }

    fn type_group_done(&mut self, close: u8, end: usize) {
        match self.top().kind {
            // Type parameters of a function type come before it.
            Kind::Type { .. } if close == b'>' && self.top().need => {}
            Kind::Type { .. } => {
                self.have(Prev::Other);
            }
            Kind::Stmt(Stmt::Interface) if close == b'}' => {
                self.end_statement(end);
            }
            _ => {}
        }
    }
}
