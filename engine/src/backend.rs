//! What every model backend answers: [`Backend`] and the plain data that goes in and out.
//!
//! Knows nothing of profiles, routing or where a model lives.

use crate::{EngineError, Tools};
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
    /// Taken from the logit of a token for each time that it was written.
    pub frequency_penalty: f32,
    /// Taken from the logit of a token that was written at all.
    pub presence_penalty: f32,
    /// Makes sampling repeatable.
    pub seed: Option<u64>,
    /// Writing ends before any of these; they are not part of the answer.
    pub stop: Vec<String>,
    /// The beginning of the assistant's answer, already written. It is not repeated in the stream.
    pub prefill: Option<String>,
    /// What the model may call; then it takes no prefill of its own.
    pub tools: Tools,
    /// What the answer, from its prefill on, must be.
    pub grammar: Option<Grammar>,
    /// Tells each token's log-probability, and those of so many best ones beside it ([`Chunk::Weights`]).
    pub logprobs: Option<usize>,
    /// The loaded adapter that answers; the model itself when `None`.
    pub adapter: Option<String>,
    /// Who asks: those who wait are served in turn.
    pub client: String,
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
            frequency_penalty: 0.0,
            presence_penalty: 0.0,
            seed: None,
            stop: Vec::new(),
            prefill: None,
            tools: Tools::default(),
            grammar: None,
            logprobs: None,
            adapter: None,
            client: String::new(),
            cancel: CancellationToken::new(),
        }
    }
}

/// What an answer is held to while it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Grammar {
    /// A JSON object.
    Json,
    /// JSON that this schema describes.
    JsonSchema(serde_json::Value),
}

/// A token and how likely it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// What it writes; may end inside a character.
    pub bytes: Vec<u8>,
    /// The natural logarithm of its probability, before penalties, temperature and grammar.
    pub logprob: f32,
}

/// A written token, and what else might have been.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// What was written.
    pub token: Weight,
    /// The likeliest tokens, best first.
    pub best: Vec<Weight>,
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
#[derive(Clone, Debug, PartialEq)]
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
    /// The tokens of text that comes next or was just told; only where [`Request::logprobs`] asks for it.
    Weights(Vec<Weighed>),
    /// The end: always the last chunk of a stream that did not fail, and there only.
    Done {
        /// Why.
        stop: StopReason,
        /// Tokens read; 0 where the server does not say.
        prompt_tokens: usize,
        /// Tokens written; 0 where the server does not say.
        answer_tokens: usize,
        /// Tokens of the prompt that were remembered and not read again.
        cached_tokens: usize,
    },
}

/// A loaded adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdapterInfo {
    /// The name that it answers to.
    pub name: String,
    /// Its folder.
    pub path: std::path::PathBuf,
    /// The hash of its bytes: another one is another adapter, whatever its name.
    pub generation: String,
    /// Its rank.
    pub rank: usize,
    /// Bytes of its weights.
    pub bytes: u64,
}

/// How busy a model is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Load {
    /// Requests that are computed together now.
    pub running: usize,
    /// Requests that wait.
    pub waiting: usize,
    /// Requests that may wait; more are sent away.
    pub most_waiting: usize,
    /// Whether it still computes.
    pub alive: bool,
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

    /// The adapters that are loaded, by name.
    fn adapters(&self) -> Vec<AdapterInfo> {
        Vec::new()
    }

    /// Loads the adapter in the folder `path` under `name`, in place of one of that name. Requests that run finish on
    /// what they began with.
    ///
    /// # Errors
    /// When it cannot be read or honoured, or this model takes none.
    async fn load_adapter(&self, _name: &str, _path: &std::path::Path) -> Result<AdapterInfo, EngineError> {
        Err(EngineError::NoAdapters { model: self.name() })
    }

    /// Forgets the adapter `name`. Requests that run finish on it.
    ///
    /// # Errors
    /// When none of that name is loaded.
    fn unload_adapter(&self, name: &str) -> Result<AdapterInfo, EngineError> {
        Err(EngineError::UnknownAdapter { name: name.to_owned(), loaded: String::new() })
    }

    /// How busy it is; `None` where that is not known.
    fn load(&self) -> Option<Load> {
        None
    }
}
