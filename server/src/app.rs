//! Everything that routes and the agent share.

use crate::door::{Links, Token};
use crate::hub::Hub;
use crate::model::Model;
use crate::origins::Origins;
use crate::paths::Paths;
use crate::runtime::Runtime;
use crate::settings::Settings;
use crate::type_check::Types;
use crate::v1::{Running, Views};
use std::sync::Arc;
use ui4a_registry_proxy::Proxy;
use ui4a_store::Db;

/// The running program.
pub struct App {
    /// What it runs with.
    pub settings: Settings,
    /// Its folders.
    pub paths: Paths,
    /// Its addresses.
    pub origins: Origins,
    /// The secret.
    pub token: Token,
    /// One-time links.
    pub links: Links,
    /// The database.
    pub db: Arc<Db>,
    /// Live sessions.
    pub hub: Hub,
    /// The model, loaded when first asked.
    pub model: Model,
    /// Requests of programs that have a key.
    pub running: Running,
    /// Who gave which answer of the APIs.
    pub views: Views,
    /// Imports.
    pub proxy: Arc<Proxy>,
    /// Type checks.
    pub types: Types,
    /// Page scripts, the sandbox document, the kit: compiled.
    pub runtime: Runtime,
}
