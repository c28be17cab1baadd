//! Spellings that Tailwind takes and the generator does not: v3's names, and names that mean something else in our tokens.

/// The class that `class` stands for, variants kept.
pub(super) fn target(class: &str) -> Option<String> {
    let (variants, base) = split_variants(class);
    let (important, base) = match base.strip_prefix('!') {
        Some(rest) => ("!", rest),
        None => ("", base),
    };
    let (base, trailing) = match base.strip_suffix('!') {
        Some(rest) => (rest, "!"),
        None => (base, ""),
    };
    let important = if trailing.is_empty() { important } else { "!" };
    let renamed = rename(base).or_else(|| (!trailing.is_empty()).then(|| base.to_owned()))?;
    // A target may be several classes, and may bring a variant of its own.
    let all: Vec<String> = renamed
        .split(' ')
        .map(|one| {
            let (own, name) = split_variants(one);
            format!("{variants}{own}{important}{name}")
        })
        .collect();
    Some(all.join(" "))
}

/// Splits `md:hover:p-4` into `md:hover:` and `p-4`; a colon in brackets is none.
fn split_variants(class: &str) -> (&str, &str) {
    let mut depth = 0_i32;
    let mut split = 0;
    for (at, byte) in class.bytes().enumerate() {
        match byte {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth -= 1,
            b':' if depth == 0 => split = at + 1,
            _ => {}
        }
    }
    class.split_at(split)
}

fn rename(base: &str) -> Option<String> {
    const WHOLE: &[(&str, &str)] = &[
        ("rounded", "rounded-sm"),
        ("shadow", "shadow-sm"),
        ("shadow-inner", "inset-shadow-sm"),
        ("drop-shadow", "drop-shadow-sm"),
        ("blur", "blur-sm"),
        ("backdrop-blur", "backdrop-blur-sm"),
        ("flex-shrink", "shrink"),
        ("flex-shrink-0", "shrink-0"),
        ("flex-grow", "grow"),
        ("flex-grow-0", "grow-0"),
        ("outline-none", "outline-hidden"),
        ("antialiased", "antialised"),
        ("subpixel-antialiased", "subpixel-antialised"),
        ("overflow-ellipsis", "text-ellipsis"),
        ("decoration-slice", "box-decoration-slice"),
        ("decoration-clone", "box-decoration-clone"),
        ("break-words", "[overflow-wrap:break-word]"),
        ("wrap-anywhere", "[overflow-wrap:anywhere]"),
        ("wrap-break-word", "[overflow-wrap:break-word]"),
        ("ring-inset", "[--en-ring-inset:inset]"),
        ("collapse", "[visibility:collapse]"),
        ("overflow-clip", "[overflow:clip]"),
        ("hyphens-auto", "[hyphens:auto]"),
        ("fill-none", "[fill:none]"),
        ("field-sizing-content", "[field-sizing:content]"),
        ("backface-hidden", "[backface-visibility:hidden]"),
        ("transform-3d", "[transform-style:preserve-3d]"),
        ("scrollbar-none", "[scrollbar-width:none]"),
        ("grid-cols-subgrid", "[grid-template-columns:subgrid]"),
        ("grid-rows-subgrid", "[grid-template-rows:subgrid]"),
        // In shadcn's names these are grounds; in ours the same names are colours of text.
        ("bg-muted", "bg-surface-2"),
    ];
    if let Some((_, target)) = WHOLE.iter().find(|(name, _)| *name == base) {
        return Some((*target).to_owned());
    }
    for side in ["t", "r", "b", "l", "s", "e", "tl", "tr", "bl", "br", "ss", "se", "es", "ee"] {
        if base.strip_prefix("rounded-") == Some(side) {
            return Some(format!("rounded-{side}-sm"));
        }
    }
    if let Some(level) = base.strip_prefix("z-[").filter(|rest| rest.ends_with(']')) {
        return Some(format!("[z-index:{level}"));
    }
    for (name, property) in [("grow-[", "flex-grow"), ("shrink-[", "flex-shrink")] {
        if let Some(factor) = base.strip_prefix(name).filter(|rest| rest.ends_with(']')) {
            return Some(format!("[{property}:{factor}"));
        }
    }
    if let Some(size) = base.strip_prefix("size-") {
        return Some(format!("w-{size} h-{size}"));
    }
    if let Some(opacity) = base.strip_prefix("bg-muted/") {
        return Some(format!("bg-surface-2/{opacity}"));
    }
    if let Some(colour) = base.strip_prefix("placeholder-") {
        return Some(format!("placeholder:text-{colour}"));
    }
    if let Some(direction) = base.strip_prefix("bg-gradient-to-") {
        return Some(format!("bg-linear-to-{direction}"));
    }
    None
}

/// Rules that are no classes.
pub(super) const BASE: &str = "\n\n*, ::before, ::after {\n  border-color: var(--border, currentColor);\n}\n";

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn variants_and_importance_are_kept() {
        assert_eq!(target("md:hover:rounded").as_deref(), Some("md:hover:rounded-sm"));
        assert_eq!(target("!shadow").as_deref(), Some("!shadow-sm"));
        assert_eq!(target("dark:placeholder-gray-400").as_deref(), Some("dark:placeholder:text-gray-400"));
        assert_eq!(target("p-4!").as_deref(), Some("!p-4"));
        assert_eq!(target("data-[a:b]:rounded-l").as_deref(), Some("data-[a:b]:rounded-l-sm"));
        assert_eq!(target("rounded-lg"), None);
    }

    #[test]
    fn sizes_and_factors_that_the_generator_lacks_are_spelt_out() {
        assert_eq!(target("md:size-4").as_deref(), Some("md:w-4 md:h-4"));
        assert_eq!(target("size-[3rem]").as_deref(), Some("w-[3rem] h-[3rem]"));
        assert_eq!(target("grow-[2]").as_deref(), Some("[flex-grow:2]"));
        assert_eq!(target("sm:shrink-[3]").as_deref(), Some("sm:[flex-shrink:3]"));
    }
}
