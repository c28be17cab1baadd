//! Calls of tools within the text that a model writes, as they come.
//!
//! `<tool_call>{"name": …, "arguments": {…}}</tool_call>` anywhere, and what small models write instead of it: the same
//! object bare, in a `json` fence, or in `<tools>`, when the answer begins with it. Only names that were offered are calls; all
//! else stays text, to the letter. Arguments are handed on while they are written.

use super::Tools;
use crate::{Chunk, EngineError};
use futures::Stream;
use futures::stream::{self, StreamExt as _};

/// How a call begins.
pub const OPEN: &str = "<tool_call>";
/// How a call ends.
pub const CLOSE: &str = "</tool_call>";
/// What may stand before a call at the beginning of an answer instead.
const OTHER_OPEN: [&str; 5] = ["<tools>", "<function_call>", "```json", "```xml", "```"];
/// What may stand behind a call.
const CLOSERS: [&str; 5] = [CLOSE, "</tools>", "</function_call>", "```", ","];
/// Longest beginning of a call that is waited for: a name and little more.
const HELD: usize = 400;

/// The chunks of an answer with the calls of offered tools told apart.
pub fn read<S>(answer: S, tools: &Tools) -> impl Stream<Item = Result<Chunk, EngineError>> + Send + use<S>
where
    S: Stream<Item = Result<Chunk, EngineError>> + Send + 'static,
{
    let mut calls = Calls::new(tools.offered.iter().map(|tool| tool.name.clone()).collect());
    answer.flat_map(move |chunk| {
        let mut out = Vec::new();
        match chunk {
            Ok(Chunk::Text(text)) => calls.push(&text, &mut out),
            Ok(done @ Chunk::Done { .. }) => {
                calls.finish(&mut out);
                out.push(done);
            }
            other => return stream::iter(vec![other]),
        }
        stream::iter(out.into_iter().map(Ok).collect::<Vec<_>>())
    })
}

enum State {
    /// Text; a call may begin in `held`.
    Text,
    /// After the opening of a call, before its arguments.
    Opening,
    /// Within arguments.
    Arguments(Value),
    /// Behind arguments, where only closers stand.
    Closing,
}

struct Calls {
    names: Vec<String>,
    state: State,
    held: String,
    /// What the text of this opening was, should it be no call.
    opener: String,
    /// Whether anything but white space was said.
    said: bool,
    count: usize,
}

impl Calls {
    fn new(names: Vec<String>) -> Self {
        Self { names, state: State::Text, held: String::new(), opener: String::new(), said: false, count: 0 }
    }

    fn push(&mut self, text: &str, out: &mut Vec<Chunk>) {
        self.held.push_str(text);
        while self.step(out) {}
    }

    /// The end: what was held back was no call.
    fn finish(&mut self, out: &mut Vec<Chunk>) {
        match self.state {
            State::Text => self.tell(self.held.len(), out),
            State::Opening => self.no_call(out),
            State::Arguments(_) | State::Closing => {}
        }
        if matches!(self.state, State::Text) {
            self.tell(self.held.len(), out);
        }
    }

    /// One step; whether another may follow.
    fn step(&mut self, out: &mut Vec<Chunk>) -> bool {
        match &mut self.state {
            State::Text => self.text(out),
            State::Opening => match opening(&self.held, &self.names) {
                Opening::Call { name, arguments } => {
                    self.held.drain(..arguments);
                    let index = self.count;
                    self.count += 1;
                    out.push(Chunk::ToolCall { index, id: None, name: Some(name), arguments: String::new() });
                    self.state = State::Arguments(Value::default());
                    true
                }
                Opening::Maybe if self.held.len() <= HELD => false,
                _ => {
                    self.no_call(out);
                    true
                }
            },
            State::Arguments(value) => {
                let (taken, over) = value.take(&self.held);
                let arguments: String = self.held.drain(..taken).collect();
                if !arguments.is_empty() {
                    out.push(Chunk::ToolCall { index: self.count - 1, id: None, name: None, arguments });
                }
                if over {
                    self.state = State::Closing;
                }
                over
            }
            State::Closing => self.closing(),
        }
    }

