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

impl Turn {
    /// Whether the answer holds a revision of the artifact called `id`.
    pub fn shows(&self, id: &str) -> bool {
        self.answer.iter().any(|piece| matches!(piece, Piece::Artifact { id: of, .. } if of == id))
    }
}

/// What a model reads of an input. Hidden fields of an action are left out.
pub fn input_text(input: &TurnInput) -> String {
    match input {
        TurnInput::Text(text) => text.clone(),
        TurnInput::Action(action) => action_text(action),
        TurnInput::Repair { artifact, evidence, .. } => format!(
            "The interface `{artifact}` does not work:\n{}\n\
             Write the whole corrected module again, in the same fence with id={artifact}.",
            evidence.trim_end()
        ),
        TurnInput::Continue { artifact, .. } => {
            format!("(Go on with the interface `{artifact}` where it was cut off.)")
        }
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
    /// Which turn wrote it.
    pub turn: usize,
    rev: u32,
    id: &'a str,
    /// `tsx` or `html`.
    pub language: &'a str,
    /// How the fence around it begins, its first line whole.
    pub opener: String,
    /// How that fence ends.
    pub closer: String,
    /// The source, as the model wrote it.
    pub source: &'a str,
    /// The revision as it is shown in prompts.
    pub fence: String,
}

/// The last revision of every artifact of `history`.
pub(super) fn last_revisions(history: &[Turn]) -> Vec<Last<'_>> {
    let mut last: Vec<Last<'_>> = Vec::new();
    for (turn, piece) in history.iter().enumerate().flat_map(|(at, turn)| turn.answer.iter().map(move |p| (at, p))) {
        let Piece::Artifact { id, title, rev, language, source } = piece else { continue };
        last.retain(|known| known.id != id);
        let (opener, closer) = fence(id, title, language, source);
        let fence = format!("{opener}{}\n{closer}", source.trim_end());
        last.push(Last { turn, rev: *rev, id, language, opener, closer, source, fence });
    }
    last
}

/// The last revision of the artifact called `id`: the line that opens its fence, and its source.
pub fn last_source(history: &[Turn], id: &str) -> Option<(String, String)> {
    let last = last_revisions(history).into_iter().find(|last| last.is(id))?;
    Some((last.opener, last.source.to_owned()))
}

impl Last<'_> {
    /// What the artifact is called.
    pub fn id(&self) -> &str {
        self.id
    }

    /// Whether this is the artifact called `id`.
    pub fn is(&self, id: &str) -> bool {
        self.id == id
    }
}

/// The artifact that an input is about.
pub(super) fn subject(input: &TurnInput) -> Option<&str> {
    match input {
        TurnInput::Text(_) => None,
        TurnInput::Action(action) => Some(&action.artifact),
        TurnInput::Repair { artifact, .. } | TurnInput::Continue { artifact, .. } => Some(artifact),
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

/// What is read of an input of an earlier turn: of what was mended, only that.
pub(super) fn earlier_text(input: &TurnInput) -> String {
    match input {
        TurnInput::Repair { artifact, .. } => format!("(The interface `{artifact}` did not work. Mend it.)"),
        input => input_text(input),
    }
}

/// The lines before and after a source.
fn fence(id: &str, title: &str, language: &str, source: &str) -> (String, String) {
    // Longer than any run of backticks that begins a line of the source, so that it ends where it should.
    let inner =
        source.lines().map(|line| line.trim_start()).map(|line| line.len() - line.trim_start_matches('`').len());
    let ticks = "`".repeat(inner.max().unwrap_or(0).max(2) + 1);
    let title = title.replace(['"', '\n'], "'");
    (format!("{ticks}ui4a/{language} id={id} title=\"{title}\"\n"), ticks)
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
