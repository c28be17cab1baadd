//! Serving a module of 10 KB: requests a second under wrk, beside nginx with the same file, in turn; and memory meanwhile.

use crate::row::{Row, median};
use crate::{Bench, Family};
use anyhow::{Context as _, Result, ensure};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use ui4a_tests::hostile::{Answers, Hostile, Reply, document};
use ui4a_tests::tarballs::{integrity, package};
use ui4a_tests::{PATIENCE, Setup, Ui4a, eventually};

/// The family.
pub const FAMILY: Family = Family {
    name: "serving",
    about: "microseconds a request of a 10 KB module under wrk, beside nginx with the same file; memory meanwhile",
    run: |bench| Box::pin(run(bench)),
};

/// Seconds that each measurement takes.
const SECONDS: u32 = 4;
/// Connections that are held open.
const CONNECTIONS: u32 = 64;
const INSTALL: &str = "install it with `apt-get install nginx-light wrk`";

async fn run(bench: &Bench) -> Result<Vec<Row>> {
    let (ui4a, path) = server().await?;
    let sandbox = ui4a.sandbox.replace("{label}", "bench");
    let port = sandbox.rsplit(':').next().context("a port")?.to_owned();
    let (ours, host) = (format!("http://127.0.0.1:{port}{path}"), format!("bench.localhost:{port}"));
    let client = reqwest::Client::builder().no_proxy().build()?;
    let module = client.get(&ours).header("host", &host).send().await?.error_for_status()?.bytes().await?;
    ensure!((9_000..12_000).contains(&module.len()), "the module has {} bytes", module.len());
    let nginx = Nginx::start(&module).await?;
    let theirs = format!("{}/module.js", nginx.origin);
    ensure!(client.get(&theirs).send().await?.bytes().await? == module, "nginx serves the same bytes");
    // Warm, and memory where it stays.
    wrk(&ours, &host).await?;
    wrk(&theirs, "localhost").await?;
    let before = memory(&ui4a)?;
    let (mut mine, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        mine.push(wrk(&ours, &host).await?);
        peer.push(wrk(&theirs, "localhost").await?);
    }
    let grown = memory(&ui4a)?.saturating_sub(before);
    // Half of nginx's requests a second is twice its time a request.
    let (mine, peer) = (median(mine), median(peer));
    println!("serving: ours {:.0} requests a second, nginx {:.0}", 1e6 / mine, 1e6 / peer);
    Ok(vec![
        Row::peer("serving/10kb", "µs", mine, ("nginx", peer), 0.5),
        Row::limit("serving/memory-grown", "MiB", grown as f64 / 1_048_576.0, 8.0),
    ])
}

/// A server with one package of which the module has about 10 KB, and the module's path.
async fn server() -> Result<(Ui4a, String)> {
    // Text that no minifier makes smaller.
    let words: String = (0..10_000_u32).map(|at| char::from(b'a' + u8::try_from(at * at % 23).unwrap_or(0))).collect();
    let manifest = "{\"name\":\"ten\",\"version\":\"1.0.0\",\"type\":\"module\",\"main\":\"index.js\"}";
    let tarball = package(&[("package.json", manifest), ("index.js", &format!("export const text = \"{words}\";"))]);
    let version = serde_json::json!({"version": "1.0.0",
        "dist": {"tarball": "ORIGIN/NAME/-/x-1.0.0.tgz", "integrity": integrity(&tarball)}});
    let ten = Answers { packument: Reply::json(&document(&version)), tarball: Reply::bytes(tarball) };
    let registry = Hostile::start([("ten".to_owned(), ten)].into()).await?;
    let ui4a = Ui4a::start(Setup {
        model_server: Some("http://127.0.0.1:9/v1".into()),
        env: vec![("npm_config_registry".into(), format!("{}/", registry.origin))],
        home: Some(std::sync::Arc::new(TempDir::new()?)),
        ..Setup::default()
    })
    .await?;
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()?;
    let answer = client.get(format!("{}/npm/ten", ui4a.main)).bearer_auth(&ui4a.token).send().await?;
    let to = answer.headers().get("location").and_then(|to| to.to_str().ok()).context("a redirect to the module")?;
    let path = url::Url::parse(to)?.path().to_owned();
    Ok((ui4a, path))
}

fn memory(ui4a: &Ui4a) -> Result<u64> {
    ui4a.peak_memory()
}

/// nginx with one file. It ends with the measurement.
struct Nginx {
    origin: String,
    folder: TempDir,
    child: Child,
}

impl Nginx {
    async fn start(module: &[u8]) -> Result<Self> {
        let folder = TempDir::new()?;
        let root = folder.path();
        std::fs::create_dir(root.join("www"))?;
        std::fs::write(root.join("www/module.js"), module)?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let shown = root.display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .iter()
            .map(|kind| format!("{kind}_temp_path {shown}/{kind};"))
            .collect();
        let config = format!(
            "daemon off; worker_processes auto; pid {shown}/pid; error_log {shown}/error.log;\n\
             events {{ worker_connections 1024; }}\n\
             http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=100;\n\
             types {{ text/javascript js; }} {temporary}\n\
             server {{ listen 127.0.0.1:{port}; root {shown}/www;\n\
             add_header cache-control \"public, max-age=31536000, immutable\"; add_header x-content-type-options nosniff;\n\
             add_header access-control-allow-origin *; }} }}\n"
        );
        std::fs::write(root.join("nginx.conf"), config)?;
        let child = Command::new("nginx")
            .arg("-c")
            .arg(root.join("nginx.conf"))
            .arg("-p")
            .arg(root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("nginx: {INSTALL}"))?;
        let origin = format!("http://127.0.0.1:{port}");
        let client = reqwest::Client::builder().no_proxy().build()?;
        let address = format!("{origin}/module.js");
        eventually("nginx to answer", PATIENCE, || async {
            Ok(client.get(&address).send().await.ok().filter(|answer| answer.status().is_success()).map(drop))
        })
        .await?;
        Ok(Self { origin, folder, child })
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Killed, its master would leave its workers behind; told, it takes them along.
        let pid = std::fs::read_to_string(self.folder.path().join("pid")).unwrap_or_default();
        if let Ok(pid) = pid.trim().parse::<u32>() {
            drop(std::process::Command::new("kill").args(["-TERM", &pid.to_string()]).status());
        }
        let start = std::time::Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && start.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Microseconds a request under wrk: its own count of requests a second, turned over.
async fn wrk(url: &str, host: &str) -> Result<f64> {
    let asking = Command::new("wrk")
        .args([
            "-t",
            "2",
            "-c",
            &CONNECTIONS.to_string(),
            "-d",
            &format!("{SECONDS}s"),
            "-H",
            &format!("Host: {host}"),
            url,
        ])
        .kill_on_drop(true)
        .output();
    let limit = Duration::from_secs(u64::from(SECONDS) + 20);
    let output = tokio::time::timeout(limit, asking).await.context("wrk did not end")?;
    let output = output.with_context(|| format!("wrk: {INSTALL}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && !text.contains("Non-2xx"),
        "wrk: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let rate = text.lines().find_map(|line| line.strip_prefix("Requests/sec:")).context("wrk's rate")?;
    Ok(1e6 / rate.trim().parse::<f64>()?)
}
