//! `ui4a check FILE`

use super::{Failure, Outcome, print_json, print_line, read_source};
use crate::runtime::Runtime;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use ui4a_renderer::{Options, compile};
use ui4a_types::{Diagnostic, Severity};

/// Checks a source file.
#[derive(Args)]
pub struct Check {
    /// The file, or - for stdin.
    file: PathBuf,
    /// Print one JSON array of diagnostics.
    #[arg(long)]
    json: bool,
}

impl Check {
    /// Exit 1 when there is an error among the findings.
    pub fn run(self) -> Outcome {
        let (source, kind) = read_source(&self.file)?;
        let runtime = Runtime::compile().map_err(Failure::environment)?;
        let compiled = compile(&source, &Options { kind, kit: Arc::clone(&runtime.kit_names) });
        if self.json {
            print_json(&compiled.diagnostics)?;
        } else {
            let file = self.file.display().to_string();
            compiled.diagnostics.iter().try_for_each(|found| print_line(&line(&file, found)))?;
        }
        let bad = !compiled.ok || compiled.diagnostics.iter().any(|found| found.severity == Severity::Error);
        Ok(ExitCode::from(u8::from(bad)))
    }
}

/// One finding as compilers print it: `file:line:column: error: message`.
pub fn line(file: &str, found: &Diagnostic) -> String {
    let severity = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "hint",
    };
    let place = if found.line > 0 { format!("{file}:{}:{}", found.line, found.column) } else { file.to_owned() };
    let help = found.help.as_ref().map(|help| format!("\n    {help}")).unwrap_or_default();
    let source = found.source_line.as_ref().map(|line| format!("\n    | {line}")).unwrap_or_default();
    format!("{place}: {severity}: {} [{}]{source}{help}", found.message, found.code)
}
