//! Code that means harm, and children that break.

use crate::{impatient, pool, worker};
use anyhow::Result;
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};
use ui4a_isolate::{IsolateError, Job, Limits, Pool};

fn job(source: &str) -> Job {
    Job { source: source.to_owned(), input: Value::Null }
}

#[tokio::test]
async fn loops_of_every_kind_are_stopped_and_the_next_job_runs() -> Result<()> {
    let pool = impatient();
    for endless in [
        "while (true) {}",
        "const again = () => Promise.resolve().then(again); again(); await0()",
        "/(a+)+$/.test('a'.repeat(40) + '!')",
        "new Promise(() => {}); for (;;) { try { throw 1 } catch { continue } }",
    ] {
        let source = endless.replace("await0()", "new Promise(() => {})");
        let started = Instant::now();
        let stopped = pool.run(job(&source)).await;
        assert!(matches!(stopped, Err(IsolateError::Deadline(_))), "{endless}: {stopped:?}");
        assert!(started.elapsed() < Duration::from_secs(20), "{endless}");
        assert_eq!(pool.run(job("1 + 1")).await?, json!(2), "after {endless}");
    }
    Ok(())
}

#[tokio::test]
async fn memory_bombs_do_not_take_the_machine() -> Result<()> {
    let limits = Limits { heap: 64 << 20, deadline: Duration::from_secs(30), ..Limits::default() };
    let pool = Pool::with_limits(worker(), limits);
    for bomb in [
        "const all = []; for (;;) all.push(new Array(100000).fill(7))",
        "let s = 'x'; for (;;) s += s + 'y'",
        "const all = []; for (;;) all.push(new Uint8Array(8 << 20).fill(1))",
    ] {
        let error = pool.run(job(bomb)).await.expect_err("no machine has so much memory");
        let kind = matches!(error, IsolateError::Memory(_) | IsolateError::Died(_) | IsolateError::Threw(_));
        assert!(kind, "{bomb}: {error}");
        assert_eq!(pool.run(job("1 + 1")).await?, json!(2), "after {bomb}");
    }
    Ok(())
}

#[tokio::test]
async fn large_answers_and_large_sources_are_refused() -> Result<()> {
    let pool = pool();
    let large = pool.run(job("'x'.repeat(3 << 20)")).await;
    assert!(matches!(large, Err(IsolateError::TooLarge { what: "answer", .. })), "{large:?}");
    let many = pool.names("for (let i = 0; i < 300000; i++) exports['name' + i] = 1").await;
    assert!(matches!(many, Err(IsolateError::TooLarge { what: "answer", .. })), "{many:?}");
    let source = pool.names(&" ".repeat(33 << 20)).await;
    assert!(matches!(source, Err(IsolateError::TooLarge { what: "source", .. })), "{source:?}");
    Ok(())
}

#[tokio::test]
async fn nothing_of_the_host_is_in_reach() -> Result<()> {
    let pool = pool();
    let found = pool
        .run(job("[typeof Deno, typeof __bootstrap, typeof process, typeof require, typeof fetch, typeof WebAssembly]"))
        .await?;
    assert_eq!(found, json!(vec!["undefined"; 6]));
    for import in ["ext:core/ops", "ext:core/mod.js", "file:///etc/passwd", "http://127.0.0.1:9/x.js", "node:fs"] {
        let source = format!("import('{import}').then((m) => Object.keys(m), () => 'refused')");
        assert_eq!(pool.run(job(&source)).await?, json!("refused"), "{import}");
    }
    Ok(())
}

#[tokio::test]
async fn deep_recursion_and_tampered_primordials_stay_inside() -> Result<()> {
    let pool = pool();
    let deep = pool.run(job("const f = () => f() + 1; f()")).await;
    assert!(matches!(deep, Err(IsolateError::Threw(_) | IsolateError::Died(_))), "{deep:?}");
    let source = "Object.keys = () => ['lie']; JSON.stringify = () => 'not JSON'; Array.prototype.push = null;
        Array.prototype.includes = () => true; exports.truth = 1";
    assert_eq!(pool.names(source).await?, ["truth"]);
    assert_eq!(pool.run(job("JSON.stringify = () => '\"lie\"'; 5")).await?, json!(5));
    Ok(())
}

#[test]
fn the_fences_refuse_files_sockets_programs_and_threads() -> Result<()> {
    let output = worker().arg("probe").env_clear().output()?;
    let said: Value = serde_json::from_slice(&output.stdout)?;
    let missing = said["missing"].to_string();
    // Where the kernel lacks a fence that must be said; everything is refused by the other.
    assert!(!missing.contains("seccomp") || !missing.contains("landlock"), "{said}");
    for (what, refused) in said["refused"].as_object().into_iter().flatten() {
        assert_eq!(*refused, json!(true), "{what}: {said}");
    }
    assert_eq!(said["refused"].as_object().map(|tried| tried.len()), Some(6), "{said}");
    Ok(())
}

#[test]
fn a_confined_program_may_start_threads_and_nothing_else() -> Result<()> {
    let output = worker().args(["probe", "confined"]).env_clear().output()?;
    let said: Value = serde_json::from_slice(&output.stdout)?;
    let missing = said["missing"].to_string();
    for (what, refused) in said["refused"].as_object().into_iter().flatten() {
        // Only landlock keeps files from it, and only the filter sockets and processes; a kernel may lack either.
        let by = if what.contains("file") || what.contains("folder") { "landlock" } else { "seccomp" };
        if !missing.contains(by) {
            assert_eq!(*refused, json!(what != "start a thread"), "{what}: {said}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn children_that_break_are_errors_that_say_how() -> Result<()> {
    let missing = Pool::new(Command::new("/nonexistent/ui4a")).run(job("1")).await;
    assert!(matches!(missing, Err(IsolateError::Spawn { .. })), "{missing:?}");
    let mut exits = Command::new("sh");
    exits.args(["-c", "exit 3"]);
    let Err(IsolateError::Spawn { reason, .. }) = Pool::new(exits).run(job("1")).await else {
        anyhow::bail!("it ended at once")
    };
    assert!(reason.contains('3'), "{reason}");
    // Says that it is ready, reads the job's first bytes, and dies of a signal.
    let mut crashes = Command::new("sh");
    crashes
        .args(["-c", r#"printf '\033\000\000\000{"is":"ready","missing":[]}'; head -c 4 >/dev/null; kill -SEGV $$"#]);
    let crashed = Pool::new(crashes).run(job("1")).await;
    assert!(matches!(&crashed, Err(IsolateError::Died(how)) if how.contains("signal")), "{crashed:?}");
    Ok(())
}

#[tokio::test]
async fn a_job_that_is_given_up_does_not_hold_a_place() -> Result<()> {
    let limits = Limits { children: 1, deadline: Duration::from_secs(60), ..Limits::default() };
    let pool = Pool::with_limits(worker(), limits);
    let endless = pool.run(job("for (;;) {}"));
    assert!(tokio::time::timeout(Duration::from_secs(2), endless).await.is_err());
    assert_eq!(pool.run(job("2 + 2")).await?, json!(4));
    Ok(())
}
