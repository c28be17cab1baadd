//! A conversation that a program of others sends whole with each request, as the APIs do.
//!
//! Owns what such a conversation means to a specialist: our instructions first, since they never change, then what the
//! program says of itself, then its turns as the specialist sees them ([`super::view`]). Nothing is dropped to make it fit:
//! who sends a conversation decides what of it may go.

use super::conversation::{Piece, Turn};
use super::profile::Profile;
use super::prompt::{FENCE, MODULE_TOKENS, PROSE_TOKENS};
use super::view::View;
use crate::{Backend, EngineError, Grammar, Message, Request, Role, Tools};
use tokio_util::sync::CancellationToken;
use ui4a_types::{Specialist, TurnInput};

/// A conversation of another program.
#[derive(Clone, Debug, Default)]
pub struct Talk {
    /// What the program says of its task; may be empty.
    pub system: String,
    /// The turns, oldest first. Neighbours of one role are one turn.
    pub messages: Vec<Message>,
    /// Most tokens to write; `None` leaves it to who answers.
    pub max_tokens: Option<usize>,
    /// `None` leaves it to who answers.
    pub temperature: Option<f32>,
    /// `None` leaves it to who answers.
    pub top_p: Option<f32>,
    /// Only this many best tokens; 0 is all.
    pub top_k: usize,
    /// Makes sampling repeatable.
    pub seed: Option<u64>,
    /// Writing ends before any of these.
    pub stop: Vec<String>,
    /// Taken from the logit of a token for each time that it was written.
    pub frequency_penalty: f32,
    /// Taken from the logit of a token that was written at all.
    pub presence_penalty: f32,
    /// Tells how likely each token was, and so many others beside it.
    pub logprobs: Option<usize>,
    /// What the model may call.
    pub tools: Tools,
    /// What the answer must be.
    pub grammar: Option<Grammar>,
    /// The adapter that answers where no specialist does.
    pub adapter: Option<String>,
    /// Who asks: those who wait are served in turn.
    pub client: String,
}

impl Talk {
    /// Adds words behind the others.
    pub fn push(&mut self, role: Role, text: &str) {
        self.add(Message::new(role, text));
    }

    /// Adds a message behind the others; one of the same role goes on with the one before, unless it is a tool's.
    pub fn add(&mut self, message: Message) {
        match self.messages.last_mut().filter(|last| last.role == message.role && last.role != Role::Tool) {
            Some(last) => {
                if !last.content.is_empty() && !message.content.is_empty() {
                    last.content.push_str("\n\n");
                }
                last.content.push_str(&message.content);
                last.calls.extend(message.calls);
            }
            None => self.messages.push(message),
        }
    }

    /// The newest words of the person.
    pub fn newest(&self) -> &str {
        self.messages.iter().rfind(|message| message.role == Role::User).map_or("", |message| &message.content)
    }

    /// What the router reads of the turns before: the last one. Where nobody remembers who answered it, what it holds tells.
    pub fn history(&self, view: &View) -> Vec<Turn> {
        let Some(said) = self.messages.iter().rposition(|message| message.role == Role::Assistant) else {
            return Vec::new();
        };
        let answer = &self.messages[said].content;
        let asked = self.messages[..said].iter().rfind(|message| message.role == Role::User);
        let shows = || answer.lines().any(|line| line.trim_start().trim_start_matches('`').starts_with("ui4a/"));
        vec![Turn {
            input: TurnInput::Text(asked.map(|message| message.content.clone()).unwrap_or_default()),
            specialist: view.last().unwrap_or_else(|| if shows() { Specialist::L3 } else { Specialist::L0 }),
            answer: vec![Piece::Text(answer.clone())],
        }]
    }

