//! A model's answer as it comes: prose, artifacts and tool calls, handed to the writer in order.

use crate::agent::resume::Join;
use crate::agent::writer::{Closed, Writer};
use crate::hub::Live;
use anyhow::Result;
use futures::StreamExt as _;
use std::collections::BTreeMap;
use std::time::Instant;
use tokio_util::sync::CancellationToken;
use ui4a_engine::mol;
use ui4a_engine::{Chunk, EngineError, Request, StopReason};
use ui4a_renderer::carrier::{Extractor, Opening, Piece, ToolArguments, ToolPiece};
use ui4a_types::{Carrier, Event, Kind, Specialist};

/// Longest answer in bytes, thinking and arguments included: a server may never stop by itself.
const MOST_ANSWER: usize = 4 << 20;

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The model was done.
    Done,
    /// The token limit was reached.
    Length,
    /// The answer, or a source in it, became too long.
    Oversized,
    /// A person stopped it.
    Cancelled,
}

/// An answer being read.
pub struct Answer<'a> {
    live: &'a Live,
    turn: &'a str,
    writer: Writer,
    extractor: Extractor,
    /// It goes on with what was cut off.
    resumed: bool,
    /// Joins an answer to what it goes on from.
    join: Option<Join>,
    prefill: Option<String>,
    /// `render_ui` calls by their index.
    calls: BTreeMap<usize, Call>,
    bytes: usize,
    /// When the first piece came.
    pub first: Option<Instant>,
}

type Chunks = futures::stream::BoxStream<'static, Result<Chunk, EngineError>>;

impl<'a> Answer<'a> {
    /// The answer to `request`, to be written with `writer`.
    pub fn new(live: &'a Live, turn: &'a str, writer: Writer, specialist: Specialist, request: &Request) -> Self {
        Self {
            live,
            turn,
            writer,
            extractor: Extractor::new(specialist == Specialist::L3),
            resumed: false,
            join: None,
            prefill: request.prefill.clone(),
            calls: BTreeMap::new(),
            bytes: 0,
            first: None,
        }
    }

    /// The answer goes on with the last revision of an artifact: from its prefill, else in words.
    pub fn resume(&mut self, history: &[mol::Turn], artifact: &str) {
        self.resumed = true;
        if self.prefill.is_none()
            && let Some((opener, source)) = mol::last_source(history, artifact)
        {
            self.prefill = Some(opener);
            self.join = Some(Join::new(&source));
        }
    }

    /// Bytes that the model wrote.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Revisions that were closed.
    pub fn take_closed(&mut self) -> Vec<Closed> {
        std::mem::take(&mut self.writer.closed)
    }

    /// Reads the answer to its end: why it ended, and the tokens read and written where the server counts them.
    ///
    /// # Errors
    /// The model fails, or the database.
    pub async fn read(
        &mut self,
        chunks: impl Future<Output = Result<Chunks, EngineError>>,
        cancel: &CancellationToken,
    ) -> Result<(Stop, usize, usize)> {
        let mut chunks = tokio::select! {
            chunks = chunks => chunks?,
            () = cancel.cancelled() => return Ok((Stop::Cancelled, 0, 0)),
        };
        // The stream goes on after the prefill, so the extractor must have seen it.
        if let Some(prefill) = self.prefill.take() {
            self.text(&prefill).await?;
        }
        loop {
            let chunk = tokio::select! {
                chunk = chunks.next() => chunk,
                () = cancel.cancelled() => return Ok((Stop::Cancelled, 0, 0)),
            };
            let Some(chunk) = chunk else { return Ok((Stop::Done, 0, 0)) };
            self.first.get_or_insert_with(Instant::now);
            match chunk? {
                Chunk::Text(text) => {
                    self.bytes += text.len();
                    let text = match &mut self.join {
                        Some(join) => join.push(&text),
                        None => text,
                    };
                    self.text(&text).await?;
                }
                Chunk::Reasoning(delta) => {
                    self.bytes += delta.len();
                    self.live.append(Event::ReasoningDelta { turn: self.turn.to_owned(), delta })?;
                }
                Chunk::ToolCall { index, name, arguments, .. } => {
                    self.bytes += arguments.len();
                    self.tool(index, name, &arguments).await?;
                }
                // Nobody asked for them.
                Chunk::Weights(_) => {}
                Chunk::Done { stop, prompt_tokens, answer_tokens, .. } => {
                    let stop = match stop {
                        StopReason::Stop => Stop::Done,
                        StopReason::Length => Stop::Length,
                        StopReason::Cancelled => Stop::Cancelled,
                    };
                    return Ok((stop, prompt_tokens, answer_tokens));
                }
            }
            // Whatever would follow is not kept; nobody has to pay for it.
            if self.bytes > MOST_ANSWER || self.writer.overflowed() {
                return Ok((Stop::Oversized, 0, 0));
            }
        }
    }

    async fn text(&mut self, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let pieces = self.extractor.push(text);
        self.writer.take(pieces).await
    }

    /// Closes what is open. `cut`: the answer may have gone on.
    ///
    /// # Errors
    /// The database fails.
    pub async fn finish(&mut self, cut: bool) -> Result<()> {
        if let Some(mut join) = self.join.take() {
            let rest = join.finish();
            self.text(&rest).await?;
        }
        let mut rest = if cut { self.extractor.finish_cut() } else { self.extractor.finish() };
        for piece in &mut rest {
            // The rest of a source needs no closing fence: its end is the answer's.
            if let Piece::Closed { truncated } = piece {
                *truncated &= cut || !self.resumed;
            }
        }
        self.writer.take(rest).await?;
        for call in std::mem::take(&mut self.calls).into_values() {
            // Its arguments ended before the source began: it was to be an interface all the same.
            if cut && !call.open {
                self.writer.close(true).await?;
                self.writer.take(vec![call.opening(Kind::Tsx)]).await?;
            }
        }
        self.writer.close(cut).await
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
    fn opening(&self, kind: Kind) -> Piece {
        let (id, title) = (self.id.clone(), self.title.clone());
        Piece::Opened(Opening { id, title, kind, dialect: None, carrier: Carrier::Tool })
    }

    fn take(&mut self, piece: ToolPiece, out: &mut Vec<Piece>) {
        match piece {
            ToolPiece::Code(source) => {
                if !std::mem::replace(&mut self.open, true) {
                    let kind = if source.trim_start().starts_with('<') { Kind::Html } else { Kind::Tsx };
                    out.push(self.opening(kind));
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
