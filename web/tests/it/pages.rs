//! What a browser is sent: nothing that a page says can become markup or a script.

use ui4a_web::pages::{EmbedPage, ErrorPage, LoginPage, MainPage, TranscriptPage, TranscriptsPage};

use askama::Template;

const HOSTILE: &str = "\"><script>alert(1)</script><img onerror='x'>";

fn render(page: &impl Template) -> String {
    page.render().expect("renders")
}

fn all_pages(text: &str) -> Vec<String> {
    let sandbox = "http://{label}.localhost:4401";
    vec![
        render(&MainPage { session: text, sandbox, model: text, provider: text }),
        render(&EmbedPage::new(text, sandbox, &serde_json::json!({ "title": text })).expect("JSON")),
        render(&TranscriptsPage),
        render(&TranscriptPage { project: text, session: text, sandbox }),
        render(&LoginPage { bad_link: false }),
        render(&LoginPage { bad_link: true }),
        render(&ErrorPage { status: 404, title: text, detail: text }),
    ]
}

#[test]
fn titles_and_names_stay_text() {
    for (hostile, harmless) in all_pages(HOSTILE).iter().zip(all_pages("plain")) {
        assert!(!hostile.contains("<script>") && !hostile.contains("<img"), "{hostile}");
        assert_eq!(hostile.matches("<script").count(), harmless.matches("<script").count(), "{hostile}");
    }
}

#[test]
fn no_page_needs_an_inline_script_or_style() {
    for page in all_pages("plain") {
        assert!(!page.contains("<style") && !page.contains(" style="), "{page}");
        assert!(!page.contains(" onclick=") && !page.contains("javascript:"), "{page}");
        for script in page.split("<script").skip(1) {
            let tag = &script[..script.find('>').expect("an end")];
            assert!(tag.contains("src=\"/assets/") || tag.contains("application/json"), "{tag}");
        }
    }
}

#[test]
fn every_address_in_a_page_is_an_asset_or_a_page() {
    for page in all_pages("plain") {
        for address in page.split("/assets/").skip(1) {
            let path = &address[..address.find('"').expect("an end")];
            assert!(ui4a_web::assets::asset(path).is_some(), "{path} is linked but not served");
        }
        assert!(!page.contains("https://"), "a page loads from elsewhere: {page}");
    }
}

#[test]
fn the_data_of_an_embed_survives_its_element() {
    let data = serde_json::json!({ "compiled": { "text": "</script><!-- <script> & \" \u{2028}" } });
    let page = render(&EmbedPage::new("t", "http://{label}.localhost:4401", &data).expect("JSON"));
    let from = page.find("id=\"data\">").expect("the element") + "id=\"data\">".len();
    let json = &page[from..from + page[from..].find("</script>").expect("its end")];
    assert_eq!(serde_json::from_str::<serde_json::Value>(json).expect("JSON"), data);
}

#[test]
fn the_main_page_names_its_model_and_its_session() {
    let page = render(&MainPage {
        session: "s-1",
        sandbox: "http://{label}.localhost:4401",
        model: "Qwen",
        provider: "embedded",
    });
    assert!(page.contains("data-session=\"s-1\"") && page.contains("Qwen · embedded"), "{page}");
    let bare = render(&MainPage { session: "", sandbox: "", model: "Qwen", provider: "" });
    assert!(bare.contains(">Qwen<"), "{bare}");
}
