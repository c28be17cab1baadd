//! The items of a response's input and output: messages, calls of tools and their results, as this API writes them.

use crate::v1::fault::Fault;
use crate::v1::fields::text_of;
use serde_json::{Value, json};
use ui4a_engine::{Message, Role, ToolCall};

/// What was sent as input, as items with ids.
///
/// # Errors
/// It is neither a text nor a list of items.
pub fn of_input(input: &Value) -> Result<Vec<Value>, Fault> {
    match input {
        Value::String(text) => Ok(vec![message("user", text)]),
        Value::Array(list) => list.iter().enumerate().map(|(at, item)| normal(item, at)).collect(),
        _ => Err(Fault::param("input", "invalid_value", "`input` must be a string or a list of items.")),
    }
}

fn normal(item: &Value, at: usize) -> Result<Value, Fault> {
    let name = format!("input[{at}]");
    let bad = |what: &str| Fault::param(&name, "invalid_value", format!("`{name}` {what}"));
    let word = |field: &str| item[field].as_str().ok_or_else(|| bad(&format!("has no `{field}`.")));
    match item["type"].as_str().unwrap_or("message") {
        "message" => {
            let role =
                item["role"].as_str().filter(|role| matches!(*role, "user" | "assistant" | "system" | "developer"));
            let role = role.ok_or_else(|| bad("must have the role user, assistant, system or developer."))?;
            Ok(message(role, &text_of(&item["content"], &format!("{name}.content"))?))
        }
        "function_call" => Ok(call(&ToolCall {
            id: word("call_id")?.to_owned(),
            name: word("name")?.to_owned(),
            arguments: word("arguments")?.to_owned(),
        })),
        "function_call_output" => {
            let output = text_of(&item["output"], &format!("{name}.output"))?;
            let id = crate::v1::id("fco_");
            Ok(
                json!({"type": "function_call_output", "id": id, "call_id": word("call_id")?, "output": output, "status": "completed"}),
            )
        }
        kind => {
            let kind: String = kind.chars().take(40).collect();
            let told = format!("`{name}` is of type `{kind}`; messages, function calls and their outputs are taken.");
            Err(Fault::param(&name, "unsupported_item", told))
        }
    }
}

/// A call as an item.
pub fn call(call: &ToolCall) -> Value {
    let ToolCall { id, name, arguments } = call;
    let own = crate::v1::id("fc_");
    json!({"type": "function_call", "id": own, "call_id": id, "name": name, "arguments": arguments, "status": "completed"})
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
pub fn messages(items: &Value, name: &str) -> Result<Vec<Message>, Fault> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut all = Vec::new();
    for item in items.as_array().into_iter().flatten() {
        all.push(match item["type"].as_str() {
            Some("function_call") => {
                let (id, name, arguments) = (text(&item["call_id"]), text(&item["name"]), text(&item["arguments"]));
                Message { calls: vec![ToolCall { id, name, arguments }], ..Message::new(Role::Assistant, "") }
            }
            Some("function_call_output") => Message::result(text(&item["call_id"]), text(&item["output"])),
            _ => {
                let role = match item["role"].as_str() {
                    Some("assistant") => Role::Assistant,
                    Some("system" | "developer") => Role::System,
                    _ => Role::User,
                };
                Message::new(role, text_of(&item["content"], name)?)
            }
        });
    }
    Ok(all)
}
