//! The events of the session log.
//!
//! On the wire an event is one JSON object: `seq`, `type`, and the fields of its type beside them.

use crate::{Action, Carrier, Diagnostic, Dialect, Frame, ImportState, Kind, Lock, Report};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// One of the four specialists of a Mixture-of-LoRA model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Specialist {
    /// Chat and routing.
    #[default]
    L0,
    /// Agent and tools.
    L1,
    /// Code.
    L2,
    /// Interfaces and their actions.
    L3,
}

impl Specialist {
    /// All four, in label order.
    pub const ALL: [Self; 4] = [Self::L0, Self::L1, Self::L2, Self::L3];

    /// `L0` … `L3`.
    pub fn label(self) -> &'static str {
        ["L0", "L1", "L2", "L3"][self as usize]
    }
}

/// What started a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnInput {
    /// A person's words.
    Text(String),
    /// Something done in an artifact.
    Action(Action),
    /// Evidence that the last revision of `artifact` failed, sent back to its author.
    Repair {
        /// The artifact to mend.
        artifact: String,
        /// The revision that failed.
        rev: u32,
        /// What went wrong, with the lines around each fault.
        evidence: String,
        /// The same, fault by fault: what the model is told.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        faults: Vec<Fault>,
        /// What is wrong, in one sentence for the person.
        #[serde(default)]
        reason: String,
        /// Which attempt this is, from 1.
        #[serde(default = "one")]
        round: u32,
        /// How many attempts there are at most.
        #[serde(default = "one")]
        rounds: u32,
    },
    /// A revision that was cut off is to be gone on with where it ends.
    Continue {
        /// The artifact.
        artifact: String,
        /// The revision that was cut off.
        rev: u32,
    },
}

/// One thing that is wrong with a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Its line, from 1; 0 when it has none.
    pub line: u32,
    /// What is wrong, and what to do where that is known.
    pub message: String,
}

fn one() -> u32 {
    1
}

/// How mending an artifact ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepairOutcome {
    /// The last revision works.
    Mended,
    /// The same fault is still there.
    SameError,
    /// The model wrote a module again that had failed.
    SameSource,
    /// The answer held no module for the artifact.
    NoModule,
    /// The answer was cut off at a limit.
    CutOff,
    /// All rounds were used.
    RoundsUsed,
    /// The token budget was used.
    BudgetUsed,
    /// The model could not be asked.
    TurnFailed,
    /// A person stopped it.
    Stopped,
}

/// Tokens of a turn, each counted once: route, summary and repair apart from the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read to route.
    pub route: u64,
    /// Tokens read to answer.
    pub prompt: u64,
    /// Tokens written.
    pub answer: u64,
    /// Tokens of summaries.
    pub summary: u64,
    /// Tokens read and written to mend an artifact: not among `prompt` and `answer`.
    #[serde(default)]
    pub repair: u64,
}

/// An RFC 9457 problem with a stable code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// A stable name in kebab case, e.g. `model-unavailable`.
    pub code: String,
    /// One sentence: what happened.
    pub title: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// One event. `rev` counts an artifact's openings from 1; `frame` counts patches within a revision from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
#[allow(missing_docs)] // the fields are those of the contracts, section 3
pub enum Event {
    /// A turn begins. `at` is RFC 3339.
    #[serde(rename = "turn.started")]
    TurnStarted { turn: String, input: TurnInput, at: String },
    /// The router chose.
    #[serde(rename = "route.decided")]
    RouteDecided {
        turn: String,
        specialist: Specialist,
        probabilities: BTreeMap<Specialist, f32>,
        previous: Option<Specialist>,
        ms: u64,
    },
    /// Prose.
    #[serde(rename = "text.delta")]
    TextDelta { turn: String, delta: String },
    /// Thinking aloud.
    #[serde(rename = "reasoning.delta")]
    ReasoningDelta { turn: String, delta: String },
    /// An artifact, or a new revision of one, begins.
    #[serde(rename = "artifact.opened")]
    ArtifactOpened {
        artifact: String,
        rev: u32,
        kind: Kind,
        dialect: Dialect,
        title: String,
        carrier: Carrier,
        #[serde(default)]
        turn: String,
    },
    /// What looked like an artifact was prose: `text` is what it held.
    #[serde(rename = "artifact.retracted")]
    ArtifactRetracted { artifact: String, rev: u32, turn: String, text: String },
    /// More source.
    #[serde(rename = "artifact.source")]
    ArtifactSource { artifact: String, rev: u32, delta: String },
    /// A patch on the frame before.
    #[serde(rename = "artifact.frame")]
    ArtifactFrame {
        artifact: String,
        rev: u32,
        frame: u32,
        complete: bool,
        #[serde(flatten)]
        patch: Frame,
    },
    /// How far imports have come: only those that changed.
    #[serde(rename = "artifact.imports")]
    ArtifactImports { artifact: String, rev: u32, imports: BTreeMap<String, ImportState> },
    /// All findings about a frame; replaces those before.
    #[serde(rename = "artifact.diagnostics")]
    ArtifactDiagnostics { artifact: String, rev: u32, frame: u32, diagnostics: Vec<Diagnostic> },
    /// The revision is whole.
    #[serde(rename = "artifact.closed")]
    ArtifactClosed { artifact: String, rev: u32, truncated: bool, lock: Lock },
    /// What the sandbox says.
    #[serde(rename = "artifact.report")]
    ArtifactReport {
        artifact: String,
        #[serde(flatten)]
        report: Report,
    },
    /// Mending an artifact is over. `rev` is its last revision, `tokens` what all `rounds` read and wrote.
    #[serde(rename = "repair.ended")]
    RepairEnded {
        artifact: String,
        rev: u32,
        outcome: RepairOutcome,
        #[serde(default)]
        reason: String,
        rounds: u32,
        tokens: u64,
    },
    /// A value from `usePersistedState`.
    #[serde(rename = "artifact.state")]
    ArtifactState { artifact: String, key: String, value: Value },
    /// An action arrived.
    #[serde(rename = "action.received")]
    ActionReceived {
        #[serde(flatten)]
        action: Action,
    },
    /// The agent calls a tool.
    #[serde(rename = "tool.called")]
    ToolCalled { turn: String, call: String, name: String, arguments: Value },
    /// The tool answered.
    #[serde(rename = "tool.result")]
    ToolResult { turn: String, call: String, name: String, result: Value },
    /// The turn is over.
    #[serde(rename = "turn.finished")]
    TurnFinished { turn: String, stop_reason: String, usage: Usage, timings: BTreeMap<String, u64> },
    /// The turn could not go on.
    #[serde(rename = "turn.failed")]
    TurnFailed { turn: String, problem: Problem },
}

/// An event in its place in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedEvent {
    /// Increasing by one, from 1.
    pub seq: u64,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}
