//! What one stream came to, and the report on all of them that is kept in the repository.

use super::Module;
use serde_json::Value;
use std::fmt::Write as _;

/// What went wrong in one stream. Nothing at all is what is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The module.
    pub module: String,
    /// Bytes of a chunk.
    pub chunk: usize,
    /// Frames that were shown.
    pub frames: u64,
    /// Frames that were waited for in vain, which a busy machine is enough for.
    pub late: u64,
    /// What was counted and should be nothing, with what it is about.
    pub faults: Vec<String>,
    /// Counts for the report's totals, in the order of `COUNTERS`.
    pub counts: [u64; COUNTERS.len()],
}

/// What is counted over all streams.
pub const COUNTERS: [&str; 10] = [
    "visible content cleared",
    "remounts without a changed signature",
    "mounted again for other hooks",
    "mount effects run again",
    "intervals and animations more or fewer than in a fresh frame",
    "listeners more or fewer than in a fresh frame",
    "errors shown or told",
    "frames replaced",
    "trees that differ from a fresh frame's",
    "error diagnostics",
];

impl Outcome {
    /// Compares a stream with a fresh frame of the whole.
    pub(super) fn new(module: &Module, chunk: usize, rendered: &Value, streamed: &Value, fresh: &Value) -> Self {
        let (probe, expected) = (&streamed["probe"], &fresh["probe"]);
        let over = |key: &str| number(&probe[key]).abs_diff(number(&expected[key]));
        let listeners = listeners_over(&probe["listeners"], &expected["listeners"]);
        // An error of the artifact's own, which a fresh frame has too, is no fault of the stream.
        let (errors, known) = (messages(&streamed["errors"]), messages(&fresh["errors"]));
        let new: Vec<&str> = errors.iter().filter(|error| !known.contains(error)).map(String::as_str).collect();
        let again = (errors.len() as u64).saturating_sub(known.len() as u64).max(new.len() as u64);
        let found = rendered["diagnostics"].as_array().into_iter().flatten();
        let found: Vec<String> =
            found.filter(|one| one["severity"] == "error").map(|one| one["message"].to_string()).collect();
        let nothing = u64::from(probe["empty"] == true);
        let tree = u64::from(probe["tree"] != expected["tree"]);
        let counted: [(u64, String); COUNTERS.len()] = [
            (number(&probe["cleared"]) + nothing, String::new()),
            listed(&probe["remounts"]),
            listed(&probe["reshaped"]),
            listed(&probe["reruns"]),
            (over("intervals") + over("frames"), String::new()),
            (listeners.len() as u64, listeners.join(", ")),
            (again + over("errorsShown"), new.join("; ")),
            (number(&streamed["frames"]).saturating_sub(1) + number(&streamed["left"]), String::new()),
            (tree, difference(&probe["tree"], &expected["tree"])),
            (found.len() as u64, found.join("; ")),
        ];
        let faults = COUNTERS.iter().zip(&counted).filter(|(_, (count, _))| *count > 0);
        let faults = faults.map(|(name, (count, about))| format!("{name}: {count} {about}").trim_end().to_owned());
        Self {
            module: module.name.clone(),
            chunk,
            frames: number(&streamed["frame"]),
            late: number(&streamed["late"]),
            faults: faults.collect(),
            counts: counted.map(|(count, _)| count),
        }
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// What went wrong, each once: an error of a document is told when it happens, and once more with the last frame.
fn messages(errors: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all: Vec<(u64, String)> = (errors.as_array().into_iter().flatten())
        .map(|error| (number(&error["frame"]), format!("{} {}", text(&error["phase"]), text(&error["message"]))))
        .collect();
    let last = all.iter().map(|(frame, _)| *frame).max().unwrap_or(0);
    let (mut at_last, before): (Vec<_>, Vec<_>) = all.into_iter().partition(|(frame, _)| *frame == last);
    for (frame, message) in before {
        let told_again = at_last.iter_mut().find(|(first, again)| *first == last && *again == message);
        match told_again {
            Some((first, _)) => *first = frame,
            None => at_last.push((frame, message)),
        }
    }
    at_last.into_iter().map(|(_, message)| message).collect()
}

/// How many names there are, and the first of them.
fn listed(names: &Value) -> (u64, String) {
    let mut names: Vec<&str> = names.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let count = names.len() as u64;
    names.dedup();
    names.truncate(6);
    (count, names.join(", "))
}

fn listeners_over(now: &Value, expected: &Value) -> Vec<String> {
    let all = now.as_object().into_iter().flatten();
    let over = all.filter(|(name, count)| number(count) != number(&expected[name.as_str()]));
    let mut over: Vec<String> = over.map(|(name, count)| format!("{name} {count}")).collect();
    let missing = expected.as_object().into_iter().flatten().filter(|(name, _)| now[name.as_str()].is_null());
    over.extend(missing.map(|(name, _)| format!("no {name}")));
    over
}

/// The first lines that differ.
fn difference(now: &Value, expected: &Value) -> String {
    let (now, expected) = (now.as_str().unwrap_or_default(), expected.as_str().unwrap_or_default());
    match now.lines().zip(expected.lines()).find(|(a, b)| a != b) {
        Some((a, b)) => format!("[{a}] is not [{b}]"),
        None => format!("{} lines, not {}", now.lines().count(), expected.lines().count()),
    }
}

/// All outcomes, as they are kept in the repository.
#[derive(Default)]
pub struct Report(pub Vec<Outcome>);

impl Report {
    /// The report as text: totals, then a line a module. Frames are not in it: how many there are is not what is promised.
    pub fn text(&self) -> String {
        let mut names: Vec<&str> = self.0.iter().map(|outcome| outcome.module.as_str()).collect();
        names.dedup();
        let mut text = format!("{} modules, {} streams\n", names.len(), self.0.len());
        for (at, name) in COUNTERS.iter().enumerate() {
            let total: u64 = self.0.iter().map(|outcome| outcome.counts[at]).sum();
            let _ = writeln!(text, "{name}: {total}");
        }
        text.push('\n');
        for name in names {
            let _ = write!(text, "{name}");
            for outcome in self.0.iter().filter(|outcome| outcome.module == name) {
                let said = if outcome.faults.is_empty() { "ok".to_owned() } else { outcome.faults.join("; ") };
                let _ = write!(text, "  {}: {said}", outcome.chunk);
            }
            text.push('\n');
        }
        text
    }
}
