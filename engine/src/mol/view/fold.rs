//! What a specialist reads of turns that others answered: a block of context before the next words that it is asked.
//!
//! A block is made of the turns in it and of nothing else, so a specialist that comes back finds what it read before word for
//! word, and only what is new is prefilled.

use super::language::{self, Labels};
use crate::mol::conversation::clip;
use crate::{Message, Role};

/// Characters of a person's words in a block: they may hold the data that the next specialist needs.
const ASKED: usize = 4_000;
/// Characters of an answer in a block.
pub const ANSWERED: usize = 600;

/// One turn of others.
pub struct Folded<'a> {
    /// Its messages.
    pub messages: &'a [Message],
    /// A summary of its answer; without one there is an extract.
    pub summary: Option<String>,
}

/// The block of some turns in a row.
pub fn block(turns: &[Folded<'_>]) -> String {
    let asked: String = turns.iter().map(|turn| words(turn.messages) + "\n").collect();
    let labels = language::of(&asked);
    let mut lines = vec![format!("[{}]", labels.earlier)];
    for turn in turns {
        let asked = words(turn.messages);
        if !asked.is_empty() {
            lines.push(format!("{}: {}", labels.user, clip(&asked, ASKED)));
        }
        let answer = turn.summary.clone().unwrap_or_else(|| extract(turn.messages, labels));
        lines.push(format!("{}: {answer}", labels.answer));
    }
    lines.push(format!("[{}]", labels.now));
    lines.join("\n")
}

/// What people said in a turn.
fn words(messages: &[Message]) -> String {
    let said = messages.iter().filter(|message| message.role == Role::User).map(|message| message.content.trim());
    said.collect::<Vec<_>>().join("\n\n")
}

/// Whether an extract of an answer leaves something out.
pub fn loses(messages: &[Message]) -> bool {
    answer(messages, language::of("")).chars().count() > ANSWERED
}

/// The extract that stands in a block of this turn alone.
pub fn extracted(messages: &[Message]) -> String {
    extract(messages, language::of(&words(messages)))
}

/// An answer without a model: the tools that were used, an interface by its title, prose by its beginning and end.
fn extract(messages: &[Message], labels: Labels) -> String {
    clip(&answer(messages, labels), ANSWERED)
}

fn answer(messages: &[Message], labels: Labels) -> String {
    let mut parts = Vec::new();
    let mut tools: Vec<&str> = messages.iter().flat_map(|message| &message.calls).map(|call| &*call.name).collect();
    tools.dedup();
    if !tools.is_empty() {
        parts.push(format!("({} {})", labels.used, tools.join(", ")));
    }
    let said = messages.iter().filter(|message| message.role == Role::Assistant);
    parts.extend(said.map(|message| without_interfaces(message.content.trim(), labels)));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Text with each interface in it put as one line.
fn without_interfaces(text: &str, labels: Labels) -> String {
    let mut lines = Vec::new();
    let mut open: Option<usize> = None;
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match open {
            Some(fence) => {
                if ticks >= fence && line.trim_matches('`').trim().is_empty() {
                    open = None;
                }
            }
            None if ticks >= 3 && line[ticks..].starts_with("ui4a/") => {
                open = Some(ticks);
                lines.push(format!("({} {})", labels.shown, title(&line[ticks..])));
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n").trim().to_owned()
}

/// The title in a fence's info string, else its id.
fn title(info: &str) -> &str {
    let quoted = info.split_once("title=\"").and_then(|(_, rest)| rest.split_once('"')).map(|(title, _)| title);
    let id = || info.split_whitespace().find_map(|word| word.strip_prefix("id="));
    quoted.filter(|title| !title.is_empty()).or_else(id).unwrap_or("…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_one_line_and_data_of_a_person_is_whole() {
        let data = "a,b\n1,2\n".repeat(100);
        let messages = [
            Message::new(Role::User, format!("Chart this:\n{data}")),
            Message::new(Role::Assistant, "Here.\n\n````ui4a/tsx id=c title=\"My chart\"\nSOURCE\n```\nx\n````\nDone."),
        ];
        let block = block(&[Folded { messages: &messages, summary: None }]);
        assert!(block.contains(data.trim()) && block.contains("(an interface was shown: My chart)"), "{block}");
        assert!(!block.contains("SOURCE") && block.contains("Done.") && block.ends_with("[Now]"), "{block}");
    }

    #[test]
    fn a_summary_stands_for_the_answer() {
        let messages = [Message::new(Role::User, "Why?"), Message::new(Role::Assistant, "word ".repeat(1000))];
        assert!(loses(&messages));
        let told = block(&[Folded { messages: &messages, summary: Some("Because.".into()) }]);
        assert!(told.contains("Answered: Because.") && !told.contains("word"), "{told}");
        assert!(block(&[Folded { messages: &messages, summary: None }]).chars().count() < 800);
    }
}
