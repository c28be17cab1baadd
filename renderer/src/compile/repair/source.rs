//! A whole source that does not parse: the completer's text in its place, and words for what was changed.
//!
//! Which changes there are is `complete`'s to say. A source is only taken for mended when nothing of it was left out but
//! what cannot mean anything, and what was made of it parses without a complaint; else the parser's complaint stands.

use crate::compile::lint::{Finding, not_run};
use crate::compile::parse::{Parsed, parse};
use crate::compile::syntax::{self, opened};
use crate::complete::{Completion, Edit, Open, open, repair};
use swc_ecma_parser::error::{Error, SyntaxError};
use ui4a_types::diagnostic::position;
use ui4a_types::{Phase, Severity};

/// A whole source, read.
pub(crate) struct Read {
    pub parsed: Parsed,
    /// What the parsed text is made by, when it is not the source itself.
    pub completion: Option<Completion>,
    /// What is wrong, at offsets of the source.
    pub findings: Vec<Finding>,
}

/// Complaints that are mended, or told better, on the tree.
fn is_left_to_the_tree(error: &Error) -> bool {
    matches!(error.kind(), SyntaxError::AwaitInFunction | SyntaxError::NullishCoalescingWithLogicalOp)
}

fn is_sound(parsed: &Parsed) -> bool {
    parsed.module.is_some() && parsed.errors.iter().all(is_left_to_the_tree)
}

/// Reads a whole source, mended where that is needed.
pub(crate) fn read(source: &str) -> Read {
    let first = parse(source, true);
    if is_sound(&first) || first.too_deep {
        return Read { parsed: first, completion: None, findings: Vec::new() };
    }
    let completion = repair(source);
    let second = parse(&completion.text, true);
    if is_sound(&second)
        && completion.truncated_at.is_none()
        && completion.edits.iter().all(|edit| is_small(source, edit))
    {
        let findings = mended(source, &completion);
        return Read { parsed: second, completion: Some(completion), findings };
    }
    let failed = first.module.is_none();
    let mut errors = first.errors.clone();
    errors.retain(|error| !is_left_to_the_tree(error));
    let mut findings = syntax::findings(source, &errors, failed);
    if failed {
        if let Some(cut) = completion.truncated_at.filter(|_| second.module.is_some()) {
            let (line, _) = position(source, cut);
            findings.push(not_run(&format!("What comes after line {line} was"), "it does not parse"));
        }
        Read { parsed: second, completion: Some(completion), findings }
    } else {
        Read { parsed: first, completion: None, findings }
    }
}

/// Whether a change leaves out nothing that could have been code.
fn is_small(source: &str, edit: &Edit) -> bool {
    let gone = source.get(edit.at..edit.at + edit.remove).unwrap_or("");
    gone.len() <= 64 || gone.starts_with("<!--") || gone.starts_with("```")
}

/// The completer's changes in words.
fn mended(source: &str, completion: &Completion) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        completion.edits.iter().take(40).filter_map(|edit| change(source, completion, edit)).collect();
    let rest = open(source);
    if let Some(finding) = truncated(source, &rest) {
        findings.push(finding);
    }
    if let Some(name) = &completion.default_added {
        let message = format!("{name} is shown, but the module has no default export");
        findings.push(
            Finding::everywhere("missing-default-export", Severity::Warning, Phase::Syntax, message)
                .help("Write export default function App() { … }"),
        );
    }
    findings
}

/// A source that ends inside something: what, and where that was opened.
pub(crate) fn truncated(source: &str, open: &[Open]) -> Option<Finding> {
    let innermost = open.first()?;
    let end = source.trim_end().len() as u32;
    let last = source.trim_end().chars().next_back().map_or(0, char::len_utf8) as u32;
    let others: Vec<String> = open.iter().skip(1).take(3).map(|open| opened(source, open)).collect();
    let help = match others.as_slice() {
        [] => "Write the module to its end".to_owned(),
        others => format!("Write the module to its end. Also open: {}", others.join("; ")),
    };
    Some(
        Finding::new(
            "truncated",
            Severity::Error,
            Phase::Syntax,
            format!("The source ends inside {}", opened(source, innermost)),
            (end - last, end),
        )
        .help(help),
    )
}

