//! The command line: one command a file.
//!
//! Data goes to stdout, everything else to stderr. Exit 0; 1: what was given is bad; 2: usage; 3: the environment.

mod cache;
mod check;
mod doctor;
mod export;
mod failure;
mod generate;
mod key;
mod mcp;
mod model;
mod open;
mod plugin;
mod remote;
mod render;
mod resolve;
mod serve;
mod size;
mod stream;

pub use failure::{Failure, Outcome};

use crate::paths::Paths;
use crate::settings::{Options, Settings};
use clap::{Args, Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "ui4a", version, about = "Turns a request into a living interface, streamed, sandboxed and mended.")]
struct Cli {
    #[command(flatten)]
    flags: Flags,
    #[command(subcommand)]
    command: Command,
}

/// Settings on the command line; they win over every other layer.
#[derive(Args, Default)]
struct Flags {
    /// Model to use: an id of `ui4a model list`, or a GGUF file.
    #[arg(long, global = true, value_name = "ID")]
    model: Option<String>,
    /// Threads of the embedded model.
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
    /// Most tokens of an answer.
    #[arg(long, global = true, value_name = "N")]
    max_tokens: Option<usize>,
}

#[derive(Subcommand)]
enum Command {
    /// Start the server and open the page.
    Serve(serve::Serve),
    /// Print a one-time link to the running server, and open it.
    Open(open::Open),
    /// Let the model answer a prompt on the terminal.
    Generate(generate::Generate),
    /// Check a source file and print what is wrong with it.
    Check(check::Check),
    /// Render a source file to one HTML page that needs no network.
    Render(render::Render),
    /// Replay a file as a stream, chunk by chunk, and print what each frame cost.
    Stream(stream::Stream),
    /// Resolve import specifiers as one graph.
    Resolve(resolve::Resolve),
    /// Export an artifact of the running server.
    Export(export::Export),
    /// List, fetch and remove models.
    #[command(subcommand)]
    Model(model::Model),
    /// Look after the package cache.
    #[command(subcommand)]
    Cache(cache::Cache),
    /// Look after the keys of programs that use the APIs.
    #[command(subcommand)]
    Key(key::Key),
    /// Serve coding assistants over MCP on stdin and stdout.
    Mcp(mcp::Mcp),
    /// Put the plugin where a coding assistant finds it.
    #[command(subcommand)]
    Plugin(plugin::Plugin),
    /// Say what works on this machine and what does not.
    Doctor(doctor::Doctor),
    /// Run untrusted code; started by the program itself.
    #[command(hide = true)]
    Isolate,
}

/// Runs the command line.
pub fn main() -> ExitCode {
    // Before anything else: the worker must have opened nothing and started no thread when it locks itself in.
    if std::env::args_os().nth(1).is_some_and(|first| first == "isolate") {
        ui4a_isolate::worker_main();
    }
    let cli = Cli::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_env("UI4A_LOG").unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    match run(cli) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli) -> Outcome {
    let flags = Options {
        model: cli.flags.model,
        threads: cli.flags.threads,
        max_tokens: cli.flags.max_tokens,
        ..Options::default()
    };
    let paths = Paths::find()?;
    match cli.command {
        Command::Serve(command) => command.run(flags, paths),
        Command::Open(command) => command.run(&paths),
        Command::Generate(command) => command.run(settings(flags, &paths)?, &paths),
        Command::Check(command) => command.run(&settings_of_command(flags, &paths)?, &paths),
        Command::Render(command) => command.run(&settings_of_command(flags, &paths)?, &paths),
        Command::Stream(command) => command.run(),
        Command::Resolve(command) => command.run(&settings_of_command(flags, &paths)?, &paths),
        Command::Export(command) => command.run(&paths),
        Command::Model(command) => command.run(&paths),
        Command::Cache(command) => command.run(&settings_of_command(flags, &paths)?, &paths),
        Command::Key(command) => command.run(&paths),
        Command::Mcp(command) => command.run(&paths),
        Command::Plugin(command) => command.run(&paths),
        Command::Doctor(command) => command.run(settings(flags, &paths)?, &paths),
        Command::Isolate => unreachable!("handled before the arguments were parsed"),
    }
}

/// All layers of settings.
fn settings(flags: Options, paths: &Paths) -> Result<Settings, Failure> {
    let project = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    Settings::load(flags, paths, &project).map_err(Failure::usage)
}

/// The same for a command that ends when it has answered: nobody would be there to fetch new metadata behind old, so that
/// is waited for.
fn settings_of_command(flags: Options, paths: &Paths) -> Result<Settings, Failure> {
    let mut settings = settings(flags, paths)?;
    settings.limits.packument_stale = std::time::Duration::ZERO;
    Ok(settings)
}

/// A runtime for commands that wait.
fn wait_for<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::environment)?;
    Ok(runtime.block_on(work))
}

/// A source file, or stdin for `-`, and its language by extension.
fn read_source(file: &Path) -> Result<(String, ui4a_types::Kind), Failure> {
    use ui4a_types::Kind;
    let bytes = if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map_err(Failure::environment)?;
        bytes
    } else {
        std::fs::read(file).map_err(|error| Failure::bad(anyhow::anyhow!("{}: {error}", file.display())))?
    };
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::bad(anyhow::anyhow!("{} is not UTF-8 text; save it as UTF-8", file.display())))?;
    let kind = match file.extension().and_then(|extension| extension.to_str()) {
        Some("html" | "htm") => Kind::Html,
        Some("svg") => Kind::Svg,
        Some("md" | "markdown") => Kind::Markdown,
        _ => Kind::Tsx,
    };
    Ok((text, kind))
}

/// Prints one line of JSON to stdout.
fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print_line(&serde_json::to_string(value).map_err(Failure::environment)?)
}

/// Prints one line to stdout. Whoever reads it and has seen enough (`| head -1`) makes it no failure.
fn print_line(line: &str) -> Result<(), Failure> {
    use std::io::Write as _;
    has_reader(writeln!(std::io::stdout().lock(), "{line}")).map(drop)
}

/// Whether somebody still reads what was written.
fn has_reader(written: std::io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::environment(error)),
    }
}
