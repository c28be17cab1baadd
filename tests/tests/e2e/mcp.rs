//! A scripted assistant that speaks MCP over stdio.

use crate::sources::{PLANS, THROWS};
use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};
use ui4a_tests::{Browser, PATIENCE, Setup, Ui4a, eventually, server};

struct Assistant {
    _child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    next: u64,
}

impl Assistant {
    async fn start(home: &std::path::Path) -> Result<Self> {
        let mut command = server::command(home)?;
        let mut child =
            command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        let stdin = child.stdin.take().context("stdin")?;
        let lines = BufReader::new(child.stdout.take().context("stdout")?).lines();
        let mut assistant = Self { _child: child, stdin, lines, next: 0 };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "scripted", "version": "1"}});
        assistant.ask("initialize", hello).await?;
        assistant.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
        Ok(assistant)
    }

    async fn write(&mut self, message: &Value) -> Result<()> {
        self.stdin.write_all(format!("{message}\n").as_bytes()).await?;
        Ok(self.stdin.flush().await?)
    }

    async fn ask(&mut self, method: &str, params: Value) -> Result<Value> {
        self.next += 1;
        let id = self.next;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        loop {
            let line = tokio::time::timeout(2 * PATIENCE, self.lines.next_line())
                .await
                .context("no answer")??
                .context("it ended")?;
            let mut message: Value = serde_json::from_str(&line).with_context(|| line.clone())?;
            if message["id"] == id {
                anyhow::ensure!(message.get("error").is_none(), "{message}");
                return Ok(message["result"].take());
            }
        }
    }

    /// Calls a tool: whether it is an error, its sentence, and its data.
    async fn call(&mut self, name: &str, arguments: Value) -> Result<(bool, String, Value)> {
        let result = self.ask("tools/call", json!({"name": name, "arguments": arguments})).await?;
        let text = |at: usize| result["content"][at]["text"].as_str().unwrap_or_default().to_owned();
        let data = serde_json::from_str(&text(1)).unwrap_or(Value::Null);
        Ok((result["isError"] == true, text(0), data))
    }
}

fn no_model() -> Setup {
    Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn render_ui_answers_with_the_truth_and_clicks_come_back() -> Result<()> {
    let ui4a = Ui4a::start(no_model()).await?;
    let browser = Browser::launch().await?;
    let mut assistant = Assistant::start(ui4a.home.path()).await?;
    let tools = assistant.ask("tools/list", json!({})).await?;
    let described: Vec<_> = tools["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| tool["description"].as_str().unwrap_or_default().len())
        .collect();
    assert!(described.len() == 2 && described.iter().all(|length| *length <= 2048), "{described:?}");

    // The first call makes the session; the page of that session is opened while it waits.
    let sessions_page = async {
        let session = eventually("a session", PATIENCE, || async {
            let all = ui4a.get("/api/sessions").await?;
            Ok(all["sessions"][0]["id"].as_str().map(str::to_owned))
        })
        .await?;
        browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await
    };
    let (page, shown) = tokio::join!(
        sessions_page,
        assistant.call("render_ui", json!({"code": PLANS, "title": "Plans", "id": "plans"}))
    );
    let (page, (is_error, sentence, data)) = (page?, shown?);
    assert!(!is_error && data["status"] == "rendered", "{sentence} {data}");
    let frame = page.frame_where("document.querySelectorAll('button').length === 3").await?;

    page.click_in(&frame, "[...document.querySelectorAll('button')].find((b) => b.innerText === 'Team')").await?;
    let (is_error, actions, _) = assistant.call("get_actions", json!({"wait": 20})).await?;
    assert!(!is_error && actions.contains("I choose the Team plan"), "{actions}");
    let after = serde_json::from_str::<Value>(&actions)?["actions"][0]["seq"].clone();
    let (_, actions, _) = assistant.call("get_actions", json!({"after": after})).await?;
    assert_eq!(serde_json::from_str::<Value>(&actions)?["actions"], json!([]));

    let (is_error, sentence, data) =
        assistant.call("render_ui", json!({"code": THROWS.trim_start(), "id": "list"})).await?;
    assert!(is_error && data["status"] == "error", "{sentence} {data}");
    assert!(sentence.contains("Line 3"), "the line of the module is named: {sentence}");

    let (is_error, sentence, data) = assistant
        .call("render_ui", json!({"code": "export default function App() { return <p>{</p>; }", "id": "syntax"}))
        .await?;
    assert!(
        is_error
            && data["diagnostics"].as_array().is_some_and(|found| found.iter().any(|found| found["phase"] == "syntax")),
        "{sentence} {data}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn with_no_page_one_is_opened_and_ten_seconds_later_the_answer_says_so() -> Result<()> {
    let opened = tempfile::tempdir()?;
    let (script, told) = (opened.path().join("browser.sh"), opened.path().join("told"));
    std::fs::write(&script, format!("#!/bin/sh\necho \"$1\" >> {}\n", told.display()))?;
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let setup = Setup {
        env: vec![("UI4A_BROWSER".into(), script.display().to_string())],
        args: vec!["--no-open".into()],
        ..no_model()
    };
    let ui4a = Ui4a::start(setup).await?;
    let mut assistant = Assistant::start(ui4a.home.path()).await?;
    let (is_error, sentence, data) = assistant.call("render_ui", json!({"code": PLANS})).await?;
    assert!(!is_error && data["status"] == "unseen" && sentence.contains("ten seconds"), "{sentence} {data}");
    let link = std::fs::read_to_string(&told).context("a browser was opened")?;
    assert!(link.starts_with(&format!("{}/open?code=", ui4a.main)), "{link}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn it_starts_a_server_when_none_runs() -> Result<()> {
    let home = server::new_home()?;
    // Any free ports: the usual ones may be taken on this machine.
    std::fs::create_dir_all(home.path().join("config"))?;
    std::fs::write(home.path().join("config/ui4a.toml"), "port = 0\nsandbox_port = 0\nopen_browser = false\n")?;
    let assistant = Assistant::start(home.path()).await?;
    let file: Value = serde_json::from_slice(&std::fs::read(home.path().join("data/server.json"))?)?;
    let alive = reqwest::Client::builder()
        .no_proxy()
        .build()?
        .get(format!("{}/healthz", file["origins"]["main"].as_str().unwrap_or_default()))
        .send()
        .await?;
    assert_eq!(alive.status(), 200);
    drop(assistant);
    let pid = file["pid"].as_i64().context("a pid")?;
    // It outlives the assistant on purpose; the test does not.
    let stopped = std::process::Command::new("kill").arg(pid.to_string()).status()?;
    assert!(stopped.success());
    Ok(())
}
