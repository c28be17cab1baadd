//! Findings about a revision, as text that a model and a person can act on.

use std::fmt::Write as _;
use ui4a_types::{Diagnostic, Report, ReportError, ReportStatus, Severity};

/// Most findings told at once: a small model mends the first few and loses its way in more.
const MOST: usize = 5;

/// The errors among `diagnostics`, numbered, each with its line. `None` when there is none.
pub fn of_diagnostics(diagnostics: &[Diagnostic]) -> Option<String> {
    let mut text = String::new();
    for (index, finding) in
        diagnostics.iter().filter(|finding| finding.severity == Severity::Error).take(MOST).enumerate()
    {
        let _ = write!(text, "{}. ", index + 1);
        if finding.line > 0 {
            let _ = write!(text, "Line {}: ", finding.line);
        }
        let _ = writeln!(text, "{}", finding.message);
        if let Some(line) = &finding.source_line {
            let _ = writeln!(text, "   {}", line.trim());
        }
        if let Some(help) = &finding.help {
            let _ = writeln!(text, "   {help}");
        }
    }
    (!text.is_empty()).then_some(text)
}

/// What a report says went wrong. `None` when it says that all is well.
pub fn of_report(report: &Report, source: &str) -> Option<String> {
    let mut text = String::new();
    for (index, error) in report.errors.iter().take(MOST).enumerate() {
        let _ = writeln!(text, "{}. {}", index + 1, sentence(error));
        if let Some(line) = (error.line > 0).then(|| source.lines().nth(error.line as usize - 1)).flatten() {
            let _ = writeln!(text, "   {}", line.trim());
        }
    }
    match report.status {
        ReportStatus::Blank if text.is_empty() => {
            Some("1. Nothing is visible: the component renders no text and no element.\n".to_owned())
        }
        ReportStatus::Error if text.is_empty() => Some("1. The module failed without a message.\n".to_owned()),
        _ => (!text.is_empty()).then_some(text),
    }
}

fn sentence(error: &ReportError) -> String {
    let place = if error.line > 0 { format!("Line {}: ", error.line) } else { String::new() };
    let when = match error.phase.as_str() {
        "render" => "while rendering",
        "effect" => "in an effect",
        "handler" => "in an event handler",
        "promise" => "in a promise",
        "resource" => "while loading a resource",
        _ => "while the module ran",
    };
    format!("{place}{} ({when})", error.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ui4a_types::Phase;

    #[test]
    fn only_errors_are_told_and_with_their_line() {
        let source = "const a = 1\nreturn b\n";
        let found = [
            Diagnostic::new("x", Severity::Warning, Phase::Type, "A warning."),
            Diagnostic::new("y", Severity::Error, Phase::Type, "`b` is not defined.")
                .at(source, 19, 20)
                .help("Declare it."),
        ];
        assert_eq!(
            of_diagnostics(&found).as_deref(),
            Some("1. Line 2: `b` is not defined.\n   return b\n   Declare it.\n")
        );
        assert_eq!(of_diagnostics(&found[..1]), None);
    }
}
