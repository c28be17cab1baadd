//! JavaScript tokens, one at a time, from text that may still grow.
//!
//! Owns what a token is and when it is surely over. Whether `/` divides and whether `<` opens a tag is the caller's to say.

/// What a token is, as far as completion needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Word,
    Number,
    Str,
    Regex,
    Backtick,
    Punct,
    /// Nothing follows.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub class: Class,
    pub text: &'a str,
    pub start: usize,
    pub end: usize,
    /// A line ended between the last token and this one.
    pub newline: bool,
}

/// How the caller wants the next token read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    /// An operand may come: `/` opens a regular expression.
    pub operand: bool,
    /// Inside a type: `<` and `>` stand alone.
    pub types: bool,
    /// No more text will come.
    pub last: bool,
}

/// Longest first, so that the first that fits is the token.
const OPERATORS: [&str; 35] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
    "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**", "</", "/>",
];

pub(super) fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'#' | b'\\') || byte >= 0x80
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\') || byte >= 0x80
}

/// What trivia was skipped to get to the next token.
pub(super) enum Trivia {
    /// A token starts here.
    Token(usize),
    /// A comment is not closed, or a `/` could begin one; it starts here.
    Open(usize),
}

/// Skips white space and comments. `memo` lets a long comment be read once.
pub(super) fn skip_trivia(source: &str, mut at: usize, newline: &mut bool, memo: &mut Memo, last: bool) -> Trivia {
    let bytes = source.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'\n' | b'\r' => {
                *newline = true;
                at += 1;
            }
            b' ' | b'\t' | 0x0b | 0x0c | 0 => at += 1,
            0xc2 if bytes[at..].starts_with(&[0xc2, 0xa0]) => at += 2,
            0xe2 if bytes[at..].starts_with("\u{2028}".as_bytes())
                || bytes[at..].starts_with("\u{2029}".as_bytes()) =>
            {
                *newline = true;
                at += 3;
            }
            0xef if bytes[at..].starts_with(&[0xef, 0xbb, 0xbf]) => at += 3,
            0xe3 if bytes[at..].starts_with(&[0xe3, 0x80, 0x80]) => at += 3,
            b'/' => match bytes.get(at + 1) {
                Some(b'/') => match memchr::memchr2(b'\n', b'\r', &bytes[memo.from(at, at + 2)..]) {
                    Some(offset) => at = memo.from(at, at + 2) + offset,
                    None if last => at = bytes.len(),
                    None => {
                        memo.set(at, bytes.len());
                        return Trivia::Open(at);
                    }
                },
                Some(b'*') => {
                    let from = memo.from(at, at + 2);
                    match memchr::memmem::find(&bytes[from..], b"*/") {
                        Some(offset) => {
                            *newline |= memchr::memchr(b'\n', &bytes[at..from + offset]).is_some();
                            at = from + offset + 2;
                        }
                        None => {
                            memo.set(at, bytes.len().saturating_sub(1).max(at + 2));
                            return Trivia::Open(at);
                        }
                    }
                }
                None if !last => return Trivia::Open(at),
                _ => return Trivia::Token(at),
            },
            _ => return Trivia::Token(at),
        }
    }
    Trivia::Token(at)
}

/// How far an unfinished token or comment was already read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Memo {
    start: usize,
    read: usize,
}

impl Memo {
    pub fn from(&self, start: usize, first: usize) -> usize {
        if self.start == start { self.read.max(first) } else { first }
    }

    pub fn set(&mut self, start: usize, read: usize) {
        *self = Self { start, read };
    }
}

/// Reads the token at `at`, which is not white space. `None`: its end is not known yet.
pub(super) fn read<'a>(source: &'a str, at: usize, newline: bool, mode: Mode, memo: &mut Memo) -> Option<Token<'a>> {
    let bytes = source.as_bytes();
    let token = |class, end: usize| Some(Token { class, text: &source[at..end], start: at, end, newline });
    let Some(&first) = bytes.get(at) else {
        return mode.last.then_some(Token { class: Class::End, text: "", start: at, end: at, newline });
    };
    match first {
        b'"' | b'\'' => token(Class::Str, string_end(bytes, at, first, memo)?),
        b'`' => token(Class::Backtick, at + 1),
        b'0'..=b'9' => token(Class::Number, number_end(bytes, at, mode.last)?),
        b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
            token(Class::Number, number_end(bytes, at, mode.last)?)
        }
        _ if is_word_start(first) => {
            let from = memo.from(at, at + 1);
            let end = bytes[from..].iter().position(|&byte| !is_word(byte)).map(|length| from + length);
            match end {
                Some(end) => token(Class::Word, end),
                None if mode.last => token(Class::Word, bytes.len()),
                None => {
                    memo.set(at, bytes.len());
                    None
                }
            }
        }
        b'/' if mode.operand && !mode.types && bytes.get(at + 1) != Some(&b'>') => match bytes.get(at + 1) {
            None => None,
            Some(_) => token(Class::Regex, regex_end(bytes, at, mode.last)?),
        },
        b'<' | b'>' if mode.types => token(Class::Punct, at + 1),
        _ => {
            let rest = &source[at..];
            let text = OPERATORS.iter().find(|operator| rest.starts_with(**operator)).map(|operator| operator.len());
            let length = match text {
                // `?.5` is a condition and a number; `</` and `/>` only mean something where a tag may stand.
                Some(2) if rest.starts_with("?.") && bytes.get(at + 2).is_some_and(u8::is_ascii_digit) => 1,
                Some(2) if rest.starts_with("</") || rest.starts_with("/>") => 1,
                Some(length) => length,
                None => 1,
            };
            let grows = !matches!(first, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';' | b',' | b'~' | b'@' | b':');
            if grows && !mode.last && rest.len() == length {
                return None;
            }
            // `?.` waits for what could make it `?.5`, `.` for `...`.
            if !mode.last && (rest == "?." || rest == "..") {
                return None;
            }
            token(Class::Punct, at + length)
        }
    }
}

