//! Answers that are held to a schema, and how likely their tokens were, on a tiny random model: whatever it would rather
//! write, only what may come does.

use crate::tiny;
use futures::StreamExt;
use serde_json::{Value, json};
use ui4a_engine::{
    Backend, Chunk, EngineError, Grammar, Message, Request, Role, StopReason, Weighed,
    embedded::{Embedded, EmbeddedOptions},
};

async fn answer(model: &Embedded, request: Request) -> Result<(String, StopReason, Vec<Weighed>, usize), EngineError> {
    let mut pieces = model.generate(request).await?;
    let (mut text, mut weights) = (String::new(), Vec::new());
    while let Some(chunk) = pieces.next().await {
        match chunk? {
            Chunk::Text(more) => text.push_str(&more),
            Chunk::Weights(more) => weights.extend(more),
            Chunk::Done { stop, answer_tokens, .. } => return Ok((text, stop, weights, answer_tokens)),
            other => panic!("a text model wrote {other:?}"),
        }
    }
    panic!("the stream ended without an end");
}

fn asks(seed: u64) -> Request {
    Request {
        messages: vec![Message::new(Role::User, "Say it.")],
        max_tokens: 200,
        temperature: 1.0,
        seed: Some(seed),
        ..Request::default()
    }
}

#[tokio::test]
async fn what_a_schema_describes_is_all_that_is_written() {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 8},
            "size": {"enum": ["small", "large"]},
            "count": {"type": "integer", "minimum": 3, "maximum": 12},
            "tags": {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 3},
            "inner": {"$ref": "#/$defs/point"},
        },
        "required": ["name", "size", "count", "tags", "inner"],
        "additionalProperties": false,
        "$defs": {"point": {"type": "object", "properties": {"x": {"const": 1}}, "required": ["x"], "additionalProperties": false}},
    });
    for family in tiny::FAMILIES {
        let model = tiny::embedded(&format!("{family}.gguf"), EmbeddedOptions::default());
        for seed in 0..8 {
            let request = Request { grammar: Some(Grammar::JsonSchema(schema.clone())), ..asks(seed) };
            let (text, stop, ..) = answer(&model, request).await.expect("it answers");
            assert_eq!(stop, StopReason::Stop, "{text}");
            let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e} in {text}"));
            let keys: Vec<&String> = value.as_object().expect("an object").keys().collect();
            assert_eq!(keys, ["name", "size", "count", "tags", "inner"]);
            assert!(value["name"].as_str().is_some_and(|name| name.chars().count() <= 8), "{text}");
            assert!(value["size"] == "small" || value["size"] == "large", "{text}");
            assert!(value["count"].as_i64().is_some_and(|count| (3..=12).contains(&count)), "{text}");
            assert!(value["tags"].as_array().is_some_and(|tags| (1..=3).contains(&tags.len())), "{text}");
            assert_eq!(value["inner"], json!({"x": 1}));
        }
    }
}

#[tokio::test]
async fn a_schema_that_cannot_be_honoured_is_refused_and_one_that_is_cut_off_says_so() {
    let model = tiny::embedded("llama.gguf", EmbeddedOptions::default());
    let with = |schema: Value| Request { grammar: Some(Grammar::JsonSchema(schema)), ..asks(1) };
    for schema in [
        json!({"type": "object", "propertyNames": {"pattern": "^a"}, "dependentRequired": {"a": ["b"]}}),
        json!({"type": "nothing of the kind"}),
        json!({"$ref": "#/$defs/missing"}),
        json!({"$ref": "https://example.com/schema.json"}),
        json!({"type": "string", "pattern": "("}),
        json!({"allOf": [{"type": "string"}, {"type": "integer"}]}),
    ] {
        let refusal = answer(&model, with(schema.clone())).await.err();
        assert!(matches!(refusal, Some(EngineError::Grammar { .. })), "{schema}: {refusal:?}");
    }
    let long = with(json!({"type": "string", "minLength": 300}));
    let (_, stop, _, written) = answer(&model, long).await.expect("it answers");
    assert_eq!((stop, written), (StopReason::Length, 200));
    let any = Request { grammar: Some(Grammar::Json), max_tokens: 1, ..asks(3) };
    assert!(answer(&model, any).await.expect("it answers").0.starts_with('{'));
}

#[tokio::test]
async fn every_token_is_told_with_what_else_might_have_been() {
    let model = tiny::embedded("qwen3.gguf", EmbeddedOptions::default());
    let request = Request { temperature: 0.0, max_tokens: 20, logprobs: Some(5), ..asks(0) };
    let (text, _, weights, written) = answer(&model, request).await.expect("it answers");
    assert_eq!(weights.len(), written);
    let bytes: Vec<u8> = weights.iter().flat_map(|weighed| weighed.token.bytes.clone()).collect();
    assert_eq!(String::from_utf8_lossy(&bytes), text);
    for Weighed { token, best } in &weights {
        assert_eq!(best.len(), 5);
        assert_eq!(&best[0], token, "what is written without chance is the likeliest");
        assert!(best.windows(2).all(|two| two[0].logprob >= two[1].logprob));
        assert!(best.iter().map(|weight| weight.logprob.exp()).sum::<f32>() <= 1.0001);
    }
    let none = Request { max_tokens: 3, ..asks(0) };
    assert!(answer(&model, none).await.expect("it answers").2.is_empty());
    // Against the reference: the likeliest token after the fixture's is the one with its highest logit.
    let expected = tiny::expected();
    let logits = tiny::model("qwen3.gguf").logits(&[(&expected.ids, None)]).expect("it computes");
    let best = |row: &[f32]| row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(id, _)| id);
    for (ours, theirs) in logits.iter().zip(&expected.models["qwen3"]["base"]) {
        assert_eq!(best(ours), best(theirs));
    }
}
