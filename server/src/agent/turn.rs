//! One turn: route, ask, and write down what comes.

use super::writer::{Origin, Writer};
use super::{history, repair};
use crate::app::App;
use crate::hub::Live;
use anyhow::Result;
use futures::StreamExt as _;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;
use ui4a_engine::mol::{self, Ask, Route};
use ui4a_engine::{Chunk, EngineError, StopReason};
use ui4a_renderer::carrier::{Extractor, Opening, Piece, ToolArguments, ToolPiece};
use ui4a_types::{Carrier, Event, Kind, Problem, Specialist, TurnInput, Usage};

/// Runs a turn to its end, whatever the end is, and says so in the log.
pub async fn run(app: Arc<App>, live: Arc<Live>, input: TurnInput, cancel: CancellationToken) {
    let turn = uuid::Uuid::now_v7().simple().to_string();
    if let Err(error) = record(&app, &live, &turn, input, cancel).await {
        tracing::error!(%error, session = live.id, "a turn could not be written down");
    }
}

async fn record(
    app: &Arc<App>,
    live: &Arc<Live>,
    turn: &str,
    input: TurnInput,
    cancel: CancellationToken,
) -> Result<()> {
    // Read before this turn is in the log; that it could not be read is told like any other failure.
    let history = history::read(app, &live.id);
    app.db.set_turn(&live.id, Some(turn))?;
    let at = time::OffsetDateTime::now_utc().format(&time::format_description::well_known::Rfc3339)?;
    live.append(Event::TurnStarted { turn: turn.to_owned(), input: input.clone(), at })?;
    let mending = matches!(input, TurnInput::Repair { .. });
    let mut closed = Vec::new();
    let ended = match history {
        Ok(history) => drive(app, live, turn, input, history, cancel.clone(), &mut closed).await,
        Err(error) => Err(error),
    };
    match ended {
        Ok(finished) => live.append(finished)?,
        Err(error) => live.append(Event::TurnFailed { turn: turn.to_owned(), problem: problem(&error) })?,
    };
    app.db.set_turn(&live.id, None)?;
    // Who stopped a turn wants no other one to begin.
    if !mending && !cancel.is_cancelled() {
        closed.iter().for_each(|closed| repair::closed(live, closed));
    }
    Ok(())
}

/// Everything between the first and the last event of a turn. What was written before a failure is kept.
async fn drive(
    app: &Arc<App>,
    live: &Arc<Live>,
    turn: &str,
    input: TurnInput,
    history: Vec<mol::Turn>,
    cancel: CancellationToken,
    closed: &mut Vec<super::writer::Closed>,
) -> Result<Event> {
    let started = Instant::now();
    let backend = app.model.backend().await?;
    let subject = match &input {
        TurnInput::Action(action) => Some(action.artifact.clone()),
        TurnInput::Repair { artifact, .. } => Some(artifact.clone()),
        TurnInput::Text(_) => None,
    };
    let (input, chosen) = explicit(history::named(app, input)?);
    let route = match chosen.or_else(|| mol::owner(&history, &input)) {
        Some(specialist) => certain(specialist, history.last().map(|turn| turn.specialist)),
        None => app.model.router().route(&*backend, &history, &mol::input_text(&input)).await,
    };
    live.append(Event::RouteDecided {
        turn: turn.to_owned(),
        specialist: route.specialist,
        probabilities: route.probabilities.clone(),
        previous: route.previous,
        ms: route.ms,
    })?;
    let ask = Ask { specialist: route.specialist, history: &history, input: &input, cancel: cancel.clone() };
    let mut request = mol::prompt(app.model.profile(), &*backend, ask)?;
    request.max_tokens = request.max_tokens.min(app.settings.max_tokens);
    if app.settings.temperature > 0.0 {
        request.temperature = app.settings.temperature;
    }
    let asked = Instant::now();
    let prefill = request.prefill.clone();
    let origin = Origin { turn: turn.to_owned(), owner: route.specialist, subject };
    let mut answer = Answer {
        writer: Writer::new(app, live, origin),
        extractor: Extractor::new(route.specialist == Specialist::L3),
        calls: BTreeMap::new(),
        first: None,
    };
    let written = answer.read(live, turn, backend.generate(request), prefill, &cancel).await;
    let cut = !matches!(&written, Ok((StopReason::Stop, ..)));
    let rest = answer.extractor.finish();
    answer.writer.take(rest).await?;
    answer.writer.close(cut).await?;
    closed.append(&mut answer.writer.closed);
    let (stop, prompt_tokens, answer_tokens) = written?;
    let stop_reason = match stop {
        StopReason::Stop => "stop",
        StopReason::Length => "length",
        StopReason::Cancelled => "cancelled",
    };
    let usage =
        Usage { route: route.tokens as u64, prompt: prompt_tokens as u64, answer: answer_tokens as u64, summary: 0 };
    let first = answer.first.map_or(0, |first| (first - asked).as_millis() as u64);
    let timings = BTreeMap::from([
        ("route".to_owned(), route.ms),
        ("first".to_owned(), first),
        ("total".to_owned(), started.elapsed().as_millis() as u64),
    ]);
    Ok(Event::TurnFinished { turn: turn.to_owned(), stop_reason: stop_reason.to_owned(), usage, timings })
}

