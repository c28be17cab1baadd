//! Addresses of elsewhere in artifacts: fetched by the server, under its rules, and never by the frame.

use crate::html::Stage;
use anyhow::Result;
use axum::http::header;
use axum::response::IntoResponse as _;
use ui4a_tests::{Browser, Setup, server};

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==";

/// A place on loopback with a picture, a style sheet, a script and a module.
async fn place() -> Result<String> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let app = axum::Router::new().fallback(|uri: axum::http::Uri| async move {
        let png = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, PNG).unwrap_or_default();
        let typed = |kind: &'static str, body: Vec<u8>| ([(header::CONTENT_TYPE, kind)], body).into_response();
        match uri.path() {
            "/p.png" => typed("image/png", png),
            "/s.css" => typed("text/css", b"h1{color:rgb(1, 2, 3);background:url(p.png)}".to_vec()),
            "/s.js" => typed("text/javascript", b"window.outside = 'ran';".to_vec()),
            "/m.mjs" => {
                typed("text/javascript", b"import { two } from './two.mjs'; export const three = two + 1;".to_vec())
            }
            "/two.mjs" => typed("text/javascript", b"export const two = 2;".to_vec()),
            _ => axum::http::StatusCode::NOT_FOUND.into_response(),
        }
    });
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(origin)
}

fn document(origin: &str) -> String {
    format!(
        "<link rel=stylesheet href='{origin}/s.css'><h1>Title</h1><img id=p src='{origin}/p.png'><script src='{origin}/s.js'></script>\
         <div id=b style=\"background-image: url('{origin}/p.png')\"></div>\
         <script type=module>import {{ three }} from '{origin}/m.mjs'; window.three = three; const image = new Image(); image.onload = () => {{ window.made = image.naturalWidth; }}; image.src = '{origin}/p.png';</script>"
    )
}

fn allowing(origin: &str) -> Setup {
    Setup { env: vec![("UI4A_ALLOW_ADDRESSES".into(), origin.into())], ..Setup::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_user_allowed_is_fetched_by_the_server_alone() -> Result<()> {
    let origin = place().await?;
    let stage = Stage::open(allowing(&origin)).await?;
    stage.show("html", &document(&origin)).await?;
    let frame = stage.page.frame_where("window.three === 3 && window.outside === 'ran'").await?;
    frame.wait_for("document.querySelector('#p').naturalHeight === 3 && window.made === 2").await?;
    frame.wait_for("getComputedStyle(document.querySelector('h1')).color === 'rgb(1, 2, 3)'").await?;
    let background = frame.eval("getComputedStyle(document.querySelector('#b')).backgroundImage").await?;
    assert!(background.as_str().is_some_and(|url| url.contains("/m/")), "{background}");
    assert_eq!(stage.foreign(), Vec::<String>::new(), "the frame itself asks nobody");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_setting_this_machine_is_not_reached_and_the_rest_shows() -> Result<()> {
    let origin = place().await?;
    let stage = Stage::open(Setup::default()).await?;
    let made = stage.show("html", &document(&origin)).await?;
    let found: Vec<_> =
        made["diagnostics"].as_array().into_iter().flatten().filter(|found| found["code"] == "resource").collect();
    assert_eq!(found.len(), 3, "the sheet, the image and the script, each once: {}", made["diagnostics"]);
    assert!(
        found.iter().all(
            |found| found["line"] == 1 && found["message"].as_str().is_some_and(|text| text.contains("only https"))
        ),
        "{found:?}"
    );
    let frame = stage
        .page
        .frame_where("document.querySelector('h1')?.innerText === 'Title' && document.querySelector('#b')")
        .await?;
    assert_eq!(frame.eval("[window.outside, window.three].every((value) => value === undefined)").await?, true);
    assert_eq!(stage.foreign(), Vec::<String>::new());
    Ok(())
}

/// Pictures that a module names come the same way, also those in its data.
#[tokio::test(flavor = "multi_thread")]
async fn pictures_in_a_module_come_through_the_server() -> Result<()> {
    let origin = place().await?;
    let stage = Stage::open(allowing(&origin)).await?;
    let source = format!(
        "const items = [{{ name: \"A\", image: \"{origin}/p.png\" }}];\nexport default function App() {{\n  return <ul>{{items.map((item) => <li key={{item.name}}><img id=\"p\" alt=\"\" src={{item.image}} /></li>)}}\
         <li id=\"b\" style={{{{ backgroundImage: \"url({origin}/p.png)\", height: 20 }}}} /></ul>;\n}}\n"
    );
    stage.show("tsx", &source).await?;
    let frame = stage.page.frame_where("document.querySelector('#p')?.naturalHeight === 3").await?;
    let background = frame.eval("getComputedStyle(document.querySelector('#b')).backgroundImage").await?;
    assert!(background.as_str().is_some_and(|url| url.contains("/m/")), "{background}");
    assert_eq!(stage.foreign(), Vec::<String>::new());
    Ok(())
}

/// G6: the page that is made of a document asks nobody for anything.
#[tokio::test(flavor = "multi_thread")]
async fn an_exported_document_opens_with_no_request() -> Result<()> {
    let origin = place().await?;
    let home = server::new_home()?;
    for (name, source, sign) in [
        (
            "outside",
            document(&origin),
            "window.three === 3 && window.outside === 'ran' && document.querySelector('#p').naturalHeight === 3 && window.made === 2 && getComputedStyle(document.querySelector('h1')).color === 'rgb(1, 2, 3)'",
        ),
        (
            "react",
            include_str!("../../fixtures/html/react-umd.html").to_owned(),
            "document.querySelector('#count')?.innerText === 'Count 0 with React 18'",
        ),
        (
            "libraries",
            include_str!("../../fixtures/html/libraries.html").to_owned(),
            "document.querySelector('#sum')?.innerText === 'Sum 6, max 9' && [...document.fonts].some((font) => /Awesome/.test(font.family) && font.status === 'loaded')",
        ),
    ] {
        let (file, made) = (home.path().join(format!("{name}.html")), home.path().join(format!("{name}.page.html")));
        std::fs::write(&file, source)?;
        let output = server::command(home.path())?
            .env("UI4A_ALLOW_ADDRESSES", &origin)
            .arg("render")
            .arg(&file)
            .arg("-o")
            .arg(&made)
            .output()
            .await?;
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let browser = Browser::launch().await?;
        let page = browser.open(&format!("file://{}", made.display())).await?;
        page.wait_for(sign).await?;
        let asked: Vec<_> = page.requests().into_iter().filter(|url| url.starts_with("http")).collect();
        assert!(asked.is_empty(), "{name}: {asked:?}");
    }
    Ok(())
}
