//! What watches an attack from outside: a server that nothing may reach, and the main origin as the browser sees it.
//!
//! Knows nothing of what is attacked. A connection without a request and a UDP packet count as much as a request.

use anyhow::{Context as _, Result};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

type Log<T> = Arc<Mutex<Vec<T>>>;

fn add<T>(log: &Log<T>, entry: T) -> usize {
    let mut all = log.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(entry);
    all.len() - 1
}

fn all<T: Clone>(log: &Log<T>) -> Vec<T> {
    log.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A foreign server: it answers whatever comes, by TCP and by UDP on one port, and remembers it.
pub struct Evil {
    port: u16,
    hits: Log<String>,
}

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\naccess-control-allow-origin: *\r\n\
    cross-origin-resource-policy: cross-origin\r\ncontent-length: 4\r\nconnection: close\r\n\r\nevil";

impl Evil {
    /// Starts one.
    ///
    /// # Errors
    /// No port is free for both.
    pub async fn start() -> Result<Self> {
        let mut tries = 0;
        let (tcp, udp) = loop {
            let tcp = TcpListener::bind("127.0.0.1:0").await?;
            match UdpSocket::bind(tcp.local_addr()?).await {
                Ok(udp) => break (tcp, udp),
                Err(error) if tries == 16 => return Err(error).context("a port for TCP and UDP"),
                Err(_) => tries += 1,
            }
        };
        let (port, hits) = (tcp.local_addr()?.port(), Log::default());
        let connections = Arc::clone(&hits);
        tokio::spawn(async move {
            while let Ok((stream, _)) = tcp.accept().await {
                tokio::spawn(converse(stream, Arc::clone(&connections)));
            }
        });
        let packets = Arc::clone(&hits);
        tokio::spawn(async move {
            let mut packet = [0; 2048];
            while let Ok((length, _)) = udp.recv_from(&mut packet).await {
                add(&packets, format!("UDP, {length} bytes"));
            }
        });
        Ok(Self { port, hits })
    }

    /// Its origin by address, and by a name that looks like one of the sandbox's.
    pub fn origins(&self) -> [String; 2] {
        ["127.0.0.1", "evil.localhost"].map(|host| format!("http://{host}:{}", self.port))
    }

    /// The first line of all that came.
    pub fn hits(&self) -> Vec<String> {
        all(&self.hits)
    }
}

async fn converse(mut stream: TcpStream, hits: Log<String>) {
    let at = add(&hits, "a connection without a request".to_owned());
    let (mut head, mut piece) = (Vec::new(), [0; 4096]);
    while !head.contains(&b'\n') && head.len() < 16_384 {
        match stream.read(&mut piece).await {
            Ok(length) if length > 0 => head.extend_from_slice(&piece[..length]),
            _ => return,
        }
    }
    let line = String::from_utf8_lossy(head.split(|byte| *byte == b'\r').next().unwrap_or_default()).into_owned();
    hits.lock().unwrap_or_else(PoisonError::into_inner)[at] = line;
    // Whoever asked may be gone.
    let _ = stream.write_all(ANSWER).await;
}

/// Stands before the main origin, hands everything on, and remembers who asked: it is the main origin for the browser.
pub struct Front {
    /// Its origin.
    pub origin: String,
    seen: Log<Asked>,
}

/// A request to the main origin.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Method and path.
    pub line: String,
    /// Where the browser says that it comes from: `same-origin`, `cross-site`…; empty when it does not say.
    pub site: String,
    /// The `Cookie` header.
    pub cookie: String,
}

#[derive(Clone)]
struct Door {
    main: String,
    own: String,
    client: reqwest::Client,
    seen: Log<Asked>,
}

impl Front {
    /// Stands before `main`.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start(main: &str) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (origin, seen) = (format!("http://{}", listener.local_addr()?), Log::default());
        let client = reqwest::Client::builder()
            .no_proxy()
            .no_gzip()
            .no_brotli()
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let door = Door { main: main.to_owned(), own: origin.clone(), client, seen: Arc::clone(&seen) };
        let router = axum::Router::new().fallback(hand_on).with_state(door);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { origin, seen })
    }

    /// Everything that was asked.
    pub fn asked(&self) -> Vec<Asked> {
        all(&self.seen)
    }

    /// What was asked by anyone but the person and the page itself.
    pub fn foreign(&self) -> Vec<Asked> {
        self.asked().into_iter().filter(|asked| !matches!(asked.site.as_str(), "same-origin" | "none")).collect()
    }
}

async fn hand_on(State(door): State<Door>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let text =
        |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let line = format!("{} {path}", parts.method);
    add(&door.seen, Asked { line, site: text("sec-fetch-site"), cookie: text("cookie") });
    let url = format!("{}{path}", door.main);
    let headers = translated(&door, &parts.headers);
    let Ok(body) = axum::body::to_bytes(body, 64 << 20).await else { return StatusCode::BAD_REQUEST.into_response() };
    match door.client.request(parts.method, url).headers(headers).body(body).send().await {
        Ok(answer) => {
            let (status, mut headers) = (answer.status(), answer.headers().clone());
            headers.remove(header::TRANSFER_ENCODING);
            (status, headers, Body::from_stream(answer.bytes_stream())).into_response()
        }
        Err(error) => (StatusCode::BAD_GATEWAY, error.to_string()).into_response(),
    }
}

/// The same headers as if the main origin had been asked by its own name.
fn translated(door: &Door, headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    for own in [header::HOST, header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION, header::UPGRADE] {
        headers.remove(own);
    }
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    for name in [header::ORIGIN, header::REFERER] {
        let value =
            headers.get(&name).and_then(|value| value.to_str().ok()).map(|value| value.replace(&door.own, &door.main));
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            headers.insert(name, value);
        }
    }
    headers
}
