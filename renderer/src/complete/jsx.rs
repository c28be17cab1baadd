//! JSX: tags, attributes, children, and the mistakes that models make in their text.

use super::frame::{Frame, Kind, Prev, Span, Stage};
use super::machine::Machine;
use super::siblings::SIBLINGS;
use super::token::{self, Angles, Trivia, is_word, is_word_start};

/// Elements that HTML lets stand without a closing tag.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// Longest name in a closing tag that is waited for, in bytes.
const NAME_LIMIT: usize = 256;

fn is_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b'-' | b':')
}

fn text(src: &str, span: Span) -> &str {
    &src[span.0 as usize..span.1 as usize]
}

impl Machine {
    pub(super) fn start_tag(&mut self, at: usize, stage: Stage) {
        self.push(Kind::JsxTag, stage, at);
        self.cur.pos = at + 1;
        self.cur.newline = false;
        self.cur.started = true;
    }

    /// Reads a piece of an opening tag.
    pub(super) fn jsx_tag(&mut self, src: &str, last: bool) -> bool {
        let bytes = src.as_bytes();
        let frame = *self.top();
        if frame.phase == 0 {
            return self.jsx_name(src, frame, last);
        }
        let mut newline = false;
        let at = match token::skip_trivia(src, self.cur.pos, &mut newline, &mut self.memo, false) {
            Trivia::Token(at) => at,
            Trivia::Open(at) => {
                self.cur.pos = at;
                return false;
            }
        };
        self.cur.pos = at;
        let Some(&byte) = bytes.get(at) else { return false };
        match byte {
            b'>' => return self.open_element(src, at + 1, last),
            b'/' if bytes.get(at + 1) == Some(&b'>') => {
                self.pop();
                self.cur.pos = at + 2;
                self.element_done(at + 2);
            }
            b'/' => return bytes.len() > at + 1 && self.stray_angle(src, frame),
            b'{' => {
                self.cur.pos = at + 1;
                self.push(Kind::JsxAttr, Stage::Out, at);
            }
            b'"' | b'\'' if frame.phase == 2 => {
                let from = self.memo.from(at, at + 1);
                let Some(offset) = memchr::memchr(byte, &bytes[from..]) else {
                    self.memo.set(at, bytes.len());
                    return false;
                };
                self.edit().phase = 1;
                self.cur.pos = from + offset + 1;
            }
            b'=' => {
                self.edit().phase = 2;
                self.cur.pos = at + 1;
            }
            b'<' if frame.phase == 2 => self.start_tag(at, Stage::Out),
            _ if is_name(byte) && frame.phase == 1 => {
                let length = bytes[at..].iter().take_while(|&&byte| is_name(byte)).count();
                self.cur.pos = at + length;
            }
            _ => return self.stray_angle(src, frame),
        }
        self.cur.prev_end = self.cur.pos;
        true
    }

    fn jsx_name(&mut self, src: &str, frame: Frame, last: bool) -> bool {
        let bytes = src.as_bytes();
        let start = frame.start as usize + 1;
        if bytes.get(start) == Some(&b'>') {
            return self.open_element(src, start + 1, last);
        }
        let from = self.memo.from(start, start);
        let Some(length) = bytes[from..].iter().position(|&byte| !is_name(byte)) else {
            self.memo.set(start, bytes.len());
            return false;
        };
        let end = from + length;
        let end = match bytes[end] {
            b'<' => match token::angles(src, end, true) {
                Angles::Types(after) => after,
                Angles::Unknown => return false,
                Angles::Less => end,
            },
            _ => end,
        };
        let tag = self.edit();
        tag.name = (start as u32, (from + length) as u32);
        tag.phase = 1;
        self.cur.pos = end;
        true
    }

    /// The opening tag on top ends at `end`: its children follow, unless it can have none.
    fn open_element(&mut self, src: &str, end: usize, last: bool) -> bool {
        let frame = *self.top();
        let name = text(src, frame.name);
        if VOID.contains(&name) {
            let rest = src[end..].trim_start();
            let closing = format!("</{name}");
            if rest.len() < closing.len() && closing.starts_with(rest) && !last {
                return false;
            }
            if !rest.starts_with(&closing) {
                self.insert(end - 1, " /");
                self.pop();
                self.cur.pos = end;
                self.element_done(end);
                return true;
            }
        }
        let element = self.edit();
        element.kind = Kind::JsxElement;
        element.phase = 0;
        self.cur.pos = end;
        self.cur.run = end;
        self.jsx_anchor(end);
        true
    }

