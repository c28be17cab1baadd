//! What compiling a document gives, and what it leaves as it was.

use super::*;
use ui4a_types::address::{TOKEN_START, fill_tokens, token};

fn whole(text: &str) -> Compiled {
    compile(text, Kind::Html)
}

/// The text with keys in angle brackets where tokens stand.
fn shown(compiled: &Compiled) -> String {
    fill_tokens(&compiled.state.text, |key| Some(format!("⟨{key}⟩")))
}

#[test]
fn a_tag_is_shown_once_it_is_whole() {
    let shown = |text| TextCompiler::default().compile(text, Kind::Html, false).state.text;
    assert_eq!(shown("<p>Hi</p><div cla"), "<p>Hi</p>");
    assert_eq!(shown("<p>1 < 2"), "<p>1 < 2");
    assert_eq!(shown("<p>Hi</"), "<p>Hi");
    assert_eq!(compile("<p", Kind::Html).state.text, "<p");
}

#[test]
fn what_is_written_only_grows() {
    let page = "<!doctype html><head><link rel=stylesheet href='https://unpkg.com/a@1/a.css'><style>b{background:url(https://x.test/i.png)}</style>\
                <script type=importmap>{\"imports\":{\"three\":\"https://unpkg.com/three@0.160/build/three.module.js\"}}</script>\
                <body><img src=https://x.test/ü.png alt='a>b'><script src=https://unpkg.com/react@18/umd/react.production.min.js></script>\
                <script type='text/babel'>const A = () => <p>é</p>;</script><script type=module>import * as T from 'three';</script><p>Ende";
    let mut compiler = TextCompiler::default();
    let whole = compile(page, Kind::Html).state.text;
    let mut before = String::new();
    for end in (0..=page.len()).filter(|end| page.is_char_boundary(*end)) {
        let text = compiler.compile(&page[..end], Kind::Html, false).state.text;
        assert!(text.starts_with(&before), "{before}\n---\n{text}");
        assert!(whole.starts_with(&text), "{text}");
        before = text;
    }
}

#[test]
fn addresses_become_tokens_and_uses_with_their_places() {
    let page = "<link href=\"https://f.test/a.css?x=1&amp;y=2\" rel=\"stylesheet\" integrity=\"sha384-x\">\n\
                <link rel=preconnect href=https://f.test>\n\
                <script src='//unpkg.com/p5@1/lib/p5.js' defer></script>\n\
                <img srcset=\"https://i.test/1.png 1x, https://i.test/2.png 2x\" src=\"/a.png\">\n\
                <p style=\"background: url(&quot;https://i.test/b.png&quot;)\">\n\
                <a href=\"https://link.test/\">x</a>";
    let compiled = whole(page);
    let text = shown(&compiled);
    assert!(text.contains("href=\"⟨style:https://f.test/a.css?x=1&y=2⟩\""), "{text}");
    assert!(text.contains(" data-integrity=") && text.contains("data-href=https://f.test"), "{text}");
    assert!(
        text.contains("crossorigin=\"anonymous\" src=\"⟨script:https://unpkg.com/p5@1/lib/p5.js⟩\" defer"),
        "{text}"
    );
    assert!(text.contains("srcset=\"⟨asset:https://i.test/1.png⟩ 1x, ⟨asset:https://i.test/2.png⟩ 2x\""), "{text}");
    assert!(text.contains("url(&quot;⟨asset:https://i.test/b.png⟩&quot;)"), "{text}");
    assert!(text.contains("<a href=\"https://link.test/\">"), "{text}");
    let places: Vec<(&str, u32, u32)> =
        compiled.imports.iter().map(|(key, used)| (key.as_str(), used.line, used.column)).collect();
    assert!(places.contains(&("script:https://unpkg.com/p5@1/lib/p5.js", 3, 14)), "{places:?}");
    assert!(places.contains(&("style:https://f.test/a.css?x=1&y=2", 1, 13)), "{places:?}");
}

#[test]
fn modules_go_by_the_import_map_and_bare_names_stay() {
    let page = "<script type=\"importmap\">{\"imports\":{\"three\":\"https://unpkg.com/three@0.160/build/three.module.js\",\
                \"three/addons/\":\"https://unpkg.com/three@0.160/examples/jsm/\"}}</script>\n\
                <script type=\"module\">\nimport * as THREE from 'three';\nimport { A } from 'three/addons/a.js';\nimport x from 'left-pad';</script>\n\
                <script>import('https://esm.sh/d3@7').then(go)</script>";
    let compiled = whole(page);
    let keys: Vec<&str> = compiled.imports.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "https://esm.sh/d3@7",
            "https://unpkg.com/three@0.160/build/three.module.js",
            "https://unpkg.com/three@0.160/examples/jsm/a.js",
            "left-pad"
        ]
    );
    let three = &compiled.imports["https://unpkg.com/three@0.160/build/three.module.js"];
    assert_eq!((three.line, three.names.as_slice()), (3, ["*".to_owned()].as_slice()));
    assert!(shown(&compiled).contains("from \"⟨https://unpkg.com/three@0.160/build/three.module.js⟩\""));
}

