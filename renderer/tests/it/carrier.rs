//! Where artifacts are found in a stream, however it is cut.

use proptest::prelude::*;
use ui4a_renderer::carrier::{Extractor, Opening, Piece, dialect};
use ui4a_types::{Carrier, Dialect, Kind};

/// Pieces with neighbours of a kind joined.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (out.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (Some(Piece::Source(before)), Piece::Source(text)) => before.push_str(&text),
            (_, piece) => out.push(piece),
        }
    }
    out
}

fn extract<'a>(eager: bool, chunks: impl IntoIterator<Item = &'a str>) -> Vec<Piece> {
    let mut extractor = Extractor::new(eager);
    let mut pieces: Vec<_> = chunks.into_iter().flat_map(|chunk| extractor.push(chunk)).collect();
    pieces.extend(extractor.finish());
    joined(pieces)
}

/// Extracts at once and a character at a time; both must say the same.
fn pieces(eager: bool, stream: &str) -> Vec<Piece> {
    let whole = extract(eager, [stream]);
    let characters = stream.char_indices().map(|(at, character)| &stream[at..at + character.len_utf8()]);
    assert_eq!(whole, extract(eager, characters), "{stream}");
    whole
}

fn text(text: &str) -> Piece {
    Piece::Text(text.into())
}

fn source(text: &str) -> Piece {
    Piece::Source(text.into())
}

fn opened(kind: Kind, carrier: Carrier) -> Piece {
    Piece::Opened(Opening { id: None, title: None, kind, dialect: None, carrier })
}

const CLOSED: Piece = Piece::Closed { truncated: false };
const CUT: Piece = Piece::Closed { truncated: true };
const MODULE: &str =
    "import { Card } from \"$ui4a/ui\";\nexport default function App() { return <Card>`hi`</Card>; }\n";

#[test]
fn a_fence_of_ours_opens_an_artifact_between_prose() {
    let stream = format!("Here it is:\n\n```ui4a/tsx id=sales title=\"Sales, this week\"\n{MODULE}```\nEnjoy `it`.");
    let opening = Opening {
        id: Some("sales".into()),
        title: Some("Sales, this week".into()),
        kind: Kind::Tsx,
        dialect: None,
        carrier: Carrier::Fence,
    };
    for eager in [false, true] {
        assert_eq!(
            pieces(eager, &stream),
            [text("Here it is:\n\n"), Piece::Opened(opening.clone()), source(MODULE), CLOSED, text("Enjoy `it`.")]
        );
    }
}

#[test]
fn attributes_come_in_any_order_and_quoting() {
    for info in ["title='A b' id=x", "id=\"x\" title=\"A b\"", "  id = x   title='A b' more", "{id=x, title='A b'}"] {
        let found = pieces(false, &format!("```ui4a/html {info}\n<p>a</p>\n```\n"));
        let Some(Piece::Opened(opening)) = found.first() else { panic!("{info}: {found:?}") };
        assert_eq!((opening.id.as_deref(), opening.title.as_deref()), (Some("x"), Some("A b")), "{info}");
        assert_eq!(opening.kind, Kind::Html);
    }
}

#[test]
fn only_a_fence_at_least_as_long_closes() {
    let inner = "const md = `\n```js\ncode\n```\n`;\nexport default () => <p>{md}</p>;\n";
    let stream = format!("````ui4a/tsx\n{inner}`````  \ndone");
    assert_eq!(pieces(false, &stream), [opened(Kind::Tsx, Carrier::Fence), source(inner), CLOSED, text("done")]);
    let tildes = format!("~~~ui4a/tsx\n```\n{MODULE}~~~\n");
    assert_eq!(pieces(false, &tildes), [opened(Kind::Tsx, Carrier::Fence), source(&format!("```\n{MODULE}")), CLOSED]);
}

#[test]
fn sloppy_fences_are_understood() {
    let open = || opened(Kind::Tsx, Carrier::Fence);
    let code = "export default () => <p>a</p>;";
    // After words, indented, glued to the code, followed by words, followed by the next fence.
    assert_eq!(
        pieces(false, &format!("Sure! ```ui4a/tsx\n{code}\n  ```\n")),
        [text("Sure! "), open(), source(&format!("{code}\n")), CLOSED]
    );
    assert_eq!(
        pieces(false, &format!("  ```ui4a/tsx\n  {code}\n  ``` \nbye")),
        [text("  "), open(), source(&format!("  {code}\n")), CLOSED, text("bye")]
    );
    assert_eq!(pieces(false, &format!("```ui4a/tsx\n{code}```\nbye")), [open(), source(code), CLOSED, text("bye")]);
    assert_eq!(
        pieces(false, &format!("```ui4a/tsx\n{code}\n``` That is it.\n")),
        [open(), source(&format!("{code}\n")), CLOSED, text("That is it.\n")]
    );
    assert_eq!(
        pieces(false, &format!("```ui4a/tsx\n{code}\n```ui4a/tsx\n{code}\n")),
        [open(), source(&format!("{code}\n")), CLOSED, open(), source(&format!("{code}\n")), CUT]
    );
    assert_eq!(
        pieces(false, &format!("```ui4a/tsx\r\n{code}\r\n```\r\n")),
        [open(), source(&format!("{code}\r\n")), CLOSED]
    );
}

