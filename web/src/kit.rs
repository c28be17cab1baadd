//! The component kit: its sources, and what others must know to serve it as one package.
//!
//! Owns the list of files, the specifiers they answer to, the exact versions they are built on, and the names they export.
//! Knows nothing of compilers or registries: the sources leave here as TypeScript, the style sheets as they are.

mod exports;
mod files;
mod summaries;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub use summaries::summaries;

/// The package's name, which is also the specifier of its main entry.
pub const NAME: &str = "$ui4a/ui";

/// Subpath of the package → source file.
const ENTRIES: [(&str, &str); 6] = [
    ("", "index.ts"),
    ("charts", "charts/index.ts"),
    ("katex", "katex.tsx"),
    ("macaron", "macaron.ts"),
    ("markdown", "markdown-document.tsx"),
    ("motion", "motion.ts"),
];

/// What models write for the same things. A last `*` stands for any rest.
const ALIASES: [(&str, &str); 7] = [
    ("$macaron/ui", "macaron"),
    ("$macaron/ui/charts", "charts"),
    ("$macaron/ui/katex", "katex"),
    ("@/components/ui", ""),
    ("@/components/ui/*", ""),
    ("@/components/ui/chart", "charts"),
    ("@/lib/utils", ""),
];

/// npm packages that the sources import, with the exact versions they were written and looked at with.
const DEPENDENCIES: [(&str, &str); 29] = [
    ("@radix-ui/react-accordion", "1.3.1"),
    ("@radix-ui/react-avatar", "1.3.1"),
    ("@radix-ui/react-checkbox", "1.4.1"),
    ("@radix-ui/react-collapsible", "1.2.1"),
    ("@radix-ui/react-dialog", "1.3.1"),
    ("@radix-ui/react-dropdown-menu", "2.2.1"),
    ("@radix-ui/react-label", "2.1.17"),
    ("@radix-ui/react-popover", "1.3.1"),
    ("@radix-ui/react-progress", "1.2.1"),
    ("@radix-ui/react-radio-group", "1.5.1"),
    ("@radix-ui/react-select", "2.4.1"),
    ("@radix-ui/react-slider", "1.6.1"),
    ("@radix-ui/react-slot", "1.5.0"),
    ("@radix-ui/react-switch", "1.4.1"),
    ("@radix-ui/react-tabs", "1.2.1"),
    ("@radix-ui/react-tooltip", "1.4.1"),
    ("class-variance-authority", "0.7.1"),
    ("clsx", "2.1.1"),
    ("katex", "0.19.1"),
    ("lucide-react", "1.81.0"),
    ("motion", "14.14.0"),
    ("react", "19.3.1"),
    ("react-dom", "19.3.1"),
    ("react-is", "19.3.1"),
    ("react-markdown", "10.1.0"),
    ("recharts", "3.11.1"),
    ("remark-gfm", "4.0.1"),
    ("remark-math", "6.0.0"),
    ("tailwind-merge", "3.7.1"),
];

/// What the runtime itself answers for: names that a module may forget to import, beside the kit's.
const BUILT_IN: [(&str, &[&str]); 3] = [
    ("$ui4a/chat", &["callTool", "sendAction", "sendMessage", "sendUserMessage", "useAutoSend"]),
    ("$ui4a/fs", &["readFile", "writeFile"]),
    ("$ui4a/state", &["usePersistedState"]),
];

/// The sources in TypeScript by path, e.g. `lib/cn.ts`. They import each other by the paths of [`compiled_path`].
pub fn files() -> BTreeMap<&'static str, &'static str> {
    files::SOURCES.iter().copied().collect()
}

/// The path under which the compiled form of a source is stored: `lib/cn.ts` → `lib/cn.js`.
pub fn compiled_path(source: &str) -> String {
    let stem = source.strip_suffix(".tsx").or_else(|| source.strip_suffix(".ts"));
    stem.map_or_else(|| source.to_owned(), |stem| format!("{stem}.js"))
}

/// Subpath of the package (`""` for the package itself) → compiled file.
pub fn entries() -> BTreeMap<String, String> {
    ENTRIES.iter().map(|(subpath, file)| ((*subpath).to_owned(), compiled_path(file))).collect()
}

/// Specifiers that stand for the kit → subpath. A last `*` makes one a prefix.
pub fn aliases() -> BTreeMap<String, String> {
    owned(&ALIASES)
}

/// npm packages of which the kit holds copies of its own: what it takes of them is pictures, which keep no state.
pub fn inlined() -> BTreeSet<String> {
    BTreeSet::from(["lucide-react".to_owned()])
}

/// npm package → exact version.
pub fn dependencies() -> BTreeMap<String, String> {
    owned(&DEPENDENCIES)
}

/// Specifier → the names it exports, sorted: the kit's own entries and the modules of the runtime. The names are read from
/// the sources, so they cannot differ from them.
pub fn manifest() -> BTreeMap<String, Vec<String>> {
    // The older dialect's entry is not offered: its specifier is an alias, and what it has the others have. That of Markdown
    // is the sandbox's own.
    let entries = ENTRIES.iter().filter(|(subpath, _)| !matches!(*subpath, "macaron" | "markdown"));
    let entries = entries.map(|(subpath, file)| (specifier(subpath), exports::of(file).into_iter().collect()));
    let built_in = BUILT_IN.iter().map(|(specifier, names)| {
        ((*specifier).to_owned(), names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    });
    entries.chain(built_in).collect()
}

/// Specifier → its declarations in TypeScript, for whoever writes or checks artifacts: the entries of [`manifest`] and the
/// older dialect's, which is made of them. They mention React's types; those of charts and motion also their packages'.
pub fn types() -> BTreeMap<&'static str, &'static str> {
    files::TYPES.iter().copied().collect()
}

/// Colours, what plain HTML looks like, and the rules that the components need beyond utility classes. It belongs after the
/// reset and before the generated classes.
pub fn tokens_css() -> String {
    files::STYLES.concat()
}

fn specifier(subpath: &str) -> String {
    if subpath.is_empty() { NAME.to_owned() } else { format!("{NAME}/{subpath}") }
}

fn owned(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}
