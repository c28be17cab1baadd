//! Tools as the APIs write them, and how strictly results must match calls.

use super::fault::Fault;
use super::fields::Fields;
use serde_json::{Value, json};
use std::collections::HashSet;
use ui4a_engine::{Message, Role, Tool, ToolChoice, Tools};

/// Most tools of a request, and the longest name of one.
const MOST: usize = 128;
/// What stands for a result that never came.
const GIVEN_UP: &str = "(No result: this call was given up.)";

/// Whose words are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Chat Completions.
    Chat,
    /// Responses.
    Responses,
    /// Messages.
    Messages,
}

/// Reads `tools`, `tool_choice` and what goes with them.
///
/// # Errors
/// One of them is wrong, or is not honoured.
pub fn read(fields: &mut Fields, shape: Shape) -> Result<Tools, Fault> {
    let mut tools = Tools { offered: offered(fields.take("tools"), shape)?, ..Tools::default() };
    tools.single = match fields.take("parallel_tool_calls").filter(|_| shape != Shape::Messages) {
        None | Some(Value::Bool(true)) => false,
        Some(Value::Bool(false)) => true,
        Some(_) => return Err(wrong("parallel_tool_calls", "must be true or false.")),
    };
    if let Some(choice) = fields.take("tool_choice") {
        tools.choice = read_choice(&choice)?;
        tools.single |= choice["disable_parallel_tool_use"] == true;
    }
    match &tools.choice {
        ToolChoice::Required if tools.offered.is_empty() => {
            Err(wrong("tool_choice", "asks for a call, and `tools` offers none."))
        }
        ToolChoice::Named(name) if tools.get(name).is_none() => {
            Err(wrong("tool_choice", &format!("names `{}`, which `tools` does not offer.", shown(name))))
        }
        _ => Ok(tools),
    }
}

fn offered(list: Option<Value>, shape: Shape) -> Result<Vec<Tool>, Fault> {
    let Some(list) = list else { return Ok(Vec::new()) };
    let list = list.as_array().filter(|list| list.len() <= MOST);
    let list = list.ok_or_else(|| wrong("tools", &format!("must be a list of at most {MOST} tools.")))?;
    let mut offered: Vec<Tool> = Vec::new();
    for (at, tool) in list.iter().enumerate() {
        let name = format!("tools[{at}]");
        let tool = one(tool, shape).map_err(|why| Fault::param("tools", "invalid_value", format!("`{name}` {why}")))?;
        if offered.iter().any(|known| known.name == tool.name) {
            return Err(wrong("tools", &format!("offers `{}` twice.", tool.name)));
        }
        offered.push(tool);
    }
    Ok(offered)
}

