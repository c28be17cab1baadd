//! Choosing the specialist of a turn: one weighing of four labels after a constant instruction.

use super::conversation::{Piece, Turn, clip, input_text};
use super::profile::Profile;
use crate::{Backend, Message, Role, ScorePrompt};
use std::collections::BTreeMap;
use std::time::Instant;
use ui4a_types::{Specialist, TurnInput};

/// A specialist that answered last keeps the turn unless another is so much more probable.
const MARGIN: f32 = 0.1;
/// Characters of the new text that the router reads: what is wanted stands at the beginning or the end.
const TEXT_CHARS: usize = 600;
/// Characters of the digest of the last turn.
const DIGEST_CHARS: usize = 160;

/// What the router chose.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Who answers.
    pub specialist: Specialist,
    /// How probable each was.
    pub probabilities: BTreeMap<Specialist, f32>,
    /// Who answered last.
    pub previous: Option<Specialist>,
    /// How long it took.
    pub ms: u64,
    /// Tokens that were read.
    pub tokens: usize,
}

/// Routes turns by a profile's instruction.
#[derive(Clone, Debug)]
pub struct Router {
    instruction: String,
    prefill: String,
    labels: Vec<String>,
}

impl Router {
    /// The router of `profile`.
    pub fn new(profile: &Profile) -> Self {
        // Tokenisers split `L3`; what the labels share is put before them, and one digit is left to read.
        let labels = Specialist::ALL.map(|specialist| specialist.label()[1..].to_owned()).to_vec();
        Self { instruction: profile.route.clone(), prefill: format!("{}L", profile.stem), labels }
    }

    /// Chooses who answers `text`. Never fails: a model that cannot be asked, or answers nonsense, leaves the turn to
    /// who answered last, or to [`Specialist::L0`]; what is wrong with it shows itself when it is asked to answer.
    pub async fn route(&self, backend: &dyn Backend, history: &[Turn], text: &str) -> Route {
        let started = Instant::now();
        let previous = history.last().map(|turn| turn.specialist);
        let prompt = self.prompt(history, text);
        let tokens = prompt.messages.iter().map(|message| backend.count_tokens(&message.content)).sum();
        let weights = match backend.score(&prompt, &self.labels).await {
            Ok(weights) if weights.len() == self.labels.len() => weights,
            Ok(weights) => {
                tracing::warn!(count = weights.len(), "the router was answered with a wrong number of weights");
                Vec::new()
            }
            Err(error) => {
                tracing::warn!(%error, "the router was not answered");
                Vec::new()
            }
        };
        let probabilities = softmax(&weights);
        let specialist = choose(&probabilities, previous);
        Route { specialist, probabilities, previous, ms: started.elapsed().as_millis() as u64, tokens }
    }

    /// What the model reads: the constant first, so that its KV is used again, then what changes.
    pub fn prompt(&self, history: &[Turn], text: &str) -> ScorePrompt {
        let before = history
            .last()
            .map(|turn| format!("Previous model_id: {}\nPrevious turn: {}\n", turn.specialist.label(), digest(turn)));
        let user = format!("{}User: {}", before.unwrap_or_default(), clip(text.trim(), TEXT_CHARS));
        ScorePrompt {
            messages: vec![Message::new(Role::System, self.instruction.clone()), Message::new(Role::User, user)],
            prefill: self.prefill.clone(),
        }
    }
}

/// One line about a turn.
fn digest(turn: &Turn) -> String {
    let asked = clip(&one_line(&input_text(&turn.input)), DIGEST_CHARS);
    let said = turn.answer.iter().map(|piece| match piece {
        Piece::Text(text) => clip(&one_line(text), DIGEST_CHARS),
        Piece::Artifact { title, .. } => format!("[interface: {title}]"),
    });
    format!("{asked} → {}", clip(&said.collect::<Vec<_>>().join(" "), DIGEST_CHARS))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Probabilities of the four, all the same for weights that make no sense.
fn softmax(weights: &[f32]) -> BTreeMap<Specialist, f32> {
    let best = weights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let odds: Vec<f32> = weights.iter().map(|weight| (weight - best).exp()).collect();
    let sum: f32 = odds.iter().sum();
    let sound = odds.len() == Specialist::ALL.len() && sum.is_finite() && sum > 0.0;
    let probability = |at: usize| if sound { odds[at] / sum } else { 1.0 / Specialist::ALL.len() as f32 };
    Specialist::ALL.into_iter().enumerate().map(|(at, specialist)| (specialist, probability(at))).collect()
}

fn choose(probabilities: &BTreeMap<Specialist, f32>, previous: Option<Specialist>) -> Specialist {
    let of = |specialist: Specialist| probabilities.get(&specialist).copied().unwrap_or(0.0);
    // The first of equals: L0.
    let best =
        Specialist::ALL.into_iter().fold(Specialist::L0, |best, next| if of(next) > of(best) { next } else { best });
    match previous {
        Some(previous) if of(previous) + MARGIN >= of(best) => previous,
        _ => best,
    }
}

/// The specialist that a text names itself, as `/L3 …` or `/ui …`, and the rest of the text.
pub fn explicit(text: &str) -> Option<(Specialist, &str)> {
    let (word, rest) = text.trim_start().strip_prefix('/')?.split_once(char::is_whitespace)?;
    let specialist = match word.to_ascii_lowercase().as_str() {
        "l0" | "chat" => Specialist::L0,
        "l1" | "agent" => Specialist::L1,
        "l2" | "code" => Specialist::L2,
        "l3" | "ui" => Specialist::L3,
        _ => return None,
    };
    Some((specialist, rest.trim_start()))
}

/// Who answers an input that needs no routing: an action or a repair goes to the author of the artifact's last revision.
/// `None` for a person's words.
pub fn owner(history: &[Turn], input: &TurnInput) -> Option<Specialist> {
    let artifact = super::conversation::subject(input)?;
    Some(history.iter().rev().find(|turn| turn.shows(artifact)).map_or(Specialist::L3, |turn| turn.specialist))
}
