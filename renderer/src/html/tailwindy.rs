//! Whether a document is written for Tailwind. Its reset changes what plain elements look like, so a document with a style
//! sheet of its own must not get it for a word that happens to be a class.

use super::scan::{Tag, decoded};
use std::collections::BTreeSet;

/// Style sheets whose classes look like Tailwind's.
const OTHERS: [&str; 9] =
    ["bootstrap", "bulma", "foundation", "materialize", "semantic", "uikit", "tachyons", "primeflex", "spectre"];

/// Beginnings of class names that only utilities have.
const UTILITIES: [&str; 34] = [
    "p-",
    "px-",
    "py-",
    "pt-",
    "pb-",
    "pl-",
    "pr-",
    "m-",
    "mx-",
    "my-",
    "mt-",
    "mb-",
    "ml-",
    "mr-",
    "w-",
    "h-",
    "text-",
    "bg-",
    "border-",
    "rounded-",
    "gap-",
    "grid-cols-",
    "font-",
    "leading-",
    "tracking-",
    "shadow-",
    "space-",
    "max-w-",
    "min-h-",
    "items-",
    "justify-",
    "from-",
    "to-",
    "ring-",
];

/// Different utilities that a document must use; one or two happen by chance.
const ENOUGH: usize = 3;

pub(super) fn uses_tailwind(text: &str, tags: &[Tag]) -> bool {
    let address = |tag: &Tag, name: &str| {
        tag.attribute(name).map(|own| decoded(&text[own.value.0..own.value.1]).to_ascii_lowercase())
    };
    let mut styles = String::new();
    for tag in tags {
        match tag.name.as_str() {
            "script" if address(tag, "src").is_some_and(|address| address.contains("tailwind")) => return true,
            "link" => match address(tag, "href") {
                Some(address) if address.contains("tailwind") => return true,
                Some(address) if OTHERS.iter().any(|name| address.contains(name)) => return false,
                _ => {}
            },
            "style" => {
                if let Some((from, to)) = tag.content {
                    styles.push_str(&text[from..to]);
                }
            }
            _ => {}
        }
    }
    if styles.contains("@tailwind") || styles.contains("@apply") {
        return true;
    }
    let values = tags.iter().filter_map(|tag| tag.attribute("class")).map(|own| &text[own.value.0..own.value.1]);
    let words: BTreeSet<&str> = values.flat_map(str::split_ascii_whitespace).filter(|word| is_utility(word)).collect();
    // What the document's own style sheet defines is its own.
    words.into_iter().filter(|word| !styles.contains(&format!(".{word}"))).count() >= ENOUGH
}

fn is_utility(word: &str) -> bool {
    let word = word.rsplit(':').next().unwrap_or(word).trim_start_matches(['-', '!']);
    UTILITIES.iter().any(|start| word.starts_with(start) && word.len() > start.len())
}
