//! `ui4a render`: one file that opens with the network off, and shows the same.

use crate::sources::{DASHBOARD, THROWS};
use anyhow::Result;
use ui4a_tests::{Browser, server};

#[tokio::test(flavor = "multi_thread")]
async fn a_rendered_file_opens_with_no_request() -> Result<()> {
    let home = server::new_home()?;
    let (source, page_file) = (home.path().join("shop.tsx"), home.path().join("shop.html"));
    std::fs::write(&source, DASHBOARD)?;
    let made = server::command(home.path())?.arg("render").arg(&source).arg("-o").arg(&page_file).output().await?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let browser = Browser::launch().await?;
    let page = browser.open(&format!("file://{}", page_file.display())).await?;
    page.wait_for("document.querySelectorAll('tbody tr').length === 5").await?;
    page.wait_for("document.querySelector('.recharts-line path, path.recharts-line-curve')").await?;
    let asked: Vec<_> = page.requests().into_iter().filter(|url| url.starts_with("http")).collect();
    assert!(asked.is_empty(), "{asked:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn check_names_lines_and_exits_with_one() -> Result<()> {
    let home = server::new_home()?;
    let file = home.path().join("bad.tsx");
    std::fs::write(&file, "export default function App() {\n  return <p>{missing}</p>;\n}\n")?;
    let checked = server::command(home.path())?.arg("check").arg(&file).arg("--json").output().await?;
    assert_eq!(checked.status.code(), Some(1));
    let found: serde_json::Value = serde_json::from_slice(&checked.stdout)?;
    assert_eq!((found[0]["code"].as_str(), found[0]["line"].as_u64()), (Some("unresolved-name"), Some(2)), "{found}");
    std::fs::write(&file, THROWS)?;
    let checked = server::command(home.path())?.arg("check").arg(&file).output().await?;
    assert!(checked.status.success(), "what only fails when it runs is no finding of a check");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn stream_prints_a_line_for_each_chunk_and_every_prefix_is_ok() -> Result<()> {
    let home = server::new_home()?;
    let file = home.path().join("shop.tsx");
    std::fs::write(&file, DASHBOARD)?;
    let streamed =
        server::command(home.path())?.arg("stream").arg(&file).args(["--chunk", "5", "--json"]).output().await?;
    assert!(streamed.status.success(), "{}", String::from_utf8_lossy(&streamed.stderr));
    let text = String::from_utf8(streamed.stdout)?;
    let lines: Vec<serde_json::Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    assert!(lines.len() >= DASHBOARD.len() / 5);
    let failed: Vec<_> = lines.iter().filter(|line| line["ok"] != true).collect();
    assert!(failed.is_empty(), "{} chunks failed, first {:?}", failed.len(), failed.first());
    assert!(lines.last().is_some_and(|line| line["frame"].as_u64() > Some(20)), "many frames came before the end");
    Ok(())
}
