//! One session as a conversation: the branch that was last written, its prose, its tool calls, and the interfaces it
//! showed.

use super::lines;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Longest text of an item, in characters.
const MOST_TEXT: usize = 100_000;
/// Longest tool result shown, in characters.
const MOST_RESULT: usize = 4_000;

/// A conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Transcript {
    /// Its title.
    pub title: String,
    /// The working directory.
    pub cwd: Option<String>,
    /// What was said and done, in order.
    pub items: Vec<Item>,
}

/// Something said or done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Item {
    /// `user`, `assistant` or `system`.
    pub role: &'static str,
    /// `text`, `thinking`, `tool`, `artifact` or `result`.
    pub kind: &'static str,
    /// Prose, a tool's arguments, or its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The source of an interface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The title of an interface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether a result is an error.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// Reads a session file.
///
/// # Errors
/// The file cannot be read.
pub(super) fn read(path: &Path) -> std::io::Result<Transcript> {
    let mut reading = Reading::default();
    lines::read(path, |line| reading.take(line))?;
    Ok(reading.finish())
}

#[derive(Default)]
struct Reading {
    /// User and assistant lines in file order.
    messages: Vec<Message>,
    /// Position of each line by its uuid.
    by_uuid: HashMap<String, usize>,
    custom_title: Option<String>,
    ai_title: Option<String>,
    last_prompt: Option<String>,
    summary: Option<String>,
    cwd: Option<String>,
}

struct Message {
    parent: Option<String>,
    items: Vec<Item>,
}

impl Reading {
    fn take(&mut self, line: Value) {
        let text = |name: &str| line[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        if self.cwd.is_none() {
            self.cwd = text("cwd");
        }
        match line["type"].as_str().unwrap_or_default() {
            // An empty custom title clears it.
            "custom-title" => self.custom_title = text("customTitle").or_else(|| text("title")),
            "ai-title" => self.ai_title = text("aiTitle").or_else(|| text("title")).or(self.ai_title.take()),
            "last-prompt" => {
                self.last_prompt = text("lastPrompt").or_else(|| text("prompt")).or(self.last_prompt.take())
            }
            "summary" => self.summary = text("summary").or(self.summary.take()),
            role @ ("user" | "assistant") => {
                // Sub-agents talk to themselves, and meta lines are the program's own.
                let aside = ["isSidechain", "isMeta"].iter().any(|flag| line[*flag] == Value::Bool(true));
                let role = if role == "user" { "user" } else { "assistant" };
                let items = if aside { Vec::new() } else { blocks(role, &line["message"]["content"]) };
                self.add(&line, items);
            }
            // Other lines are links of the chain all the same.
            _ => self.add(&line, Vec::new()),
        }
    }

    fn add(&mut self, line: &Value, items: Vec<Item>) {
        let Some(uuid) = line["uuid"].as_str() else { return };
        let parent = line["parentUuid"].as_str().or_else(|| line["logicalParentUuid"].as_str()).map(str::to_owned);
        self.by_uuid.insert(uuid.to_owned(), self.messages.len());
        self.messages.push(Message { parent, items });
    }

    fn finish(mut self) -> Transcript {
        let mut branch = self.branch();
        branch.reverse();
        let mut items = Vec::new();
        for at in branch {
            items.append(&mut self.messages[at].items);
        }
        let first = items
            .iter()
            .filter(|item| item.role == "user" && item.kind == "text")
            .filter_map(|item| item.text.as_deref());
        let first = first.map(str::trim_start).find(|text| !text.starts_with('<')).map(str::to_owned);
        let titles = [self.custom_title, self.ai_title, self.last_prompt, self.summary, first];
        let title = titles.into_iter().flatten().next().unwrap_or_else(|| "Untitled".to_owned());
        let title = title.lines().next().unwrap_or_default().chars().take(120).collect();
        Transcript { title, cwd: self.cwd, items }
    }

    /// From the last line with something to show to the root. A chain that leads back to itself ends there.
    fn branch(&self) -> Vec<usize> {
        let mut at = self.messages.iter().rposition(|message| !message.items.is_empty());
        let (mut branch, mut seen) = (Vec::new(), vec![false; self.messages.len()]);
        while let Some(index) = at {
            if std::mem::replace(&mut seen[index], true) {
                break;
            }
            branch.push(index);
            at = self.messages[index].parent.as_ref().and_then(|parent| self.by_uuid.get(parent)).copied();
        }
        branch
    }
}

fn blocks(role: &'static str, content: &Value) -> Vec<Item> {
    match content {
        Value::String(text) => said(role, "text", text).into_iter().collect(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| item(role, block)).collect(),
        _ => Vec::new(),
    }
}

fn said(role: &'static str, kind: &'static str, text: &str) -> Option<Item> {
    (!text.trim().is_empty()).then(|| Item { role, kind, text: Some(cut(text, MOST_TEXT)), ..Item::default() })
}

fn item(role: &'static str, block: &Value) -> Option<Item> {
    let text = |name: &str| block[name].as_str().unwrap_or_default();
    match text("type") {
        "text" => said(role, "text", text("text")),
        "thinking" => said(role, "thinking", text("thinking")),
        "tool_use" => {
            let (name, input) = (text("name"), &block["input"]);
            if let Some(code) = input["code"].as_str().filter(|_| name.ends_with("render_ui")) {
                let title = input["title"].as_str().map(str::to_owned);
                return Some(Item {
                    role,
                    kind: "artifact",
                    code: Some(code.to_owned()),
                    title,
                    name: Some(name.to_owned()),
                    ..Item::default()
                });
            }
            let arguments = if input.is_null() { String::new() } else { input.to_string() };
            Some(Item {
                role,
                kind: "tool",
                name: Some(name.to_owned()),
                text: Some(cut(&arguments, MOST_RESULT)),
                ..Item::default()
            })
        }
        "tool_result" => {
            let result = match &block["content"] {
                Value::String(text) => text.clone(),
                Value::Array(parts) => {
                    parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
                }
                _ => String::new(),
            };
            let is_error = block["is_error"] == Value::Bool(true);
            Some(Item { role, kind: "result", text: Some(cut(&result, MOST_RESULT)), is_error, ..Item::default() })
        }
        "image" => Some(Item { role, kind: "text", text: Some("(an image)".to_owned()), ..Item::default() }),
        _ => None,
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
