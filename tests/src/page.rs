//! A tab: what is in it and in its frames, what it asks of the network, and a person's hands.

use crate::cdp::{Cdp, CdpEvent};
use crate::{PATIENCE, eventually};
use anyhow::{Context as _, Result, anyhow, bail};
use base64::Engine as _;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often an element must be seen at one place, a twentieth of a second apart, to be at rest.
const LOOKS_AT_REST: u32 = 5;

/// A tab.
#[derive(Clone)]
pub struct Page {
    cdp: Cdp,
    session: String,
    target: String,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    frames: Vec<Frame>,
    requests: Vec<String>,
    console: Vec<String>,
    sessions: Vec<String>,
    /// Run in every new frame before its first script.
    frame_script: Option<String>,
}

/// A frame in a process of its own.
#[derive(Clone)]
pub struct Frame {
    cdp: Cdp,
    /// Its session.
    pub session: String,
    /// Its address.
    pub url: String,
}

impl Page {
    /// Opens a tab.
    pub(crate) async fn open(cdp: Cdp, url: &str, width: u32, height: u32) -> Result<Self> {
        let created = cdp.send("", "Target.createTarget", json!({"url": "about:blank"})).await?;
        let target = created["targetId"].as_str().context("a target")?.to_owned();
        let attached = cdp.send("", "Target.attachToTarget", json!({"targetId": target, "flatten": true})).await?;
        let session = attached["sessionId"].as_str().context("a session")?.to_owned();
        let page = Self { cdp, session: session.clone(), target, seen: Arc::default() };
        page.lock().sessions.push(session.clone());
        tokio::spawn(watch(page.cdp.clone(), page.cdp.events(), Arc::clone(&page.seen)));
        prepare(&page.cdp, &session).await?;
        page.resize(width, height).await?;
        page.goto(url).await?;
        Ok(page)
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes to an address and waits for its document.
    pub async fn goto(&self, url: &str) -> Result<()> {
        self.cdp.send(&self.session, "Page.navigate", json!({"url": url})).await?;
        self.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'").await
    }

    /// Loads the page again.
    pub async fn reload(&self) -> Result<()> {
        self.eval("window.__old = true").await?;
        self.cdp.send(&self.session, "Page.reload", json!({})).await?;
        self.wait_for("!window.__old && document.readyState === 'complete'").await
    }

    /// Changes the size.
    pub async fn resize(&self, width: u32, height: u32) -> Result<()> {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.cdp.send(&self.session, "Emulation.setDeviceMetricsOverride", metrics).await.map(drop)
    }

    /// Prefers dark or light.
    pub async fn dark(&self, dark: bool) -> Result<()> {
        let value = if dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": value}]});
        self.cdp.send(&self.session, "Emulation.setEmulatedMedia", media).await.map(drop)
    }

    /// The value of an expression in the page; a promise is awaited.
    pub async fn eval(&self, expression: &str) -> Result<Value> {
        eval(&self.cdp, &self.session, expression).await
    }

    /// Waits until an expression in the page is true.
    pub async fn wait_for(&self, expression: &str) -> Result<()> {
        self.wait_long(expression, PATIENCE).await
    }

    /// The same with other patience. Says what the page showed when it was in vain.
    pub async fn wait_long(&self, expression: &str, patience: Duration) -> Result<()> {
        let waited = eventually(expression, patience, || async {
            // While a page is being replaced it cannot be asked.
            Ok(self.eval(&format!("!!({expression})")).await.ok().filter(|value| *value == true).map(drop))
        })
        .await;
        if waited.is_err() {
            let text = self.eval("document.body?.innerText ?? ''").await.unwrap_or_default();
            let console = self.console().join("\n");
            return waited.with_context(|| {
                format!("the page showed:\n{}\nconsole:\n{console}", text.as_str().unwrap_or_default())
            });
        }
        waited
    }

    /// Runs a script in every frame to come, before the frame's own first script.
    pub fn before_frames(&self, script: &str) {
        self.lock().frame_script = Some(script.to_owned());
    }

    /// Frames in processes of their own that are there now, oldest first.
    pub fn frames(&self) -> Vec<Frame> {
        self.lock().frames.clone()
    }

    /// The newest frame in which an expression is true.
    pub async fn frame_where(&self, expression: &str) -> Result<Frame> {
        self.frame_within(expression, PATIENCE).await
    }

    /// The same with other patience.
    pub async fn frame_within(&self, expression: &str, patience: Duration) -> Result<Frame> {
        let found = eventually(expression, patience, || async {
            for frame in self.frames().into_iter().rev() {
                if frame.eval(&format!("!!({expression})")).await.is_ok_and(|value| value == true) {
                    return Ok(Some(frame));
                }
            }
            Ok(None)
        })
        .await;
        match found {
            Ok(frame) => Ok(frame),
            Err(error) => {
                let mut shown = String::new();
                for frame in self.frames() {
                    let text = frame
                        .eval("document.body?.innerText ?? ''")
                        .await
                        .unwrap_or_else(|error| error.to_string().into());
                    shown.push_str(&format!("--- {}\n{}\n", frame.url, text.as_str().unwrap_or_default()));
                }
                let page = self.eval("document.body?.innerText ?? ''").await.unwrap_or_default();
                let console = self.console().join("\n");
                Err(error.context(format!(
                    "frames:\n{shown}page:\n{}\nconsole:\n{console}",
                    page.as_str().unwrap_or_default()
                )))
            }
        }
    }

    /// Every address that the tab and its frames asked for.
    pub fn requests(&self) -> Vec<String> {
        self.lock().requests.clone()
    }

    /// What was written to the console, errors first class.
    pub fn console(&self) -> Vec<String> {
        self.lock().console.clone()
    }

    /// Clicks the middle of the first element that a selector finds in the page.
    pub async fn click(&self, selector: &str) -> Result<()> {
        let (x, y) = middle(&self.cdp, &self.session, selector).await?;
        self.click_at(x, y).await
    }

    /// Clicks the middle of the element that an expression answers in a frame.
    pub async fn click_in(&self, frame: &Frame, element: &str) -> Result<()> {
        let (x, y) = self.place_in(frame, element).await?;
        self.click_at(x, y).await
    }

    /// The same for a click whose handler never ends: Chromium never says that it was taken.
    ///
    /// # Errors
    /// The element is not there.
    pub async fn click_in_and_leave(&self, frame: &Frame, element: &str) -> Result<()> {
        let (x, y) = self.place_in(frame, element).await?;
        let page = self.clone();
        tokio::spawn(async move { page.click_at(x, y).await });
        Ok(())
    }

    /// Where an element of a frame is on the page, scrolled into view and at rest: a person does not click what moves.
    ///
    /// # Errors
    /// The element is not there, or never comes to rest.
    pub async fn place_in(&self, frame: &Frame, element: &str) -> Result<(f64, f64)> {
        let host = url_host(&frame.url)?;
        let find = format!("[...document.querySelectorAll('iframe')].find((frame) => frame.src.includes({host:?}))");
        self.bring_into_view(frame, element, &find).await?;
        let height = self.eval("innerHeight").await?.as_f64().context("a height")?;
        let last = Mutex::new(None::<((f64, f64), u32)>);
        eventually("an element to come to rest", PATIENCE, || async {
            let inside = rect(&frame.cdp, &frame.session, element).await?;
            let outside = rect_of_frame(&self.cdp, &self.session, &find).await?;
            let place = (outside.0 + inside.0, outside.1 + inside.1);
            let looks = {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                let looks = last.filter(|(before, _)| *before == place).map_or(1, |(_, looks)| looks + 1);
                *last = Some((place, looks));
                looks
            };
            if looks < LOOKS_AT_REST {
                return Ok(None);
            }
            if (0.0..=height).contains(&place.1) {
                return Ok(Some(place));
            }
            // A conversation follows a frame that grows to its end, and away from what is to be clicked.
            self.bring_into_view(frame, element, &find).await?;
            Ok(None)
        })
        .await
    }

    async fn bring_into_view(&self, frame: &Frame, element: &str, find: &str) -> Result<()> {
        // The element first: bringing it into view may scroll the page that holds the frame.
        frame.eval(&format!("({element}).scrollIntoView({{block: 'center'}})")).await?;
        self.eval(&format!("{find}?.scrollIntoView({{block: 'nearest'}})")).await?;
        let inside = rect(&frame.cdp, &frame.session, element).await?;
        let outside = rect_of_frame(&self.cdp, &self.session, find).await?;
        let height = self.eval("innerHeight").await?.as_f64().unwrap_or(900.0);
        let at = outside.1 + inside.1;
        if !(0.0..=height).contains(&at) {
            let by = at - height / 2.0;
            let scroll = format!(
                "(() => {{ let at = {find}; while (at && at.scrollHeight <= at.clientHeight + 1) at = at.parentElement; \
                 (at ?? document.scrollingElement).scrollBy(0, {by}); }})()"
            );
            self.eval(&scroll).await?;
        }
        Ok(())
    }

    /// Clicks a point of the page.
    pub async fn click_at(&self, x: f64, y: f64) -> Result<()> {
        for (kind, buttons) in [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)] {
            self.mouse(kind, x, y, buttons).await?;
        }
        Ok(())
    }

