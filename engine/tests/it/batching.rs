//! Requests that run together: each answers as if it were alone, in turn, and nobody's memory is another's.

use crate::tiny;
use futures::{StreamExt, future::join_all, stream::BoxStream};
use std::time::Duration;
use ui4a_engine::{
    Backend, Chunk, EngineError, Message, Request, Role, ScorePrompt, StopReason,
    embedded::{Embedded, EmbeddedOptions},
};

type Pieces = BoxStream<'static, Result<Chunk, EngineError>>;

struct Whole {
    text: String,
    stop: StopReason,
    read: usize,
    written: usize,
    cached: usize,
}

async fn whole(mut pieces: Pieces) -> Whole {
    let mut text = String::new();
    while let Some(chunk) = pieces.next().await {
        match chunk.expect("it goes on") {
            Chunk::Text(more) => text.push_str(&more),
            Chunk::Done { stop, prompt_tokens: read, answer_tokens: written, cached_tokens: cached } => {
                return Whole { text, stop, read, written, cached };
            }
            other => panic!("a text model wrote {other:?}"),
        }
    }
    panic!("the stream ended without an end");
}

async fn answer(model: &Embedded, request: Request) -> Whole {
    whole(model.generate(request).await.expect("it begins")).await
}

fn asks(text: &str) -> Request {
    Request { messages: vec![Message::new(Role::User, text)], max_tokens: 24, ..Request::default() }
}

/// Writes until it is stopped.
fn endless() -> Request {
    Request { max_tokens: 400, ..asks("x") }
}

async fn begun(model: &Embedded, request: Request) -> Pieces {
    let mut pieces = model.generate(request).await.expect("it begins");
    // A random model may write half a character, which is not shown: anything that comes will do.
    pieces.next().await.expect("a first piece").expect("no error");
    pieces
}

#[tokio::test]
async fn answers_together_are_the_answers_alone() {
    let requests = || {
        let texts = ["a", "the thing on the hill and some more of it", "one two three", "x", "another one", "last"];
        texts.into_iter().enumerate().map(|(i, text)| Request {
            adapter: [None, Some("one".to_owned()), Some("two".to_owned())][i % 3].clone(),
            ..asks(text)
        })
    };
    for family in tiny::FAMILIES {
        let open = async || {
            let model = tiny::embedded(&format!("{family}.gguf"), EmbeddedOptions::default());
            for name in ["one", "two"] {
                model.load_adapter(name, &tiny::path(&format!("{family}-{name}"))).await.expect("it loads");
            }
            model
        };
        let mut alone = Vec::new();
        for request in requests() {
            alone.push(answer(&open().await, request).await.text);
        }
        let model = open().await;
        let together = join_all(requests().map(|request| answer(&model, request))).await;
        let together: Vec<String> = together.into_iter().map(|whole| whole.text).collect();
        assert_eq!(together, alone, "{family}");
        assert!(alone.windows(2).all(|two| two[0] != two[1]), "{family}: they differ from each other: {alone:?}");
    }
}

#[tokio::test]
async fn a_short_answer_does_not_wait_for_a_long_one() {
    let model = tiny::embedded("llama.gguf", EmbeddedOptions::default());
    let long = begun(&model, endless()).await;
    let short = answer(&model, Request { max_tokens: 3, ..asks("hi") }).await;
    assert!(short.written <= 3);
    let long = whole(long).await;
    assert!(long.written > 3 && long.stop != StopReason::Cancelled);
}

#[tokio::test]
async fn memory_is_kept_by_adapter_and_generation() {
    let model = tiny::embedded("qwen3.gguf", EmbeddedOptions::default());
    let of = |adapter: Option<&str>| Request {
        adapter: adapter.map(str::to_owned),
        max_tokens: 4,
        ..asks("A long enough beginning, which all of them share with each other.")
    };
    model.load_adapter("a", &tiny::path("qwen3-one")).await.expect("it loads");
    let cold = answer(&model, of(None)).await;
    assert_eq!(cold.cached, 0);
    let warm = answer(&model, of(None)).await;
    assert_eq!((warm.cached, &warm.text), (warm.read - 1, &cold.text), "only the last token is read again");
    let first = answer(&model, of(Some("a"))).await;
    assert_eq!(first.cached, 0, "the base's memory is not the adapter's");
    assert_ne!(first.text, cold.text);
    assert_eq!(answer(&model, of(Some("a"))).await.cached, first.read - 1);
    let swapped = model.load_adapter("a", &tiny::path("qwen3-two")).await.expect("it is swapped");
    let second = answer(&model, of(Some("a"))).await;
    assert_eq!(second.cached, 0, "nor one generation's another's");
    assert_ne!(second.text, first.text);
    model.load_adapter("b", &tiny::path("qwen3-two")).await.expect("it loads");
    let same = answer(&model, of(Some("b"))).await;
    assert_eq!(same.cached, same.read - 1, "but the same bytes under another name are the same");
    assert_eq!(model.adapters().iter().map(|info| &info.generation).collect::<Vec<_>>(), [&swapped.generation; 2]);
}

