//! From a conversation to the request that a specialist answers.
//!
//! The instructions come first and never change, so a backend can keep their KV. The oldest turns are dropped when the
//! context is short; the newest input never is.

use super::conversation::{self, Last, Turn, input_text};
use super::mend;
use super::profile::Profile;
use crate::{Backend, EngineError, Message, Request, Role};
use tokio_util::sync::CancellationToken;
use ui4a_types::{Specialist, TurnInput};

/// Tokens of an answer that has no interface.
pub(super) const PROSE_TOKENS: usize = 1024;
/// Tokens of an answer that may be a module.
pub(super) const MODULE_TOKENS: usize = 2048;
/// Tokens that a chat template puts around a message, at most.
pub(super) const FRAME_TOKENS: usize = 8;
/// How an answer begins that must be an interface.
pub(super) const FENCE: &str = "```ui4a/tsx";
/// What a server is told that cannot go on from the middle of an answer.
const GO_ON: &str = "Your answer was cut off. Go on exactly after its last character and write only what is missing: \
                     repeat nothing, explain nothing. End with the closing fence.";

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
    let last = conversation::last_revisions(history);
    let subject = conversation::subject(input).and_then(|id| last.iter().find(|last| last.is(id)));
    let resumed = subject.filter(|_| matches!(input, TurnInput::Continue { .. }));
    let mut draw = (specialist == Specialist::L3).then_some((0.0, 1.0));
    let mut seed = None;
    let resumed_turn = resumed.and_then(|cut| Some((cut, history.get(cut.turn)?)));
    let (history, mut text) = match (input, subject, resumed_turn) {
        // What was cut off is gone on with as if it had not been: its request is the newest, its answer has begun.
        (_, _, Some((cut, turn))) => (&history[..cut.turn], input_text(&turn.input)),
        // Nothing else is needed to mend it, and the failed answer would be said again.
        (TurnInput::Repair { faults, round, .. }, Some(broken), _) if !faults.is_empty() => {
            if let Some((temperature, top_p, drawn)) = mend::draw(history, broken.id(), *round) {
                (draw, seed) = (Some((temperature, top_p)), Some(drawn));
            }
            (&history[..0], mend::text(history, broken, faults))
        }
        _ => (history, input_text(input)),
    };
    let Start { prefill, before } = start(specialist, input, subject, backend.continues());
    let begun = prefill.iter().chain(before.iter().map(|message| &message.content));
    let mut tokens = cost(&system) + cost(&text) + begun.map(|text| cost(text)).sum::<usize>();
    if tokens > limit {
        return Err(EngineError::PromptTooLong { tokens, limit });
    }

    // Newest first, until the context is used up.
    let mut kept: Vec<[Message; 2]> = Vec::new();
    for (at, turn) in history.iter().enumerate().rev() {
        let asked = conversation::earlier_text(&turn.input);
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
    let shown = matches!(input, TurnInput::Repair { faults, .. } if !faults.is_empty());
    let cut_off = subject.filter(|last| !shown && last.turn < first);
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
    messages.extend(before);
    let (temperature, top_p) = draw.unwrap_or((0.7, 0.8));
    Ok(Request { messages, max_tokens: answer, temperature, top_p, seed, prefill, cancel, ..Request::default() })
}

/// How an answer begins that is not left to begin by itself.
struct Start {
    /// What the answer begins with.
    prefill: Option<String>,
    /// Where a server takes no prefill: what was written, and that it is to go on.
    before: Vec<Message>,
}

fn start(specialist: Specialist, input: &TurnInput, subject: Option<&Last<'_>>, continues: bool) -> Start {
    let written = |cut: &Last<'_>| format!("{}{}", cut.opener, cut.source);
    let (prefill, before) = match (input, subject) {
        (TurnInput::Continue { .. }, Some(cut)) if continues => (Some(written(cut)), Vec::new()),
        (TurnInput::Continue { .. }, Some(cut)) => {
            let said = [Message::new(Role::Assistant, written(cut)), Message::new(Role::User, GO_ON)];
            (None, said.into())
        }
        // Its own name again, so that the answer is the next revision and no other interface.
        (TurnInput::Repair { .. }, Some(broken)) if continues => (Some(broken.opener.clone()), Vec::new()),
        (TurnInput::Action(_), _) => (None, Vec::new()),
        _ => ((specialist == Specialist::L3 && continues).then(|| FENCE.to_owned()), Vec::new()),
    };
    Start { prefill, before }
}
