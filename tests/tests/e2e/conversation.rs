//! Conversations that a program sends whole with each request, with no header and no help: what each specialist saw of them.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use ui4a_tests::{PATIENCE, Script, ScriptedModel, Setup, Ui4a, eventually};

/// A conversation as a client keeps it.
struct Chat<'a> {
    ui4a: &'a Ui4a,
    model: &'a ScriptedModel,
    messages: Vec<Value>,
}

/// An answer of a specialist, `0` to `3`.
fn by(specialist: char, text: &str) -> Script {
    Script { route: specialist, ..Script::new(text) }
}

fn interface(id: &str) -> Script {
    Script::new(format!(
        "\n```ui4a/tsx id={id} title=\"The {id}\"\nexport default function App() {{ return <p>{id}</p> }}\n```"
    ))
}

fn message(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

async fn start(home: Option<Arc<tempfile::TempDir>>) -> Result<(ScriptedModel, Ui4a)> {
    let model = ScriptedModel::start([]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), home, ..Setup::default() }).await?;
    Ok((model, ui4a))
}

impl<'a> Chat<'a> {
    fn new(model: &'a ScriptedModel, ui4a: &'a Ui4a) -> Self {
        Self { ui4a, model, messages: Vec::new() }
    }

    /// Says something, which `answer` is given to; what the specialist saw after its instructions.
    async fn say(&mut self, text: &str, answer: Script) -> Result<Vec<Value>> {
        self.messages.push(message("user", text));
        self.again(answer).await
    }

    /// Asks with the messages as they stand.
    async fn again(&mut self, answer: Script) -> Result<Vec<Value>> {
        let before = self.model.asked().len();
        let specialist = format!("L{}", answer.route);
        self.model.push(answer);
        let answer =
            self.ui4a.post("/v1/chat/completions", json!({"model": "ui4a", "messages": self.messages})).await?;
        ensure!(answer["ui4a"]["specialist"] == *specialist, "{answer}");
        self.messages.push(answer["choices"][0]["message"].clone());
        let asked = self.model.asked();
        let seen = asked.get(before).context("the model was asked")?["messages"].as_array().cloned();
        Ok(seen.context("messages")?.split_off(1))
    }
}

fn text(message: &Value) -> &str {
    message["content"].as_str().unwrap_or_default()
}

