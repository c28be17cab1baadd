//! Routing and prompts over a backend that says what the test tells it.

use anyhow::Result;
use async_trait::async_trait;
use futures::stream::BoxStream;
use serde_json::json;
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;
use ui4a_engine::mol::{self, Ask, Piece, Profile, Router, Turn};
use ui4a_engine::{Backend, Chunk, EngineError, Request, Role, ScorePrompt};
use ui4a_types::{Action, Fault, Specialist, TurnInput};

/// Weighs as it is told; counts a token for four bytes.
struct Scripted {
    weights: Option<Vec<f32>>,
    context: usize,
    seen: Mutex<Vec<ScorePrompt>>,
}

impl Scripted {
    fn new(weights: Option<&[f32]>) -> Self {
        Self { weights: weights.map(<[f32]>::to_vec), context: 8192, seen: Mutex::default() }
    }
}

#[async_trait]
impl Backend for Scripted {
    fn name(&self) -> String {
        "scripted".to_owned()
    }
    fn context(&self) -> usize {
        self.context
    }
    fn count_tokens(&self, text: &str) -> usize {
        text.len() / 4
    }
    async fn generate(&self, _: Request) -> Result<BoxStream<'static, Result<Chunk, EngineError>>, EngineError> {
        Err(EngineError::Cancelled)
    }
    async fn score(&self, prompt: &ScorePrompt, labels: &[String]) -> Result<Vec<f32>, EngineError> {
        assert_eq!(labels, ["0", "1", "2", "3"]);
        self.seen.lock().expect("no test panics here").push(prompt.clone());
        self.weights.clone().ok_or(EngineError::Cancelled)
    }
}

fn said(text: &str) -> TurnInput {
    TurnInput::Text(text.to_owned())
}

fn turn(input: &str, specialist: Specialist, answer: Vec<Piece>) -> Turn {
    Turn { input: said(input), specialist, answer }
}

fn artifact(id: &str, rev: u32, source: &str) -> Piece {
    Piece::Artifact { id: id.into(), title: "T".into(), rev, language: "tsx".into(), source: source.into() }
}

fn action(value: serde_json::Value) -> Result<TurnInput> {
    let mut whole = json!({"id": "8b1c3a52-4a5e-4c3c-9d7e-1f2a3b4c5d6e", "artifact": "plans"});
    for (key, value) in value.as_object().into_iter().flatten() {
        whole[key] = value.clone();
    }
    Ok(TurnInput::Action(serde_json::from_value::<Action>(whole)?))
}

fn ask<'a>(specialist: Specialist, history: &'a [Turn], input: &'a TurnInput) -> Ask<'a> {
    Ask { specialist, history, input, cancel: CancellationToken::new() }
}

fn prompt(backend: &Scripted, ask: Ask<'_>) -> Result<Request, EngineError> {
    mol::prompt(&Profile::builtin(), backend, ask)
}

async fn routed(weights: Option<&[f32]>, history: &[Turn]) -> mol::Route {
    Router::new(&Profile::builtin()).route(&Scripted::new(weights), history, "more").await
}

#[tokio::test]
async fn the_most_probable_specialist_answers_and_the_last_keeps_a_close_call() {
    let history = [turn("a clock", Specialist::L3, vec![artifact("clock", 1, "x")])];
    let route = routed(Some(&[-3.0, -4.0, -0.1, -4.0]), &[]).await;
    assert_eq!((route.specialist, route.previous), (Specialist::L2, None));
    let sum: f32 = route.probabilities.values().sum();
    assert!((sum - 1.0).abs() < 1e-5 && route.tokens > 0);
    let close = [-0.9, -9.0, -9.0, -1.0];
    assert_eq!(routed(Some(&close), &[]).await.specialist, Specialist::L0);
    assert_eq!(routed(Some(&close), &history).await.specialist, Specialist::L3);
    assert_eq!(routed(Some(&[-0.1, -9.0, -9.0, -4.0]), &history).await.specialist, Specialist::L0);
}

#[tokio::test]
async fn a_router_that_fails_or_talks_nonsense_leaves_the_turn_where_it_was() {
    let history = [turn("a clock", Specialist::L3, vec![])];
    for weights in [None, Some(&[f32::NAN; 4][..]), Some(&[-1.0][..]), Some(&[f32::NEG_INFINITY; 4][..])] {
        assert_eq!(routed(weights, &[]).await.specialist, Specialist::L0);
        assert_eq!(routed(weights, &history).await.specialist, Specialist::L3);
    }
}

#[tokio::test]
async fn the_router_reads_the_constant_first_and_long_text_shortened() -> Result<()> {
    let backend = Scripted::new(Some(&[0.0, 0.0, 0.0, 1.0]));
    let router = Router::new(&Profile::builtin());
    let long = format!("Make a table.{}", " data".repeat(100_000));
    router.route(&backend, &[], "hello").await;
    router.route(&backend, &[turn("hi", Specialist::L0, vec![Piece::Text("Hello.".into())])], &long).await;
    let seen = backend.seen.lock().expect("no test panics here");
    assert_eq!(seen[0].messages[0], seen[1].messages[0]);
    assert_eq!(seen[0].prefill, "model_id=L");
    let second = &seen[1].messages[1].content;
    assert!(
        second.contains("Previous model_id: L0") && second.contains("hi → Hello.") && second.contains("Make a table.")
    );
    assert!(second.len() < 2000, "{}", second.len());
    Ok(())
}