    fn text(&mut self, out: &mut Vec<Chunk>) -> bool {
        let begins = !self.said && self.count == 0;
        let start = self.held.len() - self.held.trim_start().len();
        let rest = &self.held[start..];
        if begins || self.count > 0 {
            // More may tell which of them it is.
            let longer = |open: &str| open.len() > rest.len() && open.starts_with(rest);
            if OTHER_OPEN.iter().chain([&OPEN]).any(|open| longer(open)) {
                return false;
            }
            // Where nothing was said, the other forms are looked for; and again behind a call.
            let other = OTHER_OPEN.iter().find(|open| rest.starts_with(**open));
            let bare = rest.starts_with('{');
            if let Some(open) = other.copied().or(bare.then_some("")).filter(|_| !rest.starts_with(OPEN)) {
                return self.open(start + open.len());
            }
        }
        if let Some(at) = self.held.find(OPEN) {
            self.tell(at, out);
            return self.open(OPEN.len());
        }
        let open = (1..OPEN.len()).rev().find(|n| self.held.ends_with(&OPEN[..*n])).unwrap_or(0);
        self.tell(self.held.len() - open, out);
        false
    }

    /// Takes the opening of what may be a call.
    fn open(&mut self, end: usize) -> bool {
        self.opener = self.held.drain(..end).collect();
        self.state = State::Opening;
        true
    }

    fn no_call(&mut self, out: &mut Vec<Chunk>) {
        self.state = State::Text;
        self.held.insert_str(0, &std::mem::take(&mut self.opener));
        // Said as it stands, so that it is not looked at again.
        let end = self.held.len();
        self.said = true;
        self.tell(end, out);
    }

    /// Tells so many bytes of text. White space behind a call is nothing.
    fn tell(&mut self, end: usize, out: &mut Vec<Chunk>) {
        let text: String = self.held.drain(..end).collect();
        let blank = text.trim().is_empty();
        if !text.is_empty() && (!blank || self.count == 0) {
            self.said |= !blank;
            out.push(Chunk::Text(text));
        }
    }

    /// Swallows what closes a call.
    fn closing(&mut self) -> bool {
        let rest = self.held.trim_start();
        let rest = rest.strip_prefix('}').unwrap_or(rest).trim_start();
        if let Some(closer) = CLOSERS.iter().find(|closer| rest.starts_with(**closer)) {
            self.held = rest[closer.len()..].to_owned();
            self.said = false;
            self.state = State::Text;
            return true;
        }
        if rest.is_empty() || CLOSERS.iter().any(|closer| closer.starts_with(rest)) {
            return false;
        }
        self.held = rest.to_owned();
        self.state = State::Text;
        true
    }
}

enum Opening {
    /// A call; its arguments begin at this byte.
    Call {
        name: String,
        arguments: usize,
    },
    /// It may become one.
    Maybe,
    No,
}

/// Reads `{"name": "NAME", "arguments": `.
fn opening(text: &str, names: &[String]) -> Opening {
    let mut at = Reader { text, at: 0 };
    let read = (|| {
        at.word("{")?;
        at.word("\"name\"")?;
        at.word(":")?;
        at.word("\"")?;
        let name = at.until('"')?;
        at.word(",")?;
        at.one_of(&["\"arguments\"", "\"parameters\""])?;
        at.word(":")?;
        at.blank();
        // The value has begun.
        if at.rest().is_empty() { Err(true) } else { Ok(name) }
    })();
    match read {
        Ok(name) if names.contains(&name) => Opening::Call { name, arguments: at.at },
        Ok(_) | Err(false) => Opening::No,
        Err(true) => Opening::Maybe,
    }
}

/// Reads words; an error says whether more text may help.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blank(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn word(&mut self, word: &str) -> Result<(), bool> {
        self.one_of(&[word])
    }

    fn one_of(&mut self, words: &[&str]) -> Result<(), bool> {
        self.blank();
        if let Some(word) = words.iter().find(|word| self.rest().starts_with(**word)) {
            self.at += word.len();
            return Ok(());
        }
        Err(words.iter().any(|word| word.starts_with(self.rest())))
    }

    fn until(&mut self, end: char) -> Result<String, bool> {
        let found = self.rest().split_once(end).map(|(text, _)| text.to_owned()).ok_or(true)?;
        self.at += found.len() + end.len_utf8();
        Ok(found)
    }
}

