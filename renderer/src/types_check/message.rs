//! The checker's sentences, taken apart. They are stable: its numbers and their texts are the same in all versions.

/// A line that says what does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mismatch<'a> {
    pub given: &'a str,
    pub wanted: &'a str,
}

/// A name that a type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unknown<'a> {
    pub name: &'a str,
    pub of: &'a str,
}

/// What stands between `before` and the next `after`.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let start = text.find(before)? + before.len();
    let rest = &text[start..];
    Some(&rest[..rest.find(after)?])
}

/// Every line that says that a type does not fit another, outermost first.
pub(super) fn mismatches(message: &str) -> impl Iterator<Item = Mismatch<'_>> {
    message.lines().map(str::trim).filter_map(|line| {
        let (given, rest) = match line.split_once("' is not assignable to type '") {
            Some((given, rest)) => (given.strip_prefix("Type '")?, rest),
            None => {
                let (given, rest) = line.split_once("' is not assignable to parameter of type '")?;
                (given.strip_prefix("Argument of type '")?, rest)
            }
        };
        let wanted = rest.split_once("'. Did you mean").map_or(rest, |(wanted, _)| wanted);
        Some(Mismatch { given, wanted: wanted.trim_end_matches(['.', '\'']) })
    })
}

/// The name that does not exist, of the innermost line that says so.
pub(super) fn unknown(message: &str) -> Option<Unknown<'_>> {
    message.lines().rev().find_map(|line| {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("Property '") {
            let (name, rest) = rest.split_once("' does not exist on type '")?;
            return Some(Unknown { name, of: until_end(rest) });
        }
        let rest = line.strip_prefix("Object literal may only specify known properties, ")?;
        let (name, rest) = rest.split_once("' does not exist in type '")?;
        let name = name.strip_prefix("and '").or_else(|| name.strip_prefix("but '"))?;
        Some(Unknown { name: name.trim_matches('"'), of: until_end(rest) })
    })
}

/// A type's text up to the quote that ends it.
fn until_end(rest: &str) -> &str {
    rest.split_once("'. Did you mean").map_or(rest, |(of, _)| of).trim_end_matches(['.', '\''])
}

/// What it proposes instead.
pub(super) fn proposal(message: &str) -> Option<&str> {
    message.lines().rev().find_map(|line| {
        let found = between(line, "Did you mean to write '", "'").or_else(|| between(line, "Did you mean '", "'"))?;
        Some(found.trim_matches('"'))
    })
}

/// The names that are missing, and the type that wants them.
pub(super) fn missing(message: &str) -> Option<(Vec<&str>, &str)> {
    message.lines().rev().find_map(|line| {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("Property '") {
            let (name, rest) = rest.split_once("' is missing in type '")?;
            return Some((vec![name], until_end(rest.split_once("' but required in type '")?.1)));
        }
        let (_, rest) = line.split_once("' is missing the following properties from type '")?;
        let (of, names) = rest.rsplit_once("': ")?;
        // At the end of a long list: "and 2 more".
        let names = names.split(", ").map(|name| name.trim_end_matches('.')).filter(|name| !name.starts_with("and "));
        Some((names.collect(), of))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_taken_apart() {
        let prop = "Type '{ wdth: number; }' is not assignable to type 'IntrinsicAttributes & P'.\n  Property 'wdth' does not exist on type 'IntrinsicAttributes & P'. Did you mean 'width'?";
        assert_eq!(unknown(prop), Some(Unknown { name: "wdth", of: "IntrinsicAttributes & P" }));
        assert_eq!(proposal(prop), Some("width"));
        let first = mismatches(prop).next().expect("a mismatch");
        assert_eq!((first.given, first.wanted), ("{ wdth: number; }", "IntrinsicAttributes & P"));
        let word = r#"Type '"primry"' is not assignable to type '"primary" | "link"'. Did you mean '"primary"'?"#;
        assert_eq!(mismatches(word).next().map(|m| m.wanted), Some(r#""primary" | "link""#));
        assert_eq!(proposal(word), Some("primary"));
        let literal = "Object literal may only specify known properties, but 'colr' does not exist in type 'M'. Did you mean to write 'color'?";
        assert_eq!(unknown(literal).map(|u| (u.name, u.of)), Some(("colr", "M")));
        assert_eq!(proposal(literal), Some("color"));
        let one = "Property 'onDone' is missing in type '{ todo: Todo; }' but required in type '{ todo: Todo; onDone: any; }'.";
        assert_eq!(missing(one), Some((vec!["onDone"], "{ todo: Todo; onDone: any; }")));
        let many = "Type '{}' is missing the following properties from type 'P': a, b, c, and 2 more.";
        assert_eq!(missing(many), Some((vec!["a", "b", "c"], "P")));
        let argument = "Argument of type 'string' is not assignable to parameter of type 'SetStateAction<number>'.";
        assert_eq!(mismatches(argument).next().map(|m| m.wanted), Some("SetStateAction<number>"));
    }
}
