//! `ui4a mcp`: coding assistants over stdin and stdout.

use super::remote::ServerFile;
use super::{Failure, Outcome, wait_for};
use crate::paths::Paths;
use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;
use ui4a_plugin::mcp::Server;

/// How long a started server may take until it answers.
const START: Duration = Duration::from_secs(30);

/// How long to look for another assistant's server when ours ended at once.
const MOMENT: Duration = Duration::from_secs(5);

/// Serves MCP.
#[derive(Args)]
pub struct Mcp {}

impl Mcp {
    /// Finds the running server or starts one, then speaks MCP until stdin closes.
    pub fn run(self, paths: &Paths) -> Outcome {
        wait_for(async {
            let server = match ServerFile::find(&paths.server_file()).await {
                Some(server) => server,
                None => start(paths).await?,
            };
            let token = std::fs::read_to_string(paths.token()).context("reading the token")?;
            let server = Server { origin: server.origins.main, token: token.trim().to_owned() };
            ui4a_plugin::mcp::serve(server).await.map_err(anyhow::Error::from)
        })?
        .map_err(Failure::environment)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Starts a server that outlives this process.
async fn start(paths: &Paths) -> Result<ServerFile> {
    let program = std::env::current_exe().context("finding this program's own file")?;
    let log_path = paths.data.join("server.log");
    std::fs::create_dir_all(&paths.data).with_context(|| format!("creating {}", paths.data.display()))?;
    let log = std::fs::File::create(&log_path).with_context(|| format!("writing {}", log_path.display()))?;
    let mut command = Command::new(program);
    command.args(["serve", "--no-open"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    // It outlives this folder's project and serves others too: no project's settings are its.
    command.current_dir(&paths.data);
    for name in ["UI4A_HOME", "UI4A_MODELS"] {
        if let Some(folder) = std::env::var_os(name).filter(|folder| !folder.is_empty()) {
            command.env(name, std::path::absolute(&folder).with_context(|| format!("{name} is not a usable path"))?);
        }
    }
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().context("starting the server")?;
    let started = tokio::time::Instant::now();
    loop {
        let ended = child.try_wait().context("watching the server")?;
        if let Some(server) = ServerFile::find(&paths.server_file()).await {
            return Ok(server);
        }
        // Ours ends when another assistant's came first: that one needs a moment more.
        if let Some(status) = ended
            && started.elapsed() > MOMENT
        {
            let said = std::fs::read_to_string(&log_path).unwrap_or_default();
            return Err(anyhow!("the server did not start ({status}): {}", said.trim()));
        }
        anyhow::ensure!(
            started.elapsed() < START,
            "the server did not start within {} s; see {}",
            START.as_secs(),
            log_path.display()
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
