//! Going on with an artifact that was cut off, from the very character where it ends.
//!
//! Where a backend goes on from a prefill, the source so far is the prefill and there is nothing to do here. A server that
//! cannot is asked for the rest in words; what it then writes is joined by [`Join`].

use super::wake;
use crate::app::App;
use crate::hub::Live;
use crate::problem::{Answer, Problem};
use axum::http::StatusCode;
use std::sync::Arc;
use ui4a_types::TurnInput;

/// Longest end of a source that an answer may repeat before it goes on, in bytes.
const MOST_OVERLAP: usize = 2000;
/// Text of an answer that is waited for before it is decided how it goes on, in bytes.
const LOOK: usize = 400;
/// A shorter repetition is chance, in bytes.
const LEAST_OVERLAP: usize = 4;

/// A person wants the newest revision of an artifact gone on with.
///
/// # Errors
/// It was not cut off, no turn wrote it, or the database fails.
pub fn go_on(app: &Arc<App>, live: &Arc<Live>, artifact: &str) -> Answer<()> {
    let revision = app.db.revision(artifact, None)?.ok_or_else(|| Problem::not_found("revision", "newest"))?;
    if !revision.truncated || revision.turn.is_empty() {
        let title = "Its newest revision was not cut off.";
        return Err(Problem::new(StatusCode::CONFLICT, "not-cut-off", title, "Say what should change."));
    }
    let input = TurnInput::Continue { artifact: artifact.to_owned(), rev: revision.rev };
    {
        let mut desk = live.desk();
        // A second click asks for the same.
        if !desk.inbox.contains(&input) {
            desk.inbox.push_back(input);
        }
    }
    wake(app, live);
    Ok(())
}

/// Joins an answer to a source that it should go on from: what is repeated, and a fence around the rest, are left out.
#[derive(Debug)]
pub struct Join {
    source: String,
    /// The beginning of the answer, until it is decided.
    held: Option<String>,
}

impl Join {
    /// To go on from `source`.
    pub fn new(source: &str) -> Self {
        Self { source: source.to_owned(), held: Some(String::new()) }
    }

    /// Takes more of the answer and gives what is to be read after the opening: the source so far included, once.
    pub fn push(&mut self, text: &str) -> String {
        let Some(held) = &mut self.held else { return text.to_owned() };
        held.push_str(text);
        if held.len() < LOOK { String::new() } else { self.decide() }
    }

    /// The answer is over.
    pub fn finish(&mut self) -> String {
        if self.held.is_some() { self.decide() } else { String::new() }
    }

    fn decide(&mut self) -> String {
        let held = self.held.take().unwrap_or_default();
        let rest = unfenced(&held);
        let source = std::mem::take(&mut self.source);
        // A whole module again: it takes the place of what was cut off.
        let head = |text: &str| text.trim_start().lines().next().unwrap_or_default().trim_end().to_owned();
        let again = !source.trim().is_empty() && head(rest).len() >= LEAST_OVERLAP && head(rest) == head(&source);
        if again {
            return rest.to_owned();
        }
        format!("{source}{}", &rest[overlap(&source, rest)..])
    }
}

/// What follows a fence's first line, where the text begins with one.
fn unfenced(text: &str) -> &str {
    let start = text.trim_start_matches(['\n', '\r']);
    if !start.trim_start().starts_with("```") {
        return text;
    }
    start.split_once('\n').map_or("", |(_, rest)| rest)
}

/// Bytes at the start of `rest` that repeat the end of `source`: the longest such part.
fn overlap(source: &str, rest: &str) -> usize {
    let most = source.len().min(rest.len()).min(MOST_OVERLAP);
    let lengths = (LEAST_OVERLAP..=most).rev().filter(|length| rest.is_char_boundary(*length));
    lengths.into_iter().find(|length| source.ends_with(&rest[..*length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "export default function App() {\n  return <p>Hel";

    fn joined(answer: &str) -> String {
        let mut join = Join::new(SOURCE);
        let mut out: String = answer.chars().map(|c| join.push(&c.to_string())).collect();
        out.push_str(&join.finish());
        out
    }

    #[test]
    fn the_rest_is_appended_to_the_character() {
        assert_eq!(joined("lo</p>;\n}\n"), format!("{SOURCE}lo</p>;\n}}\n"));
    }

    #[test]
    fn a_fence_and_what_is_repeated_are_left_out() {
        assert_eq!(joined("```tsx\n  return <p>Hello</p>;\n}\n```"), format!("{SOURCE}lo</p>;\n}}\n```"));
    }

    #[test]
    fn a_whole_module_takes_the_place_of_the_part() {
        let whole = "export default function App() {\n  return <b>Hi</b>;\n}\n";
        assert_eq!(joined(whole), whole);
    }

    #[test]
    fn an_answer_longer_than_the_look_flows_on() {
        let long = format!("lo {}</p>;\n}}", "é".repeat(600));
        assert_eq!(joined(&long), format!("{SOURCE}{long}"));
    }

    #[test]
    fn no_answer_keeps_the_source() {
        assert_eq!(joined(""), SOURCE);
    }
}
