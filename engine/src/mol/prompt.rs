//! From a conversation to the request that a specialist answers.
//!
//! The instructions come first and never change, so a backend can keep their KV. The oldest turns are dropped when the
//! context is short; the newest input never is.

use super::conversation::{self, Turn, input_text};
use super::profile::Profile;
use crate::{Backend, EngineError, Message, Request, Role};
use tokio_util::sync::CancellationToken;
use ui4a_types::{Specialist, TurnInput};

/// Tokens of an answer that has no interface.
const PROSE_TOKENS: usize = 1024;
/// Tokens of an answer that may be a module.
const MODULE_TOKENS: usize = 2048;
/// Tokens that a chat template puts around a message, at most.
const FRAME_TOKENS: usize = 8;
/// How an answer begins that must be an interface.
const FENCE: &str = "```ui4a/tsx";

/// What a specialist is asked.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// Who answers.
    pub specialist: Specialist,
    /// The turns before, oldest first.
    pub history: &'a [Turn],
    /// What starts this turn.
    pub input: &'a TurnInput,
    /// Ends the answer when cancelled.
    pub cancel: CancellationToken,
}

/// The request that asks for an answer. Where it has a prefill, the answer begins with it, and the stream goes on after.
///
/// # Errors
/// [`EngineError::PromptTooLong`] when the instructions and the newest input alone do not fit.
pub fn prompt(profile: &Profile, backend: &dyn Backend, ask: Ask<'_>) -> Result<Request, EngineError> {
    let Ask { specialist, history, input, cancel } = ask;
    let wanted = if specialist == Specialist::L3 { MODULE_TOKENS } else { PROSE_TOKENS };
    let context = backend.context();
    // Half of a short context is for reading.
    let answer = wanted.min(context / 2);
    let limit = context - answer;
    let cost = |text: &str| backend.count_tokens(text) + FRAME_TOKENS;

    let system = profile.system(specialist);
    let mut text = input_text(input);
    let fixed = cost(&system);
    let mut tokens = fixed + cost(&text);
    if tokens > limit {
        return Err(EngineError::PromptTooLong { tokens, limit });
    }

    let last = conversation::last_revisions(history);
    // Newest first, until the context is used up.
    let mut kept: Vec<[Message; 2]> = Vec::new();
    for (at, turn) in history.iter().enumerate().rev() {
        let asked = input_text(&turn.input);
        let said = conversation::answer_text(at, history, &last, specialist);
        let more = cost(&asked) + cost(&said);
        if tokens + more > limit {
            break;
        }
        tokens += more;
        kept.push([Message::new(Role::User, asked), Message::new(Role::Assistant, said)]);
    }
    let first = history.len() - kept.len();
    // The interface that the input is about must be seen, even where its turn was dropped.
    let cut_off = conversation::subject(input).and_then(|id| last.iter().find(|last| last.is_cut_off(id, first)));
    if let Some(subject) = cut_off {
        let shown = format!("The interface now:\n\n{}\n\n", subject.fence);
        let more = backend.count_tokens(&shown);
        while tokens + more > limit
            && let Some(dropped) = kept.pop()
        {
            tokens -= dropped.iter().map(|message| cost(&message.content)).sum::<usize>();
        }
        if tokens + more > limit {
            return Err(EngineError::PromptTooLong { tokens: tokens + more, limit });
        }
        text = shown + &text;
    }

    let mut messages = vec![Message::new(Role::System, system)];
    messages.extend(kept.into_iter().rev().flatten());
    messages.push(Message::new(Role::User, text));
    let opens_interface = specialist == Specialist::L3 && !matches!(input, TurnInput::Action(_));
    Ok(Request {
        messages,
        max_tokens: answer,
        temperature: if specialist == Specialist::L3 { 0.0 } else { 0.7 },
        top_p: if specialist == Specialist::L3 { 1.0 } else { 0.8 },
        prefill: (opens_interface && backend.continues()).then(|| FENCE.to_owned()),
        cancel,
        ..Request::default()
    })
}
