//! What an artifact is, and how its source arrived.

use serde::{Deserialize, Serialize};

/// The language of an artifact's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One TypeScript-with-JSX module with a default export.
    Tsx,
    /// A document or a fragment.
    Html,
    /// One `<svg>` element.
    Svg,
    /// CommonMark with tables and maths.
    Markdown,
}

/// The family of specifiers that the source uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// `$ui4a/*`.
    #[default]
    Ui4a,
    /// `$macaron/*`, the older dialect.
    Macaron,
}

/// How the source arrived in the model's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Carrier {
    /// A fence with the info string `ui4a/tsx` or `ui4a/html`.
    Fence,
    /// The argument of a `render_ui` tool call.
    Tool,
    /// An `<antArtifact>` element or an `:::artifact` block.
    Tag,
    /// A plain code fence, or an answer that is nothing but a module.
    Bare,
}
