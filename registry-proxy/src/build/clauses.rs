//! How built code names what it imports: the clause before each address.
//!
//! Reads what the bundler prints, not what people write: no comments, no line breaks within a clause. What it cannot read
//! it calls [`Form::Other`], which stands for everything.

use super::virtuals::quote;
use super::wish::Wish;
use std::collections::BTreeSet;
use std::ops::Range;

/// What one import or re-export takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form<'a> {
    /// `import d,{a as b}from`, `export{a as b}from`: imported name and local text.
    Named { export: bool, pairs: Vec<(String, &'a str)> },
    /// `import*as n from`.
    Namespace,
    /// `export*from`.
    Star,
    /// `import"…"`.
    Bare,
    /// `import("…")`.
    Dynamic,
    /// Not understood.
    Other,
}

/// One place where code names an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Use<'a> {
    /// From the keyword to the end of the quoted address.
    pub range: Range<usize>,
    pub form: Form<'a>,
}

/// Every place where `code` holds `address` as a string.
pub(crate) fn uses<'a>(code: &'a str, address: &str) -> Vec<Use<'a>> {
    let found = code.match_indices(address).filter_map(|(at, _)| {
        let end = at + address.len();
        let before = code[..at].chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'))?;
        if !code[end..].starts_with(before) {
            return None;
        }
        let (start, form) = form(&code[..at - 1]);
        Some(Use { range: start..end + 1, form })
    });
    found.collect()
}

