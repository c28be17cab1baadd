//! Hostile input to the registry proxy: each probe is answered by a problem that names what is wrong, the program takes
//! no harm, and nothing is written outside its cache.

mod addresses;
mod packages;
mod registries;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use ui4a_tests::hostile::{Answers, Hostile};
use ui4a_tests::{Setup, Ui4a};

/// What is asked, byte for byte, and what the answer says.
struct Probe {
    /// What is tried.
    what: String,
    /// The request's first line and more header lines.
    request: Request,
    /// A part of the problem's code, title or detail.
    says: &'static str,
}

#[derive(Clone, Default)]
struct Request {
    method: &'static str,
    path: String,
    /// On the sandbox origin, without the token.
    sandbox: bool,
    headers: Vec<String>,
}

fn get(path: &str) -> Request {
    Request { method: "GET", path: path.to_owned(), ..Request::default() }
}

/// The answer to a request.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

/// The server, the registry behind it, and the folders that must stay as they are.
struct Field {
    ui4a: Ui4a,
    registry: Hostile,
    outside: TempDir,
}

impl Field {
    async fn start() -> Result<Self> {
        let mut packages: BTreeMap<String, Answers> = packages::all();
        packages.extend(registries::metadata());
        let registry = Hostile::start(packages).await?;
        let outside = TempDir::new()?;
        let home = outside.path().join("a/b/c/home");
        std::fs::create_dir_all(&home)?;
        // Names of files that tarballs and addresses try to reach.
        let mut npmrc = format!("registry={}/\n", registry.origin);
        npmrc.push_str(&registries::scopes().await?);
        std::fs::write(outside.path().join("npmrc"), npmrc)?;
        let own = Arc::new(tempfile::Builder::new().prefix("home-").tempdir_in(&home)?);
        let env = [
            ("npm_config_userconfig", outside.path().join("npmrc").display().to_string()),
            ("UI4A_LIMITS_PACKUMENT_SECONDS", "2".into()),
            ("UI4A_LIMITS_TARBALL_SECONDS", "2".into()),
            ("UI4A_LIMITS_TARBALL_ENTRIES", "2000".into()),
            ("UI4A_ALLOW_ADDRESSES", registry.origin.clone()),
        ];
        let env = env.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let ui4a = Ui4a::start(Setup {
            model_server: Some("http://127.0.0.1:9/v1".into()),
            env,
            home: Some(own),
            ..Setup::default()
        });
        Ok(Self { ui4a: ui4a.await?, registry, outside })
    }

    /// Sends a request as it is written: no client that knows better is in between.
    async fn ask(&self, request: &Request) -> Result<Answer> {
        let main = self.ui4a.main.trim_start_matches("http://");
        let sandbox = self.ui4a.sandbox.replace("{label}", "probe");
        let sandbox = sandbox.trim_start_matches("http://");
        let host = if request.sandbox { sandbox } else { main };
        let port = host.rsplit(':').next().unwrap_or_default();
        let mut stream = tokio::net::TcpStream::connect(format!("127.0.0.1:{port}")).await?;
        let mut head = format!(
            "{} {} HTTP/1.1\r\nconnection: close\r\n",
            request.method,
            request.path.replace("ORIGIN", &self.registry.origin)
        );
        let has = |name: &str| request.headers.iter().any(|line| line.to_lowercase().starts_with(name));
        if !has("host:") {
            head.push_str(&format!("host: {host}\r\n"));
        }
        if !has("authorization:") && !request.sandbox {
            head.push_str(&format!("authorization: Bearer {}\r\n", self.ui4a.token));
        }
        request.headers.iter().for_each(|line| head.push_str(&format!("{line}\r\n")));
        stream.write_all(format!("{head}\r\n").as_bytes()).await?;
        let mut answer = Vec::new();
        tokio::time::timeout(ui4a_tests::PATIENCE, stream.read_to_end(&mut answer)).await.context("no answer")??;
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").with_context(|| format!("no answer: {text:?}"))?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("a status")?;
        Ok(Answer { status, head: head.to_lowercase(), body: body.to_owned() })
    }

    /// All paths outside of the cache.
    fn outside(&self) -> BTreeSet<String> {
        let cache = self.ui4a.home.path().join("cache");
        let mut found = BTreeSet::new();
        let mut todo = vec![self.outside.path().to_owned()];
        while let Some(folder) = todo.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path == cache {
                    continue;
                }
                found.insert(path.display().to_string());
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    todo.push(path);
                }
            }
        }
        found
    }
}

/// What is wrong with an answer.
fn judge(probe: &Probe, answer: &Answer) -> Result<()> {
    ensure!((400..500).contains(&answer.status), "status {} {}", answer.status, answer.body);
    // What hyper refuses before any route has no body; all else says what is wrong.
    if answer.body.is_empty() && probe.says.is_empty() {
        return Ok(());
    }
    ensure!(answer.head.contains("application/problem+json"), "its type: {}", answer.head);
    ensure!(answer.head.contains("x-content-type-options: nosniff"), "nosniff: {}", answer.head);
    ensure!(!answer.head.contains("x-injected"), "a header of the probe's: {}", answer.head);
    let start = answer.body.find('{').context("a problem")?;
    let end = answer.body.rfind('}').context("a problem")?;
    let problem: Value = serde_json::from_str(&answer.body[start..=end])?;
    let said = format!("{} {} {}", problem["code"], problem["title"], problem["detail"]);
    ensure!(said.contains(probe.says), "it does not say {:?}: {said}", probe.says);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_probe_is_answered_by_a_problem_and_leaves_no_trace() -> Result<()> {
    let field = Field::start().await?;
    let (before, memory) = (field.outside(), field.ui4a.peak_memory()?);
    let mut probes = addresses::all();
    probes.extend(packages::all().into_keys().map(|name| packages::probe(&name)));
    probes.extend(registries::all());
    assert!(probes.len() >= 60, "{} probes", probes.len());
    let mut failed = Vec::new();
    for probe in &probes {
        let judged = match field.ask(&probe.request).await {
            Ok(answer) => judge(probe, &answer),
            Err(error) => Err(error),
        };
        if let Err(error) = judged {
            failed.push(format!("{}: {error:#}", probe.what));
        }
    }
    assert!(failed.is_empty(), "{} of {} probes:\n{}", failed.len(), probes.len(), failed.join("\n"));
    assert_eq!(field.outside(), before, "nothing is written outside of the cache");
    let left: Vec<_> =
        std::fs::read_dir(field.ui4a.home.path().join("cache/tmp"))?.flatten().map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "nothing half is left: {left:?}");
    for name in ["passwd", "escaped.js"] {
        assert!(!Path::new("/tmp").join(name).exists());
    }
    let peak = field.ui4a.peak_memory()?;
    println!("{} probes; peak memory {} MiB before, {} MiB after", probes.len(), memory >> 20, peak >> 20);
    assert!(peak < memory + (512 << 20), "memory went from {} to {} MiB", memory >> 20, peak >> 20);
    // And it works as before.
    let answer = field.ask(&get("/npm/scheduler")).await?;
    assert_eq!(answer.status, 302, "{}", answer.body);
    for head in field.registry.asked() {
        let first = head.lines().next().unwrap_or_default();
        assert!(!first.contains("..") && !first.contains("passwd"), "the registry was asked for {first}");
    }
    Ok(())
}
