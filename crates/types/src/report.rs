//! What the sandbox says of a frame.

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
    /// `module`, `render`, `effect`, `handler`, `promise` or `resource`.
    pub phase: String,
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
    /// React's component stack.
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
}