fn all(messages: &[Value]) -> String {
    messages.iter().map(|message| text(message).to_owned() + "\n").collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_specialist_sees_its_own_turns_whole_and_others_as_context() -> Result<()> {
    let (model, ui4a) = start(None).await?;
    let mut chat = Chat::new(&model, &ui4a);
    chat.say("A clock, please", interface("clock")).await?;
    let seen = chat.say("What is the time in Rome and who made it?", by('0', &"It is noon. ".repeat(100))).await?;
    assert_eq!(seen.len(), 1, "{seen:#?}");
    assert!(text(&seen[0]).starts_with(
        "[Earlier in this conversation]\nAsked: A clock, please\nAnswered: (an interface was shown: The clock)\n[Now]\n"
    ));
    assert!(
        text(&seen[0]).ends_with("What is the time in Rome and who made it?") && !all(&seen).contains("export default")
    );
    let seen = chat.say("Make it red", interface("clock")).await?;
    assert_eq!(
        seen[..2],
        [message("user", "A clock, please"), message("assistant", text(&chat.messages[1]))],
        "its own, whole"
    );
    assert!(
        text(&seen[2]).contains("Asked: What is the time in Rome") && text(&seen[2]).ends_with("[Now]\nMake it red")
    );
    assert!(text(&seen[2]).len() < 900, "another's long answer is shortened: {}", text(&seen[2]));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn four_specialists_in_turn_each_find_what_they_read_before() -> Result<()> {
    let (model, ui4a) = start(None).await?;
    let mut chat = Chat::new(&model, &ui4a);
    let mut before: Vec<Vec<Value>> = Vec::new();
    for round in 0..3 {
        for specialist in ['0', '1', '2', '3'] {
            let answer = by(specialist, &format!("Answer {round} of {specialist}. {}", "word ".repeat(200)));
            let mut seen = chat.say(&format!("Question {round} for {specialist}"), answer).await?;
            let at = specialist as usize - '0' as usize;
            if round > 0 {
                ensure!(
                    seen.starts_with(&before[at]),
                    "round {round}, L{specialist}: {seen:#?}\nbefore: {:#?}",
                    before[at]
                );
                ensure!(seen.len() == before[at].len() + 1, "only one message is new: {seen:#?}");
            }
            seen.push(message("assistant", text(chat.messages.last().context("an answer")?)));
            if round == 0 { before.push(seen) } else { before[at] = seen }
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_turn_keeps_what_came_before_and_loses_what_came_after() -> Result<()> {
    let (model, ui4a) = start(None).await?;
    let mut chat = Chat::new(&model, &ui4a);
    chat.say("A clock", interface("clock")).await?;
    chat.say("Who invented clocks?", by('0', "Peter Henlein.")).await?;
    chat.say("Bigger", interface("clock")).await?;
    chat.messages.truncate(2);
    let seen = chat.say("Who sells clocks?", by('0', "A shop.")).await?;
    assert!(
        all(&seen).contains("The clock") && all(&seen).contains("Who sells clocks?") && !all(&seen).contains("Henlein")
    );
    // Answered anew: the question again, another answer.
    chat.messages.pop();
    chat.again(by('2', "print('a shop')")).await?;
    let seen = chat.say("And in blue", interface("clock")).await?;
    assert_eq!(seen.len(), 3, "{seen:#?}");
    assert!(
        text(&seen[2]).contains("Asked: Who sells clocks?\nAnswered: print('a shop')\n[Now]\nAnd in blue"),
        "{seen:#?}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn branches_and_equal_openings_stay_apart() -> Result<()> {
    let (model, ui4a) = start(None).await?;
    let mut one = Chat::new(&model, &ui4a);
    one.say("Hi", by('0', "Hello.")).await?;
    let mut two = Chat { messages: one.messages.clone(), ..Chat::new(&model, &ui4a) };
    one.say("Sort a list", by('2', "sorted(list)")).await?;
    // The same words, given by another specialist, in another branch.
    two.say("Show a list", by('3', "sorted(list)")).await?;
    let seen = one.say("Reversed", by('2', "reversed(list)")).await?;
    assert_eq!(seen.len(), 3, "{seen:#?}");
    assert!(text(&seen[0]).contains("Asked: Hi") && text(&seen[0]).ends_with("Sort a list"));
    let seen = two.say("Longer", by('3', "more")).await?;
    assert!(text(&seen[0]).ends_with("Show a list") && text(&seen[1]) == "sorted(list)", "{seen:#?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_may_cut_the_beginning_and_write_things_its_own_way() -> Result<()> {
    let (model, ui4a) = start(None).await?;
    let mut chat = Chat::new(&model, &ui4a);
    chat.say("A clock", interface("clock")).await?;
    chat.say("Why is it late?", by('0', "It is not.")).await?;
    chat.say("Code for it", by('2', "let clock = 1;")).await?;
    // The oldest turn is gone, there are instructions now, contents are parts, and white space is another.
    chat.messages.drain(..2);
    chat.messages.insert(0, message("system", "Today is Tuesday."));
    chat.messages[2] = json!({"content": [{"text": "It is not.\n", "type": "text"}], "role": "assistant"});
    let seen = chat.say("Explain", by('0', "Gladly.")).await?;
    assert_eq!(seen.len(), 3, "{seen:#?}");
    assert!(
        text(&seen[0]) == "Why is it late?" && text(&seen[2]).contains("Asked: Code for it\nAnswered: let clock = 1;")
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_answered_is_still_known_after_a_kill() -> Result<()> {
    let home = Arc::new(ui4a_tests::server::new_home()?);
    let (model, ui4a) = start(Some(Arc::clone(&home))).await?;
    let mut chat = Chat::new(&model, &ui4a);
    chat.say("Eine Uhr, bitte", interface("uhr")).await?;
    let messages = std::mem::take(&mut chat.messages);
    drop(ui4a.kill().await?);
    let (model, ui4a) = start(Some(home)).await?;
    let mut chat = Chat { messages, ..Chat::new(&model, &ui4a) };
    let seen = chat.say("Wie spät ist es?", by('0', "Zwölf.")).await?;
    assert!(
        text(&seen[0]).starts_with("[Bisher in diesem Gespräch]\nFrage: Eine Uhr, bitte"),
        "in its language: {seen:#?}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn history_that_nobody_knows_stays_word_for_word() -> Result<()> {
    let (model, ui4a) = start(None).await?;
    let mut chat = Chat::new(&model, &ui4a);
    let long = "Something that another program's model once said, at length. ".repeat(40);
    chat.messages = vec![message("user", "Before"), message("assistant", long.trim())];
    let seen = chat.say("Now", by('2', "ok")).await?;
    assert_eq!(seen, [message("user", "Before"), message("assistant", long.trim()), message("user", "Now")]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_is_summarised_when_nobody_waits() -> Result<()> {
    let (model, ui4a) = start(None).await?;
    // A summary that is late for its conversation leaves an extract there; so each try has a conversation of its own.
    let told = eventually("a summary that is read", PATIENCE, || async {
        let (begun, finished) = (model.asked().len(), model.finished());
        let mut chat = Chat::new(&model, &ui4a);
        chat.messages.push(message("user", &format!("How do clocks work? ({begun})")));
        model.push(by('0', &"Clocks have springs. ".repeat(100)));
        model.push(by('0', "SHORT: springs."));
        let body = json!({"model": "ui4a", "messages": chat.messages});
        let answer = chat.ui4a.post("/v1/chat/completions", body).await?;
        chat.messages.push(answer["choices"][0]["message"].clone());
        eventually("a summary", PATIENCE, || async { Ok((model.finished() == finished + 2).then_some(())) }).await?;
        // It goes on from the very sequence of the answer.
        let asked = model.asked();
        let read = |at: usize| asked[at]["messages"].as_array().cloned().unwrap_or_default();
        ensure!(read(begun + 1).starts_with(&read(begun)), "{asked:#?}");
        ensure!(read(begun + 1).len() == read(begun).len() + 2, "the answer, and what is asked of it");
        let seen = chat.say("Show one", interface("clock")).await?;
        Ok(all(&seen).contains("Answered: SHORT: springs.").then_some(seen))
    });
    let seen = told.await?;
    assert!(seen.len() == 1 && !all(&seen).contains("Clocks have springs"), "it stands for the answer: {seen:#?}");
    Ok(())
}
