//! What a person does in an artifact, as it returns to the agent.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What an action is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionKind {
    /// Text that continues the conversation (`sendMessage`).
    Message,
    /// A named event with a payload (`sendAction`).
    Event,
    /// A call of a host tool (`callTool`).
    Tool,
}

/// Which parts of an action a model may see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visibility {
    /// JSON Pointers (RFC 6901) into `payload` that never reach a model.
    #[serde(default)]
    pub hidden: Vec<String>,
}

/// One action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// Chosen by the sender; the same id again does nothing more.
    pub id: uuid::Uuid,
    /// The artifact it was done in.
    #[serde(default)]
    pub artifact: String,
    /// The revision that was shown.
    #[serde(default)]
    pub rev: u32,
    /// What it is for.
    pub kind: ActionKind,
    /// Name of the event or tool; empty for a message.
    #[serde(default)]
    pub name: String,
    /// Text of a message, at most 32 KiB.
    #[serde(default)]
    pub text: String,
    /// Any JSON, at most 256 KiB.
    #[serde(default)]
    pub payload: Value,
    /// Which parts a model may see.
    #[serde(default)]
    pub visibility: Visibility,
    /// Whether the host page saw a user gesture.
    #[serde(default)]
    pub gesture: bool,
}

impl Action {
    /// The payload without its hidden parts: what a model may read. A pointer that leads nowhere hides nothing; the empty
    /// pointer hides all.
    pub fn visible_payload(&self) -> Value {
        let mut payload = self.payload.clone();
        for pointer in &self.visibility.hidden {
            if pointer.is_empty() {
                return Value::Null;
            }
            let Some((parent, last)) = pointer.rsplit_once('/') else { continue };
            let key = last.replace("~1", "/").replace("~0", "~");
            match payload.pointer_mut(parent) {
                Some(Value::Object(map)) => {
                    map.remove(&key);
                }
                Some(Value::Array(items)) => {
                    if let Some(item) = key.parse::<usize>().ok().and_then(|at| items.get_mut(at)) {
                        *item = Value::Null;
                    }
                }
                _ => {}
            }
        }
        payload
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hidden_fields_are_removed() {
        let action: Action = serde_json::from_value(json!({
            "id": "8b1c3a52-4a5e-4c3c-9d7e-1f2a3b4c5d6e", "kind": "event", "name": "pay",
            "payload": {"plan": "pro", "card": {"number": "4111", "a/b": 1}, "list": [1, 2]},
            "visibility": {"hidden": ["/card/number", "/card/a~1b", "/list/0", "/none/x"]},
        }))
        .expect("an action");
        assert_eq!(action.visible_payload(), json!({"plan": "pro", "card": {}, "list": [null, 2]}));
    }
}
