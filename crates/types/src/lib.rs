//! The vocabulary that every UI4A crate shares: identifiers, artifacts, diagnostics, frames, actions and the events of
//! the session log, exactly as `contracts` spells them on the wire.
//!
//! Owns names and shapes. Knows nothing of files, networks, clocks or models, and does no IO: `serde` is its one idea.

pub mod action;
pub mod address;
pub mod artifact;
pub mod diagnostic;
pub mod edits;
pub mod event;
pub mod frame;
pub mod import;
pub mod json;
pub mod report;

pub use action::{Action, ActionKind, Visibility};
pub use address::AddressRole;
pub use artifact::{Carrier, Dialect, Kind};
pub use diagnostic::{Diagnostic, Phase, Severity};
pub use event::{Event, Fault, Problem, RepairOutcome, Specialist, TurnInput, Usage};
pub use frame::{CellPatch, Frame, TextPatch};
pub use import::{ImportState, ImportStatus, ImportUse, Lock, LockEntry, LockedPackage};
pub use report::{ConsoleLine, Report, ReportError, ReportStatus};