#[test]
fn a_stream_that_ends_early_says_so() {
    // Field case A15: inside the opening there is no artifact yet, and what was written is not lost.
    assert_eq!(pieces(false, "Look:\n```ui4a/tsx id="), [text("Look:\n```ui4a/tsx id=")]);
    assert_eq!(
        pieces(false, "Look: <antArtifact identifier=\"x\" ty"),
        [text("Look: <antArtifact identifier=\"x\" ty")]
    );
    assert_eq!(pieces(false, "```ui4a/tsx\nexport d"), [opened(Kind::Tsx, Carrier::Fence), source("export d"), CUT]);
    assert_eq!(pieces(false, "```ui4a/tsx\n"), [opened(Kind::Tsx, Carrier::Fence), CUT]);
    assert_eq!(pieces(false, "```ui4a/tsx\na\n``"), [opened(Kind::Tsx, Carrier::Fence), source("a\n``"), CUT]);
}

/// Field case A15: the token limit comes before or inside the opening.
#[test]
fn an_opening_that_was_cut_off_is_an_artifact_without_a_source() {
    let cut = |eager: bool, stream: &str| {
        let mut extractor = Extractor::new(eager);
        let mut found = extractor.push(stream);
        found.extend(extractor.finish_cut());
        joined(found)
    };
    let closed = Piece::Closed { truncated: true };
    for stream in
        ["<antArtifact ide", "<antA", "<antArtifact identifier=\"da", ":::artifact{ti", "```ui4a/tsx id=x", "```ui4a/t"]
    {
        let found = cut(false, &format!("Here it is.\n\n{stream}"));
        assert!(
            matches!(&found[..], [Piece::Text(text), Piece::Opened(opening), end]
                if text == "Here it is.\n\n" && opening.id.is_none() && *end == closed),
            "{stream}: {found:?}"
        );
    }
    let named = cut(false, "<antArtifact identifier=\"dash\" type=\"text/html\" title=\"The d");
    let Piece::Opened(opening) = &named[0] else { panic!("{named:?}") };
    assert_eq!((opening.id.as_deref(), opening.kind, &opening.title), (Some("dash"), Kind::Html, &None));
    assert!(matches!(&cut(true, "```")[..], [Piece::Opened(_), _]), "an interface was to come");
    assert!(matches!(&cut(true, "```tsx")[..], [Piece::Opened(_), _]));
    for stream in ["a <", "so <b", "```", "```py", "``", "<antArtifact type=\"text/x-python\" ", "<antelope", ""] {
        let whole = cut(false, stream);
        assert_eq!(whole, if stream.is_empty() { vec![] } else { vec![text(stream)] }, "prose stays prose");
    }
    let inside = cut(false, "```ui4a/tsx\nconst a");
    assert_eq!(inside.last(), Some(&closed));
}

#[test]
fn a_plain_fence_is_an_artifact_if_its_module_is() {
    let stream = format!("Here:\n```tsx\n{MODULE}```\nBye\n");
    for eager in [false, true] {
        assert_eq!(
            pieces(eager, &stream),
            [text("Here:\n"), opened(Kind::Tsx, Carrier::Bare), source(MODULE), CLOSED, text("Bye\n")]
        );
    }
    let snippet =
        "Run:\n```tsx\nconst n = 1;\n```\nand\n```bash\nnpm i # ```tsx\n```\n```js\nexport default { a: 1 }\n```\n";
    assert_eq!(pieces(false, snippet), [text(snippet)]);
    let page = "<!DOCTYPE html>\n<html><body>hi</body></html>\n";
    assert_eq!(
        pieces(false, &format!("```html\n{page}```\n")),
        [opened(Kind::Html, Carrier::Bare), source(page), CLOSED]
    );
    assert_eq!(pieces(false, &format!("```\n{page}```\n")), [opened(Kind::Html, Carrier::Bare), source(page), CLOSED]);
    assert_eq!(pieces(false, "```html\n<b>snippet</b> only\n```\n"), [text("```html\n<b>snippet</b> only\n```\n")]);
    assert_eq!(pieces(true, "```svg\n<svg/>\n```\n"), [opened(Kind::Svg, Carrier::Bare), source("<svg/>\n"), CLOSED]);
}

