//! The fields of a request, taken one by one: what is left at the end is not honoured, and is refused by its name.

use super::fault::Fault;
use axum::http::StatusCode;
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// What a request holds that nobody has taken yet.
pub struct Fields(Map<String, Value>);

impl Fields {
    /// The fields of a body.
    ///
    /// # Errors
    /// It is no JSON object.
    pub fn read(body: &[u8]) -> Result<Self, Fault> {
        let bad = |why: String| {
            Fault::new(StatusCode::BAD_REQUEST, "invalid_json", format!("The body is no JSON object: {why}."))
        };
        match serde_json::from_slice(body) {
            Ok(Value::Object(map)) => Ok(Self(map)),
            Ok(_) => Err(bad("it is another JSON value".to_owned())),
            Err(error) => Err(bad(error.to_string())),
        }
    }

    /// A field; `null` is as good as none.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    /// A copy of a field that stays; `null` is as good as none.
    pub fn peek(&self, name: &str) -> Option<Value> {
        self.0.get(name).filter(|value| !value.is_null()).cloned()
    }

    /// A field that must be there.
    ///
    /// # Errors
    /// It is not.
    pub fn required(&mut self, name: &str) -> Result<Value, Fault> {
        self.take(name).ok_or_else(|| Fault::param(name, "missing_required_parameter", format!("`{name}` is missing.")))
    }

    /// A text.
    ///
    /// # Errors
    /// It is something else.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, Fault> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(wrong(name, "a string")),
        }
    }

    /// `true` or `false`; `false` where it is left out.
    ///
    /// # Errors
    /// It is something else.
    pub fn flag(&mut self, name: &str) -> Result<bool, Fault> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(_) => Err(wrong(name, "true or false")),
        }
    }

    /// A number within bounds.
    ///
    /// # Errors
    /// It is something else.
    pub fn number(&mut self, name: &str, bounds: RangeInclusive<f64>) -> Result<Option<f64>, Fault> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = value.as_f64().filter(|number| bounds.contains(number));
        number.map(Some).ok_or_else(|| wrong(name, &format!("a number from {} to {}", bounds.start(), bounds.end())))
    }

    /// A whole number within bounds.
    ///
    /// # Errors
    /// It is something else.
    pub fn whole(&mut self, name: &str, bounds: RangeInclusive<i64>) -> Result<Option<i64>, Fault> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = value.as_i64().filter(|number| bounds.contains(number));
        number
            .map(Some)
            .ok_or_else(|| wrong(name, &format!("a whole number from {} to {}", bounds.start(), bounds.end())))
    }

    /// A text, or several.
    ///
    /// # Errors
    /// It is something else, or more than `most`.
    pub fn texts(&mut self, name: &str, most: usize) -> Result<Vec<String>, Fault> {
        let found = match self.take(name) {
            None => return Ok(Vec::new()),
            Some(Value::String(text)) => Some(vec![text]),
            Some(Value::Array(all)) => all.into_iter().map(|value| value.as_str().map(str::to_owned)).collect(),
            Some(_) => None,
        };
        let found = found.filter(|all: &Vec<String>| all.len() <= most && all.iter().all(|text| !text.is_empty()));
        found.ok_or_else(|| wrong(name, &format!("a string that is not empty, or up to {most} of them")))
    }

    /// Drops a field that changes nothing in what is answered.
    pub fn ignore(&mut self, names: &[&str]) {
        for name in names {
            self.0.remove(*name);
        }
    }

    /// A field that is honoured for some values alone.
    ///
    /// # Errors
    /// It has another value; `why` says what is not done.
    pub fn only(&mut self, name: &str, fits: impl Fn(&Value) -> bool, why: &str) -> Result<(), Fault> {
        match self.take(name) {
            Some(value) if !fits(&value) => Err(Fault::param(name, "unsupported_value", format!("`{name}`: {why}"))),
            _ => Ok(()),
        }
    }

    /// Refuses what is left.
    ///
    /// # Errors
    /// Something is.
    pub fn end(self) -> Result<(), Fault> {
        let unset = |value: &Value| value.is_null();
        match self.0.iter().find(|(_, value)| !unset(value)) {
            None => Ok(()),
            Some((name, _)) => {
                let shown: String = name.chars().take(80).collect();
                Err(Fault::param(
                    &shown,
                    "unsupported_parameter",
                    format!("`{shown}` is not supported here; leave it out."),
                ))
            }
        }
    }
}

fn wrong(name: &str, wanted: &str) -> Fault {
    Fault::param(name, "invalid_value", format!("`{name}` must be {wanted}."))
}

/// The text of a message: a string, or parts that are text.
///
/// # Errors
/// There is a part of another kind, or none of this is true.
pub fn text_of(content: &Value, name: &str) -> Result<String, Fault> {
    match content {
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => {
            let mut texts = Vec::new();
            for part in parts {
                let kind = part["type"].as_str().unwrap_or_default();
                match (kind, part["text"].as_str()) {
                    ("text" | "input_text" | "output_text", Some(text)) => texts.push(text),
                    _ => {
                        let kind: String = kind.chars().take(40).collect();
                        let message = format!("`{name}` holds a part of type `{kind}`; the model reads text alone.");
                        return Err(Fault::param(name, "unsupported_content", message));
                    }
                }
            }
            Ok(texts.join("\n\n"))
        }
        _ => Err(wrong(name, "a string or a list of text parts")),
    }
}