fn one(tool: &Value, shape: Shape) -> Result<Tool, String> {
    let kind = tool["type"].as_str();
    let (of, schema) = match (shape, kind) {
        (Shape::Chat, Some("function")) => (&tool["function"], "parameters"),
        (Shape::Responses, Some("function")) => (tool, "parameters"),
        (Shape::Messages, None | Some("custom")) => (tool, "input_schema"),
        _ => {
            return Err(format!(
                "is of type `{}`; only functions of your own are called.",
                shown(kind.unwrap_or("none"))
            ));
        }
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let name = of["name"].as_str().filter(|name| !name.is_empty() && name.len() <= MOST && name.chars().all(fits));
    let name = name.ok_or(format!("needs a name of at most {MOST} letters, digits, `_`, `-` and `.`."))?;
    let parameters = match &of[schema] {
        Value::Null => json!({"type": "object", "properties": {}}),
        schema @ Value::Object(_) => schema.clone(),
        _ => return Err(format!("has a `{schema}` that is no JSON Schema.")),
    };
    let description = of["description"].as_str().unwrap_or_default().to_owned();
    Ok(Tool { name: name.to_owned(), description, parameters })
}

fn read_choice(choice: &Value) -> Result<ToolChoice, Fault> {
    let kind = choice.as_str().or_else(|| choice["type"].as_str()).unwrap_or_default();
    let name = choice["name"].as_str().or_else(|| choice["function"]["name"].as_str());
    match (kind, name) {
        ("auto", _) => Ok(ToolChoice::Auto),
        ("none", _) => Ok(ToolChoice::None),
        ("required" | "any", _) => Ok(ToolChoice::Required),
        ("function" | "tool", Some(name)) => Ok(ToolChoice::Named(name.to_owned())),
        _ => Err(wrong("tool_choice", "must be auto, none, required (any), or name a function.")),
    }
}

/// Sees to it that every call has one result and every result its call, in the calls' order. Calls that were left without a
/// result while the conversation went on are closed.
///
/// # Errors
/// A result names no open call, a call is answered twice, or the last calls wait for results.
pub fn settle(messages: Vec<Message>, field: &str) -> Result<Vec<Message>, Fault> {
    let mut settled: Vec<Message> = Vec::with_capacity(messages.len());
    let mut messages = messages.into_iter().peekable();
    while let Some(message) = messages.next() {
        if message.role == Role::Tool {
            let id = shown(message.answers.as_deref().unwrap_or_default());
            return Err(wrong(
                field,
                &format!("holds a result for `{id}` with no call before it; send the answer that called."),
            ));
        }
        let calls = message.calls.clone();
        settled.push(message);
        let mut ids = HashSet::new();
        if let Some(twice) = calls.iter().find(|call| !ids.insert(call.id.as_str())) {
            return Err(wrong(field, &format!("holds two calls with the id `{}`.", shown(&twice.id))));
        }
        let mut results: Vec<Option<Message>> = vec![None; calls.len()];
        while let Some(result) = messages.next_if(|next| next.role == Role::Tool && !calls.is_empty()) {
            let id = result.answers.as_deref().unwrap_or_default();
            let Some(at) = calls.iter().position(|call| call.id == id) else {
                let open: Vec<String> = calls.iter().map(|call| format!("`{}`", shown(&call.id))).collect();
                let why = format!("holds a result for `{}`; the calls before it are {}.", shown(id), open.join(", "));
                return Err(wrong(field, &why));
            };
            if results[at].is_some() {
                return Err(wrong(field, &format!("holds two results for the call `{}`.", shown(id))));
            }
            results[at] = Some(result);
        }
        let open: Vec<String> = calls
            .iter()
            .zip(&results)
            .filter(|(_, result)| result.is_none())
            .map(|(call, _)| shown(&call.id))
            .collect();
        if !open.is_empty() && messages.peek().is_none() {
            let why = format!("ends with calls that have no result: {}. Send one for each.", open.join(", "));
            return Err(wrong(field, &why));
        }
        let given_up = |id: &str| Message::result(id, GIVEN_UP);
        settled.extend(calls.iter().zip(results).map(|(call, result)| result.unwrap_or_else(|| given_up(&call.id))));
    }
    Ok(settled)
}

fn wrong(name: &str, why: &str) -> Fault {
    Fault::param(name, "invalid_value", format!("`{name}` {why}"))
}

fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ui4a_engine::ToolCall;

    fn calls(ids: &[&str]) -> Message {
        let call = |id: &&str| ToolCall { id: (*id).into(), name: "f".into(), arguments: "{}".into() };
        Message { calls: ids.iter().map(call).collect(), ..Message::new(Role::Assistant, "") }
    }

    fn user(text: &str) -> Message {
        Message::new(Role::User, text)
    }

    fn settled(messages: &[Message]) -> Result<Vec<Message>, String> {
        settle(messages.to_vec(), "messages").map_err(|fault| fault.body(crate::v1::Api::OpenAi).to_string())
    }

    #[test]
    fn results_stand_in_the_order_of_their_calls() {
        let (a, b) = (Message::result("a", "1"), Message::result("b", "2"));
        let found = settled(&[user("Go"), calls(&["a", "b"]), b.clone(), a.clone()]).expect("they match");
        assert_eq!(found[2..], [a, b]);
    }

    #[test]
    fn what_does_not_match_is_named() {
        let (a, c) = (Message::result("a", "1"), Message::result("c", "3"));
        for (messages, word) in [
            (vec![user("Go"), a.clone()], "no call before it"),
            (vec![user("Go"), calls(&["a"]), c], "the calls before it are `a`"),
            (vec![user("Go"), calls(&["a"]), a.clone(), a.clone()], "two results for the call `a`"),
            (vec![user("Go"), calls(&["a", "b"]), a.clone()], "no result: b"),
            (vec![user("Go"), calls(&["a"])], "no result: a"),
            (vec![user("Go"), calls(&["a", "a"]), a], "two calls"),
        ] {
            let error = settled(&messages).expect_err(word);
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn a_loop_that_was_given_up_is_closed() {
        let found = settled(&[user("Go"), calls(&["a", "b"]), Message::result("b", "2"), user("Never mind")]);
        let found = found.expect("it goes on");
        assert_eq!((found[2].answers.as_deref(), found[2].content.as_str()), (Some("a"), GIVEN_UP));
        assert_eq!((found[3].content.as_str(), found[4].content.as_str()), ("2", "Never mind"));
    }
}