/// One change in words.
fn change(source: &str, completion: &Completion, edit: &Edit) -> Option<Finding> {
    let gone = source.get(edit.at..edit.at + edit.remove).unwrap_or("");
    let insert = edit.insert.trim();
    let stack = || open(&source[..edit.at]);
    let (what, severity, message, help) = match (gone, insert) {
        (gone, "{\">\"}" | "{\"<\"}" | "{\"{\"}" | "{\"}\"}") => (
            "text",
            Severity::Hint,
            format!("“{gone}” stands in text as it is; it is shown as that sign"),
            format!("Write {insert}"),
        ),
        ("", "<>") => (
            "fragment",
            Severity::Warning,
            "Elements stand side by side where one is wanted; they are wrapped in a fragment".to_owned(),
            "Put <>…</> around them".to_owned(),
        ),
        // The end of a fragment that was opened for elements side by side, which is told where it begins.
        ("", "</>")
            if stack().first().is_some_and(|open| {
                completion.edits.iter().any(|other| other.insert == "<>" && other.at == open.at)
            }) =>
        {
            return None;
        }
        ("", ".") => (
            "number",
            Severity::Warning,
            "A number is followed by a name; the point is read as the number's, and another one is supplied".to_owned(),
            "Put parentheses around the number: (50).toFixed(2)".to_owned(),
        ),
        ("", "/") => (
            "element",
            Severity::Hint,
            "An element without content is not closed; it is closed at once".to_owned(),
            "Write it with /> at its end".to_owned(),
        ),
        ("", closing) if closing.starts_with("</") => {
            let count = closing.matches("</").count();
            let stack: Vec<Open> = stack().into_iter().filter(|open| open.is_element()).take(count).collect();
            let names: Vec<&str> = stack.iter().map(|open| open.name.as_str()).collect();
            let places: Vec<String> = stack.iter().map(|open| opened(source, open)).collect();
            let verb = if count == 1 { "is not closed; it is" } else { "are not closed; they are" };
            (
                "element",
                Severity::Warning,
                format!("{} {verb} closed here", names.join(" and ")),
                format!("Write {closing} at its place: {}", places.join("; ")),
            )
        }
        (gone, closing) if gone.starts_with("</") && closing.starts_with("</") => {
            let place = stack().into_iter().find(Open::is_element).map(|open| opened(source, &open));
            (
                "element",
                Severity::Warning,
                format!("{gone} closes nothing; it is read as {closing}"),
                place.map_or_else(|| format!("Write {closing}"), |place| format!("Write {closing}: {place}")),
            )
        }
        (gone, "") if gone.starts_with("</") => (
            "element",
            Severity::Warning,
            format!("{gone} closes nothing and is left out"),
            "Remove it, or open its element".to_owned(),
        ),
        (gone, "") if gone.starts_with("<!--") => (
            "comment",
            Severity::Hint,
            "A comment is written as in HTML; it is left out".to_owned(),
            "Write {/* … */}".to_owned(),
        ),
        (gone, "") if gone.starts_with("```") || edit.at == 0 => (
            "fence",
            Severity::Hint,
            "The module stands in a fence, which is left out".to_owned(),
            "Write the module alone".to_owned(),
        ),
        ("", "null" | ": null") => (
            "expression",
            Severity::Warning,
            "A condition says only what is shown when it holds; otherwise nothing is".to_owned(),
            "Write : null before the brace".to_owned(),
        ),
        ("", missing) if !missing.is_empty() && missing.chars().all(|c| ")]}".contains(c)) => {
            let places: Vec<String> = stack()
                .into_iter()
                .filter(|open| !open.is_element())
                .take(missing.chars().count())
                .map(|open| opened(source, &open))
                .collect();
            (
                "bracket",
                Severity::Warning,
                format!("“{missing}” is missing and is supplied here"),
                format!("Write {missing}: {}", places.join("; ")),
            )
        }
        (gone, "") => (
            "bracket",
            Severity::Warning,
            format!("“{gone}” closes nothing and is left out"),
            "Remove it, or open what it should close".to_owned(),
        ),
        (_, insert) => (
            "syntax",
            Severity::Warning,
            format!("“{insert}” is missing and is supplied here"),
            format!("Write {insert}"),
        ),
    };
    let code = format!("repaired-{what}");
    let end = edit.at + edit.remove.max(source[edit.at..].chars().next().map_or(0, char::len_utf8));
    let at = (edit.at as u32, end as u32);
    Some(Finding::new(&code, severity, Phase::Syntax, message, at).help(help))
}
