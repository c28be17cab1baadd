//! What no class may do to a style sheet: leave its rule, its sheet or its element, or name an address.

/// Whether a word can be given to the generator. Its rules then hold nothing but what a declaration of the artifact's own
/// could.
pub(super) fn is_harmless(word: &str) -> bool {
    if word.bytes().any(|byte| byte < b' ' || matches!(byte, b'{' | b'}' | b';' | b'<' | b'\\' | b'"')) {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    let names_address =
        ["image-set(", "src(", "@import", "@charset", "@namespace", "javascript:", "expression(", "/*", "*/"]
            .iter()
            .any(|bad| lower.contains(bad));
    !names_address && urls_are_local(&lower) && is_balanced(word)
}

/// Every `url(…)` holds data or a fragment.
fn urls_are_local(lower: &str) -> bool {
    lower.match_indices("url(").all(|(at, _)| {
        let value = lower[at + 4..].trim_start_matches(['\'', '_', ' ']);
        value.starts_with("data:image/") || value.starts_with('#')
    })
}

/// Brackets close in order and quotes come in pairs, so that nothing after the class is swallowed.
fn is_balanced(word: &str) -> bool {
    let mut open = Vec::new();
    let mut quoted = false;
    for byte in word.bytes() {
        match byte {
            b'\'' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' => open.push(byte),
            b')' if open.pop() != Some(b'(') => return false,
            b']' if open.pop() != Some(b'[') => return false,
            _ => {}
        }
    }
    open.is_empty() && !quoted
}

/// The whole rules among the first `most` bytes, without what could end a `<style>` element.
pub(super) fn bounded(css: String, most: usize) -> String {
    let css = if css.contains("</") { css.replace("</", "<\\/") } else { css };
    if css.len() <= most {
        return css;
    }
    let mut end = most;
    while !css.is_char_boundary(end) {
        end -= 1;
    }
    css[..end].rfind("\n}\n").map_or_else(String::new, |end| css[..end + 2].to_owned())
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn classes_cannot_leave_their_rule() {
        for bad in [
            "bg-[url(https://x)]",
            "bg-[url('//x')]",
            "bg-[URL(http://x)]",
            "[background:image-set('x')]",
            "p-[1px;}body{color:red]",
            "content-['</style>']",
            "w-[calc(1px]",
            "content-['x]",
            "p-[1px/*]",
            "[@import'x']:p-1",
            "w-[\\75rl(x)]",
        ] {
            assert!(!is_harmless(bad), "{bad}");
        }
        for good in ["bg-[url(#grad)]", "w-[calc(100%-2rem)]", "before:content-['x']", "[&>p]:mt-2", "p-4", "w-1/2"] {
            assert!(is_harmless(good), "{good}");
        }
    }
}
