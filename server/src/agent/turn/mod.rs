//! One turn: route, ask, and write down what comes.

mod answer;

use super::repair::End;
use super::writer::{Closed, Origin, Writer};
use super::{history, repair};
use crate::app::App;
use crate::hub::Live;
use answer::{Answer, Stop};
use anyhow::Result;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;
use ui4a_engine::mol::{self, Ask, Route};
use ui4a_engine::{Backend, EngineError, Request};
use ui4a_types::{Event, Problem, Specialist, TurnInput, Usage};

/// A round of mending with less room for its answer, in tokens, is not begun.
const LEAST_ANSWER: u64 = 128;

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
    let mut turn = Turn { app, live, id: turn, cancel, closed: Vec::new() };
    let ended = match history {
        Ok(history) => turn.drive(input.clone(), history).await,
        Err(error) => Err(error),
    };
    let (end, tokens) = match ended {
        Ok(Finished { event, end, tokens }) => {
            live.append(event)?;
            (end, tokens)
        }
        Err(error) => {
            live.append(Event::TurnFailed { turn: turn.id.to_owned(), problem: problem(&error) })?;
            (End::Failed, 0)
        }
    };
    app.db.set_turn(&live.id, None)?;
    // Who stopped a turn wants no other one to begin.
    let end = if turn.cancel.is_cancelled() { End::Stopped } else { end };
    repair::after_turn(app, live, &input, &turn.closed, end, tokens);
    Ok(())
}

struct Turn<'a> {
    app: &'a Arc<App>,
    live: &'a Arc<Live>,
    id: &'a str,
    cancel: CancellationToken,
    /// What it wrote; kept also when it fails later.
    closed: Vec<Closed>,
}

struct Finished {
    event: Event,
    end: End,
    tokens: u64,
}

impl Turn<'_> {
    /// Everything between the first and the last event of a turn. What was written before a failure is kept.
    async fn drive(&mut self, input: TurnInput, history: Vec<mol::Turn>) -> Result<Finished> {
        let (app, live) = (self.app, self.live);
        let started = Instant::now();
        let _at_work = app.model.at_work();
        let budget = match &input {
            TurnInput::Repair { artifact, .. } => Some(repair::left(app, live, artifact)),
            _ => None,
        };
        let origin = Origin::of(self.id, &input, self.cancel.clone());
        // A model may take a while to load, and a router to answer.
        let Some(backend) = self.or_cancelled(app.model.backend()).await.transpose()? else {
            return Ok(self.stopped(started));
        };
        let (input, chosen) = explicit(history::named(app, input)?);
        let route = match chosen.or_else(|| mol::owner(&history, &input)) {
            Some(specialist) => certain(specialist, history.last().map(|turn| turn.specialist)),
            None => {
                let text = mol::input_text(&input);
                let routed = self.or_cancelled(app.model.router().route(&*backend, &history, &text)).await;
                let Some(route) = routed else { return Ok(self.stopped(started)) };
                route
            }
        };
        live.append(Event::RouteDecided {
            turn: self.id.to_owned(),
            specialist: route.specialist,
            probabilities: route.probabilities.clone(),
            previous: route.previous,
            ms: route.ms,
        })?;
        let ask = Ask { specialist: route.specialist, history: &history, input: &input, cancel: self.cancel.clone() };
        let mut request = mol::prompt(app.model.profile(), &*backend, ask)?;
        request.max_tokens = request.max_tokens.min(app.settings.max_tokens);
        if app.settings.temperature > 0.0 {
            request.temperature = app.settings.temperature;
        }
        let read = tokens_of(&*backend, &request);
        if let Some(budget) = budget {
            let room = budget.saturating_sub(read);
            if room < LEAST_ANSWER {
                return Ok(self.finished("budget", End::BudgetUsed, &route, Spent::default(), started));
            }
            request.max_tokens = request.max_tokens.min(usize::try_from(room).unwrap_or(usize::MAX));
        }
        let asked = Instant::now();
        let writer = Writer::new(app, live, origin.owned_by(route.specialist));
        let mut answer = Answer::new(live, self.id, writer, route.specialist, &request);
        if let TurnInput::Continue { artifact, .. } = &input {
            answer.resume(&history, artifact);
        }
        let written = answer.read(backend.generate(request), &self.cancel).await;
        let cut = !matches!(&written, Ok((Stop::Done, ..)));
        let finished = answer.finish(cut).await;
        self.closed = answer.take_closed();
        finished?;
        let (stop, prompt_tokens, answer_tokens) = written?;
        // Servers that do not count are counted for.
        let counted = |reported: usize, counted: u64| if reported == 0 { counted } else { reported as u64 };
        let spent = Spent {
            prompt: counted(prompt_tokens, read),
            answer: counted(answer_tokens, answer.bytes().div_ceil(4) as u64),
            first: answer.first.map_or(0, |first| (first - asked).as_millis() as u64),
            mending: budget.is_some(),
        };
        let (reason, end) = match stop {
            Stop::Done => ("stop", End::Done),
            Stop::Length => ("length", End::CutOff),
            Stop::Oversized => ("oversized", End::CutOff),
            Stop::Cancelled => ("cancelled", End::Stopped),
        };
        Ok(self.finished(reason, end, &route, spent, started))
    }

    /// What `work` comes to, unless the turn is stopped first.
    async fn or_cancelled<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = work => Some(done),
            () = self.cancel.cancelled() => None,
        }
    }

    fn stopped(&self, started: Instant) -> Finished {
        self.finished("cancelled", End::Stopped, &certain(Specialist::default(), None), Spent::default(), started)
    }

    fn finished(&self, reason: &str, end: End, route: &Route, spent: Spent, started: Instant) -> Finished {
        let Spent { prompt, answer, first, mending } = spent;
        let tokens = prompt + answer;
        let (prompt, answer, repair) = if mending { (0, 0, tokens) } else { (prompt, answer, 0) };
        let usage = Usage { route: route.tokens as u64, prompt, answer, summary: 0, repair };
        let timings = BTreeMap::from([
            ("route".to_owned(), route.ms),
            ("first".to_owned(), first),
            ("total".to_owned(), started.elapsed().as_millis() as u64),
        ]);
        let event = Event::TurnFinished { turn: self.id.to_owned(), stop_reason: reason.to_owned(), usage, timings };
        Finished { event, end, tokens }
    }
}

/// What an answer cost.
#[derive(Default)]
struct Spent {
    prompt: u64,
    answer: u64,
    /// Milliseconds to its first piece.
    first: u64,
    mending: bool,
}

/// Tokens that a model reads, nearly.
fn tokens_of(backend: &dyn Backend, request: &Request) -> u64 {
    let texts = request.messages.iter().map(|message| &message.content).chain(&request.prefill);
    texts.map(|text| backend.count_tokens(text) as u64).sum()
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
