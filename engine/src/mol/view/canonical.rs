//! What a message is, whatever a client made of its form: a hash of its meaning, rolled along the conversation.
//!
//! White space at the ends, line ends, the order of keys in arguments and the ids of calls are form. An answer is known
//! again by several keys, the most certain first: all that came before it, then its last eight, four and two messages,
//! then itself where it is long enough to be no coincidence. So it is still known when the beginning of a conversation was cut
//! off or its instructions changed.

use crate::{Message, Role};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// What a message, or a row of them, is known by.
pub type Key = [u8; 16];

/// Lengths of the rows that end in an answer and name it.
const WINDOWS: [usize; 4] = [8, 4, 2, 1];
/// An answer of fewer bytes is not known by itself alone: others say the same.
const ALONE: usize = 64;

/// Rolls along a conversation.
#[derive(Clone, Debug)]
pub struct Rolling {
    whole: Key,
    scope: Key,
    messages: Vec<Key>,
}

impl Rolling {
    /// The beginning of a conversation of `scope` (whose it is), under `system`.
    pub fn new(scope: &str, system: &str) -> Self {
        let scope = key(b"scope", &[scope.as_bytes()]);
        Self { whole: key(b"begin", &[&scope, trimmed(system).as_bytes()]), scope, messages: Vec::new() }
    }

    /// Goes on by a message, and gives the keys that it is known by.
    pub fn push(&mut self, message: &Message) -> Vec<Key> {
        let own = of(message);
        self.whole = key(b"whole", &[&self.whole, &own]);
        self.messages.push(own);
        let mut keys = vec![self.whole];
        for length in WINDOWS {
            let alone = length == 1 && message.content.len() < ALONE;
            if let Some(from) = self.messages.len().checked_sub(length)
                && !alone
            {
                let row: Vec<&[u8]> = self.messages[from..].iter().map(|key| &key[..]).collect();
                keys.push(key(&[b'w', length as u8], &[&[&self.scope[..]], &row[..]].concat()));
            }
        }
        keys
    }
}

/// The key of a turn: its messages, and nothing of what came before.
pub fn turn(scope: &str, messages: &[Message]) -> Key {
    let keys: Vec<Key> = messages.iter().map(of).collect();
    let mut parts: Vec<&[u8]> = vec![scope.as_bytes()];
    parts.extend(keys.iter().map(|key| &key[..]));
    key(b"turn", &parts)
}

fn of(message: &Message) -> Key {
    let role = [message.role as u8];
    let content = trimmed(&message.content);
    let mut parts: Vec<Vec<u8>> = vec![role.to_vec(), content.into_bytes()];
    for call in &message.calls {
        parts.push(call.name.clone().into_bytes());
        parts.push(arguments(&call.arguments).into_bytes());
    }
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    key(if message.role == Role::Tool { b"result" } else { b"message" }, &parts)
}

fn trimmed(text: &str) -> String {
    let text = text.trim();
    if text.contains('\r') { text.replace("\r\n", "\n") } else { text.to_owned() }
}

/// Arguments with their keys in order; what is no JSON stays as it is.
fn arguments(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => sorted(value).to_string(),
        Err(_) => text.trim().to_owned(),
    }
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(sorted).collect()),
        value => value,
    }
}

/// A hash of `parts`, each told apart by its length.
fn key(kind: &[u8], parts: &[&[u8]]) -> Key {
    let mut hash = Sha256::new();
    hash.update([kind.len() as u8]);
    hash.update(kind);
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let whole = hash.finalize();
    let mut key = Key::default();
    key.copy_from_slice(&whole[..16]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolCall;

    fn said(role: Role, text: &str) -> Message {
        Message::new(role, text)
    }

    fn keys(messages: &[Message]) -> Vec<Key> {
        let mut rolling = Rolling::new("", "Be short.");
        messages.iter().map(|message| rolling.push(message)).last().unwrap_or_default()
    }

    #[test]
    fn form_is_not_meaning() {
        let call = |arguments: &str, id: &str| Message {
            calls: vec![ToolCall { id: id.into(), name: "f".into(), arguments: arguments.into() }],
            ..said(Role::Assistant, "Well.\r\nSo.\n")
        };
        let one = call(r#"{"a": 1, "b": {"c": [1, 2], "d": 0}}"#, "call_1");
        let mut other = call(r#"{"b":{"d":0,"c":[1,2]},"a":1}"#, "x");
        other.content = "Well.\nSo.".into();
        assert_eq!(keys(std::slice::from_ref(&one)), keys(&[other]));
        assert_ne!(keys(&[one]), keys(&[call(r#"{"a": 2, "b": {"c": [1, 2], "d": 0}}"#, "call_1")]));
    }

    #[test]
    fn an_answer_is_known_by_its_last_messages_when_the_first_are_gone() {
        let long = "An answer that is long enough to be nobody else's by coincidence, I should think.";
        let whole =
            [said(Role::User, "a"), said(Role::Assistant, "b"), said(Role::User, "c"), said(Role::Assistant, long)];
        let all = keys(&whole);
        let shared = |part: &[Message]| keys(part).iter().filter(|key| all.contains(key)).count();
        assert_eq!(shared(&whole), all.len());
        assert_eq!((shared(&whole[2..]), shared(&whole[3..])), (2, 1));
        assert_eq!(shared(&[said(Role::User, "other"), said(Role::Assistant, long)]), 1);
        let short = [said(Role::User, "x"), said(Role::Assistant, "b")];
        assert!(
            !keys(&short).iter().any(|key| keys(&whole[..2]).contains(key)),
            "two short answers may be a coincidence"
        );
    }

    #[test]
    fn nothing_is_known_across_scopes() {
        let message = said(Role::Assistant, &"long ".repeat(40));
        let of = |scope: &str| Rolling::new(scope, "").push(&message);
        assert!(of("a").iter().all(|key| !of("b").contains(key)));
    }
}
