//! What every model backend answers: [`Backend`] and the plain data that goes in and out.
//!
//! Knows nothing of profiles, routing or where a model lives.

use crate::EngineError;
use async_trait::async_trait;
use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions.
    System,
    /// The person, or what was done in an artifact.
    User,
    /// The model.
    Assistant,
    /// A tool, with what came of a call.
    Tool,
}

impl Role {
    /// The name that chat templates and servers use.
    pub fn name(self) -> &'static str {
        ["system", "user", "assistant", "tool"][self as usize]
    }
}

/// A tool that the model called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What its result names.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as JSON text, as the model wrote them.
    pub arguments: String,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
    /// The tools that the model called in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The id of the call that it is the result of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
}

impl Message {
    /// A message of `role`.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), calls: Vec::new(), answers: None }
    }

    /// What came of the call with this id.
    pub fn result(call: impl Into<String>, content: impl Into<String>) -> Self {
        Self { answers: Some(call.into()), ..Self::new(Role::Tool, content) }
    }
}

/// What to generate, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// At most this many tokens are written.
    pub max_tokens: usize,
    /// 0 is greedy.
    pub temperature: f32,
    /// Nucleus: the smallest set of tokens with this much probability. 1 is all.
    pub top_p: f32,
    /// Only this many best tokens; 0 is all.
    pub top_k: usize,
    /// Above 1 makes tokens that were just written less likely; 1 changes nothing.
    pub repeat_penalty: f32,
    /// Makes sampling repeatable.
    pub seed: Option<u64>,
    /// Writing ends before any of these; they are not part of the answer.
    pub stop: Vec<String>,
    /// The beginning of the assistant's answer, already written. It is not repeated in the stream.
    pub prefill: Option<String>,
    /// Cancelling it ends the stream with [`StopReason::Cancelled`].
    pub cancel: CancellationToken,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            max_tokens: 1024,
            temperature: 0.0,
            top_p: 1.0,
            top_k: 0,
            repeat_penalty: 1.0,
            seed: None,
            stop: Vec::new(),
            prefill: None,
            cancel: CancellationToken::new(),
        }
    }
}

/// A conversation and the beginning of an answer whose next words are to be weighed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScorePrompt {
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// What the assistant has already written; a label comes next, with nothing between.
    pub prefill: String,
}

/// Why writing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// The model was done, or a stop string came.
    Stop,
    /// `max_tokens` or the context was used up.
    Length,
    /// [`Request::cancel`] was cancelled.
    Cancelled,
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Text, never cut inside a character.
    Text(String),
    /// Thinking aloud, which is not part of the answer.
    Reasoning(String),
    /// More of a tool call. Calls are told apart by `index`; `id` and `name` come once.
    ToolCall {
        /// Which of the answer's calls.
        index: usize,
        /// The server's id of the call.
        id: Option<String>,
        /// The tool.
        name: Option<String>,
        /// More of the arguments' JSON text; may be empty.
        arguments: String,
    },
    /// The end: always the last chunk of a stream that did not fail, and there only.
    Done {
        /// Why.
        stop: StopReason,
        /// Tokens read; 0 where the server does not say.
        prompt_tokens: usize,
        /// Tokens written; 0 where the server does not say.
        answer_tokens: usize,
    },
}

/// A model.
#[async_trait]
pub trait Backend: Send + Sync {
    /// A short name for people: the model's id or file.
    fn name(&self) -> String;

    /// How many tokens a prompt and its answer may have together.
    fn context(&self) -> usize {
        32_768
    }

    /// How many tokens `text` is, at least nearly. The default counts three bytes a token, which is more than the
    /// truth for the tokenisers in use.
    fn count_tokens(&self, text: &str) -> usize {
        text.len().div_ceil(3)
    }

    /// Whether [`Request::prefill`] is continued. Where it is not, it had better not be set.
    fn continues(&self) -> bool {
        true
    }

    /// Streams an answer.
    ///
    /// # Errors
    /// When the answer cannot begin. What goes wrong later is the last item of the stream.
    ///
    /// # Cancel safety
    /// Dropping the future or the stream ends the work, as [`Request::cancel`] does.
    async fn generate(&self, request: Request) -> Result<BoxStream<'static, Result<Chunk, EngineError>>, EngineError>;

    /// Log-probabilities, one a label, of each label coming next. They need not sum to one: the caller normalises.
    ///
    /// # Errors
    /// When the model cannot be asked. A senseless answer is not an error: all labels are then equally likely.
    async fn score(&self, prompt: &ScorePrompt, labels: &[String]) -> Result<Vec<f32>, EngineError>;
}
