//! npm and URL imports in, immutable ES modules out.
//!
//! Owns what an import of an artifact *means*: which package and version a specifier stands for, the one graph that all
//! imports of an artifact share, the bytes of the packages (fetched from the user's own registry and checked against
//! their integrity before they are written), the modules that are built from them, the declarations that a TypeScript
//! checker reads (and that checker itself), and the lock that pins all of it.
//!
//! Knows nothing of sessions, models, frames or pages. Never runs a package: install scripts are not looked at, and the
//! export names that no lexer finds are learnt by whoever implements [`ExportNames`], in a process of its own.
//!
//! Invariants
//! - One artifact, one graph, one React: the React family is solved first and is never in a graph twice.
//! - A module's name is the sha256 of its bytes, and its imports are names of the same kind: what was locked is there for
//!   ever, or not at all.
//! - Nothing is written under its final name before it is whole and verified.
//! - Nothing is removed while somebody holds a lease, and nothing that a lock names.
//! - A package that fails, fails alone.

mod address;
mod build;
mod cache;
mod declarations;
mod diagnostics;
mod error;
mod flight;
mod graph;
mod icons;
mod known;
mod limits;
mod npm;
mod own;
mod policy;
mod proxy;
mod serve;
mod specifier;

pub use address::guard::Names;
pub use build::names::ExportNames;
pub use build::store::Module;
pub use cache::{Bundled, Cache, Collect, Collected};
pub use declarations::Declarations;
pub use error::RegistryError;
pub use limits::Limits;
pub use own::OwnPackage;
pub use policy::Policy;
pub use proxy::{Config, Proxy, Resolution};

/// The builder that makes modules: part of every build's key and of every lock, so that a change in how modules are made
/// never changes what an address answers.
pub const BUILDER: &str = "8-rolldown-1.2.5";
