//! Several answers to one question, written side by side, and how likely their tokens were.

use super::ask::{self, Piece, Routed, Who, Whole};
use super::fault::Fault;
use super::fields::Fields;
use crate::app::App;
use futures::StreamExt as _;
use futures::stream::{BoxStream, select_all};
use serde_json::{Value, json};
use std::sync::Arc;
use ui4a_engine::mol::Talk;
use ui4a_engine::{EngineError, Grammar, Weighed};

/// Most answers to one question.
pub const MOST: i64 = 8;
/// Most tokens that are told beside each one.
const MOST_WEIGHTS: i64 = 20;

/// Answers that have begun.
pub struct Choices {
    /// Who gives them.
    pub routed: Routed,
    /// Tokens that are read, where the backend does not say.
    pub estimate: usize,
    /// How many there are.
    pub count: usize,
    /// What comes, with the answer that it is of. Dropping it stops the model.
    pub pieces: BoxStream<'static, (usize, Result<Piece, EngineError>)>,
}

/// Begins `count` answers: whoever is chosen for the first gives all of them.
///
/// # Errors
/// The model cannot be asked.
pub async fn ask(app: &Arc<App>, who: Who, talk: &Talk, count: usize) -> Result<Choices, Fault> {
    let first = ask::ask(app, who, talk).await?;
    let chosen = first.routed.specialist.map_or(Who::Plain, Who::Specialist);
    let (routed, estimate) = (first.routed, first.estimate);
    let mut answers = vec![first.pieces];
    for at in 1..count {
        // The same seed would draw the same answer.
        let seed = talk.seed.map(|seed| seed.wrapping_add(at as u64));
        answers.push(ask::ask(app, chosen, &Talk { seed, ..talk.clone() }).await?.pieces);
    }
    let numbered = answers.into_iter().enumerate().map(|(at, pieces)| pieces.map(move |piece| (at, piece)).boxed());
    Ok(Choices { routed, estimate, count, pieces: select_all(numbered).boxed() })
}

impl Choices {
    /// Waits for the end of all.
    ///
    /// # Errors
    /// The model fails.
    pub async fn whole(mut self) -> Result<(Vec<Whole>, Routed), Fault> {
        let mut wholes: Vec<Whole> = (0..self.count).map(|_| Whole::default()).collect();
        while let Some((at, piece)) = self.pieces.next().await {
            wholes[at].take(piece?);
        }
        wholes.iter_mut().for_each(|whole| whole.count(self.estimate));
        Ok((wholes, self.routed))
    }
}

/// The tokens as Chat Completions tells them; `null` where none were asked for.
pub fn logprobs(weights: &[Weighed]) -> Value {
    if weights.is_empty() {
        return Value::Null;
    }
    let weight = |weight: &ui4a_engine::Weight| {
        // JSON has no infinity; this is OpenAI's number for what was hardly possible.
        let logprob = f64::from(weight.logprob).max(-9999.0);
        json!({"token": String::from_utf8_lossy(&weight.bytes), "logprob": logprob, "bytes": weight.bytes})
    };
    let told = weights.iter().map(|weighed| {
        let mut told = weight(&weighed.token);
        told["top_logprobs"] = weighed.best.iter().map(weight).collect();
        told
    });
    json!({"content": told.collect::<Vec<_>>(), "refusal": null})
}

/// Reads `logprobs` and `top_logprobs`.
///
/// # Errors
/// One of them is wrong, or they do not go together.
pub fn wanted_logprobs(fields: &mut Fields) -> Result<Option<usize>, Fault> {
    let wanted = fields.flag("logprobs")?;
    let best = fields.whole("top_logprobs", 0..=MOST_WEIGHTS)?;
    match (wanted, best) {
        (true, best) => Ok(Some(best.unwrap_or(0) as usize)),
        (false, None | Some(0)) => Ok(None),
        (false, Some(_)) => {
            Err(Fault::param("top_logprobs", "invalid_value", "`top_logprobs` goes with `logprobs: true`."))
        }
    }
}

/// What a format asks of the answer: `text`, `json_object`, or `json_schema` with its schema in `schema`, the format's own
/// or that of its field `json_schema`.
///
/// # Errors
/// It is something else.
pub fn grammar(format: Option<&Value>, name: &str) -> Result<Option<Grammar>, Fault> {
    let Some(format) = format else { return Ok(None) };
    let wrong = |message: &str| Err(Fault::param(name, "invalid_value", format!("`{name}` {message}")));
    match format["type"].as_str() {
        Some("text") => Ok(None),
        Some("json_object") => Ok(Some(Grammar::Json)),
        Some("json_schema") => match format.get("json_schema").unwrap_or(format).get("schema") {
            Some(schema @ Value::Object(_)) => Ok(Some(Grammar::JsonSchema(schema.clone()))),
            _ => wrong("has no `schema` that is an object."),
        },
        _ => wrong("must have the type text, json_object or json_schema."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_as_both_apis_write_them() {
        let schema = json!({"type": "object"});
        let chat = json!({"type": "json_schema", "json_schema": {"name": "a", "schema": schema}});
        let responses = json!({"type": "json_schema", "name": "a", "schema": schema});
        for format in [&chat, &responses] {
            let read = grammar(Some(format), "format").expect("it is read");
            assert_eq!(read, Some(Grammar::JsonSchema(schema.clone())));
        }
        assert_eq!(grammar(Some(&json!({"type": "json_object"})), "f").expect("it is read"), Some(Grammar::Json));
        assert!(grammar(Some(&json!({"type": "json_schema"})), "f").is_err());
        assert!(grammar(Some(&json!({"type": "regex"})), "f").is_err());
    }
}