#[test]
fn a_text_may_name_its_specialist_and_actions_go_to_the_owner() -> Result<()> {
    assert_eq!(mol::explicit("/ui a clock"), Some((Specialist::L3, "a clock")));
    assert_eq!(mol::explicit("/L2 sort a list"), Some((Specialist::L2, "sort a list")));
    assert_eq!(mol::explicit("/home/me is full"), None);
    let history = [
        turn("plans", Specialist::L2, vec![artifact("plans", 1, "x")]),
        turn("thanks", Specialist::L0, vec![Piece::Text("Welcome.".into())]),
    ];
    let click = action(json!({"kind": "message", "text": "Pro"}))?;
    assert_eq!(mol::owner(&history, &click), Some(Specialist::L2));
    assert_eq!(mol::owner(&[], &click), Some(Specialist::L3));
    assert_eq!(mol::owner(&history, &said("hello")), None);
    Ok(())
}

#[test]
fn the_last_revision_is_whole_and_older_ones_are_one_line() -> Result<()> {
    let history = [
        turn("a clock", Specialist::L3, vec![artifact("clock", 1, "OLD SOURCE")]),
        turn("what is time?", Specialist::L0, vec![Piece::Text("long ".repeat(1000))]),
        turn("in red", Specialist::L3, vec![artifact("clock", 2, "NEW SOURCE\n```\ninner")]),
    ];
    let backend = Scripted::new(None);
    let request = prompt(&backend, ask(Specialist::L3, &history, &said("bigger")))?;
    let all: String = request.messages.iter().map(|message| message.content.as_str()).collect();
    assert!(!all.contains("OLD SOURCE"));
    assert!(all.contains("````ui4a/tsx id=clock title=\"T\"\nNEW SOURCE\n```\ninner\n````"), "{all}");
    assert!(request.messages[4].content.len() < 1200, "another's answer is shortened");
    assert_eq!(request.messages.last().map(|message| message.content.as_str()), Some("bigger"));
    let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles.len(), 8);
    assert!(roles[1..].chunks(2).all(|pair| pair[0] == Role::User));
    let chat = prompt(&backend, ask(Specialist::L0, &history, &said("thanks")))?;
    let all: String = chat.messages.iter().map(|message| message.content.as_str()).collect();
    assert!(!all.contains("NEW SOURCE") && all.contains("I showed the interface `clock`"));
    Ok(())
}

#[test]
fn the_system_message_is_constant_and_an_interface_is_opened_for_who_can_continue() -> Result<()> {
    let backend = Scripted::new(None);
    let first = prompt(&backend, ask(Specialist::L3, &[], &said("a clock")))?;
    let history = [turn("a clock", Specialist::L3, vec![artifact("clock", 1, "x")])];
    let second = prompt(&backend, ask(Specialist::L3, &history, &said("in red")))?;
    assert_eq!(first.messages[0], second.messages[0]);
    assert_eq!(first.messages[0].role, Role::System);
    assert!(first.messages[0].content.contains("export default function App()"));
    assert_eq!(first.prefill.as_deref(), Some("```ui4a/tsx"));
    assert_eq!(prompt(&backend, ask(Specialist::L0, &[], &said("hi")))?.prefill, None);
    Ok(())
}

#[test]
fn hidden_fields_of_an_action_never_reach_a_model() -> Result<()> {
    let backend = Scripted::new(None);
    let input = action(json!({
        "kind": "event", "name": "pay", "payload": {"plan": "pro", "card": "4111"}, "visibility": {"hidden": ["/card"]},
    }))?;
    let history = [Turn { input: input.clone(), specialist: Specialist::L3, answer: vec![] }];
    let request = prompt(&backend, ask(Specialist::L3, &history, &input))?;
    let all: String = request.messages.iter().map(|message| message.content.as_str()).collect();
    assert!(all.contains("\"plan\":\"pro\"") && all.contains("pay") && !all.contains("4111"), "{all}");
    Ok(())
}

#[test]
fn the_oldest_turns_are_dropped_first_and_the_subject_is_kept() -> Result<()> {
    let mut backend = Scripted::new(None);
    let system = backend.count_tokens(&Profile::builtin().system(Specialist::L3));
    backend.context = 2 * (system + 700);
    let mut history = vec![turn("OLDEST", Specialist::L3, vec![artifact("plans", 1, "THE MODULE")])];
    history.extend((0..40).map(|n| turn(&format!("question {n}"), Specialist::L0, vec![Piece::Text("x".repeat(200))])));
    let all = |request: Request| request.messages.into_iter().map(|message| message.content).collect::<String>();
    let text = all(prompt(&backend, ask(Specialist::L3, &history, &said("and now?")))?);
    assert!(!text.contains("OLDEST") && !text.contains("THE MODULE") && text.contains("question 39"));
    let click = action(json!({"kind": "message", "text": "I choose Pro"}))?;
    let text = all(prompt(&backend, ask(Specialist::L3, &history, &click))?);
    assert!(!text.contains("OLDEST") && text.contains("THE MODULE") && text.ends_with("I choose Pro"), "{text}");
    Ok(())
}

