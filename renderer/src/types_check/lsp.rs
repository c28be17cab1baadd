//! The Language Server Protocol, as far as it is needed: messages over pipes, and pulled diagnostics.

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};

/// Bytes of one message.
const LONGEST_MESSAGE: usize = 64 << 20;
/// Bytes of a header line.
const LONGEST_HEADER: u64 = 4096;

/// What the checker says of a place, as it says it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Raw {
    pub range: Range,
    /// 1 is an error; the others are advice.
    #[serde(default)]
    pub severity: u32,
    /// TypeScript's number.
    #[serde(default)]
    pub code: u32,
    #[serde(default)]
    pub message: String,
}

/// A range; lines and UTF-16 columns count from 0.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Range {
    pub start: Place,
    pub end: Place,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Place {
    pub line: u32,
    pub character: u32,
}

/// A connection to a language server.
#[derive(Debug)]
pub(super) struct Connection {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Connection {
    pub fn new(input: ChildStdin, output: ChildStdout) -> Self {
        Self { input, output: BufReader::new(output), next: 0 }
    }

    /// Tells something.
    pub async fn tell(&mut self, method: &str, params: Value) -> Result<(), String> {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await
    }

    /// Asks something, and answers what the server asks meanwhile.
    pub async fn ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.next += 1;
        let id = self.next;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        loop {
            let mut message = self.read().await?;
            if let Some(asked) = message.get("method").and_then(Value::as_str) {
                if let Some(theirs) = message.get("id").filter(|id| !id.is_null()) {
                    let answer = nothing(asked, &message["params"]);
                    self.write(&json!({"jsonrpc": "2.0", "id": theirs, "result": answer})).await?;
                }
                continue;
            }
            if message.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            if let Some(error) = message.get("error") {
                return Err(error["message"].as_str().unwrap_or("it answered with an error").to_owned());
            }
            return Ok(message["result"].take());
        }
    }

    async fn write(&mut self, message: &Value) -> Result<(), String> {
        let body = message.to_string();
        let whole = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let sent = async {
            self.input.write_all(whole.as_bytes()).await?;
            self.input.flush().await
        };
        sent.await.map_err(|error| format!("it takes no more: {error}"))
    }

    async fn read(&mut self) -> Result<Value, String> {
        let ended = |error: std::io::Error| format!("it ended: {error}");
        let mut length = None;
        loop {
            let mut line = Vec::new();
            let mut bounded = (&mut self.output).take(LONGEST_HEADER);
            if bounded.read_until(b'\n', &mut line).await.map_err(ended)? == 0 {
                return Err("it ended".to_owned());
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse::<usize>().ok();
            }
        }
        let length =
            length.filter(|length| *length <= LONGEST_MESSAGE).ok_or("it sent a message of no known length")?;
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).await.map_err(ended)?;
        serde_json::from_slice(&body).map_err(|error| format!("it sent no JSON: {error}"))
    }
}

/// What a client with no settings answers.
fn nothing(method: &str, params: &Value) -> Value {
    match (method, params["items"].as_array()) {
        ("workspace/configuration", Some(items)) => Value::Array(vec![Value::Null; items.len()]),
        _ => Value::Null,
    }
}
