//! Tailwind v4 classes, with the v3 spellings, without Node.
//!
//! Owns which words of a source may be classes, what is missing in the generator, and what no class may do to a style
//! sheet. Knows nothing of TSX or HTML: a class is a word. What is no class costs nothing but the look.

mod aliases;
mod candidates;
mod fence;
pub(crate) mod sheet;
mod tokens;

use encre_css::config::DarkMode;
use encre_css::{Config, Preflight, Scanner};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// At most this many classes get rules; those after them in alphabetical order do not.
pub const MOST_CLASSES: usize = 4_000;

/// At most this many bytes of rules are made.
pub const LONGEST_CSS: usize = 1024 * 1024;

/// The words of a source (TSX or HTML) that may be classes.
pub fn classes(source: &str) -> BTreeSet<String> {
    candidates::candidates(source)
        .filter(|word| fence::is_harmless(word))
        .take(MOST_CLASSES * 4)
        .map(str::to_owned)
        .collect()
}

/// The rules of those words that are classes, in an order that depends on nothing but the set.
pub fn css(classes: &BTreeSet<String>) -> String {
    let mut aliased = None;
    let mut words: Vec<&str> = Vec::new();
    for class in classes.iter().filter(|class| fence::is_harmless(class)).take(MOST_CLASSES) {
        if let Some(target) = aliases::target(class) {
            aliased.get_or_insert_with(|| base_config().clone()).shortcuts.add(class.clone(), target);
        }
        words.push(class);
    }
    let config = aliased.as_ref().unwrap_or_else(|| base_config());
    generate(&words, config).or_else(|| one_by_one(&words, config)).unwrap_or_default()
}

/// The generator, with its panics taken for “no rules”.
fn generate(words: &[&str], config: &Config) -> Option<String> {
    catch_unwind(AssertUnwindSafe(|| encre_css::generate(words.iter().copied(), config)))
        .ok()
        .map(|css| fence::bounded(css, LONGEST_CSS))
}

/// Leaves out the words that the generator cannot take.
fn one_by_one(words: &[&str], config: &Config) -> Option<String> {
    let good: Vec<&str> = words.iter().copied().filter(|word| generate(&[word], config).is_some()).collect();
    generate(&good, config)
}

/// Tailwind's preflight: what every element looks like before classes.
pub fn base_css() -> &'static str {
    static BASE: OnceLock<String> = OnceLock::new();
    BASE.get_or_init(|| {
        let mut config = Config::default();
        config.preflight = Preflight::new_full();
        let mut css = encre_css::generate([], &config);
        css.push_str(aliases::BASE);
        css
    })
}

fn base_config() -> &'static Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    CONFIG.get_or_init(|| {
        let mut config = Config::default();
        config.preflight = Preflight::new_none();
        config.scanner = Scanner::from_fn(word);
        // The frame follows the host's theme, not the system's. `:where` adds no weight: a `dark:` class weighs what any does.
        config.theme.dark_mode = DarkMode::new_class(":where([data-theme=\"dark\"], .dark)");
        for name in tokens::COLOURS {
            config.theme.colors.add(*name, format!("var(--{name})"));
        }
        config
    })
}

/// A word is a class as it stands.
fn word(word: &str) -> BTreeSet<&str> {
    BTreeSet::from([word])
}
