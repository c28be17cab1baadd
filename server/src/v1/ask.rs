//! A question to the model, whatever API it came by: who answers, and the answer as it comes.

use super::fault::Fault;
use super::summaries;
use crate::app::App;
use axum::http::StatusCode;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use ui4a_engine::mol::Talk;
use ui4a_engine::mol::view::{Seen, View};
use ui4a_engine::{Backend, Chunk, EngineError, Message, Role, StopReason, ToolCall, Weighed};
use ui4a_types::Specialist;

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Whoever the router chooses.
    Routed,
    /// This specialist.
    Specialist(Specialist),
    /// The model itself, without a word of ours.
    Plain,
}

/// The names that a request may ask for, and whom each means.
pub fn names(app: &App) -> Vec<(String, Who)> {
    let public = &app.model.profile().name;
    let specialists = Specialist::ALL
        .into_iter()
        .map(|specialist| (format!("{public}:{}", specialist.label().to_lowercase()), Who::Specialist(specialist)));
    let plain = (app.model.name().to_owned(), Who::Plain);
    let adapters = app.model.adapters().all().into_keys().map(|name| (name, Who::Plain));
    std::iter::once((public.clone(), Who::Routed)).chain(specialists).chain([plain]).chain(adapters).collect()
}

/// The adapter that a model's name means, if it means one.
pub fn adapter(app: &App, model: &str) -> Option<String> {
    app.model.adapters().all().into_keys().find(|name| name.eq_ignore_ascii_case(model))
}

/// Whom a model's name means.
///
/// # Errors
/// Nobody.
pub fn who(app: &App, model: &str) -> Result<Who, Fault> {
    let found = names(app).into_iter().find(|(name, _)| name.eq_ignore_ascii_case(model));
    found.map(|(_, who)| who).ok_or_else(|| unknown(app, model))
}

/// There is no model of a name.
pub fn unknown(app: &App, model: &str) -> Fault {
    let known: Vec<String> = names(app).into_iter().map(|(name, _)| name).collect();
    let shown: String = model.chars().take(80).collect();
    let message = format!("There is no model `{shown}`; there are {}.", known.join(", "));
    Fault::new(StatusCode::NOT_FOUND, "model_not_found", message)
}

/// Who answers, and what choosing cost.
#[derive(Clone, Debug, Default)]
pub struct Routed {
    /// `None`: the model itself.
    pub specialist: Option<Specialist>,
    /// How probable each was; empty where nothing was chosen.
    pub probabilities: BTreeMap<Specialist, f32>,
    /// Tokens that the router read.
    pub tokens: usize,
    /// Turns of other specialists that are read as context.
    pub folded: usize,
    /// Tokens that summaries of them cost since the last answer that was told of it.
    pub summary_tokens: u64,
}

impl Routed {
    /// What an answer says of it, in a field of our own.
    pub fn told(&self) -> serde_json::Value {
        let probabilities: BTreeMap<_, _> = self.probabilities.iter().map(|(which, p)| (which.label(), *p)).collect();
        serde_json::json!({
            "specialist": self.specialist.map(Specialist::label), "probabilities": probabilities,
            "route_tokens": self.tokens, "summary_tokens": self.summary_tokens, "folded_turns": self.folded,
        })
    }
}

/// An answer that has begun.
pub struct Answering {
    /// Who answers.
    pub routed: Routed,
    /// Tokens that are read, where the backend does not say.
    pub estimate: usize,
    /// What comes. Dropping it stops the model.
    pub pieces: BoxStream<'static, Result<Piece, EngineError>>,
}

/// A piece of an answer.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Text.
    Text(String),
    /// Thinking aloud.
    Reasoning(String),
    /// The tokens of text that comes next or was just told, where that was asked.
    Weights(Vec<Weighed>),
    /// More of a call. The name comes with its first piece.
    Call {
        /// Which of the answer's calls.
        index: usize,
        /// Its id.
        id: String,
        /// The tool.
        name: Option<String>,
        /// More of its arguments.
        arguments: String,
    },
    /// The end.
    End {
        /// Whether the limit ended it.
        cut: bool,
        /// Tokens read; 0 where nobody counted.
        read: usize,
        /// Tokens written; 0 where nobody counted.
        written: usize,
        /// Tokens of those read that were remembered.
        cached: usize,
    },
}

