//! The embedded engine and llama.cpp see the same tokens and mostly the same next word.
//!
//! The fixtures are what llama.cpp said about the published files (`tests/fixtures/engine/make_fixtures.py`). Its own
//! answers are read again here in one pass, and our best token is compared with the one that it wrote at each step.

use crate::files;
use serde::Deserialize;
use ui4a_engine::{
    Message,
    embedded::{EmbeddedOptions, Model},
};

/// Steps of the 384 at which the best token must be the same. Both round differently, so near-ties may fall either way.
const AGREEMENT: f64 = 0.98;

#[derive(Deserialize)]
struct Fixture {
    file: String,
    texts: Vec<Text>,
    chat: Chat,
    prompts: Vec<Prompt>,
}

#[derive(Deserialize)]
struct Text {
    text: String,
    ids: Vec<u32>,
}

#[derive(Deserialize)]
struct Chat {
    messages: Vec<Message>,
    rendered: String,
    ids: Vec<u32>,
}

#[derive(Deserialize)]
struct Prompt {
    name: String,
    messages: Vec<Message>,
    ids: Vec<u32>,
    tokens: Vec<u32>,
}

fn agree(fixture: &str) {
    let fixture: Fixture = serde_json::from_str(fixture).expect("the fixture is JSON");
    let model = Model::open(&files::model(&fixture.file), &EmbeddedOptions::default()).expect("the model opens");
    let words = model.words();

    for Text { text, ids } in &fixture.texts {
        assert_eq!(&words.tokenizer.encode(text).expect("it encodes"), ids, "{}: tokens of {text:?}", fixture.file);
        let bytes: Vec<u8> = ids.iter().flat_map(|id| words.tokenizer.bytes(*id)).collect();
        assert_eq!(String::from_utf8_lossy(&bytes), text.as_str(), "{}: and back", fixture.file);
    }
    let Chat { messages, rendered, ids } = &fixture.chat;
    let ours =
        words.template.render(&words.tokenizer, messages, &ui4a_engine::Tools::default(), "").expect("it renders");
    assert_eq!((&ours.text, ours.guard), (rendered, None), "{}: the template", fixture.file);
    assert_eq!(&words.prompt(messages, "").expect("it encodes"), ids, "{}: the template's tokens", fixture.file);

    let (mut same, mut all) = (0, 0);
    for Prompt { name, messages, ids, tokens } in &fixture.prompts {
        assert_eq!(&words.prompt(messages, "").expect("it encodes"), ids, "{}: the prompt {name}", fixture.file);
        let read: Vec<u32> = ids.iter().chain(tokens).copied().collect();
        let best = model.best_tokens(&read).expect("it computes");
        // What was best after the prompt, after its first token, and so on; the last one is not compared to anything.
        let ours = &best[ids.len() - 1..read.len() - 1];
        let hits = ours.iter().zip(tokens).filter(|(a, b)| a == b).count();
        println!("{} {name}: {hits} of {}", fixture.file, tokens.len());
        same += hits;
        all += tokens.len();
    }
    assert_eq!(all, 384);
    let share = f64::from(same as u32) / f64::from(all as u32);
    assert!(share >= AGREEMENT, "{}: {same} of {all} best tokens are the same, {:.1}%", fixture.file, share * 100.0);
}

#[test]
fn smollm2_135m_agrees_with_llama_cpp() {
    agree(include_str!("../../../tests/fixtures/engine/smollm2-135m.json"));
}

#[test]
fn qwen_0_5b_agrees_with_llama_cpp() {
    agree(include_str!("../../../tests/fixtures/engine/qwen2.5-coder-0.5b.json"));
}

#[test]
fn qwen_1_5b_agrees_with_llama_cpp() {
    agree(include_str!("../../../tests/fixtures/engine/qwen2.5-coder-1.5b.json"));
}