#[test]
fn an_eager_fence_opens_at_once_and_is_taken_back_if_it_was_none() {
    let mut extractor = Extractor::new(true);
    assert_eq!(extractor.push("```tsx\nimport { us"), [opened(Kind::Tsx, Carrier::Bare), source("import { us")]);
    let snippet = "```js\nconsole.log(1)\n```\n";
    assert_eq!(
        pieces(true, &format!("Try\n{snippet}now")),
        [
            text("Try\n"),
            opened(Kind::Tsx, Carrier::Bare),
            source("console.log(1)\n"),
            Piece::Retracted { text: snippet.into() },
            text("now")
        ]
    );
    // Without a default export, but plainly a component.
    let component = "const App = () => <p>a</p>\n";
    assert_eq!(
        pieces(true, &format!("```jsx\n{component}```")),
        [opened(Kind::Tsx, Carrier::Bare), source(component), CLOSED]
    );
}

#[test]
fn a_held_fence_opens_at_its_default_export() {
    let mut extractor = Extractor::new(false);
    assert_eq!(extractor.push("```tsx\nimport x from \"x\";\nexport defaul"), []);
    assert_eq!(
        joined(extractor.push("t () => <p/>")),
        [opened(Kind::Tsx, Carrier::Bare), source("import x from \"x\";\nexport default () => <p/>")]
    );
}

#[test]
fn an_answer_that_is_a_module_is_an_artifact() {
    for eager in [false, true] {
        assert_eq!(pieces(eager, MODULE), [opened(Kind::Tsx, Carrier::Bare), source(MODULE), CLOSED]);
        let (cut, _) = MODULE.split_at(MODULE.len() - 8);
        assert_eq!(pieces(eager, cut), [opened(Kind::Tsx, Carrier::Bare), source(cut), CUT]);
        let page = "<!doctype html><p>hi</p></html>";
        assert_eq!(pieces(eager, page), [opened(Kind::Html, Carrier::Bare), source(page), CLOSED]);
        for prose in
            ["import duties are paid at the border.\n", "I can't import that.", "<p>is a tag</p>", "export it."]
        {
            assert_eq!(pieces(eager, prose), [text(prose)]);
        }
        // The opening fence was forgotten, the closing one was not.
        let stream = format!("{MODULE}```\nThat was it.");
        assert_eq!(
            pieces(eager, &stream),
            [opened(Kind::Tsx, Carrier::Bare), source(MODULE), CLOSED, text("That was it.")]
        );
    }
    let python = "import x from 'x'\nthat is how\n";
    assert_eq!(pieces(false, python), [text(python)]);
    assert_eq!(
        pieces(true, python),
        [opened(Kind::Tsx, Carrier::Bare), source(python), Piece::Retracted { text: python.into() }]
    );
}

#[test]
fn tags_of_other_products_carry_artifacts() {
    let opening = |id: &str, title: &str| {
        Piece::Opened(Opening {
            id: Some(id.into()),
            title: Some(title.into()),
            kind: Kind::Tsx,
            dialect: None,
            carrier: Carrier::Tag,
        })
    };
    let ant = "Here <antArtifact identifier=\"a\" type=\"application/vnd.ant.react\" title=\"A > B\">\nexport default 1;\n</antArtifact> ok";
    assert_eq!(
        pieces(false, ant),
        [text("Here "), opening("a", "A > B"), source("\nexport default 1;\n"), CLOSED, text(" ok")]
    );
    let colons = ":::artifact{identifier=\"a\" type=\"application/vnd.ant.react\" title=\"T\"}\n```tsx\nexport default 1;\n```\n:::\nok";
    assert_eq!(pieces(false, colons), [opening("a", "T"), source("export default 1;\n"), CLOSED, text("ok")]);
    let python = "<antArtifact identifier=\"a\" type=\"application/vnd.ant.code\">\nprint()</antArtifact>";
    assert_eq!(pieces(false, python), [text(python)]);
}

#[test]
fn little_is_held_back() {
    let mut extractor = Extractor::new(false);
    assert_eq!(extractor.push("Use `a` and ``"), [text("Use `a` and ")]);
    assert_eq!(extractor.push(" b` a < b <a"), [text("`` b` a < b ")]);
    assert_eq!(extractor.push("b> and"), [text("<ab> and")]);
}

/// Far above what linear time takes on a busy machine, far below what quadratic time takes on an idle one.
const LINEAR: std::time::Duration = std::time::Duration::from_secs(20);

