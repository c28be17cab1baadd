//! `name=value` pairs after a fence's language or inside a tag, quoted or not, in any order.

/// The value of an attribute.
pub(super) fn value(attributes: &str, wanted: &str) -> Option<String> {
    pairs(attributes).find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.to_owned())
}

/// The part of attributes that were cut off up to the last pair that is whole.
pub(super) fn whole(attributes: &str) -> &str {
    let (mut quote, mut end) = (None, 0);
    for (at, c) in attributes.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => (quote, end) = (None, at + 1),
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, _) if c.is_whitespace() => end = at,
            _ => {}
        }
    }
    &attributes[..end]
}

/// All pairs in order. Words without a value are passed over.
fn pairs(attributes: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = attributes;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches(|first: char| first.is_whitespace() || matches!(first, ',' | '{' | '}'));
            if rest.is_empty() {
                return None;
            }
            let end = rest.find(|byte: char| byte.is_whitespace() || byte == '=').unwrap_or(rest.len());
            let name = &rest[..end];
            let after = rest[end..].trim_start();
            let Some(after) = after.strip_prefix('=') else {
                rest = &rest[end..];
                continue;
            };
            let after = after.trim_start();
            let quote = after.chars().next().filter(|first| matches!(first, '"' | '\''));
            let (value, tail) = match quote {
                Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
                None => {
                    let end = after
                        .find(|byte: char| byte.is_whitespace() || matches!(byte, ',' | '}' | '>'))
                        .unwrap_or(after.len());
                    after.split_at(end)
                }
            };
            rest = tail;
            if !name.is_empty() {
                return Some((name, value));
            }
        }
    })
}
