//! `ui4a check FILE`

use super::{Failure, Outcome, print_json, print_line, read_source, wait_for};
use crate::agent::{judged, outside};
use crate::paths::Paths;
use crate::runtime::Runtime;
use crate::services;
use crate::settings::Settings;
use crate::type_check::Types;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use ui4a_renderer::types_check::Module;
use ui4a_renderer::{Compiled, Options, compile};
use ui4a_types::{Diagnostic, Kind, Severity};

/// Checks a source file.
#[derive(Args)]
pub struct Check {
    /// The file, or - for stdin.
    file: PathBuf,
    /// Print one JSON array of diagnostics.
    #[arg(long)]
    json: bool,
    /// Do not judge packages and types, which needs the packages that the file imports.
    #[arg(long)]
    no_types: bool,
}

impl Check {
    /// Exit 1 when there is an error among the findings.
    pub fn run(self, settings: &Settings, paths: &Paths) -> Outcome {
        let (source, kind) = read_source(&self.file)?;
        let runtime = Runtime::compile().map_err(Failure::environment)?;
        let compiled = compile(&source, &Options { kind, kit: Arc::clone(&runtime.kit_names) });
        let mut diagnostics = compiled.diagnostics.clone();
        if kind == Kind::Tsx && !self.no_types {
            let module = Module::new(&source, &compiled);
            diagnostics.extend(wait_for(beyond(settings, paths, &runtime, &compiled, &module))??);
            diagnostics.sort_by_key(|found| (found.line == 0, found.line, found.column));
        }
        if self.json {
            print_json(&diagnostics)?;
        } else {
            let file = self.file.display().to_string();
            diagnostics.iter().try_for_each(|found| print_line(&line(&file, found)))?;
        }
        let bad = !compiled.ok || diagnostics.iter().any(|found| found.severity == Severity::Error);
        Ok(ExitCode::from(u8::from(bad)))
    }
}

/// What packages and types say.
async fn beyond(
    settings: &Settings,
    paths: &Paths,
    runtime: &Runtime,
    compiled: &Compiled,
    module: &Module,
) -> anyhow::Result<Vec<Diagnostic>> {
    let proxy = services::proxy(paths, runtime, settings)?;
    let resolution = proxy.resolve(&outside(&compiled.imports, Kind::Tsx), None, &|_, _| {}).await;
    let mut found = judged(resolution.diagnostics);
    found.extend(Types::new(&proxy).check(module, &resolution.lock).await);
    Ok(found)
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