#[test]
fn a_megabyte_of_text_is_refused_with_both_numbers() -> Result<()> {
    let backend = Scripted::new(None);
    let Err(error) = prompt(&backend, ask(Specialist::L3, &[], &said(&"word ".repeat(200_000)))) else {
        anyhow::bail!("it cannot fit")
    };
    let EngineError::PromptTooLong { tokens, limit } = error else { anyhow::bail!("{error}") };
    assert!(tokens > 250_000 && limit <= 8192, "{tokens} {limit}");
    Ok(())
}

fn repair(artifact: &str, faults: &[(u32, &str)], round: u32) -> TurnInput {
    let faults = faults.iter().map(|(line, message)| Fault { line: *line, message: (*message).to_owned() }).collect();
    let (artifact, evidence, reason) = (artifact.to_owned(), "line 2: x is not defined".to_owned(), String::new());
    TurnInput::Repair { artifact, rev: 2, evidence, faults, reason, round, rounds: 2 }
}

#[test]
fn a_repair_shows_the_module_with_its_faults_marked_and_nothing_else() -> Result<()> {
    let history = [
        turn("Tell me a joke", Specialist::L0, vec![Piece::Text("No.".into())]),
        turn("a clock", Specialist::L3, vec![artifact("clock", 1, "one\ntwo(x)\nthree\n")]),
    ];
    let input = repair("clock", &[(2, "`x` is not defined.")], 1);
    let request = prompt(&Scripted::new(None), ask(Specialist::L3, &history, &input))?;
    let [system, user] = &request.messages[..] else { anyhow::bail!("{:?}", request.messages) };
    assert_eq!((system.role, user.role), (Role::System, Role::User));
    assert!(user.content.starts_with("a clock\n"), "{}", user.content);
    assert!(user.content.contains("one\n// FAULT in the next line: `x` is not defined.\ntwo(x)\nthree\n"));
    assert!(user.content.contains("1. Line 2: `x` is not defined.") && !user.content.contains("joke"));
    assert_eq!(request.prefill.as_deref(), Some("```ui4a/tsx id=clock title=\"T\"\n"), "it keeps its name");
    assert_eq!(request.temperature, 0.0);
    let again = prompt(&Scripted::new(None), ask(Specialist::L3, &history, &repair("clock", &[(2, "x")], 2)))?;
    assert!(again.temperature > 0.0 && again.seed.is_some(), "greedy would say the same again");
    Ok(())
}

#[test]
fn a_repair_of_what_is_not_in_the_history_tells_the_evidence_and_the_id() {
    let text = mol::input_text(&repair("clock", &[], 1));
    assert!(text.contains("line 2: x is not defined") && text.contains("id=clock"), "{text}");
}

/// A model that goes on from a prefill, or a server that cannot.
struct Continuing(Scripted, bool);

#[async_trait]
impl Backend for Continuing {
    fn name(&self) -> String {
        self.0.name()
    }
    fn context(&self) -> usize {
        self.0.context()
    }
    fn continues(&self) -> bool {
        self.1
    }
    async fn generate(&self, request: Request) -> Result<BoxStream<'static, Result<Chunk, EngineError>>, EngineError> {
        self.0.generate(request).await
    }
    async fn score(&self, prompt: &ScorePrompt, labels: &[String]) -> Result<Vec<f32>, EngineError> {
        self.0.score(prompt, labels).await
    }
}

#[test]
fn what_was_cut_off_is_gone_on_with_from_its_last_character() -> Result<()> {
    let cut = "const a = 1;\nconst b";
    let history = [turn("a clock", Specialist::L3, vec![Piece::Text("Here.".into()), artifact("clock", 1, cut)])];
    let input = TurnInput::Continue { artifact: "clock".into(), rev: 1 };
    let written = format!("```ui4a/tsx id=clock title=\"T\"\n{cut}");
    let request = mol::prompt(
        &Profile::builtin(),
        &Continuing(Scripted::new(None), true),
        ask(Specialist::L3, &history, &input),
    )?;
    assert_eq!(request.prefill.as_ref(), Some(&written));
    assert_eq!(request.messages.last().map(|last| (last.role, last.content.as_str())), Some((Role::User, "a clock")));

    let request = mol::prompt(
        &Profile::builtin(),
        &Continuing(Scripted::new(None), false),
        ask(Specialist::L3, &history, &input),
    )?;
    let [.., asked, said, told] = &request.messages[..] else { anyhow::bail!("{:?}", request.messages) };
    assert_eq!((asked.content.as_str(), &said.content), ("a clock", &written));
    assert!(request.prefill.is_none() && told.role == Role::User && told.content.contains("cut off"), "{told:?}");
    Ok(())
}