/// Routes a conversation and begins its answer. Who gave it is remembered when it is whole.
///
/// # Errors
/// The model cannot be asked.
pub async fn ask(app: &Arc<App>, who: Who, talk: &Talk) -> Result<Answering, Fault> {
    let at_work = app.model.at_work();
    let backend = app.model.backend().await?;
    // What a caller began itself is no answer of anybody yet.
    let begun = talk.messages.last().filter(|last| last.role == Role::Assistant).cloned();
    let said = talk.messages[..talk.messages.len() - usize::from(begun.is_some())].to_vec();
    let view = View::read(&app.views, &talk.client, &talk.system, said);
    let mut routed = route(app, &*backend, who, talk, &view).await;
    let cancel = CancellationToken::new();
    let stop = cancel.clone().drop_guard();
    let mut seen = match routed.specialist {
        Some(specialist) => view.seen_by(&app.views, specialist),
        None => Seen { messages: view.messages().to_vec(), ..Seen::default() },
    };
    (routed.folded, routed.summary_tokens) = (seen.folded, seen.summary_tokens);
    seen.messages.extend(begun.clone());
    let request = talk.request(app.model.profile(), &*backend, routed.specialist, seen.messages, cancel)?;
    let texts = request.messages.iter().map(|message| message.content.as_str()).chain(request.prefill.as_deref());
    let estimate = texts.map(|text| backend.count_tokens(text)).sum();
    // What a caller began is not said to it again; what we began is part of the answer.
    let prefill = request.prefill.clone().filter(|_| begun.is_none());
    let read = request.messages.clone();
    let (any, single) = (request.tools.any(), request.tools.single);
    let mut chunks = backend.generate(request).await?;
    let (app, specialist) = (Arc::clone(app), routed.specialist);
    let pieces = async_stream::stream! {
        // The stream holds what stops the model: whoever drops it has no more use for the answer.
        let _held = (stop, at_work);
        // The model's numbers of the calls.
        let mut calls: Vec<usize> = Vec::new();
        let mut answer = begun.unwrap_or_else(|| Message::new(Role::Assistant, ""));
        if let Some(text) = prefill {
            answer.content.push_str(&text);
            yield Ok(Piece::Text(text));
        }
        while let Some(chunk) = chunks.next().await {
            match chunk {
                Ok(Chunk::Text(text)) => {
                    answer.content.push_str(&text);
                    yield Ok(Piece::Text(text));
                }
                Ok(Chunk::Reasoning(text)) => yield Ok(Piece::Reasoning(text)),
                Ok(Chunk::ToolCall { name, .. }) if !any => {
                    tracing::warn!(?name, "the model called a tool that nobody offered");
                }
                Ok(Chunk::ToolCall { index, id, name, arguments }) => {
                    let known = calls.iter().position(|known| *known == index);
                    if known.is_none() && single && !calls.is_empty() {
                        continue; // One call was to be the most.
                    }
                    let at = known.unwrap_or_else(|| {
                        calls.push(index);
                        // Two calls with one id could not be told apart by their results.
                        let id = id.filter(|id| answer.calls.iter().all(|call| call.id != *id));
                        let id = id.unwrap_or_else(|| super::id("call_"));
                        answer.calls.push(ToolCall { id, ..ToolCall::default() });
                        answer.calls.len() - 1
                    });
                    let call = &mut answer.calls[at];
                    let name = name.filter(|_| call.name.is_empty());
                    call.name.push_str(name.as_deref().unwrap_or_default());
                    call.arguments.push_str(&arguments);
                    yield Ok(Piece::Call { index: at, id: call.id.clone(), name, arguments });
                }
                Ok(Chunk::Weights(weights)) => yield Ok(Piece::Weights(weights)),
                Ok(Chunk::Done { stop, prompt_tokens, answer_tokens, cached_tokens }) => {
                    if let Some(specialist) = specialist {
                        let turn = view.answered(&app.views, specialist, &answer);
                        if let Some(turn) = turn.filter(|_| who == Who::Routed) {
                            let task = summaries::Task { turn, read, answer, backend };
                            summaries::later(&app, task);
                        }
                    }
                    let cut = stop == StopReason::Length;
                    let (read, written, cached) = (prompt_tokens, answer_tokens, cached_tokens);
                    yield Ok(Piece::End { cut, read, written, cached });
                    return;
                }
                Err(error) => {
                    yield Err(error);
                    return;
                }
            }
        }
    };
    Ok(Answering { routed, estimate, pieces: pieces.boxed() })
}