struct Answer {
    writer: Writer,
    extractor: Extractor,
    /// `render_ui` calls by their index.
    calls: BTreeMap<usize, Call>,
    first: Option<Instant>,
}

type Chunks = futures::stream::BoxStream<'static, Result<Chunk, EngineError>>;

impl Answer {
    async fn read(
        &mut self,
        live: &Live,
        turn: &str,
        chunks: impl Future<Output = Result<Chunks, EngineError>>,
        prefill: Option<String>,
        cancel: &CancellationToken,
    ) -> Result<(StopReason, usize, usize)> {
        let mut chunks = chunks.await?;
        // The stream goes on after the prefill, so the extractor must have seen it.
        if let Some(prefill) = prefill {
            let pieces = self.extractor.push(&prefill);
            self.writer.take(pieces).await?;
        }
        loop {
            let chunk = tokio::select! {
                chunk = chunks.next() => chunk,
                () = cancel.cancelled() => return Ok((StopReason::Cancelled, 0, 0)),
            };
            let Some(chunk) = chunk else { return Ok((StopReason::Stop, 0, 0)) };
            self.first.get_or_insert_with(Instant::now);
            match chunk? {
                Chunk::Text(text) => {
                    let pieces = self.extractor.push(&text);
                    self.writer.take(pieces).await?;
                }
                Chunk::Reasoning(delta) => {
                    live.append(Event::ReasoningDelta { turn: turn.to_owned(), delta })?;
                }
                Chunk::ToolCall { index, name, arguments, .. } => self.tool(index, name, &arguments).await?,
                Chunk::Done { stop, prompt_tokens, answer_tokens } => {
                    if !self.calls.is_empty() {
                        self.writer.close(stop != StopReason::Stop).await?;
                    }
                    return Ok((stop, prompt_tokens, answer_tokens));
                }
            }
        }
    }

    /// `render_ui` is the one tool that models are offered here; a call of another is ignored and said so in the log file.
    async fn tool(&mut self, index: usize, name: Option<String>, arguments: &str) -> Result<()> {
        if let Some(name) = name {
            if !name.ends_with("render_ui") {
                tracing::warn!(name, "the model called a tool that does not exist");
                return Ok(());
            }
            self.writer.close(false).await?;
            self.calls.insert(index, Call::default());
        }
        let Some(call) = self.calls.get_mut(&index) else { return Ok(()) };
        let mut pieces = Vec::new();
        for piece in call.arguments.push(arguments) {
            call.take(piece, &mut pieces);
        }
        self.writer.take(pieces).await
    }
}

/// A `render_ui` call whose arguments are arriving. Its name and title count when they come before the source, as models
/// write them; once the source is on the page, a name would come too late.
#[derive(Default)]
struct Call {
    arguments: ToolArguments,
    id: Option<String>,
    title: Option<String>,
    open: bool,
}

impl Call {
    fn take(&mut self, piece: ToolPiece, out: &mut Vec<Piece>) {
        match piece {
            ToolPiece::Code(source) => {
                if !std::mem::replace(&mut self.open, true) {
                    let kind = if source.trim_start().starts_with('<') { Kind::Html } else { Kind::Tsx };
                    let (id, title) = (self.id.take(), self.title.take());
                    out.push(Piece::Opened(Opening { id, title, kind, dialect: None, carrier: Carrier::Tool }));
                }
                out.push(Piece::Source(source));
            }
            ToolPiece::Field { name, value } if name == "id" => self.id = Some(value),
            ToolPiece::Field { name, value } if name == "title" => self.title = Some(value),
            ToolPiece::Field { .. } => {}
            ToolPiece::Error(message) => out.push(Piece::Text(format!("(render_ui: {message})"))),
        }
    }
}

/// A person's words may name the specialist: `/ui …`.
fn explicit(input: TurnInput) -> (TurnInput, Option<Specialist>) {
    if let TurnInput::Text(text) = &input
        && let Some((specialist, rest)) = mol::explicit(text)
    {
        return (TurnInput::Text(rest.to_owned()), Some(specialist));
    }
    (input, None)
}

fn certain(specialist: Specialist, previous: Option<Specialist>) -> Route {
    Route { specialist, probabilities: BTreeMap::from([(specialist, 1.0)]), previous, ms: 0, tokens: 0 }
}

/// What a person is told of a failure.
fn problem(error: &anyhow::Error) -> Problem {
    let code = match error.downcast_ref::<EngineError>() {
        Some(EngineError::BrokenModel { .. }) => "model-broken",
        Some(EngineError::PromptTooLong { .. }) => "prompt-too-long",
        Some(EngineError::Unavailable { .. } | EngineError::Stalled { .. }) => "model-unavailable",
        Some(EngineError::Unauthorized { .. }) => "model-key-refused",
        Some(EngineError::NotFound { .. } | EngineError::UnknownModel { .. }) => "model-unknown",
        Some(EngineError::Busy { .. }) => "model-busy",
        Some(_) => "model-failed",
        None if error.is::<crate::model::Missing>() => "model-missing",
        None => "internal",
    };
    // Messages of the engine are two sentences: what happened, and what to do.
    let text = format!("{error:#}");
    let (title, detail) = text.split_once(". ").map_or((text.as_str(), ""), |(title, detail)| (title, detail));
    Problem { code: code.to_owned(), title: format!("{}.", title.trim_end_matches('.')), detail: detail.to_owned() }
}
