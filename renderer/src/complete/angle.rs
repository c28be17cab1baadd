//! `<`: a tag, type parameters, type arguments, or less than.

use super::expression::STRAY_LIMIT;
use super::frame::{Frame, Kind, Prev, Stage, Stmt};
use super::machine::Machine;
use super::token::{self, Angles, is_word, is_word_start};

impl Machine {
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
            Kind::Stmt(Stmt::Import | Stmt::ExportNames)
                if self.cur.newline && matches!(frame.prev, Prev::Str | Prev::Body) =>
            {
                self.end_statement(self.cur.prev_end);
                return self.angle(src, at, last);
            }
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
            if !tag_like && !next.is_some_and(|byte| byte.is_ascii_whitespace()) {
                return None;
            }
            return self.operand_angle(src, at, last, frame);
        }
        match next {
            Some(b'/') if matches!(frame.prev, Prev::Jsx | Prev::Group) => self.stray_close_tag(src, at, last),
            Some(b'<' | b'=') => None,
            _ if frame.prev == Prev::Jsx && tag_like => {
                let stage = if self.wrap_siblings(frame, at) { frame.stage } else { Stage::Out };
                self.start_tag(at, if stage == Stage::Inner { stage } else { Stage::Out });
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
        let blank = bytes[at + 1..].iter().take(STRAY_LIMIT).take_while(|byte| byte.is_ascii_whitespace()).count();
        let name = at + 1 + blank;
        let name_end = bytes[name..].iter().position(|&byte| !is_word(byte)).map(|length| name + length);
        let Some(name_end) = name_end.or(last.then_some(src.len())) else { return Some(false) };
        let rest = src[name_end..].trim_start();
        let undecided = rest.is_empty() || (rest.len() < 8 && "extends".starts_with(rest));
        if undecided && !last && name_end > name {
            return Some(false);
        }
        let extends = rest.strip_prefix("extends").is_some_and(|rest| rest.starts_with(char::is_whitespace));
        let generic = name_end > name && (rest.starts_with([',', '=']) || extends);
        if generic || (frame.prev == Prev::Async && rest.starts_with('>')) {
            self.push(Kind::TypeGroup { close: b'>' }, Stage::Out, at);
            self.cur.pos = at + 1;
            self.cur.newline = false;
            return Some(true);
        }
        if blank > 0 {
            return None;
        }
        self.enter_concise();
        self.note_first(at);
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