/// The end of a quoted string; a line's end closes a string that lacks its quote.
fn string_end(bytes: &[u8], at: usize, quote: u8, memo: &mut Memo) -> Option<usize> {
    let mut from = memo.from(at, at + 1);
    while let Some(offset) = memchr::memchr3(quote, b'\\', b'\n', &bytes[from..]) {
        let found = from + offset;
        match bytes[found] {
            b'\\' if found + 1 < bytes.len() => {
                // A line continuation may be two bytes long.
                let two = bytes[found + 1] == b'\r' && bytes.get(found + 2) == Some(&b'\n');
                from = found + if two { 3 } else { 2 };
            }
            b'\\' => {
                memo.set(at, found);
                return None;
            }
            b'\n' => return Some(found),
            _ => return Some(found + 1),
        }
        if from > bytes.len() {
            return None;
        }
    }
    memo.set(at, bytes.len());
    None
}

/// Longest number or regular expression, in bytes: what is longer was none.
const TOKEN_LIMIT: usize = 4096;

fn number_end(bytes: &[u8], at: usize, last: bool) -> Option<usize> {
    let mut end = at;
    while let Some(&byte) = bytes.get(end) {
        let exponent_sign = matches!(byte, b'+' | b'-')
            && matches!(bytes[end - 1], b'e' | b'E')
            && !matches!(bytes.get(at + 1), Some(b'x' | b'X'))
            && end > at;
        if end - at < TOKEN_LIMIT && (byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || exponent_sign) {
            end += 1;
        } else {
            return Some(end);
        }
    }
    last.then_some(end)
}

/// The end of a regular expression and its flags; a line's end closes it.
fn regex_end(bytes: &[u8], at: usize, last: bool) -> Option<usize> {
    let (mut end, mut class) = (at + 1, false);
    loop {
        match bytes.get(end)? {
            b'\\' => end += 1,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => break,
            b'\n' | b'\r' => return Some(end),
            _ if end - at > TOKEN_LIMIT => return Some(at + 1),
            _ => {}
        }
        end += 1;
    }
    end += 1;
    while let Some(&byte) = bytes.get(end) {
        if !is_word(byte) {
            return Some(end);
        }
        end += 1;
    }
    last.then_some(end)
}

/// The end of `<…>` at `at`, if it reads as type arguments or parameters.
pub(super) enum Angles {
    Types(usize),
    Less,
    Unknown,
}

/// Longest `<…>` that is looked at before it is taken for a comparison, in bytes.
const ANGLES_LIMIT: usize = 1024;

/// Decides whether the `<` at `at` opens type arguments. `head`: it stands where only type parameters can.
pub(super) fn angles(source: &str, at: usize, head: bool) -> Angles {
    let bytes = source.as_bytes();
    let end = bytes.len().min(at + ANGLES_LIMIT);
    let mut open: Vec<u8> = Vec::new();
    let mut i = at;
    while i < end {
        let byte = bytes[i];
        match byte {
            b'<' => open.push(b'>'),
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b'=' if bytes.get(i + 1) == Some(&b'>') => i += 1,
            b'>' | b')' | b']' | b'}' => {
                if open.pop() != Some(byte) {
                    return Angles::Less;
                }
                if open.is_empty() {
                    return if head { Angles::Types(i + 1) } else { after_angles(bytes, i + 1) };
                }
            }
            b'"' | b'\'' => match memchr::memchr2(byte, b'\n', &bytes[i + 1..end]) {
                Some(offset) if bytes[i + 1 + offset] == byte => i += offset + 1,
                Some(_) => return Angles::Less,
                None => break,
            },
            b'&' if bytes.get(i + 1) == Some(&b'&') => return Angles::Less,
            b'|' if bytes.get(i + 1) == Some(&b'|') => return Angles::Less,
            b';' if open.last() != Some(&b'}') => return Angles::Less,
            b'?' if !head && open.len() == 1 && !source[at..i].contains("extends") => return Angles::Less,
            b'=' if !head => return Angles::Less,
            b'+' | b'*' | b'%' | b'^' | b'~' | b'@' => return Angles::Less,
            b'/' => {
                let (end, skip): (&[u8], usize) = match bytes.get(i + 1) {
                    Some(b'/') => (b"\n", 0),
                    Some(b'*') => (b"*/", 1),
                    None => break,
                    Some(_) => return Angles::Less,
                };
                match memchr::memmem::find(&bytes[i..], end) {
                    Some(offset) => i += offset + skip,
                    None => break,
                }
            }
            _ => {}
        }
        i += 1;
    }
    if end == bytes.len() { Angles::Unknown } else { Angles::Less }
}

/// TypeScript's own rule: type arguments are followed by something that cannot go on as a comparison.
fn after_angles(bytes: &[u8], at: usize) -> Angles {
    match bytes[at..].iter().find(|byte| !matches!(byte, b' ' | b'\t')) {
        None => Angles::Unknown,
        Some(b'(' | b'`' | b')' | b']' | b',' | b';' | b':' | b'.' | b'}' | b'\n' | b'\r' | b'{') => Angles::Types(at),
        Some(_) => Angles::Less,
    }
}
