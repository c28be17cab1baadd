//! Conformance: what happens in a real frame while the modules of the corpus are written into it.
//!
//! The frames are made by the program itself (`ui4a stream`), resolved by a running server, and shown by the page's own
//! frame host; a probe that the browser's debugger puts into the frame counts what a person would notice. What a stream ends
//! with is compared with a fresh frame that was given the whole at once, as after a reload.

mod outcome;

pub use outcome::{Outcome, Report};

use crate::server::command;
use crate::{Browser, Frame, Page, Setup, Ui4a, eventually};
use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long one module may take, a byte at a time on a busy machine.
const MODULE_PATIENCE: Duration = Duration::from_secs(300);

/// How long a frame may move on after its end before it is looked at.
const STILL_PATIENCE: Duration = Duration::from_secs(6);

/// The chunks that all modules are streamed in, in bytes.
pub const CHUNKS: [usize; 3] = [7, 40, 200];

/// A script that defines `__tree()`: what a document shows, as text.
pub const TREE: &str = include_str!("tree.js");

/// Short modules that are streamed byte by byte with every test.
pub const SHORT: [&str; 10] = [
    "tsx/anonymous-function.tsx",
    "tsx/chat-hello.tsx",
    "tsx/comments-entities.tsx",
    "tsx/default-memo.tsx",
    "tsx/iife-jsx.tsx",
    "tsx/self-mounting.tsx",
    "tsx/tabs-no-semicolons.tsx",
    "html/emoji-weather.html",
    "html/fragment-card.html",
    "html/three-scripts.html",
];

/// A module of the corpus.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name, `tsx/quiz.tsx`.
    pub name: String,
    /// `tsx` or `html`.
    pub kind: String,
    /// Its text.
    pub source: String,
    path: PathBuf,
}

impl Module {
    /// A source of its own, written to `folder`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(folder: &Path, kind: &str, name: &str, source: &str) -> Result<Self> {
        let path = folder.join(format!("{name}.{kind}"));
        std::fs::write(&path, source)?;
        Ok(Self { name: name.to_owned(), kind: kind.to_owned(), source: source.to_owned(), path })
    }
}

/// The modules of the corpus, by name.
///
/// # Errors
/// The corpus is not there.
pub fn corpus() -> Result<Vec<Module>> {
    let mut modules = Vec::new();
    for kind in ["tsx", "html"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus").join(kind);
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let file = path.file_name().context("a name")?.to_string_lossy().into_owned();
            let source = std::fs::read_to_string(&path)?;
            modules.push(Module { name: format!("{kind}/{file}"), kind: kind.to_owned(), source, path });
        }
    }
    modules.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(modules)
}

/// A server, a browser and a page that streams into frames.
pub struct Harness {
    /// The server.
    pub ui4a: Ui4a,
    /// The page.
    pub page: Page,
    /// The browser.
    pub browser: Browser,
}

impl Harness {
    /// Starts all of it.
    ///
    /// # Errors
    /// Something does not start.
    pub async fn start() -> Result<Self> {
        Self::start_watched_by(&format!("{TREE}\n{}", include_str!("probe.js"))).await
    }

    /// Starts all of it; `probe` is put into each frame before its first script, and defines `__probe`.
    ///
    /// # Errors
    /// Something does not start.
    pub async fn start_watched_by(probe: &str) -> Result<Self> {
        // No model is asked here: nothing listens at this address.
        let nobody = Some("http://127.0.0.1:9/v1".to_owned());
        let ui4a = Ui4a::start(Setup { model_server: nobody, ..Setup::default() }).await?;
        let browser = Browser::launch().await?;
        let page = browser.open(&ui4a.link).await?;
        page.before_frames(probe);
        page.eval(include_str!("drive.js")).await?;
        Ok(Self { ui4a, page, browser })
    }

    /// The module as the server resolves it: its whole state, its imports, what was found in it.
    ///
    /// # Errors
    /// The server refuses it.
    pub async fn render(&self, module: &Module) -> Result<Value> {
        self.ui4a.post("/api/render", json!({"source": module.source, "kind": module.kind})).await
    }

    /// Streams a module in chunks of each of these sizes and compares it with a fresh frame of the whole.
    ///
    /// # Errors
    /// The program or the browser fails; what goes wrong in the frame is in the outcome.
    pub async fn check(&self, module: &Module, chunks: &[usize]) -> Result<Vec<Outcome>> {
        let rendered = self.render(module).await?;
        let whole = json!({"whole": rendered["compiled"], "imports": rendered["imports"]});
        let fresh = self.run(module, whole).await.with_context(|| format!("{} at once", module.name))?;
        let mut outcomes = Vec::new();
        for &chunk in chunks {
            let job = json!({"steps": self.steps(module, chunk).await?, "imports": rendered["imports"]});
            let streamed = self.run(module, job).await.with_context(|| format!("{} by {chunk}", module.name))?;
            outcomes.push(Outcome::new(module, chunk, &rendered, &streamed, &fresh));
        }
        Ok(outcomes)
    }

    /// The patches of a module in chunks, made by the program.
    ///
    /// # Errors
    /// The program fails.
    pub async fn steps(&self, module: &Module, chunk: usize) -> Result<Vec<Value>> {
        let mut stream = command(self.ui4a.home.path())?;
        stream.arg("stream").arg(&module.path).args(["--chunk", &chunk.to_string(), "--json", "--frames"]);
        let made = stream.output().await?;
        ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let mut steps = Vec::new();
        for line in String::from_utf8(made.stdout)?.lines() {
            let mut line: Value = serde_json::from_str(line)?;
            steps.push(json!({"patch": line["patch"].take(), "imports": line["imports"].take()}));
        }
        Ok(steps)
    }

