//! Chromium's DevTools protocol: one WebSocket, sessions flattened, frames of other processes included.

use anyhow::{Context as _, Result, anyhow, bail};
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_tungstenite::tungstenite::Message;

/// Longest wait for the answer to one command.
const COMMAND: Duration = Duration::from_secs(60);

type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Value>>>>;

/// An event: the session it came from (empty: the browser), its method, its parameters.
pub type CdpEvent = (String, String, Value);

/// A connection.
#[derive(Clone)]
pub struct Cdp {
    out: mpsc::UnboundedSender<String>,
    waiting: Waiting,
    next: Arc<AtomicU64>,
    events: broadcast::Sender<CdpEvent>,
}

impl Cdp {
    /// Connects to a browser's debugger address.
    pub async fn connect(url: &str) -> Result<Self> {
        let (socket, _) = tokio_tungstenite::connect_async(url).await.context("connecting to Chromium")?;
        let (mut sink, mut stream) = socket.split();
        let (out, mut outgoing) = mpsc::unbounded_channel::<String>();
        let (waiting, events) = (Waiting::default(), broadcast::Sender::new(1 << 16));
        tokio::spawn(async move {
            while let Some(text) = outgoing.recv().await {
                if sink.send(Message::text(text)).await.is_err() {
                    return;
                }
            }
        });
        let (answers, sender) = (Arc::clone(&waiting), events.clone());
        tokio::spawn(async move {
            while let Some(Ok(message)) = stream.next().await {
                let Ok(text) = message.into_text() else { continue };
                let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
                receive(value, &answers, &sender);
            }
            // The browser is gone: whoever waits learns it by the dropped sender.
            if let Ok(mut waiting) = answers.lock() {
                waiting.clear();
            }
        });
        Ok(Self { out, waiting, next: Arc::default(), events })
    }

    /// Sends a command to a session, or to the browser for an empty one, and waits for its answer.
    pub async fn send(&self, session: &str, method: &str, params: Value) -> Result<Value> {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, answer) = oneshot::channel();
        self.waiting.lock().map_err(|_| anyhow!("a panic in the connection"))?.insert(id, sender);
        let mut command = json!({"id": id, "method": method, "params": params});
        if !session.is_empty() {
            command["sessionId"] = session.into();
        }
        self.out.send(command.to_string()).context("Chromium is gone")?;
        let answer = tokio::time::timeout(COMMAND, answer).await.with_context(|| format!("{method}: no answer"))?;
        let mut answer = answer.with_context(|| format!("{method}: Chromium is gone"))?;
        if let Some(error) = answer.get("error") {
            bail!("{method}: {error}");
        }
        Ok(answer["result"].take())
    }

    /// All events from now on.
    pub fn events(&self) -> broadcast::Receiver<CdpEvent> {
        self.events.subscribe()
    }
}

fn receive(mut value: Value, waiting: &Waiting, events: &broadcast::Sender<CdpEvent>) {
    if let Some(id) = value["id"].as_u64() {
        let sender = waiting.lock().ok().and_then(|mut waiting| waiting.remove(&id));
        if let Some(sender) = sender {
            // Whoever asked may have given up.
            let _ = sender.send(value);
        }
        return;
    }
    let session = value["sessionId"].as_str().unwrap_or_default().to_owned();
    let method = value["method"].as_str().unwrap_or_default().to_owned();
    // Nobody may be listening.
    let _ = events.send((session, method, value["params"].take()));
}
