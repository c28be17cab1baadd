//! `ui4a doctor`: what works on this machine.

use super::{Outcome, print_json, print_line};
use crate::model::file;
use crate::paths::Paths;
use crate::settings::Settings;
use clap::Args;
use serde_json::json;
use std::net::{TcpListener, ToSocketAddrs as _};
use std::process::{Command, ExitCode, Stdio};
use ui4a_registry_proxy::{Config, Proxy};

/// Looks at what UI4A needs.
#[derive(Args)]
pub struct Doctor {
    /// Print one JSON array.
    #[arg(long)]
    json: bool,
}

struct Finding {
    what: &'static str,
    ok: bool,
    says: String,
}

impl Doctor {
    /// Exit 3 when something that is needed is missing.
    pub fn run(self, settings: Settings, paths: &Paths) -> Outcome {
        let findings =
            [model(&settings, paths), ports(&settings, paths), labels(), npm(), types(paths), folders(paths)];
        if self.json {
            let rows =
                findings.iter().map(|finding| json!({"what": finding.what, "ok": finding.ok, "says": finding.says}));
            print_json(&rows.collect::<Vec<_>>())?;
        } else {
            for finding in &findings {
                let mark = if finding.ok { "ok  " } else { "FAIL" };
                print_line(&format!("{mark} {:<10} {}", finding.what, finding.says))?;
            }
        }
        Ok(if findings.iter().all(|finding| finding.ok) { ExitCode::SUCCESS } else { ExitCode::from(3) })
    }
}

fn model(settings: &Settings, paths: &Paths) -> Finding {
    let what = "model";
    if let Some(server) = &settings.openai {
        return Finding { what, ok: true, says: format!("{} at {}", server.model, server.base_url) };
    }
    match file(&settings.model, &paths.models()) {
        Ok(path) if path.is_file() => Finding { what, ok: true, says: path.display().to_string() },
        Ok(_) => Finding { what, ok: false, says: format!("not fetched: run `ui4a model pull {}`", settings.model) },
        Err(error) => Finding { what, ok: false, says: error.to_string() },
    }
}

fn ports(settings: &Settings, paths: &Paths) -> Finding {
    let what = "ports";
    if let Some(server) = super::remote::ServerFile::read(&paths.server_file()) {
        return Finding { what, ok: true, says: format!("a server runs at {}", server.origins.main) };
    }
    let taken: Vec<_> = [settings.port, settings.sandbox_port]
        .into_iter()
        .filter_map(|port| TcpListener::bind((settings.host, port)).err().map(|error| format!("{port}: {error}")))
        .collect();
    let ok = taken.is_empty();
    let says = if ok { format!("{} and {} are free", settings.port, settings.sandbox_port) } else { taken.join("; ") };
    Finding { what, ok, says }
}

/// Browsers resolve `*.localhost` themselves; other programs need the system's resolver.
fn labels() -> Finding {
    let found =
        ("check.localhost", 80).to_socket_addrs().is_ok_and(|mut all| all.all(|address| address.ip().is_loopback()));
    let says = if found {
        "*.localhost leads to this machine"
    } else {
        "*.localhost does not resolve here; Chromium, Firefox and Safari resolve it themselves, other viewers may not"
    };
    Finding { what: "labels", ok: true, says: says.to_owned() }
}

fn npm() -> Finding {
    let set = std::env::var("npm_config_registry").is_ok_and(|registry| !registry.is_empty());
    let there = Command::new("npm")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let says = match (set, there) {
        (true, _) => "the registry is set by npm_config_registry",
        (false, true) => "npm is here; its registry is used",
        (false, false) => {
            "npm is not installed and npm_config_registry is not set: packages that are not cached cannot be fetched"
        }
    };
    Finding { what: "registry", ok: set || there, says: says.to_owned() }
}

/// Artifacts work without it; mistakes in types are not found then.
fn types(paths: &Paths) -> Finding {
    let config = Config { cache: paths.cache.clone(), ..Config::default() };
    let here = Proxy::open(config).and_then(|proxy| proxy.checker_here());
    let says = match here {
        Ok(Some(_)) => "the type checker is here".to_owned(),
        Ok(None) => "the type checker is not fetched yet: run `ui4a cache warm`, or it is when it is needed".to_owned(),
        Err(error) => format!("types are not checked: {error}"),
    };
    Finding { what: "types", ok: true, says }
}

fn folders(paths: &Paths) -> Finding {
    let what = "folders";
    let failed: Vec<_> = [&paths.data, &paths.cache]
        .into_iter()
        .filter_map(|folder| {
            let tried = std::fs::create_dir_all(folder).and_then(|()| tempfile_in(folder));
            tried.err().map(|error| format!("{}: {error}", folder.display()))
        })
        .collect();
    let ok = failed.is_empty();
    let says = if ok {
        format!("{} and {} are writable", paths.data.display(), paths.cache.display())
    } else {
        failed.join("; ")
    };
    Finding { what, ok, says }
}

fn tempfile_in(folder: &std::path::Path) -> std::io::Result<()> {
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    std::fs::write(&probe, b"")?;
    std::fs::remove_file(probe)
}
