//! The checker's answers as findings about an artifact.
//!
//! Only what a person would call a mistake is kept. Models write JavaScript with types here and there, so whatever follows
//! from a missing annotation, or is put right by the browser, is dropped.

use super::lsp::{Place, Raw};
use super::message::{self, Mismatch};
use super::sites::{Site, Sites};
use std::collections::BTreeSet;
use ui4a_types::{Diagnostic, Phase, Severity};

/// Findings told of one source.
const MOST: usize = 40;
/// Characters of a type that are shown.
const LONGEST_TYPE: usize = 160;

/// Findings, in the order of their places. What is known of a place already is not said again.
pub(super) fn of(source: &str, raw: Vec<Raw>, known: &[Diagnostic]) -> Vec<Diagnostic> {
    let errors: Vec<Raw> = raw.into_iter().filter(|raw| raw.severity == 1).collect();
    if errors.is_empty() {
        return Vec::new();
    }
    let (sites, lines) = (Sites::of(source), Lines::of(source));
    let taken: BTreeSet<(u32, u32)> =
        known.iter().filter(|known| known.severity > Severity::Hint).map(|known| (known.line, known.column)).collect();
    let mut found: Vec<Diagnostic> = Vec::new();
    for raw in &errors {
        let (Some(start), Some(end)) = (lines.offset(raw.range.start), lines.offset(raw.range.end)) else { continue };
        let at = At { source, start, end, site: sites.at(start), sites: &sites };
        let Some(verdict) = judge(raw, &at) else { continue };
        let help = verdict.proposal.map(|name| format!("Did you mean {name}? (TS{})", raw.code));
        let diagnostic = Diagnostic::new(verdict.code, verdict.severity, Phase::Type, verdict.message)
            .help(help.unwrap_or_else(|| format!("TS{}", raw.code)))
            .at(source, start, end);
        let seen = found.iter().any(|known| known.message == diagnostic.message && known.line == diagnostic.line);
        if !seen && !taken.contains(&(diagnostic.line, diagnostic.column)) {
            found.push(diagnostic);
        }
    }
    found.sort_by_key(|found| (found.line, found.column));
    found.truncate(MOST);
    found
}

/// Where lines begin, as the checker counts them.
struct Lines<'a> {
    source: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(source: &'a str) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', source.as_bytes()).map(|at| at + 1));
        Self { source, starts: starts.collect() }
    }

    /// The byte offset of a place; none behind the model's text.
    fn offset(&self, place: Place) -> Option<usize> {
        let start = *self.starts.get(place.line as usize)?;
        let line = self.source[start..].split('\n').next().unwrap_or_default();
        let mut units = 0;
        for (at, c) in line.char_indices() {
            if units >= place.character as usize {
                return Some(start + at);
            }
            units += c.len_utf16();
        }
        Some(start + line.len())
    }
}

/// The place of an answer.
struct At<'a> {
    source: &'a str,
    start: usize,
    end: usize,
    site: Option<&'a Site>,
    sites: &'a Sites,
}

/// What an answer means.
struct Verdict {
    code: &'static str,
    severity: Severity,
    message: String,
    proposal: Option<String>,
}

fn verdict(code: &'static str, message: String) -> Verdict {
    Verdict { code, severity: Severity::Warning, message, proposal: None }
}

fn judge(raw: &Raw, at: &At<'_>) -> Option<Verdict> {
    let text = raw.message.as_str();
    match raw.code {
        2322 | 2345 | 2769 | 2820 | 2559 | 2741 | 2739 | 2740 | 2353 | 2561 => misfit(text, at),
        2339 | 2551 => member(text, at),
        2554 | 2555 => count(text, at),
        2349 | 2351 => breaks(format!("{} is called, but it is no function", shown(at))),
        2604 => breaks(format!("{} is used as a component, but it is none", shown(at))),
        2588 => breaks(format!("{} is a constant and cannot be assigned to", shown(at))),
        2367 | 2448 | 2461 | 2488 | 2493 | 2698 | 2786 => Some(verdict("type-other", first_line(text))),
        _ => None,
    }
}