#[tokio::test]
async fn a_swap_leaves_running_answers_alone_and_an_unloaded_name_is_refused() {
    let model = tiny::embedded("qwen2.gguf", EmbeddedOptions::default());
    model.load_adapter("a", &tiny::path("qwen2-one")).await.expect("it loads");
    let with = |adapter: &str| Request { adapter: Some(adapter.into()), ..endless() };
    let alone = answer(&model, with("a")).await.text;
    let mut running = model.generate(with("a")).await.expect("it begins");
    let first = running.next().await.expect("a piece").expect("no error");
    model.load_adapter("a", &tiny::path("qwen2-two")).await.expect("it is swapped");
    model.unload_adapter("a").expect("it was there");
    let refusal = model.generate(with("a")).await.err().expect("it is gone").to_string();
    assert!(refusal.contains("no adapter `a`") && refusal.contains("load_lora_adapter"), "{refusal}");
    assert!(model.unload_adapter("a").is_err());
    let Chunk::Text(first) = first else { panic!("{first:?}") };
    assert_eq!(first + &whole(running).await.text, alone);
}

#[tokio::test]
async fn four_conversations_in_turn_read_only_what_is_new() {
    let model = tiny::embedded("llama.gguf", EmbeddedOptions::default());
    let mut conversations: Vec<Vec<Message>> = (0..4)
        .map(|i| vec![Message::new(Role::System, format!("You are number {i}, who says things of its own kind."))])
        .collect();
    for turn in 0..3 {
        for conversation in &mut conversations {
            conversation.push(Message::new(Role::User, format!("Turn {turn}?")));
            let request = Request { messages: conversation.clone(), max_tokens: 6, ..Request::default() };
            let said = answer(&model, request).await;
            if turn > 0 {
                // What is new: the answer as the template writes it again, and the question.
                let new = said.read - said.cached;
                assert!(new < 60, "turn {turn}: {new} of {} were read", said.read);
            }
            conversation.push(Message::new(Role::Assistant, "Well."));
        }
    }
}

#[tokio::test]
async fn the_same_beginning_is_read_once_for_all_who_ask_together() {
    let model = tiny::embedded("llama.gguf", EmbeddedOptions::default());
    let text = "The same long text that four readers are asked about at once. ".repeat(5);
    let four = join_all((0..4).map(|_| answer(&model, Request { max_tokens: 8, ..asks(&text) }))).await;
    let read: usize = four.iter().map(|whole| whole.read - whole.cached).sum();
    assert!(read < four[0].read + 80, "{read} tokens were read, for four times {}", four[0].read);
    assert!(four.iter().all(|whole| whole.text == four[0].text));
}

#[tokio::test]
async fn who_asks_less_is_served_first() {
    let model = tiny::embedded("llama.gguf", EmbeddedOptions { rows: Some(1), ..Default::default() });
    let of = |client: &str| Request { client: client.into(), max_tokens: 100, ..asks("x") };
    let first = begun(&model, of("greedy")).await;
    let waiting: Vec<Pieces> = {
        let mut waiting = Vec::new();
        for client in ["greedy", "greedy", "greedy", "modest"] {
            waiting.push(model.generate(of(client)).await.expect("it waits"));
        }
        waiting
    };
    let ended = std::sync::Mutex::new(Vec::new());
    let ends = waiting.into_iter().enumerate().map(|(i, pieces)| {
        let ended = &ended;
        async move {
            whole(pieces).await;
            ended.lock().expect("no panic").push(i);
        }
    });
    tokio::join!(whole(first), join_all(ends));
    let ended = ended.into_inner().expect("no panic");
    assert_eq!(ended, [3, 0, 1, 2], "who had nothing yet is first, then they are served in the order that they came");
}

#[tokio::test]
async fn too_many_are_sent_away_and_told_when_to_come_back() {
    let options = EmbeddedOptions { rows: Some(1), waiting: Some(2), ..Default::default() };
    let model = tiny::embedded("llama.gguf", options);
    let running = begun(&model, endless()).await;
    let (_one, two) =
        (model.generate(endless()).await.expect("waits"), model.generate(endless()).await.expect("waits"));
    let refusal = model.generate(endless()).await.err().expect("no room");
    assert!(matches!(refusal, EngineError::Full { waiting: 2, seconds: 1.. }), "{refusal}");
    let load = model.load().expect("it is known");
    assert_eq!((load.running, load.waiting, load.most_waiting, load.alive), (1, 2, 2, true));
    drop(two);
    let three = model.generate(endless()).await.expect("who went away makes room");
    drop((running, three));
}

#[tokio::test]
async fn a_cancelled_row_is_free_within_a_step() {
    let model = tiny::embedded("llama.gguf", EmbeddedOptions { rows: Some(1), ..Default::default() });
    for _ in 0..20 {
        let request = endless();
        let cancel = request.cancel.clone();
        let mut running = begun(&model, request).await;
        cancel.cancel();
        while let Some(chunk) = running.next().await {
            if let Chunk::Done { stop, answer_tokens, .. } = chunk.expect("no error") {
                assert!(stop == StopReason::Cancelled && answer_tokens < 400, "{stop:?} after {answer_tokens}");
            }
        }
    }
    let next = tokio::time::timeout(Duration::from_secs(60), answer(&model, Request { max_tokens: 2, ..asks("Hi") }));
    next.await.expect("the row is free");
}

#[tokio::test]
async fn labels_are_weighed_while_every_row_writes() {
    let model = tiny::embedded("llama.gguf", EmbeddedOptions { rows: Some(1), ..Default::default() });
    let prompt = ScorePrompt { messages: vec![Message::new(Role::User, "which?")], prefill: "L".into() };
    let labels = ["0", "1", "2", "3", "30"].map(String::from);
    let cold = model.score(&prompt, &labels).await.expect("it weighs");
    let running = begun(&model, endless()).await;
    let busy = model.score(&prompt, &labels).await.expect("it weighs");
    for (busy, cold) in busy.iter().zip(&cold) {
        assert!(cold.is_finite() && (busy - cold).abs() < 1e-3, "{busy}, alone {cold}");
    }
    drop(running);
}
