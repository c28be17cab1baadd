//! Tools: what is offered to a model, and the calls within what it writes.
//!
//! Servers that know tools are told of them in their own words ([`crate::openai`]). A model without a server reads and writes them
//! as text, in the form that Hermes and Qwen models were trained on and that others follow: `calls` finds calls in a stream,
//! `text` writes tools, calls and results for chat templates that know none.

mod calls;
mod text;

pub use calls::{OPEN, read};
pub use text::plain;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// A JSON Schema of its arguments.
    pub parameters: Value,
}

impl Tool {
    /// As chat servers and templates want it.
    pub fn function(&self) -> Value {
        let Self { name, description, parameters } = self;
        json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
    }
}

/// Whether a tool is to be called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// As the model sees fit.
    #[default]
    Auto,
    /// None, although some are offered.
    None,
    /// One of them.
    Required,
    /// This one.
    Named(String),
}

/// The tools of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tools {
    /// What is offered.
    pub offered: Vec<Tool>,
    /// Whether one is to be called.
    pub choice: ToolChoice,
    /// Whether one call an answer is the most.
    pub single: bool,
}

impl Tools {
    /// Whether a model may call anything.
    pub fn any(&self) -> bool {
        !self.offered.is_empty() && self.choice != ToolChoice::None
    }

    /// Whether the answer must be a call.
    pub fn must(&self) -> bool {
        self.any() && matches!(self.choice, ToolChoice::Required | ToolChoice::Named(_))
    }

    /// The offered tool of this name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.offered.iter().find(|tool| tool.name == name)
    }

    /// The schema of a call that must come: a name and the arguments that go with it.
    pub fn call_schema(&self) -> Value {
        let wanted = |tool: &&Tool| match &self.choice {
            ToolChoice::Named(name) => tool.name == *name,
            _ => true,
        };
        let one = |tool: &Tool| {
            json!({
                "type": "object", "properties": {"name": {"const": tool.name}, "arguments": tool.parameters},
                "required": ["name", "arguments"], "additionalProperties": false,
            })
        };
        let mut all: Vec<Value> = self.offered.iter().filter(wanted).map(one).collect();
        if all.len() == 1 { all.remove(0) } else { json!({"anyOf": all}) }
    }
}
