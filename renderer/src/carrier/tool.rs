//! The arguments of a `render_ui` call as they stream in: a JSON object of which one string is the source.
//!
//! Owns JSON's lexical rules, applied to text that may be cut anywhere. Lenient where models are sloppy (raw line ends in
//! strings, unknown escapes), strict where a wrong guess would show something false (a `code` that is no string).

/// One thing found in the arguments, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolPiece {
    /// The next part of the source, decoded.
    Code(String),
    /// Another argument that is a string, whole.
    Field {
        /// Its name.
        name: String,
        /// Its decoded value.
        value: String,
    },
    /// The arguments are not what the tool takes; the message says why and is meant for the caller.
    Error(String),
}

/// Longest name or value of another argument that is kept, in bytes; the rest of it is dropped.
const FIELD_LIMIT: usize = 64 * 1024;

/// The argument that is the source.
const CODE: &str = "code";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before `{`.
    Start,
    /// Before a key or `}`.
    Key,
    /// In a key.
    InKey,
    /// Before `:`.
    Colon,
    /// Before a value.
    Value,
    /// In a string value.
    InText,
    /// In a nested object or array, this deep.
    Nested(usize),
    /// In a string of a nested value.
    NestedText(usize),
    /// In a number, `true`, `false` or `null`.
    Literal,
    /// Before `,` or `}`.
    Comma,
    /// After the object, or after an error.
    End,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    /// After a backslash.
    Begun,
    /// In `\u`, after `count` digits.
    Unicode { count: u8, value: u16 },
}

/// Decodes the arguments of one call.
#[derive(Debug)]
pub struct ToolArguments {
    state: State,
    key: String,
    text: String,
    escape: Escape,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    code_seen: bool,
}

impl Default for ToolArguments {
    fn default() -> Self {
        Self::new()
    }
}

impl ToolArguments {
    /// Nothing read yet.
    pub fn new() -> Self {
        Self {
            state: State::Start,
            key: String::new(),
            text: String::new(),
            escape: Escape::None,
            high: None,
            code_seen: false,
        }
    }

    /// Takes the next part of the arguments' JSON text.
    pub fn push(&mut self, json: &str) -> Vec<ToolPiece> {
        let mut out = Vec::new();
        for character in json.chars() {
            self.take(character, &mut out);
        }
        self.give_code(&mut out);
        out
    }

    /// The arguments have ended. Says so when they ended too early or held no source.
    pub fn finish(&mut self) -> Vec<ToolPiece> {
        let mut out = Vec::new();
        self.lone_half();
        self.give_code(&mut out);
        match self.state {
            State::End if !self.code_seen => self.fail(&mut out, "the argument `code` is missing".to_owned()),
            State::End => {}
            State::Start => self.fail(&mut out, "the arguments are empty; `code` is required".to_owned()),
            _ => self.fail(&mut out, "the arguments ended before their JSON object was closed".to_owned()),
        }
        out
    }

    /// The object was closed, or an error was reported.
    pub fn is_over(&self) -> bool {
        self.state == State::End
    }

    fn fail(&mut self, out: &mut Vec<ToolPiece>, message: String) {
        out.push(ToolPiece::Error(message));
        self.state = State::End;
        // One error is enough.
        self.code_seen = true;
    }

