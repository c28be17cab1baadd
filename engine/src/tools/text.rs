//! Tools, calls and results as text, for chat templates that know none.

use super::Tools;
use super::calls::{CLOSE, OPEN};
use crate::{Message, Role, ToolCall};
use serde_json::{Value, json};

/// The conversation with everything about tools put in words.
pub fn plain(messages: &[Message], tools: &Tools) -> Vec<Message> {
    let mut plain: Vec<Message> = Vec::with_capacity(messages.len() + 1);
    for message in messages {
        match message.role {
            Role::Tool => {
                let text = format!("<tool_response>\n{}\n</tool_response>", message.content);
                match plain.last_mut().filter(|last| last.role == Role::User && last.answers.is_some()) {
                    Some(last) => last.content.push_str(&format!("\n{text}")),
                    None => plain.push(Message { answers: message.answers.clone(), ..Message::new(Role::User, text) }),
                }
            }
            _ => {
                let calls: Vec<String> = message.calls.iter().map(call).collect();
                let parts = [message.content.as_str()].into_iter().filter(|text| !text.is_empty());
                let text = parts.chain(calls.iter().map(String::as_str)).collect::<Vec<_>>().join("\n");
                plain.push(Message::new(message.role, text));
            }
        }
    }
    plain.iter_mut().for_each(|message| message.answers = None);
    if tools.any() {
        let told = offer(tools);
        match plain.first_mut().filter(|first| first.role == Role::System) {
            Some(first) => first.content.push_str(&format!("\n\n{told}")),
            None => plain.insert(0, Message::new(Role::System, told)),
        }
    }
    plain
}

fn call(call: &ToolCall) -> String {
    let arguments = serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::String(call.arguments.clone()));
    format!("{OPEN}\n{}\n{CLOSE}", json!({"name": call.name, "arguments": arguments}))
}

fn offer(tools: &Tools) -> String {
    let listed: Vec<String> = tools.offered.iter().map(|tool| tool.function().to_string()).collect();
    format!(
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function \
         signatures within <tools></tools> XML tags:\n<tools>\n{}\n</tools>\n\nFor each function call, return a json object \
         with function name and arguments within {OPEN}{CLOSE} XML tags:\n{OPEN}\n{{\"name\": <function-name>, \
         \"arguments\": <args-json-object>}}\n{CLOSE}",
        listed.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Tool;

    #[test]
    fn calls_and_results_become_words() {
        let called = Message {
            calls: vec![
                ToolCall { id: "a".into(), name: "f".into(), arguments: "{\"x\": 1}".into() },
                ToolCall { id: "b".into(), name: "g".into(), arguments: "{}".into() },
            ],
            ..Message::new(Role::Assistant, "")
        };
        let messages =
            [Message::new(Role::User, "Go"), called, Message::result("a", "one"), Message::result("b", "two")];
        let tool = Tool { name: "f".into(), description: "F".into(), parameters: json!({"type": "object"}) };
        let plain = plain(&messages, &Tools { offered: vec![tool], ..Tools::default() });
        assert_eq!(
            plain.iter().map(|m| m.role).collect::<Vec<_>>(),
            [Role::System, Role::User, Role::Assistant, Role::User]
        );
        assert!(plain[0].content.contains("\"name\":\"f\"") && plain[2].calls.is_empty());
        assert!(
            plain[2]
                .content
                .starts_with("<tool_call>\n{\"name\":\"f\",\"arguments\":{\"x\":1}}\n</tool_call>\n<tool_call>")
        );
        assert_eq!(plain[3].content, "<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response>");
    }
}
