//! What a request for a response asks.

use super::item;
use crate::v1::choices;
use crate::v1::fault::Fault;
use crate::v1::fields::Fields;
use crate::v1::tools::{self, Shape};
use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use ui4a_engine::Role;
use ui4a_engine::mol::Talk;

/// Most entries of `metadata`, and their longest key and value in characters, as the API has it.
const METADATA: (usize, usize, usize) = (16, 64, 512);

/// A request.
pub struct Asked {
    pub model: String,
    /// What is asked now, without what was said before.
    pub talk: Talk,
    /// The same as items.
    pub items: Vec<Value>,
    pub instructions: Option<String>,
    pub previous: Option<String>,
    pub store: bool,
    pub stream: bool,
    pub max_output_tokens: Option<i64>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub metadata: Value,
    /// `tools` and what goes with them, as they were asked.
    pub tools: Value,
    /// What the answer must be, as it was asked.
    pub format: Value,
}

/// Reads a request.
///
/// # Errors
/// Something is wrong with it, or is not honoured.
pub fn read(body: &[u8]) -> Result<Asked, Fault> {
    let mut fields = Fields::read(body)?;
    let model = fields.text("model")?;
    let model = model.ok_or_else(|| Fault::param("model", "missing_required_parameter", "`model` is missing."))?;
    let items = item::of_input(&fields.required("input")?)?;
    let instructions = fields.text("instructions")?;
    let mut talk = Talk { system: instructions.clone().unwrap_or_default(), ..Talk::default() };
    for message in item::messages(&Value::Array(items.clone()), "input")? {
        if message.role == Role::System {
            talk.system = [talk.system.as_str(), &message.content].join("\n\n").trim().to_owned();
        } else {
            talk.add(message);
        }
    }
    // Results of tools go on with what was said before.
    let results = talk.messages.last().is_some_and(|last| last.role == Role::Tool);
    if talk.newest().trim().is_empty() && !results {
        return Err(Fault::new(StatusCode::BAD_REQUEST, "invalid_value", "`input` holds no words of a user."));
    }
    let temperature = fields.number("temperature", 0.0..=2.0)?;
    let top_p = fields.number("top_p", 0.0..=1.0)?;
    let max_output_tokens = fields.whole("max_output_tokens", 1..=1_000_000)?;
    talk.temperature = temperature.map(|value| value as f32);
    talk.top_p = top_p.map(|value| value as f32);
    talk.max_tokens = max_output_tokens.map(|most| most as usize);
    let previous = fields.text("previous_response_id")?;
    let store = match fields.take("store") {
        None | Some(Value::Bool(true)) => true,
        Some(Value::Bool(false)) => false,
        Some(_) => return Err(Fault::param("store", "invalid_value", "`store` must be true or false.")),
    };
    let stream = fields.flag("stream")?;
    let metadata = metadata(fields.take("metadata"))?;
    let empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    let format = fields.take("text").and_then(|mut text| text.get_mut("format").map(Value::take));
    let format = format.filter(|format| !format.is_null());
    talk.grammar = choices::grammar(format.as_ref(), "text")?;
    let told = ["tools", "tool_choice", "parallel_tool_calls"].map(|name| fields.peek(name));
    talk.tools = tools::read(&mut fields, Shape::Responses)?;
    let [offered, choice, parallel] = told;
    let told = json!({
        "tools": offered.unwrap_or_else(|| json!([])), "tool_choice": choice.unwrap_or_else(|| json!("auto")),
        "parallel_tool_calls": parallel.unwrap_or_else(|| json!(true)),
    });
    fields.only("background", |value| *value == false, "answers are not written in the background.")?;
    fields.only("truncation", |value| *value == "disabled", "nothing is dropped to make a conversation fit.")?;
    fields.only("include", empty, "nothing more can be included.")?;
    fields.only("top_logprobs", |value| *value == 0, "probabilities are not told.")?;
    fields.only(
        "reasoning",
        |value| value["effort"].is_null() || value["effort"] == "none",
        "the model does not think aloud.",
    )?;
    fields.ignore(&["user", "service_tier", "safety_identifier", "prompt_cache_key", "max_tool_calls"]);
    fields.end()?;
    Ok(Asked {
        model,
        talk,
        items,
        instructions,
        previous,
        store,
        stream,
        max_output_tokens,
        temperature,
        top_p,
        metadata,
        tools: told,
        format: format.unwrap_or_else(|| json!({"type": "text"})),
    })
}

fn metadata(given: Option<Value>) -> Result<Value, Fault> {
    let (entries, key, value) = METADATA;
    let fits = |map: &Map<String, Value>| {
        let short = |text: &str, most: usize| text.chars().count() <= most;
        map.len() <= entries
            && map.iter().all(|(name, text)| short(name, key) && text.as_str().is_some_and(|text| short(text, value)))
    };
    match given {
        None => Ok(json!({})),
        Some(Value::Object(map)) if fits(&map) => Ok(Value::Object(map)),
        Some(_) => {
            let message = format!(
                "`metadata` must hold at most {entries} texts of at most {value} characters under keys of at most {key}."
            );
            Err(Fault::param("metadata", "invalid_value", message))
        }
    }
}