    /// Presses at one point, moves to another, lets go.
    pub async fn drag(&self, from: (f64, f64), to: (f64, f64)) -> Result<()> {
        self.mouse("mouseMoved", from.0, from.1, 0).await?;
        self.mouse("mousePressed", from.0, from.1, 1).await?;
        for step in 1..=8 {
            let part = f64::from(step) / 8.0;
            self.mouse("mouseMoved", from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part, 1).await?;
        }
        self.mouse("mouseReleased", to.0, to.1, 0).await
    }

    async fn mouse(&self, kind: &str, x: f64, y: f64, buttons: u32) -> Result<()> {
        let button = if kind == "mouseMoved" && buttons == 0 { "none" } else { "left" };
        let event = json!({"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1});
        self.cdp.send(&self.session, "Input.dispatchMouseEvent", event).await.map(drop)
    }

    /// Types text where the focus is, key by key.
    pub async fn type_text(&self, text: &str) -> Result<()> {
        for key in text.chars() {
            let event = |kind: &str| json!({"type": kind, "text": key.to_string(), "key": key.to_string(), "unmodifiedText": key.to_string()});
            self.cdp.send(&self.session, "Input.dispatchKeyEvent", event("keyDown")).await?;
            self.cdp
                .send(&self.session, "Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key.to_string()}))
                .await?;
        }
        Ok(())
    }

    /// Presses a named key: `Enter`, `ArrowRight`, `Backspace`.
    pub async fn press(&self, key: &str) -> Result<()> {
        let code = match key {
            "Enter" => 13,
            "Backspace" => 8,
            "Tab" => 9,
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            "Escape" => 27,
            "Home" => 36,
            "End" => 35,
            other => bail!("the key {other} is not known here"),
        };
        let text = if key == "Enter" { "\r" } else { "" };
        let event = json!({"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
        self.cdp.send(&self.session, "Input.dispatchKeyEvent", event).await?;
        let event = json!({"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code});
        self.cdp.send(&self.session, "Input.dispatchKeyEvent", event).await.map(drop)
    }

    /// Takes the network away.
    ///
    /// # Errors
    /// Chromium fails.
    pub async fn offline(&self) -> Result<()> {
        let nothing = json!({"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        self.cdp.send(&self.session, "Network.emulateNetworkConditions", nothing).await.map(drop)
    }

    /// A picture of what is visible: a PNG in base 64.
    ///
    /// # Errors
    /// Chromium fails.
    pub async fn picture(&self) -> Result<String> {
        let shot = self.cdp.send(&self.session, "Page.captureScreenshot", json!({"format": "png"})).await?;
        Ok(shot["data"].as_str().context("a picture")?.to_owned())
    }

    /// Writes a picture of what is visible.
    pub async fn screenshot(&self, path: &Path) -> Result<()> {
        let bytes = base64::engine::general_purpose::STANDARD.decode(self.picture().await?)?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, bytes).with_context(|| path.display().to_string())
    }

    /// Closes the tab.
    pub async fn close(self) -> Result<()> {
        self.cdp.send("", "Target.closeTarget", json!({"targetId": self.target})).await.map(drop)
    }
}

impl Frame {
    /// The value of an expression in the frame; a promise is awaited.
    pub async fn eval(&self, expression: &str) -> Result<Value> {
        eval(&self.cdp, &self.session, expression).await
    }

    /// Waits until an expression in the frame is true.
    pub async fn wait_for(&self, expression: &str) -> Result<()> {
        let waited = eventually(expression, PATIENCE, || async {
            Ok(self.eval(&format!("!!({expression})")).await.ok().filter(|value| *value == true).map(drop))
        })
        .await;
        if waited.is_err() {
            let text = self.eval("document.body?.innerText ?? ''").await.unwrap_or_default();
            return waited.with_context(|| format!("the frame showed:\n{}", text.as_str().unwrap_or_default()));
        }
        waited
    }

    /// Sends a command of the debugger's protocol to the frame.
    ///
    /// # Errors
    /// Chromium refuses it.
    pub async fn command(&self, method: &str, params: Value) -> Result<Value> {
        self.cdp.send(&self.session, method, params).await
    }

    /// Text that is visible.
    pub async fn text(&self) -> Result<String> {
        Ok(self.eval("document.body.innerText").await?.as_str().unwrap_or_default().to_owned())
    }
}

async fn eval(cdp: &Cdp, session: &str, expression: &str) -> Result<Value> {
    let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true, "timeout": 5000});
    let mut answer = tokio::time::timeout(Duration::from_secs(10), cdp.send(session, "Runtime.evaluate", asked))
        .await
        .context("the page does not answer")??;
    if let Some(thrown) = answer.get("exceptionDetails") {
        let text =
            thrown["exception"]["description"].as_str().unwrap_or_else(|| thrown["text"].as_str().unwrap_or_default());
        bail!("{expression}: {text}");
    }
    Ok(answer["result"]["value"].take())
}

/// Everything that must be on before a page or a frame runs its first script.
async fn prepare(cdp: &Cdp, session: &str) -> Result<()> {
    let attach = json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true});
    for (method, params) in [
        ("Page.enable", json!({})),
        ("Runtime.enable", json!({})),
        ("Network.enable", json!({})),
        ("Target.setAutoAttach", attach),
    ] {
        cdp.send(session, method, params).await?;
    }
    Ok(())
}

async fn watch(cdp: Cdp, mut events: tokio::sync::broadcast::Receiver<CdpEvent>, seen: Arc<Mutex<Seen>>) {
    use tokio::sync::broadcast::error::RecvError;
    loop {
        let (session, method, params) = match events.recv().await {
            Ok(event) => event,
            Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        let mut all = seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.sessions.contains(&session) {
            continue;
        }
        match method.as_str() {
            "Target.attachedToTarget" => {
                let child = params["sessionId"].as_str().unwrap_or_default().to_owned();
                all.sessions.push(child.clone());
                if params["targetInfo"]["type"] == "iframe" {
                    let url = params["targetInfo"]["url"].as_str().unwrap_or_default().to_owned();
                    all.frames.push(Frame { cdp: cdp.clone(), session: child.clone(), url });
                }
                let (cdp, script) = (cdp.clone(), all.frame_script.clone());
                tokio::spawn(async move {
                    // A frame that is gone again cannot be prepared.
                    let _ = prepare(&cdp, &child).await;
                    if let Some(script) = script {
                        let params = json!({"source": script});
                        let _ = cdp.send(&child, "Page.addScriptToEvaluateOnNewDocument", params).await;
                    }
                    let _ = cdp.send(&child, "Runtime.runIfWaitingForDebugger", json!({})).await;
                });
            }
            "Target.detachedFromTarget" => {
                let gone = params["sessionId"].as_str().unwrap_or_default();
                all.frames.retain(|frame| frame.session != gone);
            }
            "Page.frameNavigated"
                if params["frame"]["parentId"].is_null() || params["frame"]["parentId"].is_string() =>
            {
                let url = params["frame"]["url"].as_str().unwrap_or_default().to_owned();
                if let Some(frame) = all.frames.iter_mut().find(|frame| frame.session == session) {
                    frame.url = url;
                }
            }
            "Network.requestWillBeSent" => {
                all.requests.push(params["request"]["url"].as_str().unwrap_or_default().to_owned())
            }
            "Network.webSocketCreated" => all.requests.push(params["url"].as_str().unwrap_or_default().to_owned()),
            "Runtime.exceptionThrown" => {
                all.console.push(format!("exception: {}", params["exceptionDetails"]["exception"]["description"]));
            }
            "Runtime.consoleAPICalled" => {
                let parts = params["args"].as_array().into_iter().flatten();
                let text: Vec<_> = parts
                    .map(|part| part["value"].as_str().map_or_else(|| part["description"].to_string(), str::to_owned))
                    .collect();
                all.console.push(format!("{}: {}", params["type"].as_str().unwrap_or_default(), text.join(" ")));
            }
            _ => {}
        }
    }
}

async fn middle(cdp: &Cdp, session: &str, selector: &str) -> Result<(f64, f64)> {
    rect(cdp, session, &format!("document.querySelector({})", json!(selector))).await
}

async fn rect(cdp: &Cdp, session: &str, element: &str) -> Result<(f64, f64)> {
    let found = eval(cdp, session, &format!("(() => {{ const box = ({element})?.getBoundingClientRect(); return box && [box.x + box.width / 2, box.y + box.height / 2, box.width * box.height]; }})()")).await?;
    let part = |at: usize| found[at].as_f64();
    match (part(0), part(1), part(2)) {
        (Some(x), Some(y), Some(area)) if area > 0.0 => Ok((x, y)),
        _ => Err(anyhow!("{element} is not there or has no size")),
    }
}

async fn rect_of_frame(cdp: &Cdp, session: &str, find: &str) -> Result<(f64, f64)> {
    let found = eval(
        cdp,
        session,
        &format!("(() => {{ const box = ({find})?.getBoundingClientRect(); return box && [box.x, box.y]; }})()"),
    )
    .await?;
    Ok((found[0].as_f64().context("the frame's element")?, found[1].as_f64().unwrap_or(0.0)))
}

fn url_host(url: &str) -> Result<String> {
    url::Url::parse(url)?.host_str().map(str::to_owned).context("a host")
}
