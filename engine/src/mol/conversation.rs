//! A conversation as prompts see it: turns, and what each specialist reads of them.

use ui4a_types::{Action, ActionKind, Specialist, TurnInput};

/// The longest text that a specialist reads of another's answer, in characters.
const FOREIGN_CHARS: usize = 800;

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Prose.
    Text(String),
    /// A revision of an artifact.
    Artifact {
        /// Its id.
        id: String,
        /// Its title.
        title: String,
        /// Which revision.
        rev: u32,
        /// `tsx` or `html`: the second half of the fence's info string.
        language: String,
        /// The source, as the model wrote it.
        source: String,
    },
}

/// One turn that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// What started it.
    pub input: TurnInput,
    /// Who answered.
    pub specialist: Specialist,
    /// The answer.
    pub answer: Vec<Piece>,
}

/// What a model reads of an input. Hidden fields of an action are left out.
pub fn input_text(input: &TurnInput) -> String {
    match input {
        TurnInput::Text(text) => text.clone(),
        TurnInput::Action(action) => action_text(action),
        TurnInput::Repair { artifact, evidence, .. } => format!(
            "The interface `{artifact}` does not work:\n{}\n\
             Write the whole corrected module again, in the same fence with id={artifact}.",
            evidence.trim()
        ),
    }
}

fn action_text(action: &Action) -> String {
    let payload = action.visible_payload();
    let with = match &payload {
        serde_json::Value::Null => String::new(),
        payload => format!("\nData: {payload}"),
    };
    match action.kind {
        ActionKind::Message => format!("{}{with}", action.text),
        ActionKind::Event => format!("(In the interface `{}`: {}){with}", action.artifact, action.name),
        ActionKind::Tool => format!("(The interface `{}` called the tool {}){with}", action.artifact, action.name),
    }
}

/// The source of an artifact's last revision.
pub(super) struct Last<'a> {
    turn: usize,
    rev: u32,
    id: &'a str,
    /// The revision as it is shown in prompts.
    pub fence: String,
}

/// The last revision of every artifact of `history`.
pub(super) fn last_revisions(history: &[Turn]) -> Vec<Last<'_>> {
    let mut last: Vec<Last<'_>> = Vec::new();
    for (turn, piece) in history.iter().enumerate().flat_map(|(at, turn)| turn.answer.iter().map(move |p| (at, p))) {
        let Piece::Artifact { id, title, rev, language, source } = piece else { continue };
        last.retain(|known| known.id != id);
        last.push(Last { turn, rev: *rev, id, fence: fence(id, title, language, source) });
    }
    last
}

impl Last<'_> {
    /// Whether this is the artifact called `id`, last written before turn `from`: cut off with the turns before it.
    pub fn is_cut_off(&self, id: &str, from: usize) -> bool {
        self.id == id && self.turn < from
    }
}

/// The artifact that an input is about.
pub(super) fn subject(input: &TurnInput) -> Option<&str> {
    match input {
        TurnInput::Text(_) => None,
        TurnInput::Action(action) => Some(&action.artifact),
        TurnInput::Repair { artifact, .. } => Some(artifact),
    }
}

/// An answer as `reader` sees it: its own words whole, another's shortened; the last revision of an artifact as source
/// for who writes interfaces, all others as one line.
pub(super) fn answer_text(turn: usize, history: &[Turn], last: &[Last<'_>], reader: Specialist) -> String {
    let Some(Turn { specialist, answer, .. }) = history.get(turn) else { return String::new() };
    let mut parts: Vec<String> = Vec::new();
    for piece in answer {
        parts.push(match piece {
            Piece::Text(text) if *specialist == reader => text.trim().to_owned(),
            Piece::Text(text) => clip(text.trim(), FOREIGN_CHARS),
            Piece::Artifact { id, rev, title, .. } => {
                let now = last.iter().find(|last| last.id == id && last.turn == turn && last.rev == *rev);
                match now {
                    Some(now) if matches!(reader, Specialist::L2 | Specialist::L3) => now.fence.clone(),
                    Some(_) => format!("(I showed the interface `{id}`: {title})"),
                    None => format!("(An earlier revision of the interface `{id}`.)"),
                }
            }
        });
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() { "(No answer.)".to_owned() } else { parts.join("\n\n") }
}

fn fence(id: &str, title: &str, language: &str, source: &str) -> String {
    // Longer than any run of backticks that begins a line of the source, so that it ends where it should.
    let inner =
        source.lines().map(|line| line.trim_start()).map(|line| line.len() - line.trim_start_matches('`').len());
    let ticks = "`".repeat(inner.max().unwrap_or(0).max(2) + 1);
    let title = title.replace('"', "'");
    format!("{ticks}ui4a/{language} id={id} title=\"{title}\"\n{}\n{ticks}", source.trim_end())
}

/// At most `limit` characters of `text`: its beginning and its end.
pub(super) fn clip(text: &str, limit: usize) -> String {
    let count = text.chars().count();
    if count <= limit {
        return text.to_owned();
    }
    let (head, tail) = (limit * 2 / 3, limit / 3);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - tail).collect();
    format!("{start} … {end}")
}
