//! Errors in the shapes of the APIs that are imitated.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use ui4a_engine::EngineError;

/// Whose API a request speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Chat Completions and models.
    OpenAi,
    /// Messages.
    Anthropic,
}

impl Api {
    /// The API of a path below `/v1/`.
    pub fn of(path: &str) -> Self {
        if path.starts_with("/v1/messages") { Self::Anthropic } else { Self::OpenAi }
    }
}

/// Why a request was not answered.
#[derive(Clone, Debug)]
pub struct Fault {
    status: StatusCode,
    /// A stable word for programs.
    code: &'static str,
    /// The field that it is about.
    param: Option<String>,
    /// Seconds after which it may be tried again.
    retry: u64,
    message: String,
}

impl Fault {
    /// A fault; `message` says what happened and what to do.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, param: None, retry: 5, message: message.into() }
    }

    /// A field that cannot be taken.
    pub fn param(name: &str, code: &'static str, message: impl Into<String>) -> Self {
        Self { param: Some(name.to_owned()), ..Self::new(StatusCode::BAD_REQUEST, code, message) }
    }

    /// The same, about a field.
    #[must_use]
    pub fn about(self, name: &str) -> Self {
        Self { param: Some(name.to_owned()), status: StatusCode::BAD_REQUEST, ..self }
    }

    /// As the body of an API's error.
    pub fn body(&self, api: Api) -> Value {
        match api {
            Api::OpenAi => json!({"error": {
                "message": self.message, "type": self.openai_type(), "param": self.param, "code": self.code,
            }}),
            Api::Anthropic => {
                json!({"type": "error", "error": {"type": self.anthropic_type(), "message": self.message}})
            }
        }
    }

    /// As an answer of an API.
    pub fn answer(&self, api: Api) -> Response {
        let mut answer = (self.status, Json(self.body(api))).into_response();
        if self.status == StatusCode::TOO_MANY_REQUESTS || self.status == StatusCode::SERVICE_UNAVAILABLE {
            answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(self.retry));
        }
        answer
    }

    fn openai_type(&self) -> &'static str {
        match self.status.as_u16() {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            429 => "rate_limit_error",
            400..=499 => "invalid_request_error",
            _ => "server_error",
        }
    }

    fn anthropic_type(&self) -> &'static str {
        match self.status.as_u16() {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            503 => "overloaded_error",
            400..=499 => "invalid_request_error",
            _ => "api_error",
        }
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        let (status, code) = match &error {
            EngineError::PromptTooLong { .. } => (StatusCode::BAD_REQUEST, "context_length_exceeded"),
            EngineError::Grammar { .. } => (StatusCode::BAD_REQUEST, "invalid_json_schema"),
            EngineError::UnknownAdapter { .. } => (StatusCode::NOT_FOUND, "model_not_found"),
            EngineError::BrokenAdapter { .. } => (StatusCode::BAD_REQUEST, "invalid_adapter"),
            EngineError::NoAdapters { .. } => (StatusCode::BAD_REQUEST, "adapters_not_supported"),
            EngineError::Full { .. } => (StatusCode::SERVICE_UNAVAILABLE, "overloaded"),
            EngineError::Busy { .. } => (StatusCode::TOO_MANY_REQUESTS, "rate_limit_exceeded"),
            EngineError::Unavailable { .. } | EngineError::Stalled { .. } => {
                (StatusCode::SERVICE_UNAVAILABLE, "model_unavailable")
            }
            EngineError::Unauthorized { .. } | EngineError::NotFound { .. } | EngineError::Server { .. } => {
                (StatusCode::BAD_GATEWAY, "upstream_error")
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "model_failed"),
        };
        let mut fault = Self::new(status, code, error.to_string());
        if let EngineError::Full { seconds, .. } = error {
            fault.retry = seconds;
        }
        fault
    }
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<EngineError>() {
            Ok(error) => error.into(),
            Err(error) if error.is::<crate::model::Missing>() => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "model_missing", format!("{error:#}."))
            }
            Err(error) => {
                tracing::error!(%error, "a request failed");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", format!("The server failed: {error:#}."))
            }
        }
    }
}
