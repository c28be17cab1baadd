//! Types: the real checker over the real declarations of real packages.

use anyhow::{Context as _, Result};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use ui4a_tests::{PATIENCE, Script, ScriptedModel, Setup, Ui4a, eventually, server};

fn no_model() -> Setup {
    Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Findings about types in a source, in the order of their places.
async fn types(ui4a: &Ui4a, source: &str) -> Result<Vec<Value>> {
    let answer = ui4a.post("/api/check", json!({"source": source})).await?;
    let found = answer["diagnostics"].as_array().cloned().unwrap_or_default();
    Ok(found.into_iter().filter(|found| found["code"].as_str().is_some_and(|code| code.starts_with("type"))).collect())
}

fn code(found: &Value) -> &str {
    found["code"].as_str().unwrap_or_default()
}

const WRONG: &str = "import { Button } from \"$ui4a/ui\";\nexport default function App() {\n  return <Button onClik={() => 1}>x</Button>;\n}\n";

#[tokio::test(flavor = "multi_thread")]
async fn every_mistake_is_found_on_its_line_and_nothing_else() -> Result<()> {
    let ui4a = Ui4a::start(no_model()).await?;
    let source = std::fs::read_to_string(fixtures().join("types/mistakes.tsx"))?;
    let mut expected = BTreeSet::new();
    for (line, text) in source.lines().enumerate() {
        if let Some(at) = text.find("// type-").or_else(|| text.find("{/* type-")) {
            let code = text[at..].trim_start_matches(['/', '*', '{', ' ']);
            let code: String = code.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            expected.insert((line as u64 + 1, code));
        }
    }
    let found = types(&ui4a, &source).await?;
    let told: BTreeSet<(u64, String)> =
        found.iter().map(|found| (found["line"].as_u64().unwrap_or(0), code(found).to_owned())).collect();
    let (missed, surplus): (Vec<_>, Vec<_>) =
        (expected.difference(&told).collect(), told.difference(&expected).collect());
    assert!(missed.is_empty() && surplus.is_empty(), "missed {missed:?}\nsurplus {surplus:?}\n{found:#?}");
    assert!(expected.len() > 35, "the markers are read");
    let clik = found.iter().find(|found| found["message"].as_str().is_some_and(|text| text.contains("onClik")));
    let variant = found.iter().find(|found| found["message"].as_str().is_some_and(|text| text.contains("primry")));
    assert!(
        variant.is_some_and(|found| found["help"].as_str().is_some_and(|help| help.contains("`primary`"))),
        "{variant:?}"
    );
    let clik = clik.context("the prop is named")?;
    assert_eq!((clik["column"].as_u64(), clik["phase"].as_str()), (Some(9), Some("type")), "{clik}");
    assert!(clik["help"].as_str().is_some_and(|help| help.contains("`onClick`") && help.contains("TS2322")), "{clik}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_said_of_modules_that_work() -> Result<()> {
    let ui4a = Ui4a::start(no_model()).await?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the repository")?;
    let folders =
        ["renderer/tests/fixtures/modules", "tests/fixtures/kit", "tests/fixtures/corpus/tsx", "tests/fixtures/bench"];
    let mut sources = vec![("harmless".to_owned(), std::fs::read_to_string(fixtures().join("types/harmless.tsx"))?)];
    for folder in folders.map(|folder| root.join(folder)).iter().filter(|folder| folder.is_dir()) {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "tsx") {
                sources.push((path.display().to_string(), std::fs::read_to_string(&path)?));
            }
        }
    }
    sources.push(("dashboard".to_owned(), crate::sources::DASHBOARD.to_owned()));
    sources.push(("plans".to_owned(), crate::sources::PLANS.to_owned()));
    assert!(sources.len() > 15);
    for (name, source) in &sources {
        let found = types(&ui4a, source).await?;
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_types_say_of_a_revision_is_added_to_it_and_to_the_log() -> Result<()> {
    let ui4a = Ui4a::start(no_model()).await?;
    let session = ui4a.session().await?;
    let made = ui4a.post(&format!("/api/sessions/{session}/artifacts"), json!({"code": WRONG})).await?;
    let is_told = |event: &Value| {
        event["type"] == "artifact.diagnostics"
            && event["diagnostics"]
                .as_array()
                .is_some_and(|all| all.iter().any(|found| code(found) == "type-unknown-prop"))
    };
    let log = ui4a.wait_for_event(&session, "what types say", PATIENCE, is_told).await?;
    let at = |what: &str| log.iter().position(|event| event["type"] == what);
    assert!(at("artifact.closed") < log.iter().position(is_told), "nothing waits for it");
    let artifact = made["artifact"].as_str().context("an id")?;
    let revision = ui4a.get(&format!("/api/artifacts/{artifact}/revisions/1")).await?;
    let kept: Vec<_> = revision["diagnostics"].as_array().into_iter().flatten().map(code).collect();
    assert!(kept.contains(&"type-unknown-prop"), "{kept:?}");
    Ok(())
}

/// The checker's process of a server.
fn checker_of(ui4a: &Ui4a) -> Result<Option<u32>> {
    let file: Value = serde_json::from_slice(&std::fs::read(ui4a.home.path().join("data/server.json"))?)?;
    let server = file["pid"].as_u64().context("a pid")?.to_string();
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let read = |name: &str| std::fs::read_to_string(entry.path().join(name)).unwrap_or_default();
        let status = read("status");
        let of_server = status.lines().any(|line| line.strip_prefix("PPid:").is_some_and(|id| id.trim() == server));
        if of_server && read("cmdline").contains("--lsp") {
            return Ok(Some(pid));
        }
    }
    Ok(None)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_checker_is_one_confined_process_and_is_started_again_when_it_is_killed() -> Result<()> {
    let ui4a = Ui4a::start(no_model()).await?;
    assert_eq!(types(&ui4a, WRONG).await?.iter().map(code).collect::<Vec<_>>(), ["type-unknown-prop"]);
    let first = checker_of(&ui4a)?.context("it runs")?;
    assert_eq!(types(&ui4a, crate::sources::PLANS).await?.len(), 0);
    assert_eq!(checker_of(&ui4a)?, Some(first), "the same one");
    let environment = std::fs::read_to_string(format!("/proc/{first}/environ"))?;
    assert!(environment.split('\0').all(|one| one.is_empty() || one.starts_with("GOMEMLIMIT=")), "{environment}");
    let status = std::fs::read_to_string(format!("/proc/{first}/status"))?;
    assert!(status.lines().any(|line| line.starts_with("NoNewPrivs:") && line.ends_with('1')), "{status}");

    let killed = std::process::Command::new("kill").args(["-9", &first.to_string()]).status()?;
    assert!(killed.success());
    assert_eq!(types(&ui4a, WRONG).await?.iter().map(code).collect::<Vec<_>>(), ["type-unknown-prop"]);
    assert_ne!(checker_of(&ui4a)?, Some(first));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_types_are_stopped_and_the_next_check_works() -> Result<()> {
    let ui4a = Ui4a::start(no_model()).await?;
    let mut endless = "type Sub<N extends number, A extends any[] = []> = A[\"length\"] extends N ? A : Sub<N, [...A, 0]>;\n\
        type Bits<N extends any[], S extends string> = N extends [any, ...infer R] ? Bits<R, `${S}0`> | Bits<R, `${S}1`> : S;\n"
        .to_owned();
    for at in 0..200 {
        endless.push_str(&format!("const b{at}: Bits<Sub<16>, \"{at}-\"> = \"x\";\n"));
    }
    endless.push_str("export default function App() { return <p>{b1}</p>; }\n");
    let found = types(&ui4a, &endless).await?;
    assert_eq!(found.iter().map(code).collect::<Vec<_>>(), ["types-not-checked"], "{found:#?}");
    assert!(found[0]["message"].as_str().is_some_and(|text| text.contains("stopped after")), "{found:#?}");
    assert_eq!(found[0]["severity"], "hint");
    assert_eq!(checker_of(&ui4a)?, None, "it is gone");

    let long = format!("const text = \"{}\";\n{WRONG}", "x".repeat(600 << 10));
    assert_eq!(types(&ui4a, &long).await?.iter().map(code).collect::<Vec<_>>(), ["types-not-checked"]);
    let too_long = json!({"source": "x".repeat(2 << 20)});
    let refused = ui4a.request(Method::POST, "/api/check").json(&too_long).send().await?;
    assert_eq!(refused.status(), 413);
    assert_eq!(types(&ui4a, WRONG).await?.iter().map(code).collect::<Vec<_>>(), ["type-unknown-prop"]);
    Ok(())
}

/// Copies a folder, links followed.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let copied = std::process::Command::new("cp").arg("-rL").arg(from).arg(to).status()?;
    anyhow::ensure!(copied.success(), "{}", from.display());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn offline_without_the_checker_it_says_so_and_tries_again_later() -> Result<()> {
    let home = Arc::new(tempfile::tempdir()?);
    let (shared, cache) = (server::shared_cache()?, home.path().join("cache"));
    std::fs::create_dir_all(cache.join("packages"))?;
    copy(&shared.join("metadata"), &cache.join("metadata"))?;
    let (mut checker, wanted) = (None, ["react@", "react-dom@", "scheduler@", "@types+react", "csstype@"]);
    for entry in std::fs::read_dir(shared.join("packages"))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("@typescript+") {
            checker = Some((entry.path(), cache.join("packages").join(&name)));
        } else if wanted.iter().any(|wanted| name.starts_with(wanted)) {
            copy(&entry.path(), &cache.join("packages").join(&name))?;
        }
    }
    let (from, to) = checker.context("`ui4a cache warm` fetched the checker")?;
    let offline = vec![("npm_config_registry".to_owned(), "http://127.0.0.1:9/".to_owned())];
    let ui4a = Ui4a::start(Setup { home: Some(home), env: offline, ..no_model() }).await?;
    let source = "import { useState } from \"react\";\nexport default function App() {\n  const [n, set] = useState(0);\n  return <button onClick={() => set(\"1\")}>{n}</button>;\n}\n";
    for _ in 0..2 {
        let found = types(&ui4a, source).await?;
        assert_eq!(found.iter().map(code).collect::<Vec<_>>(), ["types-not-checked"], "{found:#?}");
        assert!(found[0]["message"].as_str().is_some_and(|text| text.contains("cannot be reached")), "{found:#?}");
    }
    let session = ui4a.session().await?;
    let made = ui4a.post(&format!("/api/sessions/{session}/artifacts"), json!({"code": source})).await?;
    let artifact = made["artifact"].as_str().context("an id")?.to_owned();
    let hints = eventually("the hint", PATIENCE, || async {
        let revision = ui4a.get(&format!("/api/artifacts/{artifact}/revisions/1")).await?;
        let found = revision["diagnostics"].as_array().cloned().unwrap_or_default();
        let hints = found.iter().filter(|found| code(found) == "types-not-checked").count();
        Ok((hints > 0).then_some(hints))
    })
    .await?;
    assert_eq!(hints, 1, "it is said once");

    copy(&from, &to)?;
    let found = types(&ui4a, source).await?;
    assert_eq!(found.iter().map(code).collect::<Vec<_>>(), ["type-wrong-argument"], "{found:#?}");
    Ok(())
}

const CALLS_A_NUMBER: &str =
    "export default function App() {\n  const total = 3;\n  return <button onClick={() => total()}>Sum</button>;\n}\n";

/// Nobody has clicked yet: what surely throws is mended before a person meets it.
#[tokio::test(flavor = "multi_thread")]
async fn what_surely_throws_is_mended_before_it_does() -> Result<()> {
    let good = CALLS_A_NUMBER.replace("total()", "console.log(total)");
    let model = ScriptedModel::start([Script::module("sum", CALLS_A_NUMBER), Script::module("sum", &good)]).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    ui4a.say(&session, "A sum").await?;
    let mends = |event: &Value| event["input"]["repair"].is_object();
    let log = ui4a.wait_for_event(&session, "a round", PATIENCE, mends).await?;
    let round = log.iter().find(|event| mends(event)).context("a round")?;
    let evidence = round["input"]["repair"]["evidence"].as_str().unwrap_or_default();
    assert!(evidence.contains("Line 3") && evidence.contains("no function"), "{evidence}");
    ui4a.wait_for_turns(&session, 2, PATIENCE).await?;
    assert_eq!(model.asked().len(), 2);
    Ok(())
}