fn breaks(message: String) -> Option<Verdict> {
    Some(Verdict { severity: Severity::Error, ..verdict("type-other", message) })
}

/// A value that does not fit: an unknown or missing prop, a prop's or an argument's type.
fn misfit(text: &str, at: &At<'_>) -> Option<Verdict> {
    // Which part of a union it is at run time is for the program to know.
    let a_union = message::mismatches(text).next().is_some_and(|mismatch| is_union(mismatch.given));
    if a_union || message::mismatches(text).any(|mismatch| is_loose(mismatch, at)) {
        return None;
    }
    let proposal = message::proposal(text).or_else(|| nearest_word(text)).map(|name| format!("`{name}`"));
    let element = match at.site {
        Some(Site::Prop { of, .. } | Site::Tag(of)) => Some(of.as_str()),
        _ => None,
    };
    if let Some(unknown) = message::unknown(text) {
        // A custom property of CSS is no mistake.
        if unknown.name.starts_with("--") || is_untyped(unknown.of) {
            return None;
        }
        let own_prop = matches!(at.site, Some(Site::Prop { name, .. }) if name == unknown.name);
        return match element.filter(|_| own_prop) {
            Some(of) if is_intrinsic(of) && !is_dead(unknown.name, message::proposal(text)) => None,
            Some(of) => {
                let message = format!("{of} has no prop `{}`", unknown.name);
                Some(Verdict { proposal, ..verdict("type-unknown-prop", message) })
            }
            None => {
                let message = format!("`{}` is no property of {}", unknown.name, cut(unknown.of));
                Some(Verdict { proposal, ..verdict("type-unknown-property", message) })
            }
        };
    }
    if let Some((names, of)) = message::missing(text) {
        let names: Vec<&str> = names.into_iter().filter(|name| !of.contains(&format!("{name}: any"))).collect();
        let first = names.first()?;
        return Some(match at.site {
            Some(Site::Tag(tag)) => {
                let all = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let word = if names.len() == 1 { "prop" } else { "props" };
                verdict("type-missing-prop", format!("{tag} needs the {word} {all}"))
            }
            Some(Site::Prop { of, name, .. }) => {
                verdict("type-wrong-prop", format!("The prop `{name}` of {of} needs `{first}`"))
            }
            Some(Site::Argument { .. }) => verdict("type-wrong-argument", format!("This argument needs `{first}`")),
            _ => verdict("type-other", format!("`{first}` is missing; {} has it", cut(of))),
        });
    }
    let reason = reason(text);
    match at.site {
        // Attributes are text: the browser reads numbers as it does.
        Some(Site::Prop { of, name, .. }) if is_intrinsic(of) && !name.starts_with("on") => None,
        Some(Site::Prop { of, name, .. }) => {
            let message = format!("The prop `{name}` of {of} does not take this: {reason}");
            Some(Verdict { proposal, ..verdict("type-wrong-prop", message) })
        }
        Some(Site::Tag(of)) => Some(verdict("type-wrong-prop", format!("A prop of {of} does not fit: {reason}"))),
        Some(Site::Argument { .. }) => Some(Verdict {
            proposal,
            ..verdict("type-wrong-argument", format!("This argument does not fit: {reason}"))
        }),
        _ => Some(Verdict { proposal, ..verdict("type-other", reason) }),
    }
}

/// Of the words that are wanted, the one that was probably meant.
fn nearest_word(text: &str) -> Option<&str> {
    let Mismatch { given, wanted } = message::mismatches(text).last()?;
    let given = given.strip_prefix('"')?.strip_suffix('"')?;
    // Every other piece stands between quotes.
    let words = wanted.split('"').skip(1).step_by(2);
    let scored = words.map(|word| (strsim::jaro_winkler(given, word), word)).filter(|(score, _)| *score > 0.85);
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, word)| word)
}

