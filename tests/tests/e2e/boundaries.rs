//! Error boundaries that a module or a library brings: they show what they show, and forget it when the module is mended.

use anyhow::Result;
use ui4a_tests::{Stage, eventually};

/// A module whose part throws where `part` says so.
fn bounded(part: &str) -> String {
    format!(
        r#"import {{ Component, useState }} from "react";
class Safe extends Component {{
  state = {{ failed: false }};
  static getDerivedStateFromError() {{ return {{ failed: true }}; }}
  render() {{
    if (!this.state.failed) return this.props.children;
    return <p>Sorry. <button id="again" onClick={{() => this.setState({{ failed: false }})}}>Again</button></p>;
  }}
}}
function Part({{ on }}) {{ {part} return <b>Part {{on ? "on" : "off"}}</b>; }}
export default function App() {{
  const [on, set] = useState(false);
  return <main>ready <button id="go" onClick={{() => set(!on)}}>Go</button> <Safe><Part on={{on}} /></Safe></main>;
}}"#
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_s_own_boundary_catches_and_lets_go() -> Result<()> {
    let stage = Stage::open().await?;
    let artifact = stage.show("bounded", "tsx", &bounded("if (on) throw new Error('on is too much');")).await?;
    stage.looked_at(&artifact).await?;
    let frame = stage.frame_with("Part off").await?;
    frame.eval("document.querySelector('#go').click()").await?;
    frame.wait_for("document.body.innerText.includes('Sorry.') && !document.querySelector('.ui4a-error')").await?;
    frame.eval("document.querySelector('#go').click(); document.querySelector('#again').click()").await?;
    frame.wait_for("document.body.innerText.includes('Part off')").await?;
    // It was expected: it is told with what is printed, and not as something to mend.
    let printed = "Safe caught: on is too much";
    let told = stage
        .report_where(&artifact, "what was caught", |report| report["console"].to_string().contains(printed))
        .await?;
    assert_eq!(
        (told["status"].as_str(), told["errors"].as_array().map(Vec::len)),
        (Some("rendered"), Some(0)),
        "{told}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_boundary_that_caught_shows_the_next_revision_again() -> Result<()> {
    let stage = Stage::open().await?;
    stage.show("bounded", "tsx", &bounded("throw new Error('always');")).await?;
    stage.frame_with("Sorry.").await?;
    stage.show("bounded", "tsx", &bounded("")).await?;
    stage.frame_with("Part off").await?;
    Ok(())
}

const LIBRARY: &str = r#"import { ErrorBoundary } from "react-error-boundary";
function Part() {
  return <b>{null.size}</b>; /*!*/
}
export default function App() {
  return <main>ready <ErrorBoundary fallback={<p>Something is missing.</p>}><Part /></ErrorBoundary></main>;
}"#;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_library_s_boundary_catches_is_shown_as_it_likes_and_told() -> Result<()> {
    let stage = Stage::open().await?;
    let artifact = stage.show("library", "tsx", LIBRARY).await?;
    let frame = stage.frame_with("Something is missing.").await?;
    let error = stage.error_with(&artifact, "size").await?;
    assert_eq!((error["phase"].as_str(), error["line"].as_u64()), (Some("render"), Some(3)), "{error}");
    eventually("the part to be gone", ui4a_tests::PATIENCE, || async {
        Ok((frame.eval("document.querySelector('b') === null").await? == true).then_some(()))
    })
    .await
}