#[test]
fn jsx_is_compiled_and_its_places_lead_back() {
    let page = "<p>\n<script src=\"https://unpkg.com/@babel/standalone/babel.min.js\"></script>\n<script type=\"text/babel\" data-presets=\"react\">\n\
                const App = () => {\n  return <b>{missing.name}</b>;\n};\n</script>";
    let compiled = whole(page);
    let text = &compiled.state.text;
    assert!(text.contains("<script type=\"ui4a/compiled\"") && text.contains("React.createElement(\"b\""), "{text}");
    assert!(!text.contains("babel.min.js") && !text.contains(TOKEN_START), "{text}");
    assert_eq!(compiled.diagnostics.len(), 1, "{:?}", compiled.diagnostics);
    let script = text.split("\" data-presets=\"react\">\n").nth(1).expect("a script");
    let (line, row) = script.lines().enumerate().find(|(_, row)| row.contains("missing")).expect("the line");
    let column = row.find("missing").expect("the name");
    assert_eq!(compiled.map.locate("script-2", line as u32 + 1, column as u32 + 1), Some((5, 14)));
}

#[test]
fn places_of_plain_scripts_lead_back_and_faults_are_told() {
    let page = "<p>a</p><script>let a = 1;\n  boom();</script>\n<script>let b = ;</script><script type=\"application/json\">{</script>";
    let compiled = whole(page);
    assert_eq!(compiled.map.locate("script-1", 1, 5), Some((1, 21)));
    assert_eq!(compiled.map.locate("script-1", 2, 3), Some((2, 3)));
    let found: Vec<(&str, u32, u32)> =
        compiled.diagnostics.iter().map(|found| (found.code.as_str(), found.line, found.column)).collect();
    assert_eq!(found, [("syntax-error", 3, 17)]);
}

#[test]
fn a_document_with_its_own_style_gets_no_tailwind() {
    let own = "<style>.container{width:9px} h1{color:red}</style><div class=\"container flex\"><h1>Hi</h1></div>";
    assert_eq!(whole(own).state.css, "");
    let utilities = "<div class=\"p-4 text-lg bg-white\">Hi</div>";
    assert!(whole(utilities).state.css.contains(".p-4"));
    let bootstrap = format!(
        "<link rel=stylesheet href=https://cdn.jsdelivr.net/npm/bootstrap@5/dist/css/bootstrap.min.css>{utilities}"
    );
    assert_eq!(whole(&bootstrap).state.css, "");
}

#[test]
fn pictures_in_markdown_and_svg_go_the_same_way() {
    let markdown = compile("# A\n\n![b](https://i.test/b.png)\n\n```mermaid\ngraph TD\n```\n", Kind::Markdown);
    let keys: Vec<&str> = markdown.imports.keys().map(String::as_str).collect();
    assert_eq!(keys, ["$ui4a/ui/markdown", "asset:https://i.test/b.png", "mermaid"]);
    assert!(markdown.state.text.contains(&token("asset:https://i.test/b.png")));
    let svg = compile("<svg><image xlink:href='https://i.test/b.png'/></svg>", Kind::Svg);
    assert!(svg.state.text.contains("xlink:href=\"ui4a-address:"), "{}", svg.state.text);
}

const SOUP: [&str; 47] = [
    "<",
    ">",
    "</",
    "<!--",
    "-->",
    "\"",
    "'",
    "=",
    " ",
    "\n",
    "é",
    "😀",
    "<script>",
    "</script>",
    "<script src=",
    "<script type=module>",
    "<script type=text/babel>",
    "<style>",
    "</style>",
    "<link rel=stylesheet href=",
    "<img src=",
    " srcset=",
    " style='",
    "https://a.test/x.png",
    "//b.test/y.css",
    "url(",
    ")",
    "@import ",
    ";",
    "import x from 'y';",
    "const a = <b>{c}</b>;",
    "`${",
    "}",
    "/*",
    "*/",
    "<p class='p-4 m-2 w-3'>",
    "&amp;",
    "<textarea>",
    "<noscript>",
    "</noscript>",
    "<iframe ",
    "</p ",
    "<?",
    "<!",
    "/",
    "ui4a-address:",
    "<script type=importmap>{\"imports\":{\"y\":\"https://esm.sh/y\"}}</script>",
];

/// Whether what is given of a document stays as it is while the document grows.
fn grows(page: &str) -> Result<(), String> {
    let mut compiler = TextCompiler::default();
    let mut before = String::new();
    for end in (0..=page.len()).filter(|end| page.is_char_boundary(*end)) {
        let text = compiler.compile(&page[..end], Kind::Html, false).state.text;
        if !text.starts_with(&before) {
            return Err(format!("{page:?} at {end}:\n{before}\n---\n{text}"));
        }
        before = text;
    }
    Ok(())
}

/// Both readers of a document must agree on where a tag ends, or half a script is given away.
#[test]
fn a_script_behind_what_is_no_tag_waits_for_its_end() {
    for page in ["</<link href='<script>'<script> src", "</p title='<script>'> <script> a", "<noscript><script> a"] {
        assert_eq!(grows(page), Ok(()));
    }
}

proptest::proptest! {
    /// Whatever a model writes: no panic, and what was written stays written.
    #[test]
    fn any_soup_only_grows(parts in proptest::collection::vec(0..SOUP.len(), 0..24)) {
        let page: String = parts.into_iter().map(|part| SOUP[part]).collect();
        for kind in [Kind::Html, Kind::Svg, Kind::Markdown] {
            compile(&page, kind);
        }
        proptest::prop_assert_eq!(grows(&page), Ok(()));
    }
}