    fn take(&mut self, character: char, out: &mut Vec<ToolPiece>) {
        match self.state {
            State::InKey | State::InText | State::NestedText(_) => return self.in_text(character, out),
            State::Nested(depth) => {
                self.state = match character {
                    '{' | '[' => State::Nested(depth + 1),
                    '}' | ']' if depth == 1 => State::Comma,
                    '}' | ']' => State::Nested(depth - 1),
                    '"' => State::NestedText(depth),
                    _ => State::Nested(depth),
                };
                return;
            }
            State::Literal => {
                if !matches!(character, ',' | '}' | ' ' | '\t' | '\n' | '\r') {
                    if self.text.len() < 64 {
                        self.text.push(character);
                    }
                    return;
                }
                self.literal(out);
            }
            _ => {}
        }
        if matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{feff}') {
            return;
        }
        self.state = match (self.state, character) {
            (State::End, _) => State::End,
            (State::Start, '{') => State::Key,
            (State::Key | State::Comma, '}') => State::End,
            (State::Key, '"') => {
                self.key.clear();
                State::InKey
            }
            (State::Key | State::Comma, ',') => State::Key,
            (State::Colon, ':') => State::Value,
            (State::Value, '"') => {
                self.text.clear();
                if self.key == CODE {
                    self.code_seen = true;
                }
                State::InText
            }
            (State::Value, '{' | '[') => {
                if self.expects_text() {
                    let what = if character == '{' { "an object" } else { "an array" };
                    return self.wrong_type(what, out);
                }
                State::Nested(1)
            }
            (State::Value, _) => {
                self.text.clear();
                self.text.push(character);
                State::Literal
            }
            (State::Start, _) => {
                return self
                    .fail(out, format!("the arguments must be a JSON object, not `{}`", character.escape_default()));
            }
            (_, _) => {
                let message = format!("the arguments are not JSON: unexpected `{}`", character.escape_default());
                return self.fail(out, message);
            }
        };
    }

    fn expects_text(&self) -> bool {
        matches!(self.key.as_str(), CODE | "title" | "id")
    }

    fn wrong_type(&mut self, what: &str, out: &mut Vec<ToolPiece>) {
        self.fail(out, format!("the argument `{}` must be a string, not {what}", self.key));
    }

    fn literal(&mut self, out: &mut Vec<ToolPiece>) {
        self.state = State::Comma;
        let optional = self.key != CODE && self.text == "null";
        if self.expects_text() && !optional {
            let what = match self.text.as_str() {
                "null" => "null",
                "true" | "false" => "a boolean",
                _ => "a number",
            };
            self.wrong_type(what, out);
        }
    }

    fn in_text(&mut self, character: char, out: &mut Vec<ToolPiece>) {
        match self.escape {
            Escape::None => match character {
                '"' => self.end_text(out),
                '\\' => self.escape = Escape::Begun,
                _ => self.add(character),
            },
            Escape::Begun => {
                self.escape = Escape::None;
                match character {
                    'n' => self.add('\n'),
                    't' => self.add('\t'),
                    'r' => self.add('\r'),
                    'b' => self.add('\u{8}'),
                    'f' => self.add('\u{c}'),
                    'u' => self.escape = Escape::Unicode { count: 0, value: 0 },
                    '"' | '\\' | '/' => self.add(character),
                    // No escape of JSON: what the model meant to write.
                    _ => {
                        self.add('\\');
                        self.add(character);
                    }
                }
            }
            Escape::Unicode { count, value } => match character.to_digit(16) {
                Some(digit) => {
                    let value = value << 4 | digit as u16;
                    self.escape = Escape::Unicode { count: count + 1, value };
                    if count == 3 {
                        self.escape = Escape::None;
                        self.unit(value);
                    }
                }
                None => {
                    self.escape = Escape::None;
                    self.add(char::REPLACEMENT_CHARACTER);
                    self.in_text(character, out);
                }
            },
        }
    }

    /// Adds a UTF-16 unit that was written as an escape.
    fn unit(&mut self, unit: u16) {
        match (self.high.take(), unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                let code = 0x10000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(unit) - 0xdc00);
                self.append(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (before, _) => {
                if before.is_some() {
                    self.append(char::REPLACEMENT_CHARACTER);
                }
                match unit {
                    0xd800..=0xdbff => self.high = Some(unit),
                    _ => self.append(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)),
                }
            }
        }
    }

    fn lone_half(&mut self) {
        if self.high.take().is_some() {
            self.append(char::REPLACEMENT_CHARACTER);
        }
    }

    fn add(&mut self, character: char) {
        self.lone_half();
        self.append(character);
    }

    fn append(&mut self, character: char) {
        match self.state {
            State::InKey if self.key.len() < FIELD_LIMIT => self.key.push(character),
            State::InText if self.key == CODE || self.text.len() < FIELD_LIMIT => self.text.push(character),
            _ => {}
        }
    }

    fn end_text(&mut self, out: &mut Vec<ToolPiece>) {
        self.lone_half();
        self.state = match self.state {
            State::InKey => State::Colon,
            State::NestedText(depth) => State::Nested(depth),
            _ => {
                if self.key == CODE {
                    self.give_code(out);
                } else {
                    out.push(ToolPiece::Field { name: self.key.clone(), value: std::mem::take(&mut self.text) });
                }
                State::Comma
            }
        };
    }

    /// Gives out the source decoded so far.
    fn give_code(&mut self, out: &mut Vec<ToolPiece>) {
        if self.state == State::InText && self.key == CODE && !self.text.is_empty() {
            out.push(ToolPiece::Code(std::mem::take(&mut self.text)));
        }
    }
}