/// The innermost line that says what does not fit.
fn reason(text: &str) -> String {
    match message::mismatches(text).last() {
        Some(Mismatch { given, wanted }) => format!("it is {}, and {} is wanted", cut(given), cut(wanted)),
        None => first_line(text),
    }
}

/// A member that its object does not have.
fn member(text: &str, at: &At<'_>) -> Option<Verdict> {
    let unknown = message::unknown(text)?;
    // One part of a union may well have it.
    if is_untyped(unknown.of) || unknown.of.contains(" | ") {
        return None;
    }
    let message = format!("`{}` is no property of {}", unknown.name, cut(unknown.of));
    let proposal = message::proposal(text).map(|name| format!("`{name}`"));
    let code = match at.site {
        Some(Site::Prop { .. }) => "type-unknown-prop",
        _ => "type-unknown-property",
    };
    Some(Verdict { proposal, ..verdict(code, message) })
}

/// Too few or too many arguments.
fn count(text: &str, at: &At<'_>) -> Option<Verdict> {
    let called = at.source[at.start..at.end].split('(').next().unwrap_or_default().trim();
    let name = called.rsplit('.').next().unwrap_or(called);
    // React's declarations want what JavaScript leaves out.
    let optional = ["useRef", "createContext"].contains(&name) && text.ends_with("got 0.");
    if optional || at.sites.untyped.contains(name) {
        return None;
    }
    Some(verdict("type-wrong-argument", first_line(text)))
}

/// Whether something does not fit only because nobody said what it is, or is put right when it runs.
fn is_loose(mismatch: Mismatch<'_>, at: &At<'_>) -> bool {
    let Mismatch { given, wanted } = mismatch;
    let literal = matches!(at.site, Some(Site::Prop { literal: true, .. } | Site::Argument { literal: true }));
    let unknown = matches!(given, "unknown" | "{}" | "object" | "any" | "never" | "Object" | "unknown[]" | "{}[]");
    // A text in a list or in a variable is any text to the checker, although it is one of the words that are wanted.
    let a_word = matches!(given, "string" | "string[]" | "number") && !literal && takes_words(wanted);
    let text_of = matches!(given, "number" | "boolean") && wanted == "string";
    let a_ref = given.contains("Ref") && (wanted.contains("Ref<") || wanted.contains("RefObject<"));
    unknown || a_word || text_of || a_ref || is_untyped(wanted)
}

/// Whether a type is one of several, at its top level.
fn is_union(of: &str) -> bool {
    let mut depth = 0_i32;
    of.char_indices().any(|(at, c)| {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if !of[..at].ends_with('=') => depth -= 1,
            _ => {}
        }
        c == '|' && depth == 0
    })
}

/// Whether a type may be a set of words.
fn takes_words(wanted: &str) -> bool {
    let alias = wanted.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let known = ["string", "number", "boolean", "bigint", "symbol", "Date", "RegExp", "Element", "Node", "Error"];
    wanted.contains('"') || wanted.starts_with(|c: char| c.is_ascii_digit()) || (alias && !known.contains(&wanted))
}

/// Whether a type comes from a missing annotation, or is so wide that what a program finds there is not known.
fn is_untyped(of: &str) -> bool {
    const WIDE: &[&str] = &[
        "{}",
        "object",
        "Object",
        "unknown",
        "never",
        "Function",
        "Readonly<{}>",
        "EventTarget",
        "Element",
        "Node",
        "ChildNode",
        "ParentNode",
        "HTMLElement",
        "Event",
        "UIEvent",
        "Error",
        "Window",
        "Document",
        "Navigator",
        "typeof globalThis",
        "Window & typeof globalThis",
    ];
    WIDE.contains(&of)
        || of.contains("IntrinsicAttributes & object")
        || of.contains("IntrinsicAttributes & {}")
        || of.contains("Attributes<unknown>")
        || of.contains("Attributes<any>") && of.matches('&').count() < 2
}

/// Elements of HTML and SVG begin with a small letter.
fn is_intrinsic(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains('.')
}

