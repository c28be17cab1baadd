//! Summaries of long answers for other specialists: asked for when nobody waits for the model, and given up for whoever comes.
//!
//! A summary goes on from the very sequence that the answer ended, so little of it is read anew. Where none comes in time, or
//! the model fails, an extract stands for the answer.

use crate::app::App;
use futures::StreamExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use ui4a_engine::mol::view::{Key, ViewStore as _};
use ui4a_engine::{Backend, Chunk, Message, Request, Role};

/// How long nobody must have waited for the model.
const QUIET: Duration = Duration::from_millis(300);
/// Most tokens of a summary.
const TOKENS: usize = 160;
/// Longest summary that is kept, in characters.
const CHARS: usize = 1_200;
/// How often one is begun.
const TRIES: usize = 3;
/// Most that wait: for the rest extracts will do.
const MOST_WAITING: usize = 16;

static WAITING: AtomicUsize = AtomicUsize::new(0);
static ONE: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(1));

/// A turn to summarise.
pub struct Task {
    /// What it is known by.
    pub turn: Key,
    /// What the specialist read.
    pub read: Vec<Message>,
    /// What it answered.
    pub answer: Message,
    /// Who is asked.
    pub backend: Arc<dyn Backend>,
}

/// Has a turn summarised when there is time.
pub fn later(app: &Arc<App>, task: Task) {
    if WAITING.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
        WAITING.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let app = Arc::clone(app);
    tokio::spawn(async move {
        // Never closed.
        let _one = ONE.acquire().await;
        for _ in 0..TRIES {
            if summarise(&app, &task).await {
                break;
            }
        }
        WAITING.fetch_sub(1, Ordering::Relaxed);
    });
}

/// One try; whether it is the last.
async fn summarise(app: &App, task: &Task) -> bool {
    let mut waiting = app.model.waiting();
    quiet(&mut waiting).await;
    if app.views.summary(&task.turn).is_some() {
        return true; // Somebody has read an extract.
    }
    tokio::select! {
        _ = waiting.wait_for(|count| *count > 0) => false,
        written = write(app, task) => {
            match written {
                Ok(Some((text, tokens))) => app.views.summarise(&task.turn, &text, tokens),
                Ok(None) => tracing::debug!("the model wrote no summary"),
                Err(error) => tracing::debug!(%error, "the model could not be asked for a summary"),
            }
            true
        }
    }
}

/// Waits until nobody has waited for the model for a while.
async fn quiet(waiting: &mut tokio::sync::watch::Receiver<usize>) {
    loop {
        // The sender lives as long as the program.
        let _ = waiting.wait_for(|count| *count == 0).await;
        if tokio::time::timeout(QUIET, waiting.wait_for(|count| *count > 0)).await.is_err() {
            return;
        }
    }
}

/// A summary, and the tokens that it cost. Dropped, it stops the model.
async fn write(app: &App, task: &Task) -> Result<Option<(String, u64)>, ui4a_engine::EngineError> {
    let mut messages = task.read.clone();
    messages.push(task.answer.clone());
    messages.push(Message::new(Role::User, &*app.model.profile().summary));
    let cancel = CancellationToken::new();
    let _stop = cancel.clone().drop_guard();
    let texts = messages.iter().map(|message| task.backend.count_tokens(&message.content));
    let estimate: usize = texts.sum();
    let mut chunks =
        task.backend.generate(Request { messages, max_tokens: TOKENS, cancel, ..Request::default() }).await?;
    let (mut text, mut tokens) = (String::new(), 0);
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            Chunk::Text(more) => text.push_str(&more),
            Chunk::Done { prompt_tokens, answer_tokens, .. } => {
                let read = if prompt_tokens == 0 { estimate } else { prompt_tokens };
                tokens = (read + super::ask::counted(answer_tokens, text.len())) as u64;
            }
            Chunk::Reasoning(_) | Chunk::ToolCall { .. } | Chunk::Weights(_) => {}
        }
    }
    let text: String = text.trim().chars().take(CHARS).collect();
    Ok((!text.is_empty()).then_some((text, tokens)))
}
