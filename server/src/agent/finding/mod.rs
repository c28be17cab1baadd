//! Findings about a revision, as text that a model and a person can act on.
//!
//! Owns what counts as a failure, how it is told with the smallest excerpt of the source, and when two failures are the
//! same one. Decides nothing about repairs.

mod excerpt;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use ui4a_types::{Diagnostic, Fault, Report, ReportError, ReportStatus, Severity};

/// Most faults told at once: a small model mends the first few and loses its way in more.
const MOST: usize = 5;
/// Longest sentence for a person, in characters.
const MOST_REASON: usize = 160;
/// Longest message told of one fault, in characters.
const MOST_MESSAGE: usize = 500;
/// Findings that another module would not change: the network, the disk, a registry's rights.
const NOT_THE_MODEL: [&str; 4] =
    ["registry-unreachable", "registry-not-configured", "registry-refused", "cache-failed"];

/// What is wrong with a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// One sentence for the person.
    pub reason: String,
    /// What the model is told: each fault with its line and the lines around it.
    pub evidence: String,
    /// The same, fault by fault.
    pub faults: Vec<Fault>,
    /// The faults by code, message and the text of their line: what tells whether they are the same ones later.
    pub keys: BTreeSet<String>,
}

/// One thing that is wrong.
struct Found {
    code: String,
    message: String,
    /// From 1; 0 when it has none.
    line: u32,
    help: Option<String>,
}

impl From<&Diagnostic> for Found {
    fn from(found: &Diagnostic) -> Self {
        Self { code: found.code.clone(), message: found.message.clone(), line: found.line, help: found.help.clone() }
    }
}

/// The errors among `diagnostics`. `None` when there is none that the model could mend.
pub fn of_diagnostics(diagnostics: &[Diagnostic], source: &str) -> Option<Failure> {
    let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let faults = errors.filter(|found| !NOT_THE_MODEL.contains(&found.code.as_str())).map(Found::from);
    told(faults.collect(), source)
}

/// What a report says went wrong. `None` when it says that all is well, or only that the network failed.
pub fn of_report(report: &Report, source: &str) -> Option<Failure> {
    let mut faults: Vec<_> = report.errors.iter().map(fault).collect();
    // A picture that is missing is no reason to write the interface anew.
    if report.status == ReportStatus::Rendered && report.errors.iter().all(|error| error.phase == "resource") {
        faults.clear();
    }
    if faults.is_empty() {
        faults.extend(report.findings.iter().filter(|found| found.severity == Severity::Error).map(Found::from));
    }
    if faults.is_empty() {
        let (code, message) = match report.status {
            ReportStatus::Rendered => return None,
            ReportStatus::Blank => ("blank", "Nothing is visible: the component renders no text and no element."),
            ReportStatus::Error => ("error", "The module failed without a message."),
        };
        faults.push(Found { code: code.to_owned(), message: message.to_owned(), line: 0, help: None });
    }
    let mut failure = told(faults, source)?;
    failure.evidence.push_str(&beside(report));
    Some(failure)
}

/// What is worth mending together with a failure, or knowing where there is none: the layout, and what the module itself
/// complained of.
pub fn beside(report: &Report) -> String {
    let mut text = String::new();
    for found in report.findings.iter().filter(|found| found.severity != Severity::Error).take(MOST) {
        let _ = writeln!(text, "Also: {}{}", place(found.line), clip(&found.message, MOST_MESSAGE));
    }
    let complaints = report.console.iter().filter(|line| matches!(line.level.as_str(), "error" | "warn"));
    for line in complaints.rev().take(MOST) {
        let _ = writeln!(text, "Console: {}", clip(&line.text, MOST_REASON));
    }
    text
}

/// The components of the module around an error, innermost first, when there are several.
fn around(error: &ReportError) -> Option<String> {
    let stack = error.component_stack.as_deref().unwrap_or_default();
    let own: Vec<_> = stack
        .lines()
        .filter(|line| line.contains("(line "))
        .map(|line| line.trim().trim_start_matches("at "))
        .collect();
    (own.len() > 1).then(|| format!("In {}.", own[..own.len().min(MOST)].join(", in ")))
}

fn fault(error: &ReportError) -> Found {
    let when = match error.phase.as_str() {
        "render" => "while rendering",
        "effect" => "in an effect",
        "handler" => "in an event handler",
        "promise" => "in a promise",
        "resource" => "while loading a resource",
        "freeze" => "so it was stopped",
        _ => "while the module ran",
    };
    let first = error.component_stack.as_deref().and_then(|stack| stack.lines().find(|line| !line.trim().is_empty()));
    let place = first.filter(|_| error.line == 0).map(|at| format!(", {}", at.trim())).unwrap_or_default();
    Found {
        code: error.phase.clone(),
        message: format!("{} ({when}{place})", clip(error.message.trim(), MOST_MESSAGE)),
        line: error.line,
        help: around(error),
    }
}