async fn route(app: &App, backend: &dyn Backend, who: Who, talk: &Talk, view: &View) -> Routed {
    match who {
        Who::Plain => Routed::default(),
        Who::Specialist(specialist) => Routed { specialist: Some(specialist), ..Routed::default() },
        // What a tool answers goes on with who called it.
        Who::Routed if view.caller().is_some() => {
            let caller = view.caller().flatten().unwrap_or(Specialist::L1);
            Routed { specialist: Some(caller), ..Routed::default() }
        }
        Who::Routed => {
            let route = app.model.router().route(backend, &talk.history(view), talk.newest()).await;
            Routed {
                specialist: Some(route.specialist),
                probabilities: route.probabilities,
                tokens: route.tokens,
                ..Routed::default()
            }
        }
    }
}

/// A whole answer.
#[derive(Default)]
pub struct Whole {
    /// What was said.
    pub text: String,
    /// What was thought aloud.
    pub reasoning: String,
    /// Whether the limit ended it.
    pub cut: bool,
    /// Tokens read.
    pub read: usize,
    /// Tokens written.
    pub written: usize,
    /// Tokens of those read that were remembered.
    pub cached: usize,
    /// The tokens of the text, where that was asked.
    pub weights: Vec<Weighed>,
    /// The tools that it calls.
    pub calls: Vec<ToolCall>,
}

impl Answering {
    /// Waits for the end.
    ///
    /// # Errors
    /// The model fails.
    pub async fn whole(mut self) -> Result<(Whole, Routed), Fault> {
        let mut whole = Whole::default();
        while let Some(piece) = self.pieces.next().await {
            whole.take(piece?);
        }
        whole.count(self.estimate);
        Ok((whole, std::mem::take(&mut self.routed)))
    }
}

impl Whole {
    /// Adds a piece.
    pub fn take(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) => self.text.push_str(&text),
            Piece::Reasoning(text) => self.reasoning.push_str(&text),
            Piece::Weights(weights) => self.weights.extend(weights),
            Piece::Call { index, id, name, arguments } => {
                if index == self.calls.len() {
                    self.calls.push(ToolCall { id, ..ToolCall::default() });
                }
                if let Some(call) = self.calls.get_mut(index) {
                    call.name.push_str(&name.unwrap_or_default());
                    call.arguments.push_str(&arguments);
                }
            }
            Piece::End { cut, read, written, cached } => {
                (self.cut, self.read, self.written, self.cached) = (cut, read, written, cached);
            }
        }
    }

    /// Counts what the backend did not.
    pub fn count(&mut self, estimate: usize) {
        self.read = if self.read == 0 { estimate } else { self.read };
        self.written = counted(self.written, self.text.len() + self.reasoning.len() + called(&self.calls));
    }
}

/// Bytes of calls.
fn called(calls: &[ToolCall]) -> usize {
    calls.iter().map(|call| call.name.len() + call.arguments.len()).sum()
}

/// Tokens written, by the backend's count, else by the bytes.
pub fn counted(written: usize, bytes: usize) -> usize {
    if written == 0 { bytes.div_ceil(4) } else { written }
}
