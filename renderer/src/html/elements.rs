//! Elements that load something: links, images, sounds, and styles that name fonts and pictures.

use super::css::addresses;
use super::scan::{Attribute, Tag, decoded, encoded};
use super::scripts::{drop_integrity, no_such_file};
use super::{Work, css};
use crate::address::{absolute, is_outside};
use ui4a_types::AddressRole;
use ui4a_types::address::token;

/// Attributes that hold one address of something to show or to play.
const ASSETS: [(&str, &[&str]); 9] = [
    ("img", &["src"]),
    ("source", &["src"]),
    ("video", &["src", "poster"]),
    ("audio", &["src"]),
    ("track", &["src"]),
    ("input", &["src"]),
    ("image", &["href", "xlink:href"]),
    ("feimage", &["href", "xlink:href"]),
    ("body", &["background"]),
];

/// Rewrites every element but scripts.
pub(super) fn rewrite(work: &mut Work<'_>, text: &str, tags: &[Tag]) {
    for tag in tags {
        match tag.name.as_str() {
            "link" => link(work, text, tag),
            "style" => {
                if let Some((from, to)) = tag.content {
                    sheet(work, &text[from..to], from);
                }
            }
            "meta" => {
                // A policy of the page's own would not know the addresses that its files have here.
                if let Some(own) = tag
                    .attribute("http-equiv")
                    .filter(|own| value(text, own).eq_ignore_ascii_case("content-security-policy"))
                {
                    work.out.replace((own.at.0, own.at.0), "data-");
                }
            }
            name => {
                let names = ASSETS.iter().find(|(element, _)| *element == name).map_or(&[][..], |(_, names)| names);
                for attribute in tag.attributes.iter().filter(|own| names.contains(&own.name.as_str())) {
                    asset(work, text, attribute);
                }
                if matches!(name, "img" | "source") {
                    tag.attribute("srcset").into_iter().for_each(|own| candidates(work, text, own));
                }
            }
        }
        if let Some(own) = tag.attribute("style") {
            declarations(work, text, own);
        }
    }
}

fn value<'t>(text: &'t str, attribute: &Attribute) -> &'t str {
    text[attribute.value.0..attribute.value.1].trim()
}

fn put(work: &mut Work<'_>, attribute: &Attribute, text: &str) {
    work.out.replace(attribute.at, format!("{}=\"{text}\"", attribute.name));
}

fn link(work: &mut Work<'_>, text: &str, tag: &Tag) {
    let (Some(rel), Some(href)) = (tag.attribute("rel"), tag.attribute("href")) else { return };
    let rel = value(text, rel).to_ascii_lowercase();
    let rels: Vec<&str> = rel.split_ascii_whitespace().collect();
    let loads = |what: &str| tag.attribute("as").is_some_and(|own| value(text, own).eq_ignore_ascii_case(what));
    let address = decoded(value(text, href));
    // A style sheet that is preloaded is one in the making: a script or an attribute makes it one later.
    if rels.contains(&"stylesheet") || (rels.contains(&"preload") && loads("style")) {
        if !is_outside(&address) {
            if !address.is_empty() && !address.starts_with("data:") && !address.starts_with("blob:") {
                work.diagnostics.push(no_such_file(&address).at(text, href.value.0, href.value.1));
            }
            return;
        }
        let key = AddressRole::Style.key(&absolute(&address));
        put(work, href, &token(&key));
        drop_integrity(work, tag);
        work.uses(key, Vec::new(), href.value.0);
    } else if is_outside(&address)
        && !rels.iter().any(|rel| matches!(*rel, "canonical" | "alternate" | "author" | "license" | "help"))
    {
        // Hints that would only ask for what the policy refuses.
        work.out.replace((href.at.0, href.at.0), "data-");
    }
}

fn asset(work: &mut Work<'_>, text: &str, attribute: &Attribute) {
    let address = decoded(value(text, attribute));
    if is_outside(&address) {
        let key = AddressRole::Asset.key(&absolute(&address));
        put(work, attribute, &token(&key));
        work.uses(key, Vec::new(), attribute.value.0);
    }
}

/// `srcset`: addresses with widths. A `data:` address holds commas of its own, so then all is left as it is.
fn candidates(work: &mut Work<'_>, text: &str, attribute: &Attribute) {
    let written = decoded(value(text, attribute));
    if written.contains("data:") || !written.contains("//") {
        return;
    }
    let candidates: Vec<String> = written
        .split(", ")
        .flat_map(|part| part.split(",\n"))
        .map(|candidate| {
            let candidate = candidate.trim().trim_end_matches(',');
            let (address, rest) = candidate.split_once(char::is_whitespace).unwrap_or((candidate, ""));
            if !is_outside(address) {
                return candidate.to_owned();
            }
            let key = AddressRole::Asset.key(&absolute(address));
            let filled = format!("{} {}", token(&key), rest.trim());
            work.uses(key, Vec::new(), attribute.value.0);
            filled.trim_end().to_owned()
        })
        .collect();
    put(work, attribute, &encoded(&candidates.join(", ")));
}

/// The text of a style sheet that stands at `from`.
fn sheet(work: &mut Work<'_>, css: &str, from: usize) {
    for css::Found { at: (start, end), role } in addresses(css) {
        let key = role.key(&absolute(&css[start..end]));
        work.out.replace((from + start, from + end), token(&key));
        work.uses(key, Vec::new(), from + start);
    }
}

/// A `style` attribute.
fn declarations(work: &mut Work<'_>, text: &str, attribute: &Attribute) {
    let written = decoded(value(text, attribute));
    let found = addresses(&written);
    if found.is_empty() {
        return;
    }
    let (mut out, mut last) = (String::new(), 0);
    for css::Found { at: (start, end), role } in found {
        let key = role.key(&absolute(&written[start..end]));
        out.push_str(&written[last..start]);
        out.push_str(&token(&key));
        work.uses(key, Vec::new(), attribute.value.0);
        last = end;
    }
    out.push_str(&written[last..]);
    put(work, attribute, &encoded(&out));
}

/// `![…](https://…)` in Markdown.
pub(super) fn markdown_images(work: &mut Work<'_>, text: &str) {
    let mut at = 0;
    while let Some(found) = text[at..].find("![").map(|found| at + found) {
        at = found + 2;
        let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let Some(start) = text[at..line_end].find("](").map(|middle| at + middle + 2) else { continue };
        let Some(end) = text[start..line_end].find([')', ' ']).map(|end| start + end) else { continue };
        if is_outside(&text[start..end]) {
            let key = AddressRole::Asset.key(&absolute(&text[start..end]));
            work.out.replace((start, end), token(&key));
            work.uses(key, Vec::new(), start);
        }
        at = end;
    }
}
