//! `ui4a serve`

use super::remote::{ServerFile, ServerOrigins};
use super::{Failure, Outcome, settings, wait_for};
use crate::app::App;
use crate::door::{Links, Token};
use crate::hub::Hub;
use crate::model::Model;
use crate::origins::Origins;
use crate::paths::Paths;
use crate::runtime::Runtime;
use crate::settings::{Options, Settings};
use crate::type_check::Types;
use crate::v1::{Running, Views};
use crate::{agent, browser, routes, services};
use anyhow::{Context as _, Result, anyhow};
use axum::serve::{Listener, ListenerExt as _};
use clap::Args;
use std::fs::{File, TryLockError};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::PermissionsExt as _;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use ui4a_registry_proxy::Cache;
use ui4a_store::Db;

/// Starts the server.
#[derive(Args)]
pub struct Serve {
    /// Address to listen on.
    #[arg(long, value_name = "ADDRESS")]
    host: Option<IpAddr>,
    /// Port of the pages; 0 for any free one.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Port of the sandbox; 0 for any free one.
    #[arg(long, value_name = "PORT")]
    sandbox_port: Option<u16>,
    /// Open no browser now; one may still be opened when a coding assistant shows something and no page is there.
    #[arg(long)]
    no_open: bool,
}

impl Serve {
    /// Serves until it is told to stop.
    pub fn run(self, flags: Options, paths: Paths) -> Outcome {
        let flags = Options { host: self.host, port: self.port, sandbox_port: self.sandbox_port, ..flags };
        let settings = settings(flags, &paths)?;
        wait_for(serve(settings, paths, !self.no_open))??;
        Ok(ExitCode::SUCCESS)
    }
}

async fn serve(settings: Settings, paths: Paths, open: bool) -> Result<(), Failure> {
    let main = listen(settings.host, settings.port, "port").await?;
    let sandbox = listen(settings.host, settings.sandbox_port, "sandbox_port").await?;
    let _only = only_one(&paths)?;
    let (app, stop) = (Arc::new(app(settings, paths, &main, &sandbox)?), CancellationToken::new());
    agent::recover::all(&app)?;
    let origins = ServerOrigins { main: app.origins.main.clone(), sandbox: app.origins.sandbox.clone() };
    let file = app.paths.server_file();
    ServerFile { pid: std::process::id(), origins }.write(&file)?;
    announce(&app, open)?;
    tokio::spawn(wait_for_stop(stop.clone()));
    let serving = async {
        tokio::try_join!(
            axum::serve(prompt(main), routes::main(Arc::clone(&app))).into_future(),
            axum::serve(prompt(sandbox), routes::sandbox(Arc::clone(&app))).into_future(),
        )
    };
    // A stop waits for nobody: event streams never end by themselves, and whatever is told is in the log already.
    let ended = tokio::select! {
        ended = serving => ended.map(drop),
        () = stop.cancelled() => Ok(()),
    };
    if ServerFile::read(&file).is_some_and(|server| server.pid == std::process::id()) {
        std::fs::remove_file(&file).with_context(|| format!("removing {}", file.display()))?;
    }
    ended.map_err(Failure::environment)
}

fn app(settings: Settings, paths: Paths, main: &TcpListener, sandbox: &TcpListener) -> Result<App, Failure> {
    let local = |listener: &TcpListener| listener.local_addr().map_err(Failure::environment);
    let origins = Origins::new(&settings, local(main)?, local(sandbox)?);
    let model = Model::new(&settings, &paths)?;
    let runtime = Runtime::compile()?;
    let proxy = services::proxy(&paths, &runtime, &settings)?;
    // What this data's locks name stays in the cache.
    let cache = Cache::open(&paths.cache, settings.limits.clone()).and_then(|cache| cache.own(&paths.data));
    cache.with_context(|| format!("opening the package cache in {}", paths.cache.display()))?;
    let db = Arc::new(Db::open(&paths.database()).map_err(Failure::environment)?);
    Ok(App {
        token: Token::load(&paths.token())?,
        links: Links::default(),
        hub: Hub::new(Arc::clone(&db)),
        types: Types::new(&proxy),
        proxy,
        settings,
        paths,
        origins,
        running: Running::default(),
        views: Views::new(Arc::clone(&db)),
        db,
        model,
        runtime,
    })
}

/// Held while this server runs: a second one over the same data would take this one's running turns for interrupted ones.
/// The system lets go of it when the process ends, however it ends.
fn only_one(paths: &Paths) -> Result<File, Failure> {
    let path = paths.data.join("server.lock");
    // Conversations are nobody else's business.
    let private = std::fs::Permissions::from_mode(0o700);
    let made = std::fs::create_dir_all(&paths.data).and_then(|()| std::fs::set_permissions(&paths.data, private));
    let opened = made.and_then(|()| File::create(&path));
    let file = opened.with_context(|| format!("writing {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let why = "another ui4a serves this data already; open it with `ui4a open`, or set another UI4A_HOME";
            return Err(Failure::environment(anyhow!(why)));
        }
        // Some file systems have no locks.
        Err(TryLockError::Error(error)) => tracing::warn!(%error, "{} could not be locked", path.display()),
    }
    Ok(file)
}

/// Sends each small event at once: otherwise the system holds it back until the one before was acknowledged, for 40 ms.
fn prompt(listener: TcpListener) -> impl Listener<Addr = SocketAddr> {
    listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection may be slow");
        }
    })
}

async fn listen(host: IpAddr, port: u16, setting: &str) -> Result<TcpListener, Failure> {
    TcpListener::bind((host, port)).await.map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::AddrInUse => format!(
                "port {port} is in use, perhaps by another ui4a; open that one with `ui4a open`, or choose another port with --{}",
                setting.replace('_', "-")
            ),
            _ => format!("cannot listen on {host}:{port}: {error}; choose another with --{}", setting.replace('_', "-")),
        };
        Failure::environment(anyhow!(why))
    })
}

/// Prints the address to open; the only line on stdout.
fn announce(app: &App, open: bool) -> Result<()> {
    let link = |path| routes::links::link(app, path);
    println!("{}", link(None)?);
    eprintln!(
        "UI4A is at {} (open the link above once; `ui4a open` makes another). Model: {}.",
        app.origins.main,
        app.model.name()
    );
    if !app.settings.host.is_loopback() {
        eprintln!("warning: listening on {}, which other machines may reach", app.settings.host);
    }
    if open {
        browser::open(&link(None)?, app.settings.open_browser);
    }
    Ok(())
}

async fn wait_for_stop(stop: CancellationToken) {
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
    stop.cancel();
}