/// How far a JSON value has come.
#[derive(Default)]
struct Value {
    depth: usize,
    string: bool,
    escaped: bool,
}

impl Value {
    /// How many bytes of `text` belong to the value, and whether it ends there.
    fn take(&mut self, text: &str) -> (usize, bool) {
        for (at, byte) in text.bytes().enumerate() {
            let end = at + 1;
            if self.string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => {
                        self.string = false;
                        if self.depth == 0 {
                            return (end, true);
                        }
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth <= 1 => return (if self.depth == 0 { at } else { end }, true),
                b'}' | b']' => self.depth -= 1,
                b',' if self.depth == 0 => return (at, true),
                _ => {}
            }
        }
        (text.len(), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of an answer that comes in pieces of `size` characters: text, and calls with their arguments.
    fn told(answer: &str, size: usize) -> (String, Vec<(String, String)>) {
        let mut calls = Calls::new(vec!["weather".into(), "time".into()]);
        let mut out = Vec::new();
        let all: Vec<char> = answer.chars().collect();
        for piece in all.chunks(size) {
            calls.push(&piece.iter().collect::<String>(), &mut out);
        }
        calls.finish(&mut out);
        let (mut text, mut found) = (String::new(), Vec::<(String, String)>::new());
        for chunk in out {
            match chunk {
                Chunk::Text(more) => text.push_str(&more),
                Chunk::ToolCall { name, arguments, index, .. } => {
                    if let Some(name) = name {
                        found.push((name, String::new()));
                    }
                    assert_eq!(index + 1, found.len());
                    if let Some((_, all)) = found.last_mut() {
                        all.push_str(&arguments);
                    }
                }
                _ => {}
            }
        }
        (text, found)
    }

    fn in_all_sizes(answer: &str) -> (String, Vec<(String, String)>) {
        let whole = told(answer, answer.len().max(1));
        for size in 1..20 {
            assert_eq!(told(answer, size), whole, "in pieces of {size}: {answer}");
        }
        whole
    }

    fn call(name: &str, arguments: &str) -> (String, String) {
        (name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn calls_come_apart_from_text() {
        let (text, calls) = in_all_sizes(
            "I look.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"a \\\"}\\\" b\", \"n\": [1, {}]}}\n</tool_call>\n\
             <tool_call>\n{\"name\": \"time\", \"arguments\": {}}\n</tool_call>",
        );
        assert_eq!(text, "I look.\n");
        assert_eq!(calls, [call("weather", r#"{"city": "a \"}\" b", "n": [1, {}]}"#), call("time", "{}")]);
    }

    #[test]
    fn what_small_models_write_instead_is_a_call_too() {
        for answer in [
            "{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}",
            "```json\n{\n  \"name\": \"weather\",\n  \"arguments\": {\"city\": \"Rome\"}\n}\n```",
            "\n<tools>\n{\"name\": \"weather\", \"parameters\": {\"city\": \"Rome\"}}\n</tools>",
            "<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\": \"Rome\"}}",
        ] {
            assert_eq!(in_all_sizes(answer).1, [call("weather", "{\"city\": \"Rome\"}")], "{answer}");
            assert_eq!(in_all_sizes(answer).0.trim(), "", "{answer}");
        }
    }

    #[test]
    fn everything_else_stays_text_to_the_letter() {
        for answer in [
            "<b>no</b> < tool_call> {\"name\": \"weather\"}",
            "{\"name\": \"Ada\", \"arguments\": 1}",
            "```json\n{\"a\": 1}\n```\ntext",
            "<tool_call>\n{\"name\": \"unknown\", \"arguments\": {}}\n</tool_call>",
            "```js\nlet a = 1;\n```",
            "<tool_cal",
            "  spaces stay ",
            "",
        ] {
            assert_eq!(in_all_sizes(answer), (answer.to_owned(), Vec::new()), "{answer}");
        }
    }

    #[test]
    fn text_may_follow_a_call() {
        let (text, calls) =
            in_all_sizes("<tool_call>\n{\"name\": \"time\", \"arguments\": {}}\n</tool_call>\nDone now.");
        assert_eq!((text.trim(), calls.len()), ("Done now.", 1));
    }
}
