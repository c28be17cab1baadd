//! Answers held to a JSON Schema: which tokens may come next.
//!
//! A schema becomes an automaton over the model's own tokens (llguidance), asked before each token is drawn. Knows
//! nothing of sampling. A schema is hostile: its size and the work that it makes are bounded by that library.

use super::tokenizer::Tokenizer;
use crate::{EngineError, Grammar};
use llguidance::{
    Matcher, ParserFactory,
    api::TopLevelGrammar,
    toktrie::{ApproximateTokEnv, SimpleVob, TokRxInfo, TokTrie},
};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// Makes grammars for one vocabulary, which is indexed when the first one is asked for.
#[derive(Default)]
pub struct Grammars {
    factory: OnceLock<Result<ParserFactory, String>>,
}

/// A grammar, and how far an answer has come in it.
pub struct Held {
    matcher: Matcher,
}

impl Grammars {
    /// Prepares `grammar`.
    ///
    /// # Errors
    /// [`EngineError::Grammar`] when it says what no answer can be held to; [`EngineError::Compute`] for a vocabulary
    /// that no grammar can be laid over.
    pub fn hold(&self, tokenizer: &Tokenizer, grammar: &Grammar) -> Result<Held, EngineError> {
        let factory = self.factory.get_or_init(|| factory(tokenizer));
        let factory = factory.as_ref().map_err(|e| EngineError::Compute(format!("the vocabulary: {e}")))?;
        let mut schema = match grammar {
            Grammar::Json => json!({"type": "object"}),
            Grammar::JsonSchema(schema) => schema.clone(),
        };
        // As models write JSON, and with no room to write spaces for ever.
        if let Value::Object(fields) = &mut schema {
            let way = json!({"whitespace_flexible": false, "item_separator": ", ", "key_separator": ": "});
            fields.insert("x-guidance".into(), way);
        }
        let parser = factory.create_parser(TopLevelGrammar::from_json_schema(schema));
        let parser = parser.map_err(|e| EngineError::Grammar { reason: reason(&format!("{e:#}")) })?;
        Ok(Held { matcher: Matcher::new(Ok(parser)) })
    }
}

impl Held {
    /// Makes every token that may not come next impossible.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when the grammar takes too much work.
    pub fn mask(&mut self, logits: &mut [f32]) -> Result<(), EngineError> {
        let allowed: SimpleVob = self.matcher.compute_mask_or_eos().map_err(failed)?;
        let known = allowed.len().min(logits.len());
        allowed.iter_unset_entries(|id| {
            if let Some(logit) = logits.get_mut(id) {
                *logit = f32::NEG_INFINITY;
            }
        });
        logits[known..].fill(f32::NEG_INFINITY);
        Ok(())
    }

    /// Goes on behind `token`; whether more may come.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when it was not allowed.
    pub fn accept(&mut self, token: u32) -> Result<bool, EngineError> {
        self.matcher.consume_token(token).map_err(failed)?;
        Ok(!self.matcher.is_stopped())
    }
}

fn factory(tokenizer: &Tokenizer) -> Result<ParserFactory, String> {
    let ends: Vec<u32> = tokenizer.ends().collect();
    let end = *ends.first().ok_or("no token ends an answer")?;
    let words: Vec<Vec<u8>> = (0..tokenizer.len() as u32).map(|id| tokenizer.bytes(id)).collect();
    let trie = TokTrie::from(&TokRxInfo::new(words.len() as u32, end), &words).with_eos_tokens(&ends);
    let mut factory =
        ParserFactory::new_simple(&(Arc::new(ApproximateTokEnv::new(trie)) as _)).map_err(|e| e.to_string())?;
    factory.quiet();
    Ok(factory)
}

fn failed(e: anyhow::Error) -> EngineError {
    EngineError::Compute(format!("the answer's grammar: {}", reason(&e.to_string())))
}

/// The first line: what follows is the library's own state.
fn reason(message: &str) -> String {
    message.lines().next().unwrap_or_default().chars().take(300).collect()
}
