//! Weighing labels on a chat server: by log-probabilities where it gives them, else by the one label it answers.

use super::ask;
use crate::ScorePrompt;
use serde_json::{Value, json};

/// Tokens that are asked for: a label may come after a stem that the server repeats.
const TOKENS: usize = 8;
/// What a label weighs that the server did not name.
const UNNAMED: f32 = -20.0;

/// The request that asks for one of `labels`.
pub fn body(model: &str, prompt: &ScorePrompt, labels: &[String]) -> Value {
    let choice = labels.join(", ");
    let text = format!("Continue with exactly one of {choice}, and nothing else.\n{}", prompt.prefill);
    json!({
        "model": model,
        "messages": ask(&prompt.messages, &text),
        "max_tokens": TOKENS,
        "temperature": 0,
        "stream": false,
        "logprobs": true,
        "top_logprobs": 20,
    })
}

/// The log-probabilities in the answer; all the same when it makes no sense.
pub fn read(answer: &str, prompt: &ScorePrompt, labels: &[String]) -> Vec<f32> {
    let Ok(value) = serde_json::from_str::<Value>(answer) else { return even(labels) };
    let choice = &value["choices"][0];
    // What the prefill ends in may come again, joined with the label: `L` and `3` as `L3`.
    let tail: String = {
        let word = prompt.prefill.chars().rev().take_while(|c| c.is_alphanumeric()).collect::<String>();
        word.chars().rev().collect()
    };
    by_probability(choice, &tail, labels).or_else(|| by_text(choice, &tail, labels)).unwrap_or_else(|| even(labels))
}

fn even(labels: &[String]) -> Vec<f32> {
    vec![-(labels.len() as f32).ln(); labels.len()]
}

fn by_probability(choice: &Value, tail: &str, labels: &[String]) -> Option<Vec<f32>> {
    let tokens = choice.get("logprobs")?.get("content")?.as_array()?;
    let label = |token: &str| labels.iter().position(|label| names(token, tail, label));
    // The first token that is a label is where the server chose.
    let chosen = tokens.iter().find(|token| token["token"].as_str().and_then(label).is_some())?;
    let mut weights = vec![0.0_f32; labels.len()];
    let itself = std::slice::from_ref(chosen);
    let others = chosen["top_logprobs"].as_array().filter(|list| !list.is_empty()).map_or(itself, Vec::as_slice);
    for token in others {
        let Some(at) = token["token"].as_str().and_then(label) else { continue };
        let Some(weight) = token["logprob"].as_f64() else { continue };
        weights[at] += (weight as f32).exp();
    }
    weights.iter().any(|weight| *weight > 0.0).then(|| weights.iter().map(|w| w.ln().max(UNNAMED)).collect())
}

fn by_text(choice: &Value, tail: &str, labels: &[String]) -> Option<Vec<f32>> {
    let text = choice["message"]["content"].as_str()?;
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let at = words.find_map(|word| labels.iter().position(|label| names(word, tail, label)))?;
    Some((0..labels.len()).map(|label| if label == at { 0.0 } else { UNNAMED }).collect())
}

fn names(token: &str, tail: &str, label: &str) -> bool {
    let token = token.trim();
    token == label || (!tail.is_empty() && token.strip_prefix(tail) == Some(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(answer: Value) -> Vec<f32> {
        let prompt = ScorePrompt { messages: Vec::new(), prefill: "model_id=L".to_owned() };
        let labels: Vec<String> = ["0", "1", "2", "3"].map(str::to_owned).to_vec();
        read(&answer.to_string(), &prompt, &labels)
    }

    fn best(answer: Value) -> Option<usize> {
        let weights = weights(answer);
        let best = weights.iter().copied().fold(f32::MIN, f32::max);
        let mut at = weights.iter().enumerate().filter(|(_, weight)| **weight == best).map(|(at, _)| at);
        at.next().filter(|_| at.next().is_none())
    }

    #[test]
    fn probabilities_are_read_where_the_label_stands() {
        let answer = json!({"choices": [{"message": {"content": "L3"}, "logprobs": {"content": [
            {"token": "L", "logprob": -0.1, "top_logprobs": [{"token": "L", "logprob": -0.1}]},
            {"token": "3", "logprob": -0.2, "top_logprobs": [
                {"token": "3", "logprob": -0.2}, {"token": "0", "logprob": -2.0}, {"token": "x", "logprob": -3.0}]},
        ]}}]});
        let weights = weights(answer);
        assert!((weights[3] + 0.2).abs() < 1e-4 && (weights[0] + 2.0).abs() < 1e-4, "{weights:?}");
        assert!(weights[1] <= UNNAMED && weights[2] <= UNNAMED, "{weights:?}");
    }

    #[test]
    fn a_server_without_probabilities_is_read_by_its_words() {
        for text in ["2", "L2", "model_id=L2\n", "**L2** because", "The answer is L2."] {
            assert_eq!(best(json!({"choices": [{"message": {"content": text}}]})), Some(2), "{text}");
        }
    }

    #[test]
    fn a_senseless_answer_prefers_nothing() {
        for answer in [json!({"choices": [{"message": {"content": "no idea"}}]}), json!(null), json!({"choices": []})] {
            assert_eq!(best(answer), None);
        }
    }
}
