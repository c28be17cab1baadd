//! Addresses that a document names, as the program passes them around.
//!
//! A document says `<script src="https://…">`; what reaches the sandbox says where the program keeps that script. In
//! between an address is a *key*, which stands in the table of imports beside the specifiers of modules, and in compiled
//! text a *token*, which whoever shows the text replaces by what the table says of the key.

use serde::{Deserialize, Serialize};

/// What an address is used as: the same address may be more than one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AddressRole {
    /// A classic script, which runs as it is.
    Script,
    /// A style sheet.
    Style,
    /// An image, a font, a sound or a film.
    Asset,
}

const ROLES: [(AddressRole, &str); 3] =
    [(AddressRole::Script, "script:"), (AddressRole::Style, "style:"), (AddressRole::Asset, "asset:")];

impl AddressRole {
    /// The key of an address in this role: `script:https://…`. No specifier of a module looks like it.
    pub fn key(self, address: &str) -> String {
        let prefix = ROLES.iter().find(|(role, _)| *role == self).map_or("", |(_, prefix)| prefix);
        format!("{prefix}{address}")
    }

    /// The role and the address of a key; `None` for the specifier of a module.
    pub fn of_key(key: &str) -> Option<(Self, &str)> {
        let (role, address) = ROLES.iter().find_map(|(role, prefix)| Some((*role, key.strip_prefix(prefix)?)))?;
        (address.starts_with("https:") || address.starts_with("http:")).then_some((role, address))
    }
}

/// What every token starts with.
pub const TOKEN_START: &str = "ui4a-address:";
/// What every token ends with. Nothing before it in a token is this character.
pub const TOKEN_END: char = ';';

/// The token of a key, or of a module's specifier. It holds no character that an attribute's value (quoted or not), a
/// style sheet's `url()`, a list of candidates or a script's string would take for its end.
pub fn token(key: &str) -> String {
    let mut text = String::from(TOKEN_START);
    for byte in key.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b'~' => text.push(byte as char),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text.push(TOKEN_END);
    text
}

/// `text` with each token replaced by what `fill` says of its key; where it says nothing the token stays.
pub fn fill_tokens(text: &str, mut fill: impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(TOKEN_START) {
        let body = &rest[at + TOKEN_START.len()..];
        let end = body.find(|c: char| !(c.is_ascii_alphanumeric() || ".-_~%".contains(c)));
        let filled = end
            .filter(|end| body[*end..].starts_with(TOKEN_END))
            .and_then(|end| Some((end, fill(&decode(&body[..end])?)?)));
        out.push_str(&rest[..at]);
        match filled {
            Some((end, with)) => {
                out.push_str(&with);
                rest = &body[end + 1..];
            }
            None => {
                out.push_str(TOKEN_START);
                rest = body;
            }
        }
    }
    out.push_str(rest);
    out
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            let [a, b, tail @ ..] = tail else { return None };
            let digit = |byte: u8| (byte as char).to_digit(16);
            bytes.push((digit(*a)? * 16 + digit(*b)?) as u8);
            rest = tail;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_tokens_lead_back() {
        let key = AddressRole::Style.key("https://a.test/x.css?family=A:wght@400;700&y=\"é\"");
        assert_eq!(
            AddressRole::of_key(&key),
            Some((AddressRole::Style, "https://a.test/x.css?family=A:wght@400;700&y=\"é\""))
        );
        assert_eq!(AddressRole::of_key("script:alert(1)"), None);
        assert_eq!(AddressRole::of_key("react"), None);
        let text = format!("a {} b {TOKEN_START} c {TOKEN_START}%zz; d", token(&key));
        let filled = fill_tokens(&text, |found| (found == key).then(|| "/m/1.css".to_owned()));
        assert_eq!(filled, format!("a /m/1.css b {TOKEN_START} c {TOKEN_START}%zz; d"));
        assert!(!token(&key).contains(['"', '\'', ' ', ',', ')', '&', '<']));
    }
}
