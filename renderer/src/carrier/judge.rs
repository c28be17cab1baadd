//! Whether plain code is an artifact: what its language, and then its text, say.

use ui4a_types::Kind;

/// What a fence's language could hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// `tsx`, `jsx`: a component's module.
    Component,
    /// `ts`, `js`: a module that must show JSX to count.
    Script,
    Html,
    Svg,
    /// No language: its first line tells.
    Unknown,
}

impl Candidate {
    /// What a plain fence of this language may hold; `None` when no artifact.
    pub fn of(language: &str) -> Option<Self> {
        Some(match language.to_ascii_lowercase().as_str() {
            "tsx" | "jsx" | "react" => Self::Component,
            "ts" | "js" | "typescript" | "javascript" => Self::Script,
            "html" => Self::Html,
            "svg" => Self::Svg,
            "" => Self::Unknown,
            _ => return None,
        })
    }

    pub fn kind(self) -> Kind {
        match self {
            Self::Component | Self::Script | Self::Unknown => Kind::Tsx,
            Self::Html => Kind::Html,
            Self::Svg => Kind::Svg,
        }
    }
}

/// What is known about the text of a candidate so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    /// A line begins with `export default`.
    pub default: bool,
    /// Something closes a tag.
    pub jsx: bool,
    /// A function, class or variable is declared.
    pub declares: bool,
    read: usize,
}

/// The verdict on a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Artifact(Kind),
    Prose,
    Unsure,
}

/// Longest code that may be held back while it is not clear what it is, in bytes.
const UNSURE_LIMIT: usize = 256 * 1024;

impl Evidence {
    /// Reads what was added to `source` since the last time.
    pub fn read(&mut self, source: &str) {
        let mut from = self.read.saturating_sub(16);
        while !source.is_char_boundary(from) {
            from -= 1;
        }
        let bytes = &source.as_bytes()[from..];
        let has = |needle: &str| memchr::memmem::find(bytes, needle.as_bytes()).is_some();
        self.jsx = self.jsx || has("</") || has("/>");
        self.declares = self.declares || has("function ") || has("const ") || has("class ") || has("=>");
        if !self.default {
            self.default = memchr::memmem::find_iter(bytes, "export default").any(|at| begins_line(source, from + at))
                || has("as default");
        }
        self.read = source.len();
    }

    /// Decides with what has come; `closed`: nothing more will.
    pub fn verdict(&self, candidate: Candidate, source: &str, closed: bool) -> Verdict {
        let start = source.trim_start();
        let markup = |name: &str| start.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
        let long = source.len() > UNSURE_LIMIT;
        let unsure = if closed || long { Verdict::Prose } else { Verdict::Unsure };
        match candidate {
            Candidate::Component if self.default => Verdict::Artifact(Kind::Tsx),
            Candidate::Script | Candidate::Unknown if self.default && self.jsx => Verdict::Artifact(Kind::Tsx),
            Candidate::Html | Candidate::Unknown if markup("<!doctype html") || markup("<html") => {
                Verdict::Artifact(Kind::Html)
            }
            Candidate::Svg if markup("<svg") => Verdict::Artifact(Kind::Svg),
            Candidate::Html | Candidate::Svg if start.len() >= "<!doctype html".len() => Verdict::Prose,
            _ => unsure,
        }
    }

    /// What was opened before its text could tell is an artifact after all.
    pub fn stands(&self, kind: Kind, source: &str) -> bool {
        match kind {
            Kind::Tsx => self.default || (self.jsx && self.declares),
            Kind::Html | Kind::Svg => source.contains('<'),
            Kind::Markdown => true,
        }
    }
}

fn begins_line(source: &str, at: usize) -> bool {
    let line = memchr::memrchr(b'\n', &source.as_bytes()[..at]).map_or(0, |end| end + 1);
    at - line < 64 && source[line..at].trim().is_empty()
}

/// The line is an `import` of JavaScript, whole or the first of several.
pub(super) fn is_import(line: &str) -> bool {
    let Some(rest) = line.trim().strip_prefix("import") else { return false };
    let spaced = rest.starts_with([' ', '\t']);
    let rest = rest.trim_start();
    if rest.starts_with(['"', '\'', '{', '*']) {
        return true;
    }
    let name = rest.find(|byte: char| !(byte.is_alphanumeric() || matches!(byte, '_' | '$'))).unwrap_or(rest.len());
    let after = rest[name..].trim_start();
    let from = after.strip_prefix("from").map(str::trim_start);
    spaced
        && name > 0
        && (after.starts_with(',') && after.contains(['{', '*'])
            || from.is_some_and(|specifier| specifier.starts_with(['"', '\'']))
            || (&rest[..name] == "type" && after.starts_with('{')))
}