    /// An element ended at `end`; its frame is off the stack.
    pub(super) fn element_done(&mut self, end: usize) {
        self.cur.prev_end = end;
        self.cur.newline = false;
        match self.top().kind {
            Kind::JsxElement => self.cur.run = end,
            Kind::JsxTag => {
                self.edit().phase = 1;
                return;
            }
            _ => {
                self.have(Prev::Jsx);
            }
        }
        self.see();
        self.jsx_anchor(end);
    }

    /// The `<` of the tag on top was text: escapes it and reads on as text.
    fn stray_angle(&mut self, src: &str, frame: Frame) -> bool {
        let (start, read) = (frame.start as usize, self.cur.pos);
        let among_children = self.arena.get(frame.parent).kind == Kind::JsxElement;
        if !among_children {
            // Not text: leaves the tag and lets the code around it go on.
            self.pop();
            self.have(Prev::Other);
            return true;
        }
        if !self.spend(read - start) {
            self.cur.pos += src[read..].chars().next().map_or(1, char::len_utf8);
            return true;
        }
        self.pop();
        self.forget_edits(start);
        self.cur.no_sibling = start;
        self.replace(start, start + 1, "{\"<\"}");
        self.cur.pos = start + 1;
        true
    }

    /// Reads text up to a child, an expression or the closing tag.
    pub(super) fn jsx_children(&mut self, src: &str, last: bool) -> bool {
        if self.top().phase == SIBLINGS
            && let Some(answer) = self.between_siblings(src, last)
        {
            return answer;
        }
        let bytes = src.as_bytes();
        let from = self.cur.pos;
        let found = bytes[from..].iter().position(|byte| matches!(byte, b'<' | b'{' | b'}' | b'>'));
        let Some(at) = found.map(|offset| from + offset) else {
            self.cur.pos = bytes.len();
            if !src[from..].trim().is_empty() {
                self.see();
            }
            self.jsx_anchor(bytes.len() - half_entity(&src[self.cur.run.min(src.len())..]));
            return false;
        };
        self.cur.pos = at;
        if at > from {
            if !src[from..at].trim().is_empty() {
                self.see();
            }
            self.jsx_anchor(at);
        }
        match bytes[at] {
            b'{' => {
                let stage = if self.top().stage == Stage::Inner { Stage::Inner } else { Stage::Out };
                self.cur.pos = at + 1;
                self.cur.newline = false;
                self.push(Kind::JsxChild, stage, at);
                true
            }
            b'<' => self.child_angle(src, at, last),
            b'}' if self.forgotten_tags(src, at) => true,
            byte => {
                if byte == b'}' || at == 0 || bytes[at - 1] != b'-' {
                    self.replace(at, at + 1, if byte == b'}' { "{\"}\"}" } else { "{\">\"}" });
                }
                self.cur.pos = at + 1;
                self.jsx_anchor(at + 1);
                true
            }
        }
    }

    fn child_angle(&mut self, src: &str, at: usize, last: bool) -> bool {
        let bytes = src.as_bytes();
        match bytes.get(at + 1) {
            None => false,
            Some(b'/') => self.closing_tag(src, at, last),
            Some(&next) if next == b'>' || is_word_start(next) => {
                let stage = if self.top().stage == Stage::Inner { Stage::Inner } else { Stage::Out };
                self.start_tag(at, stage);
                true
            }
            Some(b'!') if bytes.len() < at + 4 && b"<!--".starts_with(&bytes[at..]) && !last => false,
            Some(b'!') if bytes[at..].starts_with(b"<!--") => {
                // An HTML comment is not JSX: left out.
                let from = self.memo.from(at, at + 4);
                let Some(offset) = memchr::memmem::find(&bytes[from..], b"-->") else {
                    self.memo.set(at, bytes.len().saturating_sub(2).max(at + 4));
                    return false;
                };
                self.replace(at, from + offset + 3, "");
                self.cur.pos = from + offset + 3;
                self.cur.run = self.cur.pos;
                true
            }
            Some(_) => self.escape_angle(at),
        }
    }

    fn escape_angle(&mut self, at: usize) -> bool {
        self.replace(at, at + 1, "{\"<\"}");
        self.cur.pos = at + 1;
        self.jsx_anchor(at + 1);
        true
    }

