//! A question to the model, whatever API it came by: who answers, and the answer as it comes.

use super::fault::Fault;
use crate::app::App;
use axum::http::StatusCode;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use ui4a_engine::mol::{Profile, Talk};
use ui4a_engine::{Backend, Chunk, EngineError, StopReason};
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
    std::iter::once((public.clone(), Who::Routed)).chain(specialists).chain([plain]).collect()
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
}

impl Routed {
    /// What an answer says of it, in a field of our own.
    pub fn told(&self) -> serde_json::Value {
        let probabilities: BTreeMap<_, _> = self.probabilities.iter().map(|(which, p)| (which.label(), *p)).collect();
        serde_json::json!({
            "specialist": self.specialist.map(Specialist::label), "probabilities": probabilities,
            "route_tokens": self.tokens,
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
    /// The end.
    End {
        /// Whether the limit ended it.
        cut: bool,
        /// Tokens read; 0 where nobody counted.
        read: usize,
        /// Tokens written; 0 where nobody counted.
        written: usize,
    },
}

/// Routes a conversation and begins its answer.
///
/// # Errors
/// The model cannot be asked.
pub async fn ask(app: &Arc<App>, who: Who, talk: &Talk) -> Result<Answering, Fault> {
    let backend = app.model.backend().await?;
    let routed = route(app, &*backend, who, talk).await;
    let cancel = CancellationToken::new();
    let stop = cancel.clone().drop_guard();
    let profile: &Profile = app.model.profile();
    let request = talk.request(profile, &*backend, routed.specialist, cancel)?;
    let texts = request.messages.iter().map(|message| message.content.as_str()).chain(request.prefill.as_deref());
    let estimate = texts.map(|text| backend.count_tokens(text)).sum();
    // What a caller began itself is not said to it again; what we began is part of the answer.
    let begun = talk.messages.last().is_some_and(|last| last.role == ui4a_engine::Role::Assistant);
    let prefill = request.prefill.clone().filter(|_| !begun);
    let chunks = backend.generate(request).await?;
    let pieces = chunks.filter_map(|chunk| async move {
        match chunk {
            Ok(Chunk::Text(text)) => Some(Ok(Piece::Text(text))),
            Ok(Chunk::Reasoning(text)) => Some(Ok(Piece::Reasoning(text))),
            // No tools were offered.
            Ok(Chunk::ToolCall { name, .. }) => {
                tracing::warn!(?name, "the model called a tool that nobody offered");
                None
            }
            Ok(Chunk::Done { stop, prompt_tokens, answer_tokens }) => {
                Some(Ok(Piece::End { cut: stop == StopReason::Length, read: prompt_tokens, written: answer_tokens }))
            }
            Err(error) => Some(Err(error)),
        }
    });
    let pieces = futures::stream::iter(prefill.map(|text| Ok(Piece::Text(text)))).chain(pieces);
    // The stream holds what stops the model: whoever drops it has no more use for the answer.
    let held = move |piece| {
        let _ = &stop;
        piece
    };
    Ok(Answering { routed, estimate, pieces: pieces.map(held).boxed() })
}

async fn route(app: &App, backend: &dyn Backend, who: Who, talk: &Talk) -> Routed {
    match who {
        Who::Plain => Routed::default(),
        Who::Specialist(specialist) => Routed { specialist: Some(specialist), ..Routed::default() },
        Who::Routed => {
            let route = app.model.router().route(backend, &talk.history(), talk.newest()).await;
            Routed { specialist: Some(route.specialist), probabilities: route.probabilities, tokens: route.tokens }
        }
    }
}

/// A whole answer.
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
}

impl Answering {
    /// Waits for the end.
    ///
    /// # Errors
    /// The model fails.
    pub async fn whole(mut self) -> Result<(Whole, Routed), Fault> {
        let mut whole = Whole { text: String::new(), reasoning: String::new(), cut: false, read: 0, written: 0 };
        while let Some(piece) = self.pieces.next().await {
            match piece? {
                Piece::Text(text) => whole.text.push_str(&text),
                Piece::Reasoning(text) => whole.reasoning.push_str(&text),
                Piece::End { cut, read, written } => (whole.cut, whole.read, whole.written) = (cut, read, written),
            }
        }
        whole.read = if whole.read == 0 { self.estimate } else { whole.read };
        whole.written = counted(whole.written, whole.text.len() + whole.reasoning.len());
        Ok((whole, std::mem::take(&mut self.routed)))
    }
}

/// Tokens written, by the backend's count, else by the bytes.
pub fn counted(written: usize, bytes: usize) -> usize {
    if written == 0 { bytes.div_ceil(4) } else { written }
}
