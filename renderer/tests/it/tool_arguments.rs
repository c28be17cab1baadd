//! The arguments of a `render_ui` call, however they are cut.

use proptest::prelude::*;
use ui4a_renderer::carrier::{ToolArguments, ToolPiece};

fn decode<'a>(chunks: impl IntoIterator<Item = &'a str>) -> (String, Vec<ToolPiece>) {
    let mut arguments = ToolArguments::new();
    let mut pieces: Vec<_> = chunks.into_iter().flat_map(|chunk| arguments.push(chunk)).collect();
    pieces.extend(arguments.finish());
    let mut code = String::new();
    pieces.retain(|piece| match piece {
        ToolPiece::Code(part) => {
            code.push_str(part);
            false
        }
        _ => true,
    });
    (code, pieces)
}

fn characters(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, character)| &text[at..at + character.len_utf8()])
}

#[test]
fn tool_arguments_are_decoded_as_they_come() {
    let json = "{\"id\": \"a\\\"b\", \"meta\": {\"code\": [\"}\", 1]}, \"n\": 12, \"ok\":true,\n\"code\" : \"<p>\\u00e9\\uD83D\\ude00\\n\\\\ \\/ \\ud83d x\", \"title\":null, \"note\": \"n\"}";
    let field = |name: &str, value: &str| ToolPiece::Field { name: name.into(), value: value.into() };
    let expected = ("<p>é😀\n\\ / \u{fffd} x".to_owned(), vec![field("id", "a\"b"), field("note", "n")]);
    assert_eq!(decode([json]), expected);
    assert_eq!(decode(characters(json)), expected);
    let mut arguments = ToolArguments::new();
    assert_eq!(arguments.push("{\"code\":\"exp"), [ToolPiece::Code("exp".into())]);
    assert_eq!(arguments.push("\\u00"), []);
    assert_eq!(arguments.push("e9"), [ToolPiece::Code("é".into())]);
}

#[test]
fn wrong_arguments_are_said_once_and_clearly() {
    for (json, says) in [
        ("{\"code\": 12}", "must be a string, not a number"),
        ("{\"code\": {\"a\": 1}}", "must be a string, not an object"),
        ("{\"code\": null}", "must be a string, not null"),
        ("{\"title\": true, \"code\": \"a\"}", "`title` must be a string, not a boolean"),
        ("[1]", "must be a JSON object"),
        ("{\"title\": \"a\"}", "`code` is missing"),
        ("{\"code\": \"a", "ended before"),
        ("", "empty"),
        ("{\"code\" \"a\"}", "unexpected"),
    ] {
        let (_, pieces) = decode(characters(json));
        let errors: Vec<_> = pieces
            .iter()
            .filter_map(|piece| match piece {
                ToolPiece::Error(message) => Some(message.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(errors.len(), 1, "{json}: {errors:?}");
        assert!(errors[0].contains(says), "{json}: {errors:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn json_strings_come_out_as_they_went_in(code in "\\PC{0,60}", title in "[\\PC\\n\\t]{0,20}", cuts in prop::collection::vec(1usize..6, 0..60)) {
        let escaped: String = code.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        for json in [
            serde_json::json!({ "title": title, "code": code }).to_string(),
            format!("{{\"code\":\"{escaped}\",\"title\":{}}}", serde_json::json!(title)),
        ] {
            let mut chunks = Vec::new();
            let (mut from, mut cuts) = (0, cuts.iter());
            while from < json.len() {
                let mut to = (from + cuts.next().copied().unwrap_or(5)).min(json.len());
                while !json.is_char_boundary(to) { to += 1; }
                chunks.push(&json[from..to]);
                from = to;
            }
            let (decoded, pieces) = decode(chunks);
            prop_assert_eq!(&decoded, &code);
            prop_assert_eq!(pieces, vec![ToolPiece::Field { name: "title".into(), value: title.clone() }]);
        }
    }

    #[test]
    fn no_arguments_panic(json in "[\\PC\"\\\\{}:,\\[\\]u0-9a-f]{0,80}") {
        decode(characters(&json));
    }
}