/// What code takes of the module at `address`.
pub(crate) fn taken(uses: &[Use<'_>]) -> Wish {
    let mut wish = Wish::default();
    for one in uses {
        match &one.form {
            Form::Named { pairs, .. } => wish.add(&Wish::names(pairs.iter().map(|(name, _)| name.clone()))),
            Form::Bare => {}
            Form::Namespace | Form::Star | Form::Dynamic | Form::Other => wish = Wish::All,
        }
    }
    wish
}

/// Whether every use waits until it is run.
pub(crate) fn all_dynamic(uses: &[Use<'_>]) -> bool {
    uses.iter().all(|one| one.form == Form::Dynamic)
}

/// The names that code binds and `known` lacks.
pub(crate) fn missing(uses: &[Use<'_>], known: &[String]) -> Vec<String> {
    let named = uses.iter().filter_map(|one| match &one.form {
        Form::Named { pairs, .. } => Some(pairs),
        _ => None,
    });
    let names: BTreeSet<&String> = named.flatten().map(|(name, _)| name).collect();
    names.into_iter().filter(|name| *name != "module.exports" && !known.contains(name)).cloned().collect()
}

/// The code with its imports of `address` taken from `other` instead, where each name is called as `rename` says. None when
/// some use is not by name.
pub(crate) fn redirected(code: &str, address: &str, other: &str, rename: impl Fn(&str) -> String) -> Option<String> {
    let uses = uses(code, address);
    if !uses.iter().all(|one| matches!(one.form, Form::Named { .. } | Form::Bare)) {
        return None;
    }
    let mut out = String::with_capacity(code.len());
    let mut at = 0;
    for one in &uses {
        out.push_str(&code[at..one.range.start]);
        match &one.form {
            Form::Named { export, pairs } => {
                let clause: Vec<String> =
                    pairs.iter().map(|(name, local)| format!("{} as {local}", quote(&rename(name)))).collect();
                let keyword = if *export { "export" } else { "import" };
                out.push_str(&format!("{keyword}{{{}}}from{}", clause.join(","), quote(other)));
            }
            _ => out.push_str(&format!("import{}", quote(other))),
        }
        at = one.range.end;
    }
    out.push_str(&code[at..]);
    Some(out)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// The text before a last word.
fn before_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.strip_suffix(word).filter(|rest| !rest.ends_with(is_name))
}

/// The clause that ends where an address begins: where its keyword stands, and what it is.
fn form(before: &str) -> (usize, Form<'_>) {
    let text = before.trim_end();
    if let Some(rest) = text.strip_suffix('(').and_then(|rest| before_word(rest.trim_end(), "import")) {
        return (rest.len(), Form::Dynamic);
    }
    if let Some(rest) = before_word(text, "import") {
        return (rest.len(), Form::Bare);
    }
    let other = (before.len(), Form::Other);
    let Some(clause) = before_word(text, "from").map(str::trim_end) else { return other };
    if let Some(rest) = clause.strip_suffix('*') {
        return before_word(rest.trim_end(), "export").map_or(other, |rest| (rest.len(), Form::Star));
    }
    let (mut head, mut pairs) = (clause, Vec::new());
    if let Some(inner) = clause.strip_suffix('}') {
        let Some(open) = inner.rfind('{') else { return other };
        pairs = inner[open + 1..].split(',').filter_map(pair).collect();
        head = inner[..open].trim_end();
        for (keyword, export) in [("export", true), ("import", false)] {
            if let Some(rest) = before_word(head, keyword) {
                return (rest.len(), Form::Named { export, pairs });
            }
        }
        let Some(rest) = head.strip_suffix(',') else { return other };
        head = rest.trim_end();
    }
    let rest = head.trim_end_matches(is_name);
    let local = &head[rest.len()..];
    let rest = rest.trim_end();
    if let Some(star) = before_word(rest, "as").and_then(|rest| rest.trim_end().strip_suffix('*')) {
        let star = star.trim_end();
        // `import d,*as n`: everything is taken either way, and nothing is rewritten.
        let keyword = ["import", "export"].iter().find_map(|word| before_word(star, word));
        return (keyword.map_or(before.len(), str::len), Form::Namespace);
    }
    match before_word(rest, "import") {
        Some(rest) if !local.is_empty() => {
            pairs.push(("default".to_owned(), local));
            (rest.len(), Form::Named { export: false, pairs })
        }
        _ => other,
    }
}

/// `a`, `a as b`, `"a-b"as c`.
fn pair(part: &str) -> Option<(String, &str)> {
    let part = part.trim();
    let (imported, rest, whole) = match part.chars().next()? {
        quote @ ('"' | '\'') => {
            let end = part[1..].find(quote)? + 1;
            let text: String = serde_json::from_str(&part[..=end]).unwrap_or_else(|_| part[1..end].to_owned());
            (text, &part[end + 1..], &part[..=end])
        }
        _ => {
            let end = part.find(|c| !is_name(c)).unwrap_or(part.len());
            (part[..end].to_owned(), &part[end..], &part[..end])
        }
    };
    let local = rest.trim_start().strip_prefix("as").map_or(whole, str::trim_start);
    Some((imported, local))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(export: bool, pairs: &[(&str, &'static str)]) -> Form<'static> {
        Form::Named { export, pairs: pairs.iter().map(|(name, local)| ((*name).to_owned(), *local)).collect() }
    }

    #[test]
    fn clauses_are_read() {
        let read = |before: &'static str| form(before);
        assert_eq!(read("var a;import{useState as u,b}from"), (6, named(false, &[("useState", "u"), ("b", "b")])));
        assert_eq!(read("x();import r,{c as d} from "), (4, named(false, &[("c", "d"), ("default", "r")])));
        assert_eq!(read("import r from"), (0, named(false, &[("default", "r")])));
        assert_eq!(read("export{\"a-b\"as c}from"), (0, named(true, &[("a-b", "c")])));
        assert_eq!(read("import*as r from"), (0, Form::Namespace));
        assert_eq!(read("export*as r from"), (0, Form::Namespace));
        assert_eq!(read("export*from"), (0, Form::Star));
        assert_eq!(read("a;import"), (2, Form::Bare));
        assert_eq!(read("return import("), (7, Form::Dynamic));
        assert_eq!(read("x=").1, Form::Other);
    }

    #[test]
    fn names_are_taken_from_elsewhere() {
        let code = "import{a as b,c}from\"x\";import d from\"x\";export{e}from'x';f('xy');";
        let moved = redirected(code, "x", "y", |name| format!("0{name}")).expect("all by name");
        assert_eq!(
            moved,
            "import{\"0a\" as b,\"0c\" as c}from\"y\";import{\"0default\" as d}from\"y\";export{\"0e\" as e}from\"y\";f('xy');"
        );
        assert_eq!(redirected("import*as n from\"x\"", "x", "y", str::to_owned), None);
        assert_eq!(missing(&uses(code, "x"), &["a".to_owned(), "c".to_owned(), "e".to_owned()]), ["default"]);
    }
}