fn told(found: Vec<Found>, source: &str) -> Option<Failure> {
    let first = found.first()?;
    let reason = clip(&format!("{}{}", place(first.line), first.message), MOST_REASON);
    let lines: Vec<&str> = source.lines().collect();
    let mut evidence = String::new();
    let mut faults = Vec::new();
    for (at, Found { message, line, help, .. }) in found.iter().take(MOST).enumerate() {
        let mut message = clip(message, MOST_MESSAGE);
        if let Some(help) = help {
            let _ = write!(message, "\n   {help}");
        }
        let _ = writeln!(evidence, "{}. {}{message}", at + 1, place(*line));
        faults.push(Fault { line: *line, message });
    }
    if found.len() > MOST {
        let _ = writeln!(evidence, "{} more of the kind.", found.len() - MOST);
    }
    let marked: BTreeSet<u32> = faults.iter().map(|fault| fault.line).collect();
    evidence.push_str(&excerpt::around(&lines, &marked));
    let keys = found.iter().map(|Found { code, message, line, .. }| {
        let text = line.checked_sub(1).and_then(|at| lines.get(at as usize)).copied().unwrap_or_default();
        format!("{code}|{}|{}", squeezed(message), squeezed(text))
    });
    Some(Failure { reason, evidence, faults, keys: keys.collect() })
}

fn place(line: u32) -> String {
    if line > 0 { format!("Line {line}: ") } else { String::new() }
}

/// White space and numbers do not make another fault: lines move.
fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_whitespace() => {}
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            _ => out.push(c),
        }
    }
    out
}

fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ui4a_types::Phase;

    fn error(phase: &str, message: &str, line: u32) -> ReportError {
        ReportError {
            phase: phase.into(),
            code: None,
            message: message.into(),
            cell: None,
            line,
            column: 1,
            component_stack: Some("\n    at Chart\n    at App".into()),
        }
    }

    fn report(status: ReportStatus, errors: Vec<ReportError>) -> Report {
        Report {
            rev: 1,
            frame: 1,
            status,
            errors,
            width: 0,
            height: 0,
            ms: 0.0,
            pending: 0,
            findings: Vec::new(),
            looked: true,
            console: Vec::new(),
            dropped: 0,
        }
    }

    #[test]
    fn only_errors_are_told_with_their_line_and_the_lines_around() {
        let source = "const a = 1\nreturn b\n";
        let found = [
            Diagnostic::new("x", Severity::Warning, Phase::Type, "A warning."),
            Diagnostic::new("y", Severity::Error, Phase::Type, "`b` is not defined.")
                .at(source, 19, 20)
                .help("Declare it."),
        ];
        let failure = of_diagnostics(&found, source).expect("an error");
        assert_eq!(
            failure.evidence,
            "1. Line 2: `b` is not defined.\n   Declare it.\n\n  1 | const a = 1\n> 2 | return b\n"
        );
        assert_eq!(failure.reason, "Line 2: `b` is not defined.");
        assert_eq!(of_diagnostics(&found[..1], source), None);
    }

    #[test]
    fn an_error_without_a_line_names_its_component() {
        let failed = of_report(&report(ReportStatus::Error, vec![error("render", "boom", 0)]), "x").expect("it failed");
        assert_eq!(failed.evidence, "1. boom (while rendering, at Chart)\n");
    }

    #[test]
    fn nothing_visible_is_a_failure_and_a_missing_picture_is_none() {
        assert!(of_report(&report(ReportStatus::Blank, vec![]), "").is_some_and(|f| f.reason.contains("visible")));
        assert_eq!(of_report(&report(ReportStatus::Rendered, vec![error("resource", "a.png", 0)]), ""), None);
        assert_eq!(of_report(&report(ReportStatus::Rendered, vec![]), ""), None);
        assert!(of_report(&report(ReportStatus::Rendered, vec![error("handler", "no", 1)]), "x").is_some());
    }

    #[test]
    fn the_same_fault_on_another_line_is_the_same_and_another_message_is_not() {
        let faults = |message: &str, line: u32, source: &str| {
            of_report(&report(ReportStatus::Error, vec![error("render", message, line)]), source).expect("failed").keys
        };
        let before = faults("x is not a function", 1, "  x( 1 );");
        assert_eq!(before, faults("x is not a function", 3, "\n\nx(1);"));
        assert_ne!(before, faults("y is not a function", 1, "  x( 1 );"));
        assert_ne!(before, faults("x is not a function", 1, "  other(x);"));
    }

    #[test]
    fn what_the_network_did_is_not_told_to_the_model() {
        let found = Diagnostic::new("registry-unreachable", Severity::Error, Phase::Import, "No answer.");
        assert_eq!(of_diagnostics(&[found], ""), None);
    }

    #[test]
    fn what_has_no_height_is_a_failure_and_what_is_pale_only_a_note() {
        let layout = |code: &str, severity| Diagnostic::new(code, severity, Phase::Layout, format!("It is {code}."));
        let mut seen = report(ReportStatus::Rendered, Vec::new());
        seen.findings.push(layout("layout-low-contrast", Severity::Warning));
        seen.console.push(ui4a_types::ConsoleLine { level: "warn".into(), text: "old prices".into(), times: 1 });
        assert_eq!(of_report(&seen, ""), None);
        assert_eq!(beside(&seen), "Also: It is layout-low-contrast.\nConsole: old prices\n");
        seen.findings.push(layout("layout-zero-height", Severity::Error));
        let evidence = of_report(&seen, "").expect("a failure").evidence;
        assert!(evidence.contains("layout-zero-height") && evidence.contains("Also: It is layout-low"), "{evidence}");
    }

    #[test]
    fn the_components_around_an_error_are_told_when_there_are_several() {
        let mut thrown = error("render", "no rows", 3);
        thrown.component_stack = Some("at Row (line 3)\nat ul\nat App (line 9)".into());
        let told = of_report(&report(ReportStatus::Error, vec![thrown]), "").expect("a failure");
        assert!(told.evidence.contains("In Row (line 3), in App (line 9)."), "{}", told.evidence);
    }
}
