//! The frame's height follows its content and never creeps; its colours fit the page around it.

use anyhow::{Context as _, Result};
use ui4a_tests::Stage;

/// Heights of the newest frame element over three seconds, one for each animation frame.
const HEIGHTS: &str = "new Promise((done) => {
  const seen = [], end = performance.now() + 3000;
  const look = () => {
    seen.push([...document.querySelectorAll('iframe')].at(-1)?.offsetHeight ?? 0);
    if (performance.now() < end) requestAnimationFrame(look); else done(seen);
  };
  look();
})";

#[tokio::test(flavor = "multi_thread")]
async fn e1_a_page_as_tall_as_its_frame_never_creeps() -> Result<()> {
    let stage = Stage::open().await?;
    let cases = [
        ("both", "<style>html, body { height: 100% }</style><p>ready</p>"),
        (
            "with-borders",
            "<!doctype html><style>html, body { height: 100%; margin: 0; border: 1px solid }</style><p>ready</p>",
        ),
        (
            "with-padding",
            "<!doctype html><style>html, body { height: 100% } body { padding: 10px }</style><main style=\"min-height: 100vh\">ready</main>",
        ),
        (
            "fractions",
            "<!doctype html><style>html, body { height: 100%; margin: 0 } main { height: calc(100% - 0.4px) }</style><main>ready</main>",
        ),
    ];
    for (name, source) in cases {
        let artifact = stage.show(name, "html", source).await?;
        stage.looked_at(&artifact).await?;
        let seen = stage.page.eval(HEIGHTS).await?;
        let seen: Vec<u64> = seen.as_array().into_iter().flatten().filter_map(serde_json::Value::as_u64).collect();
        let changes: Vec<_> = seen.windows(2).filter(|pair| pair[0] != pair[1]).collect();
        assert!(seen.len() > 10 && changes.is_empty(), "{name}: {changes:?}");
        assert!(seen[0] > 40, "{name}: {}", seen[0]);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn margins_at_the_end_of_the_content_are_inside_of_the_frame() -> Result<()> {
    let stage = Stage::open().await?;
    let source = "export default function App() {\n  return <div style={{ margin: 16, height: 50 }}>ready</div>;\n}";
    let artifact = stage.show("margins", "tsx", source).await?;
    stage.looked_at(&artifact).await?;
    let seen = stage.page.eval(HEIGHTS).await?;
    assert_eq!(seen.as_array().and_then(|seen| seen.last()).and_then(serde_json::Value::as_u64), Some(82), "{seen}");
    assert_eq!(stage.page.eval("document.documentElement.scrollHeight > innerHeight").await?, false, "the page itself");
    Ok(())
}

/// The contrast of an element's text with what is seen behind it, by the pixels of the page.
const LUMINANCE: &str = "const lum = (c) => { const f = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };";

#[tokio::test(flavor = "multi_thread")]
async fn e7_unstyled_html_is_readable_in_a_dark_page() -> Result<()> {
    let stage = Stage::open().await?;
    for dark in [true, false] {
        stage.page.dark(dark).await?;
        let name = format!("plain-{dark}");
        let artifact = stage.show(&name, "html", "<h1>Plain heading</h1>").await?;
        stage.looked_at(&artifact).await?;
        let (brightest, darkest) = extremes(&stage, &artifact).await?;
        let contrast = (brightest + 0.05) / (darkest + 0.05);
        assert!(contrast > 4.5, "dark page {dark}: the heading has a contrast of {contrast:.1}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn e8_no_theme_paints_a_sheet_under_a_transparent_frame() -> Result<()> {
    let stage = Stage::open().await?;
    for dark in [true, false] {
        stage.page.dark(dark).await?;
        let name = format!("clear-{dark}");
        let source = "export default function App() { return <><style>{`html, body { background: transparent !important }`}</style><p style={{ height: 120 }}>see through</p></>; }";
        let artifact = stage.show(&name, "tsx", source).await?;
        stage.looked_at(&artifact).await?;
        let frame = stage.frame_with("see through").await?;
        let inside = frame.eval("getComputedStyle(document.documentElement).colorScheme").await?;
        let outside = stage.page.eval("[...document.querySelectorAll('iframe')].at(-1).style.colorScheme").await?;
        assert_eq!(inside, outside);
        assert_eq!(inside, if dark { "dark" } else { "light" });
        // What is seen through it is the card's own surface: nearly all of the picture, whatever the text is.
        let surface =
            stage.page.eval("getComputedStyle(document.querySelector('.card-surface')).backgroundColor").await?;
        let seen = picture(&stage, &artifact, "return `rgb(${data[0]}, ${data[1]}, ${data[2]})`;").await?;
        assert_eq!(seen, surface, "dark page {dark}");
    }
    Ok(())
}

/// The brightest and the darkest luminance in the frame's picture.
async fn extremes(stage: &Stage, artifact: &str) -> Result<(f64, f64)> {
    let body = format!(
        "{LUMINANCE} let [most, least] = [0, 1]; for (let at = 0; at < data.length; at += 4) {{ const l = lum([data[at], data[at + 1], data[at + 2]]); most = Math.max(most, l); least = Math.min(least, l); }} return [most, least];"
    );
    let found = picture(stage, artifact, &body).await?;
    Ok((found[0].as_f64().context("a luminance")?, found[1].as_f64().context("a luminance")?))
}

/// What `body` answers about `data`, the pixels of an artifact's frame as the page shows them.
async fn picture(stage: &Stage, artifact: &str, body: &str) -> Result<serde_json::Value> {
    let find = format!("document.querySelector('[data-artifact={artifact:?}] iframe')");
    stage.page.eval(&format!("{find}.scrollIntoView({{ block: 'center' }})")).await?;
    let place = stage
        .page
        .eval(&format!(
            "(() => {{ const b = {find}.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }})()"
        ))
        .await?;
    let file = stage.ui4a.home.path().join("picture.png");
    stage.page.screenshot(&file).await?;
    use base64::Engine as _;
    let png = base64::engine::general_purpose::STANDARD.encode(std::fs::read(&file)?);
    // A page with no policy can read a picture.
    let reader = stage.browser.open("data:text/html,<p>reader").await?;
    let answer = reader
        .eval(&format!(
            "(async () => {{ const image = new Image(); image.src = 'data:image/png;base64,{png}'; await image.decode();
             const [x, y, width, height] = {place}.map(Math.round); const canvas = document.createElement('canvas');
             [canvas.width, canvas.height] = [width, height]; const context = canvas.getContext('2d');
             context.drawImage(image, -x, -y); const {{ data }} = context.getImageData(0, 0, width, height);
             return (() => {{ {body} }})(); }})()"
        ))
        .await?;
    reader.close().await?;
    Ok(answer)
}
