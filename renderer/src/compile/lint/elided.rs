//! Comments that stand where code should: “… rest of the code”, “same as before”.

use super::Finding;
use ui4a_types::{Phase, Severity};

/// What an eliding comment says, in lower case.
const PHRASES: &[&str] = &[
    "rest of the code",
    "rest of code",
    "rest of your code",
    "rest of the component",
    "rest of component",
    "rest of the implementation",
    "rest of the file",
    "rest remains",
    "rest is the same",
    "rest unchanged",
    "same as before",
    "same as above",
    "same as previous",
    "remains the same",
    "remain the same",
    "remains unchanged",
    "remain unchanged",
    "stays the same",
    "unchanged code",
    "existing code",
    "previous code",
    "code omitted",
    "omitted for brevity",
    "implementation omitted",
    "your code here",
    "code goes here",
    "add more here",
    "implement the rest",
    "keep the rest",
];

/// Findings for the comments at `comments`, byte ranges of `source`.
pub(crate) fn elided(source: &str, comments: &[(u32, u32)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for &(start, end) in comments {
        let Some(text) = source.get(start as usize..end as usize) else { continue };
        let lower = text.to_lowercase();
        let trimmed = lower.trim_start_matches(['/', '*', ' ']).trim_end_matches(['*', '/', ' ']);
        let dots = trimmed.starts_with("...") || trimmed.starts_with('…');
        let elides = PHRASES.iter().any(|phrase| lower.contains(phrase))
            || (dots
                && ["rest", "other", "more", "remaining", "existing", "previous", "same"]
                    .iter()
                    .any(|word| lower.contains(word)));
        if elides {
            let shown: String = text.chars().take(60).collect();
            findings.push(
                Finding::new(
                    "elided-code",
                    Severity::Warning,
                    Phase::Syntax,
                    format!("The comment “{shown}” stands where code was left out"),
                    (start, end),
                )
                .help("Write the whole module: nothing is kept from an earlier answer"),
            );
        }
    }
    findings
}