    /// The request that asks `specialist`, who sees `seen` of the messages; for `None` the model itself, without a word of
    /// ours. The stream goes on after its prefill.
    ///
    /// # Errors
    /// [`EngineError::PromptTooLong`] when there is no room for an answer.
    pub fn request(
        &self,
        profile: &Profile,
        backend: &dyn Backend,
        specialist: Option<Specialist>,
        seen: Vec<Message>,
        cancel: CancellationToken,
    ) -> Result<Request, EngineError> {
        let ours = specialist.map(|specialist| profile.system(specialist)).unwrap_or_default();
        let format = self.grammar.as_ref().map(told).unwrap_or_default();
        let system = [ours.as_str(), self.system.trim(), &format].into_iter().filter(|part| !part.is_empty());
        let system = system.collect::<Vec<_>>().join("\n\n");
        let mut messages = seen;
        // An answer that was begun is gone on with, where the model can.
        let begun = messages.last().is_some_and(|last| last.role == Role::Assistant) && backend.continues();
        let begun = if begun { messages.pop().map(|last| last.content) } else { None };
        let interface = specialist == Some(Specialist::L3);
        let free = begun.is_none() && self.grammar.is_none() && !self.tools.any();
        let starts = interface && backend.continues() && free;
        let prefill = begun.or_else(|| starts.then(|| FENCE.to_owned()));
        if !system.is_empty() {
            messages.insert(0, Message::new(Role::System, system));
        }
        let offered: Vec<String> =
            self.tools.offered.iter().filter(|_| self.tools.any()).map(|tool| tool.function().to_string()).collect();
        let read: usize = messages
            .iter()
            .flat_map(|m| std::iter::once(m.content.as_str()).chain(m.calls.iter().map(|call| call.arguments.as_str())))
            .chain(prefill.as_deref())
            .chain(offered.iter().map(String::as_str))
            .map(|text| backend.count_tokens(text) + super::prompt::FRAME_TOKENS)
            .sum();
        let context = backend.context();
        if read >= context {
            return Err(EngineError::PromptTooLong { tokens: read, limit: context });
        }
        let wanted = self.max_tokens.unwrap_or(if interface { MODULE_TOKENS } else { PROSE_TOKENS });
        let (temperature, top_p) = match specialist {
            Some(Specialist::L3) => (0.0, 1.0),
            Some(_) => (0.7, 0.8),
            None => (1.0, 1.0),
        };
        Ok(Request {
            messages,
            max_tokens: wanted.min(context - read),
            temperature: self.temperature.unwrap_or(temperature),
            top_p: self.top_p.unwrap_or(top_p),
            top_k: self.top_k,
            seed: self.seed,
            frequency_penalty: self.frequency_penalty,
            presence_penalty: self.presence_penalty,
            stop: self.stop.clone(),
            prefill,
            tools: self.tools.clone(),
            grammar: self.grammar.clone(),
            logprobs: self.logprobs,
            adapter: self.adapter.clone(),
            client: self.client.clone(),
            cancel,
            ..Request::default()
        })
    }
}

/// What a model is told of the format that it is held to: it writes better what it knows of.
fn told(grammar: &Grammar) -> String {
    match grammar {
        Grammar::Json => "Answer with a JSON object and nothing else.".to_owned(),
        Grammar::JsonSchema(schema) => {
            format!(
                "Answer with JSON of this schema and nothing else, without line breaks between its parts:\n{schema}"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chunk, ScorePrompt};
    use async_trait::async_trait;
    use futures::stream::BoxStream;

    struct Small;

    #[async_trait]
    impl Backend for Small {
        fn name(&self) -> String {
            "small".to_owned()
        }
        fn context(&self) -> usize {
            4_000
        }
        async fn generate(&self, _: Request) -> Result<BoxStream<'static, Result<Chunk, EngineError>>, EngineError> {
            Err(EngineError::Cancelled)
        }
        async fn score(&self, _: &ScorePrompt, _: &[String]) -> Result<Vec<f32>, EngineError> {
            Err(EngineError::Cancelled)
        }
    }

    fn talk(messages: &[(Role, &str)]) -> Talk {
        let mut talk = Talk::default();
        for (role, text) in messages {
            talk.push(*role, text);
        }
        talk
    }

    fn ask(talk: &Talk, specialist: Option<Specialist>) -> Result<Request, EngineError> {
        talk.request(&Profile::builtin(), &Small, specialist, talk.messages.clone(), CancellationToken::new())
    }

    #[test]
    fn neighbours_of_one_role_are_one_turn() {
        let talk = talk(&[(Role::User, "a"), (Role::User, "b"), (Role::Assistant, "c")]);
        assert_eq!(talk.messages.iter().map(|m| m.content.as_str()).collect::<Vec<_>>(), ["a\n\nb", "c"]);
        assert_eq!(talk.newest(), "a\n\nb");
    }

    #[test]
    fn our_words_come_before_the_program_s() {
        let mut talk = talk(&[(Role::User, "Hello")]);
        talk.system = "You sell shoes.".to_owned();
        let request = ask(&talk, Some(Specialist::L0)).expect("fits");
        let system = &request.messages[0].content;
        assert!(
            system.starts_with(Profile::builtin().instructions(Specialist::L0)) && system.ends_with("You sell shoes.")
        );
        let plain = ask(&talk, None).expect("fits");
        assert_eq!(plain.messages[0].content, "You sell shoes.", "the model itself is told nothing of ours");
        assert_eq!(plain.prefill, None);
    }

    #[test]
    fn an_interface_begins_with_its_fence_and_a_begun_answer_goes_on() {
        let request = ask(&talk(&[(Role::User, "A form")]), Some(Specialist::L3)).expect("fits");
        assert_eq!((request.prefill.as_deref(), request.temperature), (Some(FENCE), 0.0));
        let begun = ask(&talk(&[(Role::User, "Count"), (Role::Assistant, "1, 2,")]), None).expect("fits");
        assert_eq!((begun.prefill.as_deref(), begun.messages.len()), (Some("1, 2,"), 1));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_numbers_and_nothing_is_dropped() {
        let error = ask(&talk(&[(Role::User, &"word ".repeat(4_000))]), None).expect_err("too long");
        assert!(error.to_string().contains("4000"), "{error}");
    }
}
