//! The style sheet of statements that come and go: each word is judged once, and rules are made anew only when the set of
//! words that are classes changed.

use super::{classes, css};
use std::collections::{BTreeSet, HashMap};

/// The words of a statement that may be classes.
pub(crate) fn words(text: &str) -> Vec<String> {
    classes(text).into_iter().collect()
}

/// A style sheet and the words it is made of.
#[derive(Default)]
pub(crate) struct Sheet {
    words: HashMap<String, Word>,
    /// The words in use that are classes.
    used: BTreeSet<String>,
    /// The words that `css` was made of.
    made_of: BTreeSet<String>,
    css: String,
}

struct Word {
    uses: u32,
    is_class: bool,
}

impl Sheet {
    /// Counts the words of a statement in.
    pub fn add(&mut self, words: &[String]) {
        for word in words {
            let known = match self.words.get_mut(word) {
                Some(known) => known,
                None => {
                    let is_class = !css(&BTreeSet::from([word.clone()])).is_empty();
                    self.words.entry(word.clone()).or_insert(Word { uses: 0, is_class })
                }
            };
            known.uses += 1;
            if known.is_class && known.uses == 1 {
                self.used.insert(word.clone());
            }
        }
    }

    /// Counts the words of a statement out.
    pub fn remove(&mut self, words: &[String]) {
        for word in words {
            let Some(known) = self.words.get_mut(word) else { continue };
            known.uses = known.uses.saturating_sub(1);
            if known.uses == 0 && known.is_class {
                self.used.remove(word);
            }
        }
    }

    /// The rules of all words in use.
    pub fn css(&mut self) -> &str {
        if self.made_of != self.used {
            self.css = css(&self.used);
            self.made_of.clone_from(&self.used);
        }
        &self.css
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_is_that_of_the_words_in_use() {
        let (one, two) = (words("<p className=\"p-4 md:flex no-class\">"), words("<b className=\"p-4 mt-2 size-4\">"));
        let mut sheet = Sheet::default();
        sheet.add(&one);
        sheet.add(&two);
        let both: BTreeSet<String> = one.iter().chain(&two).cloned().collect();
        assert_eq!(sheet.css(), css(&both));
        sheet.remove(&two);
        assert_eq!(sheet.css(), css(&one.iter().cloned().collect()));
        sheet.remove(&one);
        assert_eq!(sheet.css(), "");
    }
}
