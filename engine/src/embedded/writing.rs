//! Bytes of tokens to text that may be shown.
//!
//! A token may end inside a character, and a stop string may begin in one token and end in another: [`Writing`] holds
//! back exactly what is not decided yet. It knows nothing of tokens' numbers.

/// The text of one answer as it grows.
#[derive(Default)]
pub struct Writing {
    stops: Vec<String>,
    /// Bytes of a character that is not complete.
    partial: Vec<u8>,
    /// Text that may be the beginning of a stop string.
    held: String,
    stopped: bool,
}

impl Writing {
    /// An answer that ends before any of `stops`. Empty ones are ignored.
    pub fn new(stops: &[String]) -> Self {
        Self { stops: stops.iter().filter(|s| !s.is_empty()).cloned().collect(), ..Self::default() }
    }

    /// Whether a stop string came.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// Adds `bytes` and gives back what may be shown now; bytes that are no UTF-8 become U+FFFD.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.partial.extend_from_slice(bytes);
        let whole = decode(&mut self.partial);
        self.release(&whole)
    }

    /// What was held back, at the end of an answer that no stop string ended.
    pub fn finish(&mut self) -> String {
        let rest = String::from_utf8_lossy(&std::mem::take(&mut self.partial)).into_owned();
        let mut shown = self.release(&rest);
        if !self.stopped {
            shown.push_str(&std::mem::take(&mut self.held));
        }
        shown
    }

    fn release(&mut self, more: &str) -> String {
        if self.stopped {
            return String::new();
        }
        self.held.push_str(more);
        if let Some(at) = self.stops.iter().filter_map(|stop| self.held.find(stop)).min() {
            self.stopped = true;
            self.held.truncate(at);
            return std::mem::take(&mut self.held);
        }
        let open = self.stops.iter().map(|stop| overlap(&self.held, stop)).max().unwrap_or(0);
        let kept = self.held.split_off(self.held.len() - open);
        std::mem::replace(&mut self.held, kept)
    }
}

/// Bytes at the end of `text` with which `stop` begins.
fn overlap(text: &str, stop: &str) -> usize {
    let longest = text.len().min(stop.len() - 1);
    (1..=longest).rev().find(|n| stop.is_char_boundary(*n) && text.ends_with(&stop[..*n])).unwrap_or(0)
}

/// Takes the complete characters from the front of `bytes`.
fn decode(bytes: &mut Vec<u8>) -> String {
    let mut text = String::new();
    loop {
        match std::str::from_utf8(bytes) {
            Ok(all) => {
                text.push_str(all);
                bytes.clear();
                return text;
            }
            Err(e) => {
                text.push_str(&String::from_utf8_lossy(&bytes[..e.valid_up_to()]));
                let Some(bad) = e.error_len() else {
                    bytes.drain(..e.valid_up_to());
                    return text;
                };
                text.push(char::REPLACEMENT_CHARACTER);
                bytes.drain(..e.valid_up_to() + bad);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(stops: &[&str], pieces: &[&[u8]]) -> (Vec<String>, bool) {
        let mut writing = Writing::new(&stops.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        let mut shown: Vec<String> = pieces.iter().map(|p| writing.push(p)).collect();
        shown.push(writing.finish());
        (shown, writing.stopped())
    }

    #[test]
    fn a_character_in_two_tokens_comes_whole() {
        let smile = "🙂".as_bytes();
        let (pieces, _) = shown(&[], &[&smile[..1], &smile[1..3], &smile[3..]]);
        assert_eq!(pieces, ["", "", "🙂", ""]);
    }

    #[test]
    fn bytes_that_are_no_text_are_marked_and_the_rest_goes_on() {
        let (pieces, _) = shown(&[], &[b"a\xffb", b"\xe2\x82"]);
        assert_eq!(pieces.concat(), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn a_stop_string_across_tokens_is_never_shown() {
        let (pieces, stopped) = shown(&["</ui>"], &[b"one <", b"/u", b"i> two"]);
        assert_eq!((pieces.concat().as_str(), stopped), ("one ", true));
        assert_eq!(pieces[0], "one ");
    }

    #[test]
    fn what_only_looks_like_a_stop_string_is_shown() {
        let (pieces, stopped) = shown(&["</ui>"], &[b"a </u", b"l> b <"]);
        assert_eq!((pieces.concat().as_str(), stopped), ("a </ul> b <", false));
        assert_eq!(pieces[..2], ["a ", "</ul> b "]);
    }

    #[test]
    fn the_earliest_stop_string_wins() {
        let (pieces, stopped) = shown(&["END", "N"], &[b"a EN", b"D"]);
        assert_eq!((pieces.concat().as_str(), stopped), ("a E", true));
    }
}
