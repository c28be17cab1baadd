//! The checker's process: started confined, given texts that exist in memory alone.

use super::lsp::{Connection, Raw};
use super::project::{ARTIFACT, BESIDE};
use super::{Launch, NotChecked};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStderr};
use ui4a_isolate::{Confined, FENCES_MISSING};

/// Address space: the program reserves much more than it uses.
const ADDRESS_SPACE: u64 = 6 << 30;
/// Processor time in one life. A check takes a fraction of a second.
const PROCESSOR_SECONDS: u64 = 1800;
/// Bytes of its standard error that are looked at.
const LONGEST_STDERR: u64 = 64 << 10;

/// A running checker. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    connection: Connection,
    /// The project whose documents are open.
    project: Option<PathBuf>,
    version: u64,
}

impl Process {
    /// Starts one and greets it.
    pub async fn start(launch: &Launch) -> Result<Self, NotChecked> {
        let start = |error: String| NotChecked::Start(error);
        let library = launch.program.parent().unwrap_or(&launch.program).to_owned();
        let folder = library.clone();
        let confined = Confined {
            program: launch.program.clone(),
            arguments: vec!["--lsp".to_owned(), "--stdio".to_owned()],
            // The collector works harder before the limit on memory is met.
            environment: [("GOMEMLIMIT".to_owned(), launch.memory.to_string())].into(),
            readable: launch.readable.iter().cloned().chain([library]).collect(),
            folder,
            address_space: ADDRESS_SPACE,
            processor_seconds: PROCESSOR_SECONDS,
        };
        let mut command = confined.command(&launch.launcher).map_err(|error| start(error.to_string()))?;
        let mut child = command.spawn().map_err(|error| start(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else { return Err(start("no pipes".to_owned())) };
        let said = tokio::spawn(listen(errors));
        let mut process = Self { child, connection: Connection::new(input, output), project: None, version: 0 };
        match process.greet().await {
            Ok(()) => Ok(process),
            Err(error) => {
                drop(process);
                let said = said.await.unwrap_or_default();
                Err(start(if said.is_empty() { error } else { said }))
            }
        }
    }

    async fn greet(&mut self) -> Result<(), String> {
        let capabilities = json!({
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {"diagnostic": {}, "synchronization": {}},
        });
        let hello = json!({
            "processId": null, "rootUri": null, "capabilities": capabilities,
            "initializationOptions": {"disableAutomaticTypingAcquisition": true},
        });
        self.connection.ask("initialize", hello).await?;
        self.connection.tell("initialized", json!({})).await
    }

    /// What it says of a text in a project.
    pub async fn check(&mut self, project: &Path, text: &str) -> Result<Vec<Raw>, NotChecked> {
        let answer = self.ask(project, text).await;
        let answer = match answer {
            Ok(answer) => answer,
            // Where it died of a signal, that says more.
            Err(error) => return Err(NotChecked::Failed(self.ended().unwrap_or(error))),
        };
        let items = answer.get("items").cloned().unwrap_or(Value::Array(Vec::new()));
        ui4a_types::json::from_value(items).map_err(|error| NotChecked::Failed(format!("its answer: {error}")))
    }

    async fn ask(&mut self, project: &Path, text: &str) -> Result<Value, String> {
        self.version += 1;
        let version = self.version;
        let (artifact, beside) = (uri(project, ARTIFACT)?, uri(project, BESIDE)?);
        let other = format!("export {{}}; // {version}\n");
        let texts = [(&artifact, "typescriptreact", text), (&beside, "typescript", &other)];
        if self.project.as_deref() != Some(project) {
            if let Some(before) = self.project.take() {
                for name in [ARTIFACT, BESIDE] {
                    let document = json!({"textDocument": {"uri": uri(&before, name)?}});
                    self.connection.tell("textDocument/didClose", document).await?;
                }
            }
            for (uri, language, text) in texts {
                let document = json!({"uri": uri, "languageId": language, "version": version, "text": text});
                self.connection.tell("textDocument/didOpen", json!({"textDocument": document})).await?;
            }
            self.project = Some(project.to_owned());
        } else {
            // Two documents change at a time: after a change of one alone the checker indexes every package for
            // completions that nobody asks for, which takes ten times as long as the check.
            for (uri, _, text) in texts {
                let change =
                    json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]});
                self.connection.tell("textDocument/didChange", change).await?;
            }
        }
        self.connection.ask("textDocument/diagnostic", json!({"textDocument": {"uri": artifact}})).await
    }

    /// Its number, while it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Bytes of memory that it holds, where the system says so.
    pub fn resident(&self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()?)).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    }

    fn ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok().flatten()?;
        Some(format!("it ended with {status}"))
    }
}

/// A file's address, percent-encoded where a path holds more than plain letters.
fn uri(project: &Path, name: &str) -> Result<String, String> {
    let path = project.join(name);
    let path = path.to_str().ok_or("the path of the declarations is not UTF-8")?;
    let mut uri = String::from("file://");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    Ok(uri)
}

/// Reads standard error to its end; answers its beginning. What the system lacks to confine the process is told once it is
/// known.
async fn listen(errors: ChildStderr) -> String {
    let mut lines = BufReader::new(errors.take(LONGEST_STDERR)).lines();
    let mut said = String::new();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(missing) = line.strip_prefix(FENCES_MISSING) {
            tracing::warn!(missing, "this system confines the type checker less than it could");
        } else if said.len() < 500 {
            said.push_str(line.strip_prefix("ui4a: ").unwrap_or(&line));
            said.push(' ');
        }
    }
    // A pipe that nobody reads would stop it.
    let mut rest = lines.into_inner().into_inner().into_inner();
    let _ = tokio::io::copy(&mut rest, &mut tokio::io::sink()).await;
    said.trim_end().chars().take(300).collect()
}