    fn closing_tag(&mut self, src: &str, at: usize, last: bool) -> bool {
        let bytes = src.as_bytes();
        let rest = &bytes[at + 2..];
        let space = rest.iter().take(NAME_LIMIT).take_while(|byte| byte.is_ascii_whitespace()).count();
        let name = rest[space..].iter().take(NAME_LIMIT).take_while(|&&byte| is_name(byte)).count();
        let after = rest[space + name..].iter().take(NAME_LIMIT).take_while(|byte| byte.is_ascii_whitespace()).count();
        let start = at + 2 + space;
        match bytes.get(start + name + after) {
            None => return last && rest.len() > NAME_LIMIT && self.escape_angle(at),
            Some(b'>') => {}
            Some(_) => return self.escape_angle(at),
        }
        let end = start + name + after + 1;
        let name = &src[start..start + name];
        self.cur.pos = end;
        if text(src, self.top().name) == name {
            self.pop();
            self.element_done(end);
            return true;
        }
        self.wrong_closing_tag(src, at, end, name);
        true
    }

    /// A closing tag that does not fit closes what was forgotten, is taken for a slip of the pen, or is left out.
    fn wrong_closing_tag(&mut self, src: &str, at: usize, end: usize, name: &str) {
        let mut missing = String::new();
        let mut id = self.cur.top;
        let (mut found, mut depth) = (false, 0);
        while depth < NAME_LIMIT && self.arena.get(id).kind == Kind::JsxElement {
            let frame = self.arena.get(id);
            if text(src, frame.name) == name {
                found = true;
                break;
            }
            missing.push_str("</");
            missing.push_str(text(src, frame.name));
            missing.push('>');
            id = frame.parent;
            depth += 1;
        }
        if found {
            self.insert(at, &missing);
            while self.cur.top != id {
                self.pop();
            }
            self.pop();
            self.element_done(end);
            return;
        }
        let top = *self.top();
        let same_line = memchr::memchr(b'\n', &src.as_bytes()[top.start as usize..at]).is_none();
        if same_line {
            self.replace(at, end, &format!("</{}>", text(src, top.name)));
            self.pop();
            self.element_done(end);
        } else {
            self.replace(at, end, "");
            self.cur.run = end;
            self.jsx_anchor(end);
        }
    }

    /// A `}` in text after nothing but `)` and `;`: the elements around were never closed, and the code goes on.
    fn forgotten_tags(&mut self, src: &str, at: usize) -> bool {
        let run = self.cur.run.min(at);
        let between = src[run..at].trim();
        if between.len() > 8 || !between.bytes().all(|byte| matches!(byte, b')' | b';') || byte.is_ascii_whitespace()) {
            return false;
        }
        let mut missing = String::new();
        let mut id = self.cur.top;
        while self.arena.get(id).kind == Kind::JsxElement {
            if missing.len() > 1 << 16 {
                return false;
            }
            missing.push_str("</");
            missing.push_str(text(src, self.arena.get(id).name));
            missing.push('>');
            id = self.arena.get(id).parent;
        }
        let around = self.arena.get(id).kind;
        let fits = match between.as_bytes().first() {
            None => around == Kind::JsxChild,
            Some(b')') => matches!(around, Kind::Paren { .. }),
            Some(_) => matches!(around, Kind::Stmt(_)),
        };
        // Elements of an attribute, or a tag that is itself unfinished, have no code to go back to.
        if !fits || self.cur.edits_after(run, &self.edits) || !self.spend(at - run) {
            return false;
        }
        self.insert(run, &missing);
        while self.cur.top != id {
            self.pop();
        }
        self.cur.pos = run;
        self.element_done(run);
        true
    }

    /// Reads the text of a template literal.
    pub(super) fn template(&mut self, src: &str) -> bool {
        let bytes = src.as_bytes();
        let from = self.cur.pos;
        let Some(offset) = memchr::memchr3(b'`', b'\\', b'$', &bytes[from..]) else {
            self.cur.pos = bytes.len();
            return false;
        };
        let at = from + offset;
        self.cur.pos = at;
        match bytes[at] {
            b'`' => {
                self.pop();
                self.cur.pos = at + 1;
                self.cur.prev_end = at + 1;
                self.cur.newline = false;
                self.have(Prev::Other)
            }
            b'\\' => {
                let whole = at + 2 <= bytes.len();
                if whole {
                    self.cur.pos = at + 2;
                }
                whole
            }
            _ => match bytes.get(at + 1) {
                None => false,
                Some(b'{') => {
                    self.cur.pos = at + 2;
                    self.cur.newline = false;
                    self.push(Kind::TemplateExpr, Stage::Out, at);
                    true
                }
                Some(_) => {
                    self.cur.pos = at + 1;
                    true
                }
            },
        }
    }
}

/// Length of an entity at the end of the text that may still go on.
pub(super) fn half_entity(text: &str) -> usize {
    let tail = text.as_bytes();
    let window = &tail[tail.len().saturating_sub(32)..];
    match memchr::memrchr(b'&', window) {
        Some(at) if window[at + 1..].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'#') => {
            window.len() - at
        }
        _ => 0,
    }
}