#[test]
fn hostile_streams_take_linear_time() {
    for unit in ["a", "`", "<", "` ", "```", "<antArtifact ", "\0", " ", ":::", "import ", "~~~\n", "```tsx\n"] {
        let begun = std::time::Instant::now();
        let stream = unit.repeat(1_000_000 / unit.len());
        for (eager, prefix) in [(true, ""), (false, ""), (false, "```ui4a/tsx\n"), (false, "```tsx\n")] {
            let mut extractor = Extractor::new(eager);
            extractor.push(prefix);
            for chunk in stream.as_bytes().chunks(16) {
                extractor.push(std::str::from_utf8(chunk).expect("ASCII"));
            }
            extractor.finish();
        }
        assert!(begun.elapsed() < LINEAR, "{unit:?} took {:?}", begun.elapsed());
    }
}

#[test]
fn a_line_of_ten_megabytes_passes_through() {
    let line = "no line end ` < ".repeat(10_000_000 / 16);
    let begun = std::time::Instant::now();
    assert_eq!(extract(true, [line.as_str()]), [text(&line)]);
    assert!(begun.elapsed() < LINEAR, "took {:?}", begun.elapsed());
}

#[test]
fn dialects_are_told_by_specifiers() {
    assert_eq!(dialect("import { Card } from \"$macaron/ui\";"), Dialect::Macaron);
    assert_eq!(dialect("import { Card } from '$ui4a/ui';\n// not \"$macaron/ui\""), Dialect::Ui4a);
    assert_eq!(dialect("// about $macaron/ui\nexport default 1"), Dialect::Ui4a);
}

/// Everything that came in comes out, but for the fences and tags around sources.
fn conserved(pieces: &[Piece]) -> String {
    let mut all = String::new();
    let mut source = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => all.push_str(text),
            Piece::Opened(_) => source.clear(),
            Piece::Source(text) => source.push_str(text),
            Piece::Closed { .. } => all.push_str(&source),
            Piece::Retracted { text } => all.push_str(text),
        }
    }
    all
}

/// Found by `make fuzz`: white space that is not ASCII's, in the same chunk as the module's first line, hid the module.
#[test]
fn any_white_space_may_come_before_a_bare_module() {
    let block = ":::artifact{}\n\u{b}```\nx\n:::\n";
    assert_eq!(pieces(false, block), extract(false, [&block[..15], &block[15..]]));
    let module = "import x from \"react\";\nexport default () => <p/>;\n";
    for blank in ["\u{b}", "\u{a0}", " \u{2003}\n"] {
        let stream = format!("{blank}{module}");
        assert_eq!(pieces(false, &stream), extract(false, [blank, module]), "{blank:?}");
        assert!(pieces(false, &stream).iter().any(|piece| matches!(piece, Piece::Opened(_))), "{blank:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn chunks_do_not_matter(
        parts in prop::collection::vec(prop::sample::select(vec![
            "```", "````", "~~~", "`", "tsx", "ui4a/tsx", "ui4a/html", "html", " id=a", " title=\"b c\"", "\n", "\r\n", " ", "  ",
            "export default", " () => <p/>;", "import x from 'x'", "import ", "const a = `b`;", "}", "<!doctype html>", "<",
            "<antArtifact", " type=\"tsx\">", "</antArtifact>", ":::", ":::artifact{}", "words", "é", "👋", "'use client'", "</html>",
            "\u{b}", "\u{a0}",
        ]), 0..40),
        cuts in prop::collection::vec(1usize..12, 0..200),
        eager: bool,
    ) {
        let stream = parts.concat();
        let whole = pieces(eager, &stream);
        let mut chunks = Vec::new();
        let (mut from, mut cuts) = (0, cuts.into_iter());
        while from < stream.len() {
            let mut to = (from + cuts.next().unwrap_or(7)).min(stream.len());
            while !stream.is_char_boundary(to) { to += 1; }
            chunks.push(&stream[from..to]);
            from = to;
        }
        prop_assert_eq!(&whole, &extract(eager, chunks));
        // An opening has an end, and nothing of the stream is made up or turned round.
        let mut open = false;
        for piece in &whole {
            match piece {
                Piece::Opened(_) => { prop_assert!(!open); open = true; }
                Piece::Closed { .. } | Piece::Retracted { .. } => { prop_assert!(open); open = false; }
                Piece::Source(_) => prop_assert!(open),
                Piece::Text(_) => prop_assert!(!open),
            }
        }
        prop_assert!(!open);
        let kept = conserved(&whole);
        let mut rest = stream.chars();
        prop_assert!(kept.chars().all(|kept| rest.any(|character| character == kept)));
    }
}
