//! What the sandbox says of a frame.

use crate::Diagnostic;
use serde::{Deserialize, Serialize};

/// How a frame came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportStatus {
    /// Something is visible.
    Rendered,
    /// It mounted and nothing is visible.
    Blank,
    /// It threw.
    Error,
}

/// One error that the sandbox caught.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportError {
    /// `module`, `render`, `effect`, `handler`, `promise`, `resource`, or `freeze`: it was stopped from outside.
    pub phase: String,
    /// A stable name in kebab case for what the sandbox knows by itself: `endless-loop`, `endless-render`,
    /// `endless-effect`, `too-many-elements`, `unknown-export`, `frozen`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The error's message, at most 2,000 characters.
    pub message: String,
    /// The cell it was thrown in, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
    /// Line: in the compiled cell as the sandbox sends it, in the model's source once the server has mapped it. 0: unknown.
    #[serde(default)]
    pub line: u32,
    /// Column, likewise.
    #[serde(default)]
    pub column: u32,
    /// The components around it, innermost first, one `at Name` a line; those of the module with `(line N)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_stack: Option<String>,
}

/// What the sandbox says of one frame of a revision. A report is evidence, not truth: model-written code shares the
/// realm in which it is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The revision.
    pub rev: u32,
    /// The frame.
    pub frame: u32,
    /// How it came out.
    pub status: ReportStatus,
    /// What was thrown.
    #[serde(default)]
    pub errors: Vec<ReportError>,
    /// Content width in CSS pixels.
    #[serde(default)]
    pub width: u32,
    /// Content height in CSS pixels.
    #[serde(default)]
    pub height: u32,
    /// Milliseconds from the frame's arrival to its commit.
    #[serde(default)]
    pub ms: f64,
    /// Imports on their way: what needs them is not drawn yet.
    #[serde(default)]
    pub pending: u32,
    /// What was measured in the layout of a whole revision, as diagnostics of the phase `layout`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Diagnostic>,
    /// Whether the layout was looked at: `findings` is all there is.
    #[serde(default)]
    pub looked: bool,
    /// The newest lines of the console.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub console: Vec<ConsoleLine>,
    /// Lines of the console that were too many to be kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u32,
}

/// What model code wrote to the console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsoleLine {
    /// `debug`, `log`, `info`, `warn` or `error`.
    pub level: String,
    /// The text, at most 500 characters.
    pub text: String,
    /// How often it came in a row.
    #[serde(default = "once", skip_serializing_if = "is_one")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Report {
    /// Whether the sandbox was stopped because it did not give its process back.
    pub fn is_frozen(&self) -> bool {
        self.errors.iter().any(|error| error.code.as_deref() == Some("frozen"))
    }
}
