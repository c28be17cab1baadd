//! The items of a response's input and output: messages, as this API writes them.

use crate::v1::fault::Fault;
use crate::v1::fields::text_of;
use serde_json::{Value, json};
use ui4a_engine::Role;

/// What was sent as input, as items with ids.
///
/// # Errors
/// It is neither a text nor a list of messages.
pub fn of_input(input: &Value) -> Result<Vec<Value>, Fault> {
    match input {
        Value::String(text) => Ok(vec![message("user", text)]),
        Value::Array(list) => list.iter().enumerate().map(|(at, item)| normal(item, at)).collect(),
        _ => Err(Fault::param("input", "invalid_value", "`input` must be a string or a list of messages.")),
    }
}

fn normal(item: &Value, at: usize) -> Result<Value, Fault> {
    let name = format!("input[{at}]");
    let kind = item["type"].as_str().unwrap_or("message");
    if kind != "message" {
        let kind: String = kind.chars().take(40).collect();
        let message =
            format!("`{name}` is of type `{kind}`; messages are taken, and no tools are offered to the model yet.");
        return Err(Fault::param(&name, "unsupported_item", message));
    }
    let role = item["role"].as_str().filter(|role| matches!(*role, "user" | "assistant" | "system" | "developer"));
    let Some(role) = role else {
        let message = format!("`{name}.role` must be user, assistant, system or developer.");
        return Err(Fault::param(&name, "invalid_value", message));
    };
    Ok(message(role, &text_of(&item["content"], &format!("{name}.content"))?))
}

fn message(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    let id = crate::v1::id("msg_");
    json!({"type": "message", "id": id, "status": "completed", "role": role, "content": [{"type": kind, "text": text}]})
}

/// The messages of items that were normalised before.
///
/// # Errors
/// They were not.
pub fn messages(items: &Value, name: &str) -> Result<Vec<(Role, String)>, Fault> {
    let mut all = Vec::new();
    for item in items.as_array().into_iter().flatten() {
        let role = match item["role"].as_str() {
            Some("assistant") => Role::Assistant,
            Some("system" | "developer") => Role::System,
            _ => Role::User,
        };
        all.push((role, text_of(&item["content"], name)?));
    }
    Ok(all)
}