/// Whether an attribute that an element does not have is worth a word: others are put into the document as they are.
fn is_dead(name: &str, proposal: Option<&str>) -> bool {
    let plain = |text: &str| text.replace(['-', ':'], "").to_ascii_lowercase();
    let handler = name.starts_with("on") && !name.contains('-');
    let misspelt = proposal.is_some_and(|proposal| plain(proposal) != plain(name));
    handler || (misspelt && !matches!(name, "class" | "for"))
}

fn shown(at: &At<'_>) -> String {
    let text: String = at.source[at.start..at.end].chars().take(60).collect();
    format!("`{}`", text.lines().next().unwrap_or_default())
}

fn first_line(text: &str) -> String {
    cut(text.lines().next().unwrap_or_default().trim_end_matches('.'))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TYPE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lsp::Range;
    use super::*;

    /// An answer that points at `text` in `source`.
    fn raw(source: &str, text: &str, code: u32, message: &str) -> Raw {
        let place = |offset: usize| {
            let (line, column) = ui4a_types::diagnostic::position(source, offset);
            Place { line: line - 1, character: column - 1 }
        };
        let start = source.find(text).expect("is there");
        let range = Range { start: place(start), end: place(start + text.len()) };
        Raw { range, severity: 1, code, message: message.to_owned() }
    }

    fn codes(source: &str, raw: Vec<Raw>) -> Vec<String> {
        of(source, raw, &[]).into_iter().map(|found| found.code).collect()
    }

    #[test]
    fn columns_are_utf16_units_behind_any_text() {
        let source = "const a = \"😀é\"; a.x;\r\nconst b = 1;";
        let answer = raw(source, "x;", 2339, "Property 'x' does not exist on type 'string'.");
        let found = of(source, vec![answer], &[]);
        assert_eq!(found.len(), 1, "{found:?}");
        let first = &found[0];
        assert_eq!((first.line, first.column, first.code.as_str()), (1, 20, "type-unknown-property"));
        assert_eq!(first.message, "`x` is no property of string");
    }

    #[test]
    fn a_place_behind_the_text_is_no_finding_and_neither_is_advice() {
        let source = "const a = 1;";
        let place = Place { line: 9, character: 0 };
        let behind =
            Raw { range: Range { start: place, end: place }, severity: 1, code: 2349, message: "x".to_owned() };
        let advice = Raw { severity: 4, ..raw(source, "a", 2349, "This expression is not callable.") };
        assert!(codes(source, vec![behind, advice]).is_empty());
    }

    #[test]
    fn what_is_known_of_a_place_is_not_said_twice() {
        let source = "x();";
        let answer = raw(source, "x", 2349, "This expression is not callable.");
        let known = Diagnostic::new("unresolved-name", Severity::Error, Phase::Type, "x").at(source, 0, 1);
        assert_eq!(codes(source, vec![answer.clone(), answer.clone()]), ["type-other"]);
        assert!(of(source, vec![answer], &[known]).is_empty());
    }

    #[test]
    fn words_from_variables_fit_and_written_ones_do_not() {
        let wanted = "Type 'string' is not assignable to type '\"a\" | \"b\"'.";
        let variable = "const x = <Badge tone={status} />;";
        assert!(codes(variable, vec![raw(variable, "tone", 2322, wanted)]).is_empty());
        let written = "const x = <Badge tone=\"sucess\" />;";
        let message = "Type '\"sucess\"' is not assignable to type '\"success\" | \"danger\"'.";
        let found = of(written, vec![raw(written, "tone", 2322, message)], &[]);
        assert_eq!(found[0].help.as_deref(), Some("Did you mean `success`? (TS2322)"));
    }

    #[test]
    fn unions_are_told_apart_at_their_top_level() {
        assert!(is_union("string | number"));
        for one in ["(a: string | number) => void", "Array<string | number>", "{ a: string | number; }", "\"a\""] {
            assert!(!is_union(one), "{one}");
        }
    }
}
