//! Bad input: each a clear message that says what to do, nothing lost, the right exit code.

use crate::sources::THROWS;
use anyhow::Result;
use serde_json::json;
use std::process::Output;
use std::time::Duration;
use ui4a_tests::{PATIENCE, Script, ScriptedModel, Setup, Silent, Ui4a, server};

async fn run(home: &std::path::Path, args: &[&str], env: &[(&str, &str)]) -> Result<(Option<i32>, String)> {
    let output: Output = server::command(home)?.args(args).envs(env.iter().copied()).output().await?;
    Ok((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_model_names_the_nearest() -> Result<()> {
    let home = server::new_home()?;
    for args in [&["model", "pull", "qwen2.5-coder-1.5"][..], &["--model", "qwen2.5-coder-1.5", "generate", "hi"][..]] {
        let (code, said) = run(home.path(), args, &[]).await?;
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("qwen2.5-coder-1.5b"), "{said}");
    }
    let (code, said) = run(home.path(), &["serv"], &[]).await?;
    assert!(code == Some(2) && said.contains("serve"), "{said}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_model_file_is_told_as_such() -> Result<()> {
    let home = server::new_home()?;
    let file = home.path().join("broken.gguf");
    for bytes in [
        &b"GGUF\x03\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"[..],
        b"not a model",
        b"",
    ] {
        std::fs::write(&file, bytes)?;
        let path = file.display().to_string();
        let (code, said) = run(home.path(), &["--model", &path, "generate", "hi"], &[]).await?;
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("broken.gguf") && said.contains("model"), "{said}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_during_a_pull_says_how_much_is_needed() -> Result<()> {
    let home = server::new_home()?;
    let small = home.path().join("small");
    std::fs::create_dir(&small)?;
    let mounted =
        std::process::Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&small).status()?;
    // Only root may mount; a namespace of its own gives a user the same.
    let models = small.join("models").display().to_string();
    let (code, said) = if mounted.success() {
        let answer = run(home.path(), &["model", "pull", "smollm2-135m"], &[("UI4A_MODELS", &models)]).await;
        std::process::Command::new("umount").arg(&small).status()?;
        answer?
    } else {
        let script = format!(
            "mount -t tmpfs -o size=1m tmpfs {small} && UI4A_HOME={home} UI4A_MODELS={models} {program} model pull smollm2-135m",
            small = small.display(),
            home = home.path().display(),
            program = server::program()?.display()
        );
        let output = tokio::process::Command::new("unshare").args(["-rm", "sh", "-c", &script]).output().await?;
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("space") && said.contains("bytes"), "{said}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_network_is_told_with_what_to_do() -> Result<()> {
    let home = tempfile::tempdir()?;
    let closed = [("npm_config_registry", "http://127.0.0.1:9/")];
    let (code, said) = run(home.path(), &["resolve", "left-pad"], &closed).await?;
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("registry"), "{said}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_in_use_names_it_and_the_way_out() -> Result<()> {
    let home = server::new_home()?;
    let taken = std::net::TcpListener::bind("127.0.0.1:0")?;
    let port = taken.local_addr()?.port().to_string();
    let (code, said) = run(home.path(), &["serve", "--port", &port, "--sandbox-port", "0", "--no-open"], &[]).await?;
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains(&port) && said.contains("ui4a open") && said.contains("--port"), "{said}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_of_a_megabyte_is_refused_by_name_and_kept() -> Result<()> {
    let model = ScriptedModel::start([Script::new("Hello.")]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, &"word ".repeat(210_000)).await?;
    let log = ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    let failed = log.iter().find(|event| event["type"] == "turn.failed").expect("it fails");
    assert_eq!(failed["problem"]["code"], "prompt-too-long", "{failed}");
    assert!(failed["problem"]["title"].as_str().unwrap_or_default().contains("tokens"), "{failed}");
    let started = log.iter().find(|event| event["type"] == "turn.started").expect("a start");
    assert!(
        started["input"]["text"].as_str().is_some_and(|text| text.len() > 1_000_000),
        "what was said is in the log"
    );
    ui4a.say(&session, "hi").await?;
    let log = ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    assert!(log.iter().any(|event| event["type"] == "turn.finished"), "the session goes on");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_never_stops_is_stopped_by_the_person() -> Result<()> {
    let endless = Script { endless: true, ..Script::new("and on ") };
    let model = ScriptedModel::start([endless, Script::new("Hello.")]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "Go").await?;
    ui4a.wait_for_event(&session, "some text", PATIENCE, |event| event["type"] == "text.delta").await?;
    ui4a.post(&format!("/api/sessions/{session}/cancel"), json!({})).await?;
    let log = ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    let finished = log.iter().find(|event| event["type"] == "turn.finished").expect("it ends");
    assert_eq!(finished["stop_reason"], "cancelled");
    ui4a.say(&session, "Hi").await?;
    ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_heard_while_a_model_server_keeps_the_router_waiting() -> Result<()> {
    let silent = Silent::start().await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(format!("{}/v1", silent.url)), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "Hello?").await?;
    ui4a.wait_for_event(&session, "a turn", PATIENCE, |event| event["type"] == "turn.started").await?;
    ui4a.post(&format!("/api/sessions/{session}/cancel"), json!({})).await?;
    let log = ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    let finished = log.iter().find(|event| event["type"] == "turn.finished").expect("it ends");
    assert_eq!(finished["stop_reason"], "cancelled");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_printing_command_whose_reader_goes_away_ends_quietly() -> Result<()> {
    let home = ui4a_tests::server::new_home()?;
    let file = home.path().join("long.tsx");
    std::fs::write(&file, format!("const rows = [\n{}];\nexport default rows;\n", "  1,\n".repeat(4_000)))?;
    let mut command = ui4a_tests::server::command(home.path())?;
    command.arg("stream").arg(&file).args(["--chunk", "64", "--json"]);
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn()?;
    // As `| head -1` does.
    let mut lines = tokio::io::BufReader::new(child.stdout.take().expect("stdout"));
    let mut first = String::new();
    tokio::io::AsyncBufReadExt::read_line(&mut lines, &mut first).await?;
    drop(lines);
    let output = child.wait_with_output().await?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(first.starts_with('{') && said.is_empty(), "{said}");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{:?}", output.status);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_artifact_is_cut_off_and_said_so() -> Result<()> {
    let row = "  { name: \"row\", value: 1 },\n".repeat(2_000);
    let opening = "```ui4a/tsx id=big\nconst rows = [\n";
    let endless = Script { endless: true, chunk: 4096, pause: Duration::from_millis(1), opening, ..Script::new(row) };
    let model = ScriptedModel::start([endless]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "Go").await?;
    let log = ui4a
        .wait_for_event(&session, "the end of the artifact", 4 * PATIENCE, |event| event["type"] == "artifact.closed")
        .await?;
    let source: usize = log
        .iter()
        .filter(|event| event["type"] == "artifact.source")
        .filter_map(|event| event["delta"].as_str())
        .map(str::len)
        .sum();
    assert!(source <= 1 << 20, "{source} bytes were kept");
    let log = ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    let finished = log.iter().find(|event| event["type"] == "turn.finished").expect("the model is stopped");
    assert_eq!(finished["stop_reason"], "oversized");
    let found = log.iter().rfind(|event| event["type"] == "artifact.diagnostics").expect("findings");
    assert!(found["diagnostics"].as_array().into_iter().flatten().any(|found| found["code"] == "oversized"), "{found}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_server_that_is_gone_is_told_and_the_session_lives() -> Result<()> {
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "hi").await?;
    let log = ui4a.wait_for_turns(&session, 1, PATIENCE).await?;
    let failed = log.iter().find(|event| event["type"] == "turn.failed").expect("it fails");
    assert_eq!(failed["problem"]["code"], "model-unavailable", "{failed}");
    assert!(!failed["problem"]["detail"].as_str().unwrap_or_default().is_empty(), "it says what to do: {failed}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_make_no_sense_get_problems() -> Result<()> {
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    let post = |path: String, body: serde_json::Value| ui4a.request(reqwest::Method::POST, &path).json(&body).send();
    let cases = [
        (format!("/api/sessions/{session}/messages"), json!({"text": "  "}), 400, "empty-message"),
        ("/api/sessions/none/messages".to_owned(), json!({"text": "x"}), 404, "not-found"),
        (format!("/api/sessions/{session}/artifacts"), json!({"code": " "}), 400, "empty-code"),
        (
            format!("/api/sessions/{session}/artifacts"),
            json!({"code": "x".repeat((1 << 20) + 1)}),
            413,
            "code-too-large",
        ),
    ];
    for (path, body, status, code) in cases {
        let answer = post(path.clone(), body).await?;
        assert_eq!(answer.status().as_u16(), status, "{path}");
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
        let problem: serde_json::Value = answer.json().await?;
        assert_eq!(problem["code"], code, "{path}");
        assert!(!problem["detail"].as_str().unwrap_or_default().is_empty());
    }
    let made = ui4a.post(&format!("/api/sessions/{session}/artifacts"), json!({"code": THROWS, "id": "x"})).await?;
    assert_eq!(made["rev"], 1, "an artifact that throws at once is stored like any other");
    Ok(())
}
