//! What models get wrong, mended.

use ui4a_renderer::complete::{complete, complete_html, repair};

use super::{parsed, visible};

#[test]
fn fences_around_a_module_are_left_out() {
    let source = "```tsx\nexport default () => <p>hi</p>;\n```\nThis component says hi.\n";
    let completion = repair(source);
    assert_eq!(completion.text, "export default () => <p>hi</p>;");
    assert_eq!(completion.to_source(0), 7);
    for at in 1..source.len() {
        parsed(&complete(&source[..at]), &format!("at {at}"));
    }
}

#[test]
fn mistakes_of_weak_models_are_mended() {
    let app = |jsx: &str| format!("export default function App() {{\n  return (\n    {jsx}\n  );\n}}\n");
    let cases = [
        ("a tag never closed", app("<div>\n      <p>one\n    </div>")),
        ("the last tag never closed", app("<div>\n      <p>one</p>\n      <p>two</p>")),
        ("two tags never closed before a brace", app("<div>{ok && (\n <section><p>one</p>\n )}</div>")),
        ("a misspelt closing tag", app("<div><h1>one</h2></div>")),
        ("one closing tag too many", app("<div>\n <p>a</p>\n </span>\n </div>")),
        ("one closing tag after the root", app("<div><p>a</p></div></div>")),
        ("a less-than sign in text", app("<p>if a < b and 3 <5 then</p>")),
        ("braces in text", app("<p>Use { to open and } to close</p>")),
        ("an arrow in text", app("<p>a => b -> c</p>")),
        ("void elements as in HTML", app("<p>a<br>b<img src=\"x\"><input type=\"text\"></p>")),
        ("an HTML comment", app("<p><!-- note --> a</p>")),
        ("a parenthesis never closed", app("<ul>{items.map((x) => (<li>{x}</li>)}</ul>")),
        ("a parenthesis too many", app("<ul>{items.map((x) => (<li>{x}</li>)))}</ul>")),
        ("a ternary without its else", app("<p>{ok ? <b>a</b>}</p>")),
        ("nothing after and", app("<p>{ok && }</p>")),
        ("a brace too many", format!("{}}}\n", app("<p>a</p>"))),
        (
            "cut in the middle",
            "import x from \"x\"\nexport default function App() { return <div><p>a</p><p cl".to_owned(),
        ),
    ];
    for (name, source) in cases {
        let completion = repair(&source);
        let module = parsed(&completion, name);
        assert!(visible(&module).unwrap_or(0) > 0, "{name}: {}", completion.text);
        for at in (0..source.len()).filter(|&at| source.is_char_boundary(at)) {
            let prefix = complete(&source[..at]);
            parsed(&prefix, &format!("{name} at {at}"));
        }
    }
}

#[test]
fn half_a_script_is_never_written() {
    // Field case A4.
    let whole = "<p>a</p><script>one()</script><script>throw 1</script>";
    for rest in
        ["<", "<scr", "<script", "<script>", "<script>\n const", "<script>if (a </script", "<script>'</scripty>'"]
    {
        assert_eq!(complete_html(&format!("{whole}{rest}")).text, whole, "{rest}");
    }
    let closed = format!("{whole}<script>\n const b = 1</script>");
    assert_eq!(complete_html(&closed).text, closed);
    assert_eq!(complete_html("<p title=\"a>b\">x &am").text, "<p title=\"a>b\">x ");
    assert_eq!(complete_html("<p>a <b title=\"x>").text, "<p>a ");
}
