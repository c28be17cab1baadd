//! An npm registry that answers byte for byte what it is told to: lies, floods, drips, cuts off and leads astray.

use crate::tarballs::{integrity, package};
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What is written to whoever asks.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A whole answer: status line without the version, header lines, body.
    Whole(&'static str, Vec<String>, Vec<u8>),
    /// A head that promises more than comes before the connection is closed.
    Cut(Vec<u8>, usize),
    /// A body without end, as fast as it is taken.
    Flood(Vec<String>),
    /// A byte now and then, without end.
    Drip(Vec<String>),
    /// These bytes and nothing else.
    Raw(Vec<u8>),
}

impl Reply {
    /// A JSON answer.
    pub fn json(value: &Value) -> Self {
        Self::Whole("200 OK", vec!["content-type: application/json".into()], value.to_string().into_bytes())
    }

    /// Bytes.
    pub fn bytes(bytes: Vec<u8>) -> Self {
        Self::Whole("200 OK", vec!["content-type: application/octet-stream".into()], bytes)
    }

    /// A redirect.
    pub fn redirect(to: &str) -> Self {
        Self::Whole("302 Found", vec![format!("location: {to}")], Vec::new())
    }
}

/// A package: what its metadata and its tarball answer. `ORIGIN` in either is the registry's own.
#[derive(Clone, Debug)]
pub struct Answers {
    /// Under its name.
    pub packument: Reply,
    /// Under every path that begins with its name and `/-/`.
    pub tarball: Reply,
}

impl Answers {
    /// A package whose metadata is as it should be, of this tarball.
    pub fn of(tarball: Vec<u8>) -> Self {
        let manifest = json!({"version": "1.0.0", "dist": {"tarball": "ORIGIN/NAME/-/x-1.0.0.tgz", "integrity": integrity(&tarball)}});
        Self { packument: Reply::json(&document(&manifest)), tarball: Reply::bytes(tarball) }
    }

    /// A package of which only the metadata matters.
    pub fn described(packument: Reply) -> Self {
        Self { packument, tarball: Reply::Whole("404 Not Found", Vec::new(), Vec::new()) }
    }
}

/// Metadata of one version.
pub fn document(manifest: &Value) -> Value {
    json!({"name": "NAME", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": manifest}})
}

/// The running registry. It ends with the process.
pub struct Hostile {
    /// `http://127.0.0.1:PORT`.
    pub origin: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Hostile {
    /// Starts a registry of these packages, and of a small React.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start(packages: BTreeMap<String, Answers>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let mut all = react();
        all.extend(packages);
        let (packages, asked) = (Arc::new(all), Arc::new(Mutex::new(Vec::new())));
        let (own, log) = (origin.clone(), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (packages, own, log) = (Arc::clone(&packages), own.clone(), Arc::clone(&log));
                tokio::spawn(async move {
                    // A client that goes away in the middle is what most of these want.
                    drop(converse(stream, &packages, &own, &log).await);
                });
            }
        });
        Ok(Self { origin, asked })
    }

    /// All request heads that came.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The least that resolves as React.
fn react() -> BTreeMap<String, Answers> {
    let files: [(&str, &[(&str, &str)]); 3] = [
        (
            "react",
            &[
                ("package.json", "{\"name\":\"react\",\"version\":\"19.0.0\"}"),
                ("index.js", "exports.version='19';"),
                ("jsx-runtime.js", "exports.jsx=1;"),
            ],
        ),
        (
            "react-dom",
            &[
                ("package.json", "{\"name\":\"react-dom\",\"version\":\"19.0.0\"}"),
                ("index.js", "exports.x=1;"),
                ("client.js", "exports.createRoot=1;"),
            ],
        ),
        (
            "scheduler",
            &[("package.json", "{\"name\":\"scheduler\",\"version\":\"1.0.0\"}"), ("index.js", "exports.now=1;")],
        ),
    ];
    let made = files.map(|(name, files)| {
        let tarball = package(files);
        let manifest = json!({"version": "19.0.0", "dist": {"tarball": format!("ORIGIN/{name}/-/x.tgz"), "integrity": integrity(&tarball)}});
        let document = json!({"name": name, "dist-tags": {"latest": "19.0.0"}, "versions": {"19.0.0": manifest}});
        (name.to_owned(), Answers { packument: Reply::json(&document), tarball: Reply::bytes(tarball) })
    });
    made.into()
}

async fn converse(
    mut stream: TcpStream,
    packages: &BTreeMap<String, Answers>,
    origin: &str,
    log: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let (mut head, mut piece) = (Vec::new(), [0; 4_096]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut piece).await?;
        if read == 0 || head.len() > 64 << 10 {
            return Ok(());
        }
        head.extend_from_slice(&piece[..read]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    log.lock().unwrap_or_else(PoisonError::into_inner).push(head.clone());
    let path = head.split_whitespace().nth(1).unwrap_or_default().trim_start_matches('/').replace("%2f", "/");
    let (name, reply) = match path.split_once("/-/") {
        Some((name, _)) => (name.to_owned(), packages.get(name).map(|found| &found.tarball)),
        None => (path.clone(), packages.get(&path).map(|found| &found.packument)),
    };
    let missing = Reply::Whole("404 Not Found", Vec::new(), Vec::new());
    write(&mut stream, reply.unwrap_or(&missing), &|text| text.replace("ORIGIN", origin).replace("NAME", &name)).await
}

async fn write(stream: &mut TcpStream, reply: &Reply, fill: &(dyn Fn(&str) -> String + Sync)) -> std::io::Result<()> {
    let lines = |headers: &[String]| headers.iter().map(|line| format!("{}\r\n", fill(line))).collect::<String>();
    match reply {
        Reply::Whole(status, headers, body) => {
            // Binary bodies hold no names.
            let body = std::str::from_utf8(body).map_or_else(|_| body.clone(), |text| fill(text).into_bytes());
            let head = format!(
                "HTTP/1.1 {status}\r\n{}content-length: {}\r\nconnection: close\r\n\r\n",
                lines(headers),
                body.len()
            );
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&body).await?;
        }
        Reply::Cut(body, promised) => {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {promised}\r\nconnection: close\r\n\r\n");
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(body).await?;
        }
        Reply::Flood(headers) => {
            let head = format!("HTTP/1.1 200 OK\r\n{}connection: close\r\n\r\n", lines(headers));
            stream.write_all(head.as_bytes()).await?;
            let block = [b' '; 64 << 10];
            loop {
                stream.write_all(&block).await?;
            }
        }
        Reply::Drip(headers) => {
            let head = format!("HTTP/1.1 200 OK\r\n{}connection: close\r\n\r\n", lines(headers));
            stream.write_all(head.as_bytes()).await?;
            loop {
                stream.write_all(b" ").await?;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Reply::Raw(bytes) => stream.write_all(bytes).await?,
    }
    stream.shutdown().await
}