    /// Runs a job in a frame of its own and answers what the page and the probe counted.
    async fn run(&self, module: &Module, job: Value) -> Result<Value> {
        let (frame, mut all) = self.show(module, job).await?;
        // A chart moves into place for a second or two; a clock ticks once a second and never ends.
        let moving = "performance.now() - __probe.seenAt < 500";
        let end = tokio::time::Instant::now() + STILL_PATIENCE;
        while frame.eval(moving).await? == true && tokio::time::Instant::now() < end {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        all["probe"] = frame.eval("__probe.end()").await?;
        self.end(&frame).await?;
        Ok(all)
    }

    /// Runs a job and leaves its frame there. A job holds `imports`, and `steps` to stream or the `whole` to load.
    ///
    /// # Errors
    /// The frame is not ready, or a patch does not fit.
    pub async fn show(&self, module: &Module, job: Value) -> Result<(Frame, Value)> {
        let answer = self.ask(&module.name, &format!("run({})", self.job(module, job))).await?;
        Ok((self.page.frame_where("globalThis.__probe").await?, answer))
    }

    /// Mounts a frame for a module that is to be streamed in chunks, with nothing written yet. Answers how many steps there are.
    ///
    /// # Errors
    /// The program or the browser fails.
    pub async fn start_stream(&self, module: &Module, chunk: usize) -> Result<(Frame, usize)> {
        let (steps, rendered) = (self.steps(module, chunk).await?, self.render(module).await?);
        let count = steps.len();
        let job = self.job(module, json!({"steps": steps, "imports": rendered["imports"]}));
        self.ask(&module.name, &format!("start({job})")).await?;
        Ok((self.page.frame_where("globalThis.__probe").await?, count))
    }

    /// Writes the steps before `end`, each when the one before was shown.
    ///
    /// # Errors
    /// A patch does not fit.
    pub async fn feed(&self, end: usize) -> Result<()> {
        self.ask("steps", &format!("feed({end})")).await.map(drop)
    }

    /// Hands all imports over before anything is written, and waits until their modules have arrived.
    ///
    /// # Errors
    /// They do not arrive.
    pub async fn preload(&self, frame: &Frame) -> Result<()> {
        self.page.eval("__conformance.preload()").await?;
        let loaded = "performance.getEntriesByType('resource').length";
        let seen = std::sync::Mutex::new((-1.0, 0));
        // Nothing more has come for a while.
        eventually("the imports to arrive", crate::PATIENCE, || async {
            let now = frame.eval(loaded).await?.as_f64().unwrap_or(0.0);
            let mut seen = seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *seen = if seen.0 == now { (now, seen.1 + 1) } else { (now, 0) };
            Ok((seen.1 >= 20).then_some(()))
        })
        .await
    }

    /// Writes the steps that are left but the last, `pause` milliseconds apart. Answers when each was handed over, in
    /// milliseconds since the epoch.
    ///
    /// # Errors
    /// A patch does not fit.
    pub async fn paced(&self, pause: u32) -> Result<Value> {
        self.ask("steps", &format!("paced({pause})")).await?;
        self.page.eval("__conformance.arrivals()").await
    }

    /// Writes what is left and waits until nothing changes any more. Answers what the host was told.
    ///
    /// # Errors
    /// A patch does not fit.
    pub async fn finish(&self) -> Result<Value> {
        self.ask("the end", "finish()").await
    }

    /// Shows another source in the frame that is there, as a later revision.
    ///
    /// # Errors
    /// The server refuses it.
    pub async fn revise(&self, module: &Module, rev: u32) -> Result<Value> {
        let rendered = self.render(module).await?;
        let job = self.job(module, json!({"whole": rendered["compiled"], "imports": rendered["imports"]}));
        self.ask(&module.name, &format!("revise({job}, {rev})")).await
    }

    fn job(&self, module: &Module, mut job: Value) -> Value {
        job["kind"] = module.kind.clone().into();
        job["name"] = module.name.replace(['/', '.'], "-").into();
        job["sandbox"] = self.ui4a.sandbox.clone().into();
        job
    }

    /// Has the page do something that takes time.
    async fn ask(&self, what: &str, call: &str) -> Result<Value> {
        self.page.eval(&format!("__conformance.{call}")).await?;
        let answer = eventually(what, MODULE_PATIENCE, || async {
            // A page that is busy for a while is asked again.
            let answer = self.page.eval("globalThis.__answer").await.unwrap_or_default();
            Ok((!answer.is_null()).then_some(answer))
        })
        .await?;
        ensure!(answer["error"].is_null(), "{}", answer["error"]);
        Ok(answer["answer"].clone())
    }

    /// Removes the frame and waits until it is gone: the next job must not find it.
    ///
    /// # Errors
    /// The browser fails.
    pub async fn end(&self, frame: &Frame) -> Result<()> {
        self.page.eval("__conformance.end()").await?;
        eventually("the frame to be gone", crate::PATIENCE, || async {
            Ok((!self.page.frames().iter().any(|other| other.session == frame.session)).then_some(()))
        })
        .await
    }
}
