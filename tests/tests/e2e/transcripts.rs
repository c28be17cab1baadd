//! Claude Code's sessions on the page, their interfaces live, in both dialects.

use anyhow::Result;
use serde_json::json;
use ui4a_tests::{Browser, Setup, Ui4a};

const OLDER: &str = r#"
import { Button, Card, Text } from "$macaron/ui";
export default function App() {
  return <Card><Text>Older dialect</Text><Button onClick={() => sendUserMessage("hi")}>Say hi</Button></Card>;
}
"#;

const NEWER: &str = r#"
import { Badge, Stack } from "$ui4a/ui";
export default function App() { return <Stack><Badge>Newer dialect</Badge></Stack>; }
"#;

#[tokio::test(flavor = "multi_thread")]
async fn both_dialects_are_live_in_a_transcript() -> Result<()> {
    let claude = tempfile::tempdir()?;
    let folder = claude.path().join("projects/-home-me-shop");
    std::fs::create_dir_all(&folder)?;
    let call = |name: &str, code: &str| json!({"type": "tool_use", "id": name, "name": name, "input": {"code": code}});
    let lines = [
        json!({"type": "user", "uuid": "1", "parentUuid": null, "cwd": "/home/me/shop", "message": {"role": "user", "content": "Show me <b>both</b>"}}),
        json!({"type": "assistant", "uuid": "2", "parentUuid": "1", "message": {"role": "assistant", "content": [
            {"type": "text", "text": "Here they are."}, call("mcp__macaron__render_ui", OLDER), call("mcp__ui4a__render_ui", NEWER),
        ]}}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(folder.join("0c1d.jsonl"), text)?;
    let env = vec![("CLAUDE_CONFIG_DIR".to_owned(), claude.path().display().to_string())];
    let ui4a =
        Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), env, ..Setup::default() }).await?;
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to("/transcripts").await?).await?;
    page.wait_for("document.body.innerText.includes('Show me <b>both</b>')").await?;
    page.goto(&format!("{}/transcripts/-home-me-shop/0c1d", ui4a.main)).await?;
    page.wait_for("document.body.innerText.includes('Here they are.')").await?;
    page.frame_where("document.body.innerText.includes('Older dialect')").await?;
    page.eval("window.scrollTo(0, document.body.scrollHeight)").await?;
    page.frame_where("document.body.innerText.includes('Newer dialect')").await?;
    Ok(())
}
