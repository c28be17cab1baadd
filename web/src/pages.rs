//! The pages: askama templates and what they need to be told.
//!
//! Owns HTML. Knows nothing of sessions, tokens or headers: the server fills the fields and sends the policy. No page
//! holds an inline script or an inline style, so `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'
//! data:; connect-src 'self'; frame-src <sandbox origins>` is enough for all of them.

use askama::Template;
use serde::Serialize;

/// The conversation: `/` and `/sessions/{id}`.
#[derive(Template, Clone, Debug)]
#[template(path = "main.html")]
pub struct MainPage<'a> {
    /// The session to open, or empty for a new one.
    pub session: &'a str,
    /// Address of the sandbox with `{label}` for the label of a mount: `http://{label}.localhost:4401`.
    pub sandbox: &'a str,
    /// The model that answers.
    pub model: &'a str,
    /// Where it runs: `embedded`, or a provider's name.
    pub provider: &'a str,
}

/// One artifact alone, for an iframe on another page: `/embed/{capability}`.
#[derive(Template, Clone, Debug)]
#[template(path = "embed.html")]
pub struct EmbedPage<'a> {
    /// Title of the artifact.
    pub title: &'a str,
    /// Address of the sandbox, with `{label}`.
    pub sandbox: &'a str,
    data: String,
}

impl<'a> EmbedPage<'a> {
    /// The page that shows `data`.
    ///
    /// # Errors
    /// When `data` cannot be written as JSON.
    pub fn new(title: &'a str, sandbox: &'a str, data: &impl Serialize) -> Result<Self, serde_json::Error> {
        Ok(Self { title, sandbox, data: script_json(data)? })
    }
}

/// The Claude Code sessions on this machine: `/transcripts`.
#[derive(Template, Clone, Debug)]
#[template(path = "transcripts.html")]
pub struct TranscriptsPage;

/// One of them: `/transcripts/{project}/{session}`.
#[derive(Template, Clone, Debug)]
#[template(path = "transcript.html")]
pub struct TranscriptPage<'a> {
    /// The project's folder name.
    pub project: &'a str,
    /// The session's id.
    pub session: &'a str,
    /// Address of the sandbox, with `{label}`.
    pub sandbox: &'a str,
}

/// What a browser without a valid token sees, with status 401.
#[derive(Template, Clone, Debug)]
#[template(path = "login.html")]
pub struct LoginPage {
    /// Whether a link was used that is spent or wrong, rather than none.
    pub bad_link: bool,
}

/// Anything that went wrong with a page.
#[derive(Template, Clone, Debug)]
#[template(path = "error.html")]
pub struct ErrorPage<'a> {
    /// The HTTP status.
    pub status: u16,
    /// One sentence: what happened.
    pub title: &'a str,
    /// What to do.
    pub detail: &'a str,
}

/// JSON that can stand in a `<script type="application/json">`: no `<` can close the element or open a comment.
fn script_json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}
