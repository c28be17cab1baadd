//! Text that was made to break things: nothing panics, nothing takes long.

use proptest::prelude::*;
use ui4a_renderer::complete::{Completer, HtmlCompleter, complete, complete_html, repair};

use super::corpus;

#[test]
fn long_and_hostile_sources_take_linear_time() {
    let repeat = |unit: &str| unit.repeat(200_000 / unit.len());
    let sources = [
        repeat("("),
        repeat("{"),
        repeat("["),
        repeat("<a>"),
        repeat("<"),
        repeat("`${"),
        repeat("a<"),
        repeat("/"),
        repeat("\""),
        repeat("/*"),
        repeat("a?"),
        repeat("</a>"),
        repeat("}"),
        repeat("<>{"),
        repeat("=>"),
        repeat("\0"),
        format!("export default () => <p>{}", repeat("{ a b")),
        format!("export default () => <p>{}", repeat("<a ,")),
        format!("export default () => {}</p>", repeat("<p>x")),
        format!("const x = \"{}", repeat("long ")),
        repeat("function A() { return <p>a</p>; }\n"),
    ];
    // Far above what linear time takes on a busy machine, far below what quadratic time takes on an idle one.
    let limit = std::time::Duration::from_secs(20);
    for source in sources {
        let begun = std::time::Instant::now();
        complete(&source);
        repair(&source);
        let mut completer = Completer::new();
        let mut html = HtmlCompleter::default();
        for (at, character) in source.char_indices() {
            let end = at + character.len_utf8();
            completer.push(&source[at..end]);
            html.safe_end(&source[..end]);
        }
        assert!(begun.elapsed() < limit, "{:?}… took {:?}", &source[..30], begun.elapsed());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(text in "[\\PC\\n\\x00]{0,200}") {
        complete(&text);
        repair(&text);
        complete_html(&text);
    }

    #[test]
    fn no_soup_of_syntax_panics(
        parts in prop::collection::vec(prop::sample::select(vec![
            "<", ">", "</", "/>", "{", "}", "(", ")", "[", "]", "`", "${", "\"", "'", "/", "//", "/*", "*/", "=>", "=", "?",
            ":", ";", ",", ".", "...", "export", " default ", "function", " class ", "extends ", "const ", "return ", "App",
            "p", "<p>", "</p>", "\n", "\\", "é", "👩‍👩‍👧", "use", "useX(", "async ", "import ", "type ", "interface ", "enum ",
            "as ", "switch", "case ", "if", "else ", "do ", "while", "try ", "&amp", "<br>", "```", "<!--", "-->", "@",
        ]), 0..60)
    ) {
        let text = parts.concat();
        let whole = complete(&text);
        prop_assert_eq!(whole.to_source(0), whole.to_source(0).min(text.len()));
        repair(&text);
        let mut completer = Completer::new();
        for part in &parts {
            completer.push(part);
            completer.complete();
        }
        prop_assert_eq!(completer.complete(), whole);
    }

    #[test]
    fn a_cut_inside_a_mutilated_module_never_panics(module in 0usize..12, cut in 0.0f64..1.0, from in 0.0f64..1.0) {
        let (_, source) = corpus().swap_remove(module);
        let place = |share: f64| {
            let mut at = (source.len() as f64 * share) as usize;
            while !source.is_char_boundary(at) { at -= 1; }
            at
        };
        let text = format!("{}{}", &source[..place(cut)], &source[place(from)..]);
        repair(&text);
        complete(&text);
    }

    #[test]
    fn html_is_written_in_order_and_only_once(cuts in prop::collection::vec(1usize..9, 1..120)) {
        let source = "<!doctype html><title>a &amp; b</title><p class=\"a>b\">1 < 2 &copy;</p><!-- <b> --><script>if (a < b) { '</p>' }\
            </script><style>p > a { color: red }</style><img src=x><SCRIPT src='y'></SCRIPT><p>é</p>";
        let mut html = HtmlCompleter::default();
        let (mut end, mut written) = (0, 0);
        for cut in cuts {
            end = (end + cut).min(source.len());
            while !source.is_char_boundary(end) { end += 1; }
            let safe = html.safe_end(&source[..end]);
            prop_assert!(safe >= written && safe <= end, "{} then {}", written, safe);
            prop_assert_eq!(safe, complete_html(&source[..end]).text.len());
            let text = &source[..safe].to_lowercase();
            prop_assert_eq!(text.matches("<script").count(), text.matches("</script>").count());
            written = safe;
        }
        if end == source.len() {
            prop_assert_eq!(written, source.len());
        }
    }
}

/// Found by `make fuzz`: what was written was taken back when a `<` came inside an end tag that lacks its `>`.
#[test]
fn an_end_tag_without_its_end_is_held_back_whatever_follows() {
    let source = format!("<style>p {{}}</style{}<code>a<b</style></STYLE\n x><p>after", " ".repeat(40));
    let mut html = HtmlCompleter::default();
    let mut written = 0;
    for end in 1..=source.len() {
        let safe = html.safe_end(&source[..end]);
        assert!(safe >= written, "at {end}: {written} then {safe}");
        assert_eq!(safe, complete_html(&source[..end]).text.len(), "at {end}");
        written = safe;
    }
    assert_eq!(written, source.len());
    let script = format!("<script>a()</script{}><p>b", " ".repeat(60));
    assert_eq!(complete_html(&script).text, script);
}

/// Found by `make fuzz`: a `<` after an element was taken for a sibling, proved to be none, and was taken for one again.
#[test]
fn what_is_no_sibling_is_read_once() {
    let source = format!("export default () => {{ return <h1>a</h1> {} }}", "<b,c <p> ".repeat(20_000));
    let begun = std::time::Instant::now();
    let completion = complete(&source);
    repair(&source);
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(completion.edits.windows(2).all(|pair| pair[0].at <= pair[1].at), "edits are in order");
}
